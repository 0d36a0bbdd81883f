// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "modelica/context.hpp"

namespace daedalus::modelica {

struct BuiltinCall {
  Context& c;
  const ast::Expression& call;
  const Env& env;

  const ast::Expression& operand(std::size_t k, const char* named = "") const;
  bool has(std::size_t k, const char* named = "") const;
  Value argument(std::size_t k, const char* named = "") const;
  int integer(std::size_t k) const;
  void arguments(std::size_t count) const;  // throws unless there are so many
};

using Builtin = std::function<Value(const BuiltinCall&)>;

void add_elementary(std::unordered_map<std::string, Builtin>& t);
void add_array_functions(std::unordered_map<std::string, Builtin>& t);
void add_event_operators(std::unordered_map<std::string, Builtin>& t);

bool is_builtin(const std::string& name);

}  // namespace daedalus::modelica
