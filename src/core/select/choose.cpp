// SPDX-License-Identifier: BSD-3-Clause
#include "select/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/lower.hpp"
#include "kernel/nearest.hpp"
#include "select/preferences.hpp"

#include <daedalus/formulation.hpp>
#include <daedalus/recommend.hpp>

namespace daedalus {
namespace {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method* m : all_methods()) names.push_back(m->name);
  return names;
}

const Method& named_method(const std::string& name) {
  if (const Method* m = find_method(name)) return *m;
  throw InvalidArgument(fmt::format("method: there is no method '{}'.{} See: daedalus list methods",
                                    name, suggestion(name, method_names())));
}

void check_formulation(const std::string& name) {
  std::vector<std::string> names{"auto"};
  for (const Formulation& f : all_formulations()) names.push_back(f.name);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw InvalidArgument(
        fmt::format("formulation: there is no formulation '{}'.{}", name, suggestion(name, names)));
}

bool applies(const Formulation& f, std::string_view form) {
  return (", " + f.applies_to + ",").find(fmt::format(", {},", form)) != std::string::npos;
}

// What stands in the way of systems without a matrix; empty: nothing.
std::string krylov_obstacle(const Problem& problem, const Method& m,
                            const std::string& formulation) {
  const char* remedy = "give linear_algebra automatic, dense or sparse";
  const View view = m.view_of(false);
  if (std::holds_alternative<MultibodyProblem>(problem) || !formulation.empty())
    return fmt::format(
        "linear_algebra krylov is for equations as they are, not for those that a "
        "formulation makes; {}",
        remedy);
  if (!m.matrix_free)
    return fmt::format(
        "it does not work with linear_algebra krylov, bdf, implicit-euler and "
        "rodas4 do; {}",
        remedy);
  const auto* i = std::get_if<ImplicitProblem>(&problem);
  const auto* matrix = std::get_if<MassMatrixProblem>(&problem);
  if ((i && (i->leading_count > 0 || view == View::linear)) || (matrix && matrix->mass))
    return fmt::format(
        "with linear_algebra krylov it takes F(t, y, y') = 0 without leading term, "
        "M y' = f with a constant mass_matrix, or y' = f, 0 = g; {}",
        remedy);
  return {};
}

// Why a method cannot solve the problem in a formulation; empty if it can.
std::string obstacle(const Problem& problem, const Method& m, const std::string& formulation,
                     bool fixed, bool krylov = false) {
  if (krylov)
    if (std::string why = krylov_obstacle(problem, m, formulation); !why.empty()) return why;
  const bool multibody = std::holds_alternative<MultibodyProblem>(problem);
  if (m.multibody_only) {
    const auto* body = std::get_if<MultibodyProblem>(&problem);
    if (!body) return "it takes multibody problems only";
    if (body->kinematics)
      return "it works on the space of q itself, q' = v, and the problem has kinematics q' = T v";
  }
  const ViewFit f = fit(problem, formulation, m.view_of(multibody));
  if (!f.possible) return f.reason;
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem);
      m.hessenberg_only && !multibody && (!e || e->hessenberg_blocks.size() != 1))
    return "it takes multibody problems and y' = f(t, y, z), 0 = g(t, y) (hessenberg_blocks)";
  if (m.stabilised_only &&
      std::find(m.formulations.begin(), m.formulations.end(), formulation) == m.formulations.end())
    return fmt::format(
        "it is for overdetermined systems: multibody problems, and implicit ones with "
        "extra_constraints, in one of the formulations {}",
        fmt::join(m.formulations, ", "));
  if (f.index > m.max_index)
    return fmt::format("it handles index {} at most, the problem has index {}", m.max_index,
                       f.index);
  // Methods that see the pieces know which formulations they mean, and index 3 is for those that
  // say so; otherwise methods see equations. The pieces of baumgarte are those of index1.
  const std::string pieces = formulation == "baumgarte" ? "index1" : formulation;
  if (multibody && (m.view == View::mechanical || m.multibody_only || formulation == "index3") &&
      std::find(m.formulations.begin(), m.formulations.end(), pieces) == m.formulations.end())
    return fmt::format("it does not use formulation '{}'", formulation);
  if (!fixed && (m.fixed_step_only || m.error_order == 0))
    return "it has no error estimate; give fixed_step or step_sequence";
  return {};
}

std::vector<std::string> formulations_of(const Problem& problem, const Method& m,
                                         const std::string& wanted) {
  if (std::holds_alternative<MassMatrixProblem>(problem) &&
      (wanted == "separated" || m.view_of(false) == View::partitioned))
    return {"separated"};
  if (wanted != "auto") return {wanted};
  if (const auto* i = std::get_if<ImplicitProblem>(&problem);
      i && i->extra_count > 0 && m.stabilised_only)
    return {"overdetermined"};
  if (!std::holds_alternative<MultibodyProblem>(problem)) return {""};
  return m.formulations;
}

std::string describe_problem(const Problem& p, bool stiff) {
  if (const auto* m = std::get_if<MultibodyProblem>(&p))
    return fmt::format("{}{}",
                       m->multipliers() == 0
                           ? std::string("unconstrained multibody system")
                           : fmt::format("multibody system with {} constraint{}", m->multipliers(),
                                         m->multipliers() == 1 ? "" : "s"),
                       stiff ? ", stiff" : "");
  const int index = index_of(p);
  if (index == 0) return fmt::format("{} problem without algebraic part", form_of(p));
  return fmt::format("{} problem of index {}", form_of(p), index);
}

}  // namespace

Choice choose(const Problem& problem, const Options& options, Course course, bool runners_up) {
  const bool stiff = course == Course::stiff;
  if (options.formulation != "auto") check_formulation(options.formulation);
  const bool multibody = std::holds_alternative<MultibodyProblem>(problem);
  const bool fixed = options.fixed_step > 0.0 || !options.step_sequence.empty();
  const bool krylov = options.linear_algebra == LinearAlgebra::krylov;
  for (const Formulation& f : all_formulations())
    if (f.name == options.formulation && !applies(f, form_of(problem)))
      throw InvalidArgument(
          fmt::format("formulation: '{}' applies to {} problems, and '{}' is a {} problem", f.name,
                      f.applies_to, name_of(problem), form_of(problem)));
  if (options.method != "auto") {
    const Method& m = named_method(options.method);
    const auto& steps = options.step_sequence;
    if (m.equal_steps_only && !steps.empty())
      for (const double h : steps)
        if (std::abs(h - steps.front()) > 1e-9 * std::abs(steps.front()))
          throw InvalidArgument(
              fmt::format("step_sequence: '{}' has coefficients for equal steps only, and {} "
                          "follows {}",
                          m.name, h, steps.front()));
    std::string why = "it does not apply to this problem form";
    for (const std::string& f : formulations_of(problem, m, options.formulation)) {
      why = obstacle(problem, m, f, fixed, krylov);
      if (why.empty()) return {&m, f, "chosen by the user", m.view_of(multibody), {}};
    }
    throw InvalidArgument(
        fmt::format("method: '{}' does not fit '{}': {}", m.name, name_of(problem), why));
  }
  std::string why;
  Choice chosen;
  for (const Preference& p : preferences(problem, options, fixed, course)) {
    const Method& m = named_method(p.method);
    const bool any = options.formulation != "auto" || !multibody || *p.formulation == '\0';
    for (const std::string& f : any ? formulations_of(problem, m, options.formulation)
                                    : std::vector<std::string>{p.formulation}) {
      const std::string here = obstacle(problem, m, f, fixed, krylov);
      if (!here.empty()) {
        if (!chosen.method) why = here;
        continue;
      }
      if (!chosen.method)
        chosen = {&m,
                  f,
                  fmt::format("{}: {}{}", describe_problem(problem, stiff), p.reason,
                              p.tolerance_share < 1.0
                                  ? fmt::format("; a step's error takes {:g} of the tolerance",
                                                p.tolerance_share)
                                  : std::string()),
                  m.view_of(multibody),
                  {},
                  p.tolerance_share,
                  p.for_short_runs};
      else if (const auto same =
                   [&](const Choice& c) { return c.method == &m && c.formulation == f; };
               !same(chosen) &&
               std::none_of(chosen.runners_up.begin(), chosen.runners_up.end(), same))
        chosen.runners_up.push_back({&m, f, p.reason, m.view_of(multibody), {}, p.tolerance_share});
      break;
    }
    if (chosen.method && !runners_up) break;
  }
  if (chosen.method) return chosen;
  throw InvalidArgument(fmt::format("method: no method fits '{}' ({})", name_of(problem), why));
}

Recommendation recommend(const Problem& problem, const Options& options) {
  const Choice c = choose(problem, options, Course::usual, true);
  Recommendation result{c.method->name, c.formulation, c.reason, {}};
  for (const Choice& r : c.runners_up)
    result.alternatives.push_back({r.method->name, r.formulation, r.reason});
  return result;
}

std::string stiff_alternative(const Problem& problem) {
  for (const char* name : {"rodas4", "bdf", "implicit-euler"}) {
    const Method& m = named_method(name);
    for (const std::string& f : formulations_of(problem, m, "auto"))
      if (obstacle(problem, m, f, false).empty()) return name;
  }
  return {};
}

LoweringOptions lowering_of(const Options& o) {
  LoweringOptions lowering;
  lowering.differences =
      o.derivatives == DerivativeSource::differences || o.difference_increment > 0.0;
  lowering.difference_increment = o.difference_increment;
  lowering.linear_algebra = o.linear_algebra == LinearAlgebra::dense    ? LinearSolverKind::dense
                            : o.linear_algebra == LinearAlgebra::sparse ? LinearSolverKind::sparse
                            : o.linear_algebra == LinearAlgebra::krylov
                                ? LinearSolverKind::krylov
                                : LinearSolverKind::automatic;
  lowering.krylov = o.krylov;
  lowering.saddle_point = o.linear_algebra;
  lowering.formulation_options = o.formulation_options;
  return lowering;
}

}  // namespace daedalus
