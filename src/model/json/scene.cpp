// SPDX-License-Identifier: BSD-3-Clause
#include "model/json/reader.hpp"

namespace daedalus::model {

void Reader::scene(const JsonValue&) {}

}  // namespace daedalus::model
