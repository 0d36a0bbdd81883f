// SPDX-License-Identifier: BSD-3-Clause
#include "select/preferences.hpp"

#include <algorithm>

namespace daedalus {
namespace {

const std::vector<Preference> for_fixed_steps{
    {"rodas4", "", "order 4 with error control, one matrix per step, no iteration"},
    {"rk4", "", "order 4 with error control, needs no Jacobian"},
    {"bdf", "", "variable order up to 5 with error tests that know the index"},
    {"implicit-euler", "", "the robust one; order 1, so tight tolerances are expensive"},
};

// Above it steps are few and their start counts.
constexpr double loose = 2e-6;
// Of problems that are not multibody: at 1e-8 radau takes 0.77 of the time of rodas5p as a mean
// over seven problems of `core`, 0.3 to 0.6 on circuits and relaxation oscillations, and has more
// digits.
constexpr double tight_first_order = 2e-8;
// rodas5p with a tolerance has larger errors than rodas4 with ten times that tolerance where a
// motion adds them up (Pleiades at 1e-6: 330 tolerances): a third makes errors fall with the
// tolerance also where one takes the other's place, for a fifth more steps.
constexpr double rodas5p_share = 0.3;
// From here on a factorisation and a Jacobian per step of order 5 cost more than the iterations of
// a few long ones.
constexpr int large_system = 200;
// Of Hessenberg form: with more unknowns a step of adams-index2, which starts with many evaluations
// and solves for g_y f_z, takes 2 to 6 times what one of bdf or radau does (80 problems of the
// soak).
constexpr int small_hessenberg = 3;
// Of so many equations F(t, x, x') = 0 without algebraic part a step of bdf costs half of one of
// radau, whose iterations limit its steps at loose tolerances.
constexpr int scalar = 1;
// Of index 0 and 1: up to here a step of radau costs two to three of rodas5p, beyond it four and
// more, and smooth solutions take a fifth of the steps (60 problems of the soak).
constexpr int small_first_order = 5;
// Of the tolerance per step: motions without damping carry all errors to their end, and add them
// up. A method of order 8 pays with a third as many steps again for ten times the accuracy.
constexpr double motion_share = 0.1;
// Wheels on rails are steered by small differences: hedop5 at 3e-9 has the digits of hem5 at 1e-7.
constexpr double contact_share = 0.03;

const Preference bdf{"bdf", "", "variable order up to 5 with error tests that know the index"};
const Preference euler{"implicit-euler", "",
                       "the robust one; order 1, so tight tolerances are expensive"};
const Preference adams{
    "adams-index2", "",
    "variable order up to 9 (12 on request) with one evaluation or two per step, which pays "
    "at tight tolerances and with expensive forces"};
const Preference radau{"radau", "index2",
                       "orders 5, 9 and 13, L-stable; few steps, each with a matrix"};

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

double tolerance_of(const Options& options) {
  return options.rtol > 0.0 ? options.rtol : options.atol.values().minCoeff();
}

bool has_stability(const Preference& p) {
  return find_method(p.method)->stability != Stability::none;
}

using List = std::vector<Preference>;

void add(List& list, std::initializer_list<Preference> more) { list.insert(list.end(), more); }

List for_mechanism(const MultibodyProblem& body, const Options& options, Course course) {
  const Preference phem{"phem56", "index2",
                        "order 5 without iteration or Jacobian, constraints held at the "
                        "velocity level, positions projected"};
  const Preference mdop5{"mdop5", "index1", "order 5, explicit, accelerations by one solve"};
  const Preference mdop8{"mdop8", "index1",
                         "order 8, explicit: few steps, accelerations by one solve per stage, "
                         "positions and velocities projected"};
  const Preference rk{"rk4", "index1", "order 4 with error control, needs no Jacobian"};
  const Preference decaying{"rodas5p", "baumgarte",
                            "order 5, L-stable; residuals of the constraints decay, and no "
                            "projection excites the fast modes"};
  const Preference rodas{"rodas5p", "index1", "order 5, L-stable, with projection"};
  List list;
  list.reserve(12);
  // Contact coordinates s(q) enter the index-1 form with their second derivatives, whose Jacobian
  // costs more than all stages of a half-explicit method.
  if (body.contact_count > 0)
    add(list, {{"hedop5", "index2",
                "half-explicit of order 5, solves for the contact points in every stage and needs "
                "no Jacobian",
                contact_share}});
  if (course == Course::stiff) {
    add(list, {radau, decaying, rodas, bdf, euler, phem, adams, mdop5, rk});
    return list;
  }
  // Without derivatives of the constraints explicit methods on index 1 and linearly implicit ones
  // would differentiate differences.
  const bool plain = body.constraint && !body.constraint.differentiable() &&
                     !(body.constraint_jacobian && body.acceleration_term);
  // Between events that act steps are short, and a multistep method starts anew there.
  const bool restarts = std::any_of(options.events.begin(), options.events.end(),
                                    [](auto& e) { return e.action == EventAction::handle; });
  // Forces of friction and of wheels on rails have kinks and cost more than the elimination: 12
  // evaluations per step of order 8 were two to four times those of a multistep method.
  if (!plain && !restarts && course != Course::friction) add(list, {mdop8});
  if (tolerance_of(options) > loose || restarts)
    add(list, {phem, adams});
  else
    add(list, {adams, phem});
  add(list, {mdop5, rk});
  if (!plain) add(list, {rodas});
  add(list, {bdf, euler});
  // `bdf` does the same by itself (error_share), `radau` gives more than it is asked for.
  if (!has_stability(list.front()) && body.contact_count == 0)
    for (Preference& p : list)
      if (!has_stability(p)) p.tolerance_share = motion_share;
  return list;
}

List for_equations(const Problem& problem, const Options& options, Course course) {
  // Not rodas5: its estimate does not see what depends on t alone (docs/methods.md).
  const Preference rodas5{"rodas5p", "", "order 5, L-stable, one matrix per step, no iteration",
                          rodas5p_share, true};
  const Preference rodas6{"rodas6p", "",
                          "order 6, L-stable, one matrix per step: few steps at tight tolerances"};
  const Preference rodas4{"rodas4", "", "order 4 with error control, one matrix per step"};
  const double tolerance = tolerance_of(options);
  const int size = unknowns(problem);
  const bool large = size > large_system, long_run = course == Course::long_run;
  List list;
  list.reserve(12);
  const auto* e = std::get_if<SemiExplicitProblem>(&problem);
  const bool hessenberg = e && e->hessenberg_blocks.size() == 1;
  if (options.linear_algebra == LinearAlgebra::krylov) add(list, {bdf});
  if (hessenberg && course != Course::stiff && size <= small_hessenberg) add(list, {adams});
  const double bdf_from = tells_directions(problem) ? tight_first_order : loose;
  // With many steps behind it and more to come higher orders pay: below `loose`, radau takes a
  // tenth of the steps (ring modulator of index 2 at 1e-7), and has three digits more.
  if (!large && index_of(problem) > 1 && tolerance > bdf_from && (tolerance > loose || !long_run)) {
    add(list, {bdf});
    list.back().for_short_runs = tolerance <= loose;
  }
  // A method that takes M y' = f with constant M sees other forms with the derivatives as further
  // unknowns.
  const auto* m = std::get_if<MassMatrixProblem>(&problem);
  const bool implicit = std::holds_alternative<ImplicitProblem>(problem) || (m && m->mass);
  if (implicit && tolerance > loose && index_of(problem) == 0 && size == scalar) add(list, {bdf});
  if (tolerance < tight_first_order || implicit || large || index_of(problem) > 1 || long_run ||
      (tolerance <= loose && size <= small_first_order))
    add(list, {radau});
  if (tolerance > loose) add(list, {rodas4});
  add(list, {rodas5, radau, rodas6, rodas4, bdf, euler});
  return list;
}

}  // namespace

// Chosen by cost on the suite `core` at 1e-4, 1e-7 and 1e-10 (daedalus bench --regret) and on
// problems of the soak.
std::vector<Preference> preferences(const Problem& problem, const Options& options, bool fixed,
                                    Course course) {
  if (fixed) return for_fixed_steps;
  if (const auto* body = std::get_if<MultibodyProblem>(&problem))
    return for_mechanism(*body, options, course);
  return for_equations(problem, options, course);
}

}  // namespace daedalus
