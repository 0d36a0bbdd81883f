// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <ostream>

#include <daedalus/event.hpp>
#include <daedalus/method.hpp>
#include <daedalus/solution.hpp>
#include <daedalus/status.hpp>

namespace daedalus {

std::string_view to_string(VariableClass c) {
  constexpr std::array<std::string_view, class_count> names{"y",   "z", "q", "v", "lambda",
                                                            "eta", "s", "c", "a"};
  return names[static_cast<std::size_t>(c)];
}

int Variables::find(std::string_view name) const {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

const Variables::Range* Variables::range_of(VariableClass c) const {
  for (const Range& r : ranges)
    if (r.cls == c) return &r;
  return nullptr;
}

In StateView::of(VariableClass c) const {
  // Blocks of one class are contiguous even when their indices differ.
  int first = -1, count = 0;
  for (const Variables::Range& r : variables_->ranges) {
    if (r.cls != c) continue;
    if (first < 0) first = r.first;
    count += r.count;
  }
  // Of a class that is not there nothing: reading it is reading past the end.
  return {x_ + (first < 0 ? variables_->size() : first), count};
}

double StateView::operator[](std::string_view name) const {
  const int i = variables_->find(name);
  if (i < 0) throw InvalidArgument("there is no variable '" + std::string(name) + "'");
  return x_[i];
}

Out EventContext::of(VariableClass c) {
  const In part = StateView(variables, t, y.data()).of(c);
  return {y.data() + (part.data() - y.data()), part.size()};
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::success:
      return "success";
    case Status::stopped_by_event:
      return "stopped_by_event";
    case Status::inconsistent_start:
      return "inconsistent_start";
    case Status::step_too_small:
      return "step_too_small";
    case Status::too_many_steps:
      return "too_many_steps";
    case Status::newton_failed:
      return "newton_failed";
    case Status::wrong_branch:
      return "wrong_branch";
    case Status::singular_matrix:
      return "singular_matrix";
    case Status::not_finite:
      return "not_finite";
    case Status::left_domain:
      return "left_domain";
    case Status::callback_failed:
      return "callback_failed";
    case Status::projection_failed:
      return "projection_failed";
    case Status::cancelled:
      return "cancelled";
    case Status::events_accumulate:
      return "events_accumulate";
  }
  return "unknown";
}

std::string_view describe(Status status) {
  switch (status) {
    case Status::success:
      return "The end time was reached.";
    case Status::stopped_by_event:
      return "An event with action 'stop' happened.";
    case Status::inconsistent_start:
      return "The start values do not satisfy the algebraic equations or constraints; correct them "
             "or use the start strategy 'solve'.";
    case Status::step_too_small:
      return "The error test kept failing until the step vanished; look for a discontinuity or a "
             "singularity, or loosen the tolerance.";
    case Status::too_many_steps:
      return "max_steps was not enough; raise it, loosen the tolerances or change the method.";
    case Status::newton_failed:
      return "Newton's method kept failing; check the Jacobian and whether the solution goes on.";
    case Status::wrong_branch:
      return "The equations of the step have a second solution, and Newton's method found that "
             "one; "
             "check the start values, or use a smaller initial step.";
    case Status::singular_matrix:
      return "A matrix was singular; check for redundant equations or a higher index.";
    case Status::not_finite:
      return "A callable or the solution was not finite; the message names which.";
    case Status::left_domain:
      return "The solution left the domain of the model: a callable kept rejecting its arguments, "
             "and the message says why; the model needs a wider domain, or an event before it "
             "ends.";
    case Status::callback_failed:
      return "A callable threw; the message names it.";
    case Status::projection_failed:
      return "The projection to the constraints did not converge.";
    case Status::cancelled:
      return "Options::cancel asked for the end of the run.";
    case Status::events_accumulate:
      return "An event happened at ever shorter intervals that end at a limit time, which the "
             "message names; give Event::rest what follows there.";
  }
  return "";
}

std::ostream& operator<<(std::ostream& out, Status status) { return out << to_string(status); }

std::string_view to_string(View view) {
  switch (view) {
    case View::residual:
      return "residual";
    case View::linear:
      return "linear";
    case View::partitioned:
      return "partitioned";
    case View::mechanical:
      return "mechanical";
  }
  return "unknown";
}

std::string_view to_string(Stability stability) {
  switch (stability) {
    case Stability::none:
      return "none";
    case Stability::a_stable:
      return "A-stable";
    case Stability::l_stable:
      return "L-stable";
  }
  return "unknown";
}

ClassOrders ClassOrders::all(double p) {
  ClassOrders o;
  o.of.fill(p);
  return o;
}

ClassOrders ClassOrders::with(VariableClass c, double p) const {
  ClassOrders o = *this;
  o.of[static_cast<std::size_t>(c)] = p;
  return o;
}

Counts& Counts::operator+=(const Counts& o) {
  residual_evaluations += o.residual_evaluations;
  function_evaluations += o.function_evaluations;
  jacobian_evaluations += o.jacobian_evaluations;
  jacobian_columns += o.jacobian_columns;
  mass_evaluations += o.mass_evaluations;
  constraint_evaluations += o.constraint_evaluations;
  constraint_jacobian_evaluations += o.constraint_jacobian_evaluations;
  curvature_evaluations += o.curvature_evaluations;
  factorisations += o.factorisations;
  solves += o.solves;
  newton_iterations += o.newton_iterations;
  newton_failures += o.newton_failures;
  krylov_iterations += o.krylov_iterations;
  krylov_failures += o.krylov_failures;
  return *this;
}

Counts Statistics::total() const {
  Counts sum;
  for (const Counts& c : phases) sum += c;
  return sum;
}

std::ostream& operator<<(std::ostream& out, const Statistics& s) {
  const Counts c = s.total();
  out << "steps " << s.accepted << " accepted, " << s.rejected << " rejected; evaluations function "
      << c.function_evaluations << ", residual " << c.residual_evaluations << ", Jacobian "
      << c.jacobian_evaluations << "; factorisations " << c.factorisations << ", solves "
      << c.solves << "; " << s.seconds << " s";
  return out;
}

}  // namespace daedalus
