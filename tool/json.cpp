// SPDX-License-Identifier: BSD-3-Clause
#include "tool/json.hpp"

#include <ostream>

namespace daedalus::cli {

Json document() { return Json{{"version", 1}}; }

void print(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace daedalus::cli
