// SPDX-License-Identifier: BSD-3-Clause
// The driver of CUDA and its compiler, opened at run time: nothing of CUDA is needed to build the
// library, or to run it where there is no GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ensemble/gpu/batch.hpp"

namespace daedalus::gpu {

struct Device {
  int number = 0;
  std::string name{};
  int major = 0, minor = 0;  // compute capability
  int single_to_double = 1;  // how many times faster single precision is
};

// What is there; empty with a sentence that says why.
std::vector<Device> devices(std::string& why);
// Those whose double precision is worth it, with a sentence about the others.
std::vector<Device> strong(const std::vector<Device>& all, std::string& why);

// Empty, or why sources cannot be compiled here.
std::string compiler_missing();
// Machine code of a source, or text for the driver where NVRTC does not know the device. Throws
// InvalidArgument that says what is missing.
std::vector<char> compile_source(const std::string& source, int major, int minor);

// A compiled source on one device. Throws InvalidArgument with the words of the driver.
class Module;
std::shared_ptr<const Module> load(const Device& device, const std::vector<char>& code);
std::unique_ptr<Batch> batch_on(const std::shared_ptr<const Module>& module, const Columns& columns,
                                std::size_t capacity);

}  // namespace daedalus::gpu
