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
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is not a std::exception";
  }
}

std::string explain_failure(const System& system, Outcome outcome, const Attempt& attempt,
                            std::span<const ErrorTest> tests, double t, double h) {
  const auto variable = [&](int i) {
    return i >= 0 && i < system.layout.tangents() ? fmt::format("'{}'", system.layout.name(i))
                                                  : std::string("an unknown variable");
  };
  const auto equation = [&](int i) {
    return i >= 0 && i < static_cast<int>(system.equations.size())
               ? fmt::format("'{}'", system.equations[static_cast<std::size_t>(i)])
               : std::string("an equation");
  };
  const Failure& f = system.failure;
  const std::string_view callable = f.function ? f.function : "?";
  const std::string where = fmt::format("at t = {:.10g} with step {:.3g}", t, h);
  switch (outcome) {
    case Outcome::ok: {
      std::string worst = "the error test";
      if (!tests.empty()) {
        const ErrorTest* t0 = &tests[0];
        for (const ErrorTest& e : tests)
          if (e.value > t0->value) t0 = &e;
        worst = fmt::format("the error test of {}", variable(t0->worst));
      }
      return fmt::format(
          "The step became too small {}: {} keeps failing. A discontinuity or a singularity may be "
          "near, or the tolerance is below round-off: look at that variable there, handle a "
          "discontinuity with an event, or loosen its tolerance.",
          where, worst);
    }
    case Outcome::newton_failed:
      return fmt::format(
          "Newton's method keeps failing {}{}. Check the Jacobian (daedalus check), the start "
          "values, "
          "and whether the solution ends there.",
          where,
          attempt.culprit.index >= 0 ? fmt::format("; the largest correction is that of {}",
                                                   variable(attempt.culprit.index))
                                     : std::string());
    case Outcome::krylov_failed:
      return fmt::format(
          "GMRES does not converge {}: the last system kept {:.1e} of its preconditioned residual. "
          "Give a better preconditioner (krylov.preconditioner), more iterations or directions "
          "(krylov.iterations, krylov.dimension), or a direct solver (linear_algebra sparse).",
          where, f.reduction);
    case Outcome::matrix_singular:
      return fmt::format(
          "The iteration matrix is singular {}{}. Check for redundant equations, a higher index "
          "than declared, or a point where the equations lose rank.",
          where,
          attempt.culprit.kind == Culprit::Kind::variable && attempt.culprit.index >= 0
              ? fmt::format(", first at the column of {}", variable(attempt.culprit.index))
              : std::string());
    case Outcome::callback_rejected: {
      const std::string why = what_was_thrown(f.exception);
      return fmt::format(
          "The solution leaves the domain of the model {}: the callable '{}' rejects its arguments "
          "also in the smallest steps{}.",
          where, callable, why.empty() ? why : fmt::format(" ({})", why));
    }
    case Outcome::callback_failed:
      return fmt::format("The callable '{}' threw {}: {}.", callable, where,
                         what_was_thrown(f.exception));
    case Outcome::not_finite:
      if (attempt.culprit.kind == Culprit::Kind::variable)
        return fmt::format(
            "Variable {} is not finite {}, and smaller steps do not help. The solution may grow "
            "beyond bounds there.",
            variable(attempt.culprit.index), where);
      return fmt::format(
          "The callable '{}' gives a value that is not finite in equation {} (row {}) {}, and "
          "smaller steps do not help. Check its formulas for division by zero, or a root or "
          "logarithm of a negative number.",
          callable, equation(f.equation >= 0 ? f.equation : f.row), f.row + 1, where);
    case Outcome::projection_failed:
      return fmt::format(
          "The projection to the constraints does not converge {}: the trial is far from them, or "
          "they are redundant or singular there.",
          where);
    case Outcome::no_start_values:
      return "This method needs values before the start (Options::known), which were not given.";
    case Outcome::wrong_branch:
      return fmt::format(
          "Wrong branch: the equations of the step are solved {}, but far from the last state, "
          "with {} of the size 1/h. The discrete equations have a second solution there (Arnold "
          "1998, Remark 8), and smaller steps do not lead away from it. Check the start values.",
          where, variable(attempt.culprit.index));
  }
  return where;
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
