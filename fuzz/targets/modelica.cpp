// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/modelica.hpp>

#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace daedalus;
  return fuzz::refuses_or_reads([&] { read_modelica_text(fuzz::text(data, size), "model.mo", {}, fuzz::folder()); });
}
