// SPDX-License-Identifier: BSD-3-Clause
// C++ text of names, numbers and strings.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace daedalus::model {

// Distinct C++ identifiers made from names of any kind.
class Identifiers {
 public:
  Identifiers();
  std::string make(std::string_view name);

 private:
  std::unordered_set<std::string> taken_;
};

std::string cpp_number(double value);  // read back bit for bit
std::string cpp_string(std::string_view text);

}  // namespace daedalus::model
