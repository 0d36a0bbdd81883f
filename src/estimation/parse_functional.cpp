// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include <daedalus/adjoint.hpp>

#include "estimation/scalar_function.hpp"
#include "formulation/lower.hpp"
#include "kernel/at.hpp"
#include "kernel/nearest.hpp"
#include "sensitivity/asked.hpp"

namespace daedalus {
namespace {

// A variable by its vector and place there, or its square.
Function<slot::Functional> variable(int vector, int place, bool squared) {
  return Function<slot::Functional>(autodiff([vector, place, squared](const auto& x, auto& J) {
    const auto& of = vector == 0   ? x.y
                     : vector == 1 ? x.z
                     : vector == 2 ? x.lambda
                     : vector == 3 ? x.c
                                   : x.s;
    const auto value = of[place];
    if (squared)
      J[0] = value * value;
    else
      J[0] = value;
  }));
}

// The callable of an invariant, which takes the same vectors.
template <class Slot>
struct OfInvariant final : detail::FunctionBody {
  Function<Slot> inner;
  std::vector<double> modes;
  bool squared = false;
  bool differentiable() const override { return inner.differentiable(); }
  bool point_form() const override { return true; }
  bool names_vector(int) const override { return false; }
  template <class S>
  Eval invoke(Arguments<S> a, S* out) const {
    a.modes = modes.data();
    a.mode_count = static_cast<int>(modes.size());
    const Eval e = inner(a, out, 1);
    if (e == Eval::ok && squared) out[0] = out[0] * out[0];
    return e;
  }
  Eval call(const Arguments<double>& a, double* o, int, int) const override { return invoke(a, o); }
  Eval call(const Arguments<Dual4>& a, Dual4* o, int, int) const override { return invoke(a, o); }
  Eval call(const Arguments<Taylor2>& a, Taylor2* o, int, int) const override {
    return invoke(a, o);
  }
  Eval call(const Arguments<Taylor2Dual>& a, Taylor2Dual* o, int, int) const override {
    return invoke(a, o);
  }
  Eval call(const Arguments<Recorded>& a, Recorded* o, int, int) const override {
    return invoke(a, o);
  }
};

Function<slot::Functional> invariant(const Problem& problem, std::size_t k, bool squared) {
  return std::visit(
      [&](const auto& p) {
        using Callable = std::decay_t<decltype(p.invariants[k].value)>;
        auto body = [&]<class Slot>(const Function<Slot>& f) {
          auto made = std::make_shared<OfInvariant<Slot>>();
          made->inner = f;
          made->modes = p.modes;
          made->squared = squared;
          return std::shared_ptr<const detail::FunctionBody>(std::move(made));
        };
        const Callable& f = p.invariants[k].value;
        return Function<slot::Functional>(body(f));
      },
      problem);
}

void check_inputs(const std::string& name, const Problem& problem, const ParameterFamily* family) {
  if (!family) return;
  const std::vector<Parameter>& inputs = inputs_of(problem);
  for (const Parameter& p : family->parameters)
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&](const Parameter& i) { return i.name == p.name; }))
      throw InvalidArgument(
          fmt::format("functional: '{}' is an invariant with parameters as constants inside "
                      "('{}'), so that its "
                      "derivative with respect to them is not known; use a functional of variables",
                      name, p.name));
}

}  // namespace

Functional parse_functional(const std::string& text, const Problem& problem,
                            const ParameterFamily* family) {
  const auto open = text.find('(');
  const std::string kind = text.substr(0, open);
  if (open == std::string::npos || text.back() != ')' || (kind != "end" && kind != "integral"))
    throw InvalidArgument(fmt::format(
        "functional: '{}' is none; write end(V) or integral(V), where V is a variable or an "
        "invariant, or its square V^2",
        text));
  std::string name = text.substr(open + 1, text.size() - open - 2);
  const bool squared = name.ends_with("^2");
  if (squared) name.resize(name.size() - 2);

  std::vector<std::string> invariants;
  std::visit(
      [&](const auto& p) {
        for (const auto& i : p.invariants) invariants.push_back(i.name);
      },
      problem);
  const auto shared = std::make_shared<const Problem>(problem);
  std::string formulation;
  if (std::holds_alternative<MultibodyProblem>(problem) &&
      fit(problem, "index1", View::residual).possible)
    formulation = "index1";
  const auto system = lower(shared, formulation, View::residual, {}, 0.0);
  const Variables& variables = *system->variables;

  Functional f;
  f.name = text;
  auto& term = kind == "end" ? f.at_end : f.along;
  const auto it = std::find(variables.names.begin(), variables.names.end(), name);
  if (it != variables.names.end()) {
    const int place = static_cast<int>(it - variables.names.begin());
    int first = -1;
    VariableClass cls = VariableClass::y;
    for (const Variables::Range& r : variables.ranges)
      if (place >= r.first && place < r.first + r.count) cls = r.cls;
    for (const Variables::Range& r : variables.ranges)
      if (r.cls == cls && first < 0) first = r.first;
    term = variable(vector_of(cls), place - first, squared);
    return f;
  }
  const auto known = std::find(invariants.begin(), invariants.end(), name);
  if (known == invariants.end()) {
    std::vector<std::string> all = variables.names;
    all.insert(all.end(), invariants.begin(), invariants.end());
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 30); ++i)
      list += (i > 0 ? ", " : "") + all[i];
    throw InvalidArgument(
        fmt::format("functional: there is no variable or invariant '{}'.{} There "
                    "are: {}",
                    name, suggestion(name, all), list));
  }
  check_inputs(name, problem, family);
  term = invariant(problem, static_cast<std::size_t>(known - invariants.begin()), squared);
  return f;
}

}  // namespace daedalus
