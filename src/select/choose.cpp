#include "select/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/lower.hpp"
#include "function/nearest.hpp"

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

// Why a method cannot solve the problem in a formulation; empty if it can.
std::string obstacle(const Problem& problem, const Method& m, const std::string& formulation,
                     bool fixed) {
  const bool multibody = std::holds_alternative<MultibodyProblem>(problem);
  if (m.multibody_only) {
    const auto* body = std::get_if<MultibodyProblem>(&problem);
    if (!body) return "it takes multibody problems only";
    if (body->kinematics)
      return "it works on the space of q itself, q' = v, and the problem has kinematics q' = T v";
  }
  const Fit f = fit(problem, formulation, m.view_of(multibody));
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
  if (f.index > m.largest_index)
    return fmt::format("it handles index {} at most, the problem has index {}", m.largest_index,
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

std::string describe_problem(const Problem& p) {
  if (const auto* m = std::get_if<MultibodyProblem>(&p))
    return m->multipliers() == 0 ? "unconstrained multibody system"
                                 : fmt::format("multibody system with {} constraint{}",
                                               m->multipliers(), m->multipliers() == 1 ? "" : "s");
  const int index = index_of(p);
  if (index == 0) return fmt::format("{} problem without algebraic part", form_of(p));
  return fmt::format("{} problem of index {}", form_of(p), index);
}

}  // namespace

Choice choose(const Problem& problem, const Options& options) {
  check_formulation(options.formulation);
  const bool multibody = std::holds_alternative<MultibodyProblem>(problem);
  const bool fixed = options.fixed_step > 0.0 || !options.step_sequence.empty();
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
      why = obstacle(problem, m, f, fixed);
      if (why.empty()) return {&m, f, "chosen by the user", m.view_of(multibody)};
    }
    throw InvalidArgument(
        fmt::format("method: '{}' does not fit '{}': {}", m.name, name_of(problem), why));
  }
  // In order of preference: high order and exact Jacobians first, the robust one last.
  struct Rule {
    const char *method, *reason;
  };
  constexpr Rule rules[] = {
      {"rodas4", "order 4 with error control, one matrix per step, no iteration"},
      {"rk4", "order 4 with error control, needs no Jacobian"},
      {"bdf", "variable order up to 5 with error tests that know the index"},
      {"implicit-euler", "the robust one; order 1, so tight tolerances are expensive"},
  };
  // Without derivatives of the constraints an explicit method loses nothing; a linearly implicit
  // one would differentiate differences.
  const auto* body = std::get_if<MultibodyProblem>(&problem);
  const bool plain_constraint = body && body->constraint && !body->constraint.differentiable() &&
                                !(body->constraint_jacobian && body->acceleration_term);
  std::string why;
  // Contact coordinates s(q) enter the index-1 form with their second derivatives, whose Jacobian
  // costs more than all stages of a half-explicit method.
  if (body && body->contact_count > 0 && options.formulation == "auto") {
    const Method& m = named_method("hem5");
    if (obstacle(problem, m, m.formulations.front(), fixed).empty())
      return {
          &m, m.formulations.front(),
          fmt::format("{} and {} contact coordinate{}: half-explicit of order 5, solves for the "
                      "contact points in every stage and needs no Jacobian",
                      describe_problem(problem), body->contact_count,
                      body->contact_count == 1 ? "" : "s"),
          m.view_of(multibody)};
  }
  for (const Rule& rule : rules) {
    if (plain_constraint && std::string_view(rule.method) == "rodas4") continue;
    const Method& m = named_method(rule.method);
    for (const std::string& f : formulations_of(problem, m, options.formulation)) {
      why = obstacle(problem, m, f, fixed);
      if (why.empty())
        return {&m, f, fmt::format("{}: {}", describe_problem(problem), rule.reason),
                m.view_of(multibody)};
    }
  }
  throw InvalidArgument(fmt::format("method: no method fits '{}' ({})", name_of(problem), why));
}

Recommendation recommend(const Problem& problem, const Options& options) {
  const Choice c = choose(problem, options);
  return {c.method->name, c.formulation, c.reason};
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
  lowering.linear_algebra = o.linear_algebra == LinearAlgebra::dense ? LinearSolverKind::dense
                            : o.linear_algebra == LinearAlgebra::sparse
                                ? LinearSolverKind::sparse
                                : LinearSolverKind::automatic;
  lowering.saddle_point = o.linear_algebra;
  lowering.formulation_options = o.formulation_options;
  return lowering;
}

}  // namespace daedalus
