// SPDX-License-Identifier: BSD-3-Clause
// Methods as constant descriptions. Every field is a claim that the test suites measure.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/event.hpp>

namespace daedalus {

class System;
class Stepper;

// What a method needs to see of a system.
enum class View {
  residual,     // F(t, x, x') = 0
  linear,       // M x' = f(t, x), M constant
  partitioned,  // y' = f(t, y, z), 0 = g(t, y, z)
  mechanical,   // the pieces of a multibody system
};
std::string_view to_string(View view);

// What helps when an error test fails for every step size because earlier steps left an error in
// algebraic variables.
enum class Repair {
  none,
  solve_algebraic,   // they are solved for again: steps do not meet their equations exactly
  accept_inherited,  // every step solves all equations: it ends without the error it began with
};

enum class Stability { none, a_stable, l_stable };
std::string_view to_string(Stability stability);

// One number per class of variables.
struct ClassOrders {
  std::array<double, class_count> of{};
  static ClassOrders all(double p);
  ClassOrders with(VariableClass c, double p) const;
  double operator[](VariableClass c) const { return of[static_cast<std::size_t>(c)]; }
};

struct MethodOption {
  std::string key;
  std::string values;
  double standard;
  std::string help;
};

using MethodSettings = std::function<double(std::string_view key)>;  // given value or the standard

// How columns of derivatives with respect to parameters follow a step of the method.
enum class Propagation {
  collocation,  // on the interpolant of the step
  multistep     // the formula of the method with its order, on a grid of accepted times
};

struct Method {
  std::string name{};
  std::string family{};
  View view = View::residual;
  // Of problems that are not multibody, when they are seen differently.
  std::optional<View> view_elsewhere{};
  int order = 1;        // in differential variables, index-1 or the declared index
  int error_order = 0;  // order of the embedded solution; 0: no error estimate
  int dense_order = 0;  // order of the interpolant over a whole run
  // The estimate vanishes on y' = f(t): what it says is checked inside the steps of every run.
  bool blind_to_quadrature = false;
  ClassOrders orders{};  // expected convergence order per class with fixed steps
  Stability stability = Stability::none;
  bool stiffly_accurate = false;
  Repair repair = Repair::none;
  bool matrix_free = false;  // works with LinearAlgebra::krylov
  int max_index = 1;
  // Of semi-explicit problems only y' = f(t, y, z), 0 = g(t, y) (Hessenberg form of size 2).
  bool hessenberg_only = false;
  std::vector<std::string> formulations{};  // of multibody problems, the preferred one first
  bool stabilised_only = false;             // formulations that hold more constraints than unknowns
  // Multibody problems with q' = v on their space alone, in the formulations listed.
  bool multibody_only = false;
  bool fixed_step_only = false;
  bool equal_steps_only = false;     // coefficients that hold for steps of one size
  int min_order = 0, max_order = 0;  // variable-order methods; 0: the order above
  std::string control = "pi";        // when Options::control is "auto"
  std::string reference{};
  std::vector<MethodOption> options{};
  std::function<std::unique_ptr<Stepper>(System&, const MethodSettings&)> make{};
  const void* table = nullptr;  // the family's coefficient table, for checkers of that family

  Propagation propagation = Propagation::collocation;

  View view_of(bool multibody) const { return multibody ? view : view_elsewhere.value_or(view); }
};

// Methods of the library and those that were added, in that order. Spans stay valid.
std::span<const Method* const> all_methods();
const Method* find_method(std::string_view name);  // nullptr when there is none

// A method of one's own (docs/own-method.md): from now on Options::method and all other places that
// take a name know it; the automatic choice does not consider it. Throws InvalidArgument for a name
// that is taken or not made of lower-case words joined by '-', and for descriptions that cannot
// work. May be called from any thread; what was added stays for the life of the process.
const Method& add_method(Method method);

}  // namespace daedalus
