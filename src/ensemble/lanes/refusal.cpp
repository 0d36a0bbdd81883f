// SPDX-License-Identifier: BSD-3-Clause
// What lanes do not have, in words that say so.
#include <algorithm>

#include <fmt/format.h>

#include <daedalus/method.hpp>
#include <daedalus/recommend.hpp>

#include "ensemble/lanes/plan.hpp"

namespace daedalus::lanes {
namespace {

// Larger systems have better ways than straight code: sparse matrices, one matrix for many steps.
constexpr int max_size = 32;

std::string of_options(const Options& o) {
  if (!o.events.empty()) return "there are events";
  if (!o.break_times.empty()) return "there are break times";
  if (o.fixed_step > 0.0 || !o.step_sequence.empty()) return "steps are given";
  if (o.control != "auto" || o.safety != 0.0 || o.min_ratio != 0.0 || o.max_ratio != 0.0)
    return "a step size control was chosen";
  if (o.norm != ErrorNorm::rms || o.error_test != ErrorPolicy::automatic || !o.untested.empty() ||
      o.projector.size() > 0 || !o.index_weights)
    return "an error test was chosen";
  if (o.linear_algebra != LinearAlgebra::automatic) return "a linear solver was chosen";
  if (o.derivatives != DerivativeSource::automatic || o.difference_increment != 0.0)
    return "derivatives are to be differences";
  if (!o.method_options.empty() || !o.formulation_options.empty())
    return "options of a method were given";
  if (o.initial_step != 0.0 || o.min_step != 0.0) return "a first or least step was given";
  if (o.projection != ProjectionWhen::automatic || !o.project_invariants.empty() || o.watch_drift)
    return "a projection was chosen";
  if (o.progress || o.trace || o.sink || o.defect || o.known || !o.output_times.empty())
    return "a run reports more than its end";
  return {};
}

std::string of_problem(const MassMatrixProblem& p) {
  if (p.mass) return "the mass matrix is not constant";
  if (p.index > 1) return fmt::format("the problem has index {}", p.index);
  return {};
}
std::string of_problem(const SemiExplicitProblem& p) {
  if (!p.hessenberg_blocks.empty() || p.index != 1) return "the problem has an index above 1";
  return {};
}
std::string of_problem(const ImplicitProblem&) { return "the problem is fully implicit"; }
std::string of_problem(const MultibodyProblem& p) {
  if (!p.space.is_euclidean() || p.kinematics) return "the positions are not plain coordinates";
  if (p.nonholonomic_count + p.contact_count + p.dynamic_count > 0)
    return "the multibody system has more than positions, velocities and multipliers";
  if (!p.force) return "there are no forces";
  if (p.q0.size() != p.velocities() || p.v0.size() != p.velocities())
    return "start values are not given";
  return {};
}

int size_of(const Problem& problem) {
  return std::visit(
      [](const auto& p) -> int {
        using P = std::decay_t<decltype(p)>;
        if constexpr (std::is_same_v<P, SemiExplicitProblem>)
          return static_cast<int>(p.y0.size() + p.z0.size());
        else if constexpr (std::is_same_v<P, MultibodyProblem>)
          return p.velocities() + p.constraint_count;
        else
          return static_cast<int>(p.y0.size());
      },
      problem);
}

bool one_of(const std::string& name, std::initializer_list<const char*> list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Of few unknowns the library takes radau, where lanes are faster by far more than the difference.
bool suits_order_5(const EnsembleTask& task) {
  // Below it the library takes radau for all problems: its higher orders pay.
  constexpr double tightest = 2e-8;
  const Options& o = task.options;
  const double tolerance = o.rtol > 0.0 ? o.rtol : o.atol.values().minCoeff();
  return index_of(task.problem) <= 1 && tolerance >= tightest;
}

std::string of_method(const EnsembleTask& task, bool forced) {
  const bool multibody = std::holds_alternative<MultibodyProblem>(task.problem);
  const std::string& named = task.options.method;
  const bool has =
      multibody ? one_of(named, {"phem56", "hedop5"}) : one_of(named, {"rodas4", "rodas5p"});
  if (named != "auto" && !has)
    return fmt::format("the method {} is not one of {}", named,
                       multibody ? "phem56, hedop5" : "rodas4, rodas5p");
  if (task.options.formulation != "auto" && task.options.formulation != "index2")
    return "a formulation was chosen";
  if (forced || named != "auto") return {};
  // Where the library would take another kind of method, it has a reason.
  const Method* chosen = find_method(recommend(task.problem, task.options).method);
  const bool alike = chosen && (multibody ? chosen->stability == Stability::none
                                          : one_of(chosen->name, {"rodas4", "rodas5p"}) ||
                                                (chosen->name == "radau" && suits_order_5(task)));
  return alike ? "" : fmt::format("the method {} suits this problem", chosen ? chosen->name : "?");
}

}  // namespace

bool are_inside(const std::vector<double>& times, const Interval& interval) {
  double last = interval.from;
  for (const double t : times) {
    if (!(t >= last && t <= interval.to)) return false;
    last = t;
  }
  return true;
}

std::string refusal(const EnsembleTask& task, bool forced) {
  if (!(task.interval.to > task.interval.from)) return "time runs backwards";
  if (!are_inside(task.times, task.interval)) return "the times are not those of the interval";
  std::string reason = of_options(task.options);
  if (reason.empty())
    reason = std::visit([](const auto& p) { return of_problem(p); }, task.problem);
  if (!reason.empty()) return reason;
  bool modes = false, breaks = false;
  std::visit(
      [&](const auto& p) {
        modes = !p.modes.empty();
        breaks = !p.break_times.empty();
      },
      task.problem);
  if (modes) return "the model has modes that events change";
  if (breaks) return "there are break times";
  if (size_of(task.problem) > max_size)
    return fmt::format("{} unknowns are more than {}", size_of(task.problem), max_size);
  return of_method(task, forced);
}

}  // namespace daedalus::lanes
