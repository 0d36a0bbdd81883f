// SPDX-License-Identifier: BSD-3-Clause
// Functions and operators that are part of the language.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "kernel/at.hpp"
#include "modelica/builtins.hpp"

namespace daedalus::modelica {
namespace {

using ast::Expression;

const std::unordered_map<std::string, Builtin>& table() {
  static const std::unordered_map<std::string, Builtin> all = [] {
    std::unordered_map<std::string, Builtin> t;
    add_elementary(t);
    add_array_functions(t);
    add_event_operators(t);
    return t;
  }();
  return all;
}

}  // namespace

const Expression& BuiltinCall::operand(std::size_t k, const char* named) const {
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    if (call.names[i] == named && *named) return *call.operands[i];
  if (k >= call.operands.size() || !call.names[k].empty())
    throw Mistake{Phase::types, call.place,
                  fmt::format("{} expects {} argument{}, {} {} given", call.plain_name(), k + 1,
                              k == 0 ? "" : "s", call.operands.size(),
                              call.operands.size() == 1 ? "is" : "are")};
  return *call.operands[k];
}

bool BuiltinCall::has(std::size_t k, const char* named) const {
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    if (call.names[i] == named && *named) return true;
  return k < call.operands.size() && call.names[k].empty();
}

Value BuiltinCall::argument(std::size_t k, const char* named) const {
  return c.evaluate(operand(k, named), env);
}

int BuiltinCall::integer(std::size_t k) const {
  return c.integer(operand(k), env, "an argument of " + call.plain_name());
}

void BuiltinCall::arguments(std::size_t count) const {
  if (call.operands.size() == count) return;
  throw Mistake{Phase::types, call.place,
                fmt::format("{} expects {} argument{}, {} {} given", call.plain_name(), count,
                            count == 1 ? "" : "s", call.operands.size(),
                            call.operands.size() == 1 ? "is" : "are")};
}

Value Context::builtin(const std::string& name, const Expression& call, const Env& env,
                       bool& known) {
  const auto found = table().find(name);
  known = found != table().end();
  if (!known) return {};
  return found->second({*this, call, env});
}

bool is_builtin(const std::string& name) { return table().count(name) != 0; }

}  // namespace daedalus::modelica
