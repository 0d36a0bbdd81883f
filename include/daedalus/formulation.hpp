// SPDX-License-Identifier: BSD-3-Clause
// The formulations of multibody problems: at which level constraints are held, and how.
#pragma once

#include <string>
#include <vector>

#include <daedalus/method.hpp>

namespace daedalus {

struct Formulation {
  std::string name;
  int index;
  std::string applies_to;  // problem forms, separated by commas
  std::string reference;
  std::vector<MethodOption> options;  // for Options::formulation_options
};
const std::vector<Formulation>& all_formulations();

}  // namespace daedalus
