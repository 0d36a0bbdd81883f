// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/modelica.hpp>

#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void modelica_read(const std::uint8_t* data, std::size_t size) {
  reads([&] { read_modelica_text(text(data, size), "model.mo", {}, folder()); });
}

extern const Target modelica_target{"modelica", modelica_read, nullptr, true};

}  // namespace daedalus::fuzz
