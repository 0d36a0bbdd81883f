// SPDX-License-Identifier: BSD-3-Clause
// Runs on GPUs: the attempted step of the lanes as a kernel, each thread with a run of its own,
// which takes the next one when it is done. What the kernel cannot do safely goes back to the
// library.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ensemble/gpu/batch.hpp"
#include "ensemble/lanes/worker.hpp"

namespace daedalus::gpu {

struct Engine {
  std::shared_ptr<const lanes::Plan> plan;
  Processor processor;
};

// Why there is nothing to run kernels on; empty: there is. forced: weak double precision is enough.
std::string missing(bool forced);

// Null, with a reason, where the tasks cannot be run on GPUs. `varied` as in lanes::Way.
std::shared_ptr<const Engine> make_engine(const std::vector<EnsembleTask>& probes, bool forced,
                                          std::string& reason,
                                          const std::vector<char>& varied = {});

// One thread's part, `capacity` runs at a time, on the device of this number modulo their count.
void work(const Engine& engine, std::size_t device, std::size_t capacity, const lanes::Desk& desk);

std::string source_of(const lanes::Plan& plan);
// Memory that batches of a problem take on the host, per run.
std::size_t bytes_per_run(const lanes::Plan& plan);
Columns columns_of(const lanes::Plan& plan);

}  // namespace daedalus::gpu
