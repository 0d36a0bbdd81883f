// SPDX-License-Identifier: BSD-3-Clause
// What calls of functions and of constructors share.
#pragma once

#include "modelica/context.hpp"

namespace daedalus::modelica {

// A function that is an argument, with values for some of its inputs: function f(a = 2).
struct FunctionArgument {
  ClassRef function;
  std::vector<std::pair<std::string, Value>> bound;
  const Value* find(const std::string& name) const;
};

struct Signature {
  std::vector<Instance*> inputs, outputs, locals;
};
Signature signature_of(Instance& function);

// Arguments by input; those that are not given keep their default, or what `bound` says.
std::vector<const ast::Expression*> matched(const Signature& s, const ast::Expression& call,
                                            const FunctionArgument* bound);

// A variable that nothing was assigned to yet.
Value empty_value(Context& c, Instance& member, Frame& frame);

// Classes that extend ExternalObject: their value is what their constructor was given, by name.
bool is_external_object(const ClassRef& type);
Value external_object(Context& c, const ClassRef& type, const ast::Expression& call,
                      const Env& env);

}  // namespace daedalus::modelica
