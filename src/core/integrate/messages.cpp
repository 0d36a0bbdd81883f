// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/messages.hpp"

#include <fmt/format.h>

#include "start/weak_equation.hpp"

namespace daedalus {

Status status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return Status::step_too_small;
    case Outcome::newton_failed:
    case Outcome::krylov_failed:
      return Status::newton_failed;
    case Outcome::matrix_singular:
      return Status::singular_matrix;
    case Outcome::callback_rejected:
      return Status::left_domain;
    case Outcome::callback_failed:
      return Status::callback_failed;
    case Outcome::not_finite:
      return Status::not_finite;
    case Outcome::projection_failed:
      return Status::projection_failed;
    case Outcome::no_start_values:
      return Status::inconsistent_start;
    case Outcome::wrong_branch:
      return Status::wrong_branch;
  }
  return Status::step_too_small;
}

std::string what_was_thrown(const std::exception_ptr& exception) {
  if (!exception) return {};
  try {
    std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    return "there was not enough memory";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is not a std::exception";
  }
}

namespace {

// What the sentences of one failure share.
struct FailedStep {
  const System& system;
  const Attempt& attempt;
  std::string where;

  std::string variable(int i) const {
    return i >= 0 && i < system.layout.tangents() ? fmt::format("'{}'", system.layout.name(i))
                                                  : std::string("an unknown variable");
  }
  std::string equation(int i) const {
    return i >= 0 && i < static_cast<int>(system.equations.size())
               ? fmt::format("'{}'", system.equations[static_cast<std::size_t>(i)])
               : std::string("an equation");
  }
  std::string_view callable() const {
    return system.failure.function ? system.failure.function : "?";
  }
  bool names_variable() const {
    return attempt.culprit.kind == Culprit::Kind::variable && attempt.culprit.index >= 0;
  }
};

std::string of_error_test(const FailedStep& s, std::span<const ErrorTest> tests) {
  std::string worst = "the error test", value;
  if (!tests.empty()) {
    const ErrorTest* largest = &tests[0];
    for (const ErrorTest& e : tests)
      if (e.value > largest->value) largest = &e;
    worst = fmt::format("the error test of {}", s.variable(largest->worst));
    value = fmt::format(", with {:.2g} tolerances at last", largest->value);
  }
  return fmt::format(
      "The step became too small {}: {} keeps failing{}. A discontinuity or a singularity may be "
      "near, or the tolerance is below round-off: look at that variable there, handle a "
      "discontinuity with an event or a break time, or loosen its tolerance.",
      s.where, worst, value);
}

std::string of_newton(const FailedStep& s) {
  return fmt::format("Newton's method keeps failing {}{}.{}", s.where,
                     s.attempt.culprit.index >= 0
                         ? fmt::format("; the largest correction is that of {}",
                                       s.variable(s.attempt.culprit.index))
                         : std::string(),
                     newton_advice);
}

std::string of_krylov(const FailedStep& s) {
  return fmt::format(
      "GMRES does not converge {}: the last system kept {:.1e} of its preconditioned residual. "
      "Give a better preconditioner (krylov.preconditioner), more iterations or directions "
      "(krylov.iterations, krylov.dimension), or a direct solver (linear_algebra sparse).",
      s.where, s.system.failure.reduction);
}

std::string of_singular_matrix(const FailedStep& s) {
  return fmt::format(
      "The iteration matrix is singular {}{}. Check for redundant equations, a higher index than "
      "declared, or a point where the equations lose rank.",
      s.where,
      s.names_variable()
          ? fmt::format(", first at the column of {}", s.variable(s.attempt.culprit.index))
          : std::string());
}

std::string of_rejection(const FailedStep& s) {
  const std::string why = what_was_thrown(s.system.failure.exception);
  return fmt::format(
      "The solution leaves the domain of the model {}: the callable '{}' rejects its arguments "
      "also in the smallest steps{}.",
      s.where, s.callable(), why.empty() ? why : fmt::format(" ({})", why));
}

std::string of_not_finite(const FailedStep& s) {
  const Failure& f = s.system.failure;
  if (s.attempt.culprit.kind == Culprit::Kind::variable)
    return fmt::format(
        "Variable {} is not finite {}, and smaller steps do not help. The solution may grow beyond "
        "bounds there.",
        s.variable(s.attempt.culprit.index), s.where);
  return fmt::format(
      "The callable '{}' gives a value that is not finite in equation {} (row {}) {}, and smaller "
      "steps do not help. Check its formulas for division by zero, or a root or logarithm of a "
      "negative number.",
      s.callable(), s.equation(f.equation >= 0 ? f.equation : f.row), f.row + 1, s.where);
}

}  // namespace

std::string explain_failure(const System& system, Outcome outcome, const Attempt& attempt,
                            std::span<const ErrorTest> tests, double t, double h) {
  const FailedStep s{system, attempt, fmt::format("at t = {:.10g} with step {:.3g}", t, h)};
  switch (outcome) {
    case Outcome::ok:
      return of_error_test(s, tests);
    case Outcome::newton_failed:
      return of_newton(s);
    case Outcome::krylov_failed:
      return of_krylov(s);
    case Outcome::matrix_singular:
      return of_singular_matrix(s);
    case Outcome::callback_rejected:
      return of_rejection(s);
    case Outcome::callback_failed:
      return fmt::format("The callable '{}' threw {}: {}.", s.callable(), s.where,
                         what_was_thrown(system.failure.exception));
    case Outcome::not_finite:
      return of_not_finite(s);
    case Outcome::projection_failed:
      return fmt::format(
          "The projection to the constraints does not converge {}: the trial is far from them, or "
          "they are redundant or singular there.",
          s.where);
    case Outcome::no_start_values:
      return "This method needs values before the start (Options::known), which were not given.";
    case Outcome::wrong_branch:
      return fmt::format(
          "Wrong branch: the equations of the step are solved {}, but far from the last state, "
          "with {} of the size 1/h. The discrete equations have a second solution there (Arnold "
          "1998, Remark 8), and smaller steps do not lead away from it. Check the start values.",
          s.where, s.variable(attempt.culprit.index));
  }
  return s.where;
}

std::string explain_impasse(System& system, Outcome outcome, const State& start, const State& end) {
  if (outcome != Outcome::ok && outcome != Outcome::newton_failed &&
      outcome != Outcome::matrix_singular && outcome != Outcome::not_finite)
    return {};
  // The question is asked after the run: its evaluations are not the run's.
  const Counter counted = system.counter;
  const Failure failure = system.failure;
  const std::optional<WeakEquation> weak = weak_equation(system, start, end);
  system.counter = counted;
  system.failure = failure;
  if (!weak) return {};
  return fmt::format(
      " The algebraic equation '{}' hardly determines '{}' there any more: its derivative fell to "
      "{:.1e} of that at the start. The solution may end at such a point.",
      weak->equation, weak->variable, weak->share);
}

}  // namespace daedalus
