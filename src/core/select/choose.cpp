// SPDX-License-Identifier: BSD-3-Clause
#include "select/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/lower.hpp"
#include "kernel/nearest.hpp"

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

// What is tried, in this order.
struct Preference {
  const char *method, *formulation, *reason;
  double tolerance_share = 1.0;
  bool for_short_runs = false;
};

// Fixed steps have no tolerance to choose by.
const std::vector<Preference> for_fixed_steps{
    {"rodas4", "", "order 4 with error control, one matrix per step, no iteration"},
    {"rk4", "", "order 4 with error control, needs no Jacobian"},
    {"bdf", "", "variable order up to 5 with error tests that know the index"},
    {"implicit-euler", "", "the robust one; order 1, so tight tolerances are expensive"},
};

// Above the first, steps are few and their start counts; below the second, the order: there radau
// with up to 13 overtakes rodas5p and adams-index2 on the suite `core`.
constexpr double loose = 2e-6, tight = 3e-9;
// Of problems that are not multibody: at 1e-8 radau takes 0.77 of the time of rodas5p as a mean
// over seven problems of `core`, 0.3 to 0.6 on circuits and relaxation oscillations, and has more
// digits.
constexpr double tight_first_order = 2e-8;
// rodas5p with a tolerance has larger errors than rodas4 with ten times that tolerance where a
// motion adds them up (Pleiades at 1e-6: 330 tolerances): a third makes errors fall with the
// tolerance also where one takes the other's place, for a fifth more steps.
constexpr double rodas5p_share = 0.3;
// From here on a factorisation and a Jacobian per step of order 5 cost more than the iterations of
// a few long ones, and, by the second, more than the evaluations of an explicit method.
constexpr int large_system = 200, small_mechanism = 60;
// Of Hessenberg form: with more unknowns a step of adams-index2, which starts with many evaluations
// and solves for g_y f_z, takes 2 to 6 times what one of bdf or radau does (80 problems of the
// soak).
constexpr int small_hessenberg = 3;
// Of the tolerance per step: motions without damping carry all errors to their end, and add them
// up. A method of order 5 pays with half as many steps again for ten times the accuracy.
constexpr double motion_share = 0.1;
// Wheels on rails are steered by small differences: hedop5 at 3e-9 has the digits of hem5 at 1e-7.
constexpr double contact_share = 0.03;

int unknowns(const Problem& problem) {
  if (const auto* i = std::get_if<ImplicitProblem>(&problem)) return static_cast<int>(i->y0.size());
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem))
    return static_cast<int>(m->y0.size());
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem))
    return static_cast<int>(e->y0.size() + e->z0.size());
  const auto& b = std::get<MultibodyProblem>(problem);
  return 2 * b.velocities() + b.multipliers() + b.dynamic_count;
}

// Whether an index-2 problem says which of its variables have index 2: the error tests of bdf weigh
// them then, and random transforms of a whole system are not what it sees.
bool tells_directions(const Problem& problem) {
  const auto some = [](const std::vector<int>& index) {
    return std::any_of(index.begin(), index.end(), [](int k) { return k > 1; }) &&
           std::any_of(index.begin(), index.end(), [](int k) { return k <= 1; });
  };
  if (index_of(problem) != 2) return false;
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem))
    return e->variable_index.empty() || some(e->variable_index);
  if (const auto* i = std::get_if<ImplicitProblem>(&problem)) return some(i->variable_index);
  const auto* m = std::get_if<MassMatrixProblem>(&problem);
  return m && some(m->variable_index);
}

// Chosen by cost on the suite `core` at 1e-4, 1e-7 and 1e-10 (daedalus bench --regret).
std::vector<Preference> preferences(const Problem& problem, const Options& options, bool fixed,
                                    Course course) {
  if (fixed) return for_fixed_steps;
  const bool stiff = course == Course::stiff;
  const double tolerance = options.rtol > 0.0 ? options.rtol : options.atol.values().minCoeff();
  const Preference bdf{"bdf", "", "variable order up to 5 with error tests that know the index"};
  const Preference euler{"implicit-euler", "",
                         "the robust one; order 1, so tight tolerances are expensive"};
  const Preference adams{
      "adams-index2", "",
      "variable order up to 9 (12 on request) with one evaluation or two per step, which pays "
      "at tight tolerances and with expensive forces"};
  const Preference radau{"radau", "index2",
                         "orders 5, 9 and 13, L-stable; few steps, each with a matrix"};
  std::vector<Preference> list;
  list.reserve(12);
  const auto add = [&list](std::initializer_list<Preference> more) {
    list.insert(list.end(), more);
  };
  if (const auto* body = std::get_if<MultibodyProblem>(&problem)) {
    const Preference phem{"phem56", "index2",
                          "order 5 without iteration or Jacobian, constraints held at the "
                          "velocity level, positions projected"};
    const Preference mdop{"mdop5", "index1", "order 5, explicit, accelerations by one solve"};
    const Preference rk{"rk4", "index1", "order 4 with error control, needs no Jacobian"};
    const std::vector<Preference> implicit{
        {"rodas5p", "baumgarte",
         "order 5, L-stable; residuals of the constraints decay, and no "
         "projection excites the fast modes"},
        {"rodas5p", "index1", "order 5, L-stable, with projection"},
        bdf,
        euler};
    // Contact coordinates s(q) enter the index-1 form with their second derivatives, whose Jacobian
    // costs more than all stages of a half-explicit method.
    if (body->contact_count > 0)
      add({{"hedop5", "index2",
            "half-explicit of order 5, solves for the contact points in every stage and needs no "
            "Jacobian",
            contact_share}});
    if (stiff) {
      add({radau, implicit[0], implicit[1], implicit[2], implicit[3]});
      add({phem, adams, mdop, rk});
      return list;
    }
    // A multistep method starts anew, with short steps, after every event that acts.
    const bool restarts = std::any_of(options.events.begin(), options.events.end(),
                                      [](auto& e) { return e.action == EventAction::handle; });
    if (tolerance < tight && !restarts && body->space.is_euclidean() &&
        unknowns(problem) <= small_mechanism)
      add({radau, adams, phem});
    else if (tolerance > loose || restarts)
      add({phem, adams});
    else
      add({adams, phem});
    add({mdop, rk});
    // Without derivatives of the constraints a linearly implicit method would differentiate
    // differences.
    const bool plain = body->constraint && !body->constraint.differentiable() &&
                       !(body->constraint_jacobian && body->acceleration_term);
    if (!plain) list.insert(list.end(), implicit.begin() + 1, implicit.begin() + 2);
    add({bdf, euler});
    // `bdf` does the same by itself (error_share), `radau` gives more than it is asked for.
    if (named_method(list.front().method).stability == Stability::none && body->contact_count == 0)
      for (Preference& p : list)
        if (named_method(p.method).stability == Stability::none) p.tolerance_share = motion_share;
    return list;
  }
  // Not rodas5: its estimate does not see what depends on t alone (docs/methods.md).
  const Preference rodas5{"rodas5p", "", "order 5, L-stable, one matrix per step, no iteration",
                          rodas5p_share, true};
  const Preference rodas6{"rodas6p", "",
                          "order 6, L-stable, one matrix per step: few steps at tight tolerances"};
  const Preference rodas4{"rodas4", "", "order 4 with error control, one matrix per step"};
  const auto* e = std::get_if<SemiExplicitProblem>(&problem);
  const bool hessenberg = e && e->hessenberg_blocks.size() == 1;
  if (options.linear_algebra == LinearAlgebra::krylov) add({bdf});
  const bool large = unknowns(problem) > large_system;
  if (hessenberg && !stiff && unknowns(problem) <= small_hessenberg) add({adams});
  const double bdf_from = tells_directions(problem) ? tight_first_order : loose;
  if (!large && index_of(problem) > 1 && tolerance > bdf_from) add({bdf});
  // A method that takes M y' = f with constant M sees other forms with the derivatives as further
  // unknowns.
  const auto* m = std::get_if<MassMatrixProblem>(&problem);
  const bool implicit = std::holds_alternative<ImplicitProblem>(problem) || (m && m->mass);
  if (tolerance < tight_first_order || implicit || large || index_of(problem) > 1 ||
      course == Course::long_run)
    add({radau});
  if (tolerance > loose) add({rodas4});
  add({rodas5, radau, rodas6, rodas4, bdf, euler});
  return list;
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
