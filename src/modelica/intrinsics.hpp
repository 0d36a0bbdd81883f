// SPDX-License-Identifier: BSD-3-Clause
// Functions of the standard library that are external there and have a body here.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "modelica/context.hpp"

namespace daedalus::modelica {

struct IntrinsicCall {
  Context& c;
  Frame& frame;
  const Place& place;
};
using Intrinsic = std::function<void(const IntrinsicCall&)>;

void add_table_functions(std::unordered_map<std::string, Intrinsic>& all);

// Sets the results in the frame; false: the function is none of them.
bool intrinsic(Context& c, const ClassRef& function, Frame& frame, const ast::Expression& call);

}  // namespace daedalus::modelica
