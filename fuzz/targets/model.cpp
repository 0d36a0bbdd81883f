// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/model_file.hpp>

#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void model_read(const std::uint8_t* data, std::size_t size) {
  reads([&] { read_model_text(text(data, size), "model.json", {}, folder()); });
}

extern const Target model_target{"model", model_read, nullptr, true};

}  // namespace daedalus::fuzz
