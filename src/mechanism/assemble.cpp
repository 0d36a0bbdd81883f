// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "mechanism/assembly.hpp"
#include "mechanism/callables.hpp"
#include "mechanism/description.hpp"
#include "mechanism/forces.hpp"
#include "mechanism/linearise.hpp"
#include "mechanism/stacked_rows.hpp"

namespace daedalus {

using namespace mechanism;

namespace {

void name_variables(const Plan& plan, MultibodyProblem& problem) {
  const auto add = [](std::vector<std::string>& list, const std::string& body,
                      std::initializer_list<const char*> parts) {
    for (const char* part : parts) list.push_back(body + "." + part);
  };
  for (const PlanBody& b : plan.bodies) {
    if (plan.planar()) {
      add(problem.q_names, b.name, {"x", "y", "phi"});
      add(problem.v_names, b.name, {"u_x", "u_y", "omega"});
      continue;
    }
    add(problem.q_names, b.name, {"x", "y", "z"});
    add(problem.v_names, b.name, {"u_x", "u_y", "u_z"});
    if (b.point) continue;
    if (plan.space == MechanismSpace::r3xs3 || plan.space == MechanismSpace::s3_semidirect)
      add(problem.q_names, b.name, {"p0", "p1", "p2", "p3"});
    else
      add(problem.q_names, b.name, {"R11", "R21", "R31", "R12", "R22", "R32", "R13", "R23", "R33"});
    add(problem.v_names, b.name, {"omega_1", "omega_2", "omega_3"});
  }
  for (std::size_t k = 0; k < plan.rows.size(); ++k)
    problem.lambda_names.push_back(row_name(plan, static_cast<int>(k)));
  for (const int k : plan.followed) {
    const std::string& joint = plan.coordinate(k).name;
    const bool curve = plan.coordinate(k).kind == CoordinateKind::curve;
    problem.q_names.push_back(joint + (curve ? ".s" : ".angle"));
    problem.v_names.push_back(joint + ".rate");
    problem.lambda_names.push_back(joint + (curve ? ".along" : ".turn"));
    problem.c_names.push_back(joint + ".count");
  }
  for (std::size_t k = 0; k < plan.nonholonomic.size(); ++k)
    problem.lambda_names.push_back(row_name(plan, static_cast<int>(plan.rows.size() + k)));
}

MultibodyProblem make_problem(const std::shared_ptr<const Plan>& plan, const Positions& at,
                              const Eigen::VectorXd& v) {
  MultibodyProblem problem;
  problem.name = plan->name;
  const int followed = plan->followed_count();
  problem.space =
      followed == 0 ? plan->configuration : product({plan->configuration, euclidean(followed)});
  problem.constraint_count = plan->holonomic();
  problem.nonholonomic_count = static_cast<int>(plan->nonholonomic.size());
  problem.mass_matrix = mass_matrix(*plan);
  problem.q0.resize(plan->positions + followed);
  problem.v0.resize(plan->velocities + followed);
  problem.q0.head(plan->positions) = at.q;
  problem.v0.head(plan->velocities) = v;
  for (int k = 0; k < followed; ++k) {
    const int c = plan->followed[static_cast<std::size_t>(k)];
    problem.q0[plan->positions + k] = at.coordinates[static_cast<std::size_t>(c)];
  }
  follow_rates(*plan, problem.q0.data(), problem.v0.data());
  problem.dynamic_count = followed;
  problem.c0 = problem.q0.tail(followed);
  problem.lambda0 = Eigen::VectorXd::Zero(problem.multipliers());
  for (const TimeFunction& profile : plan->profiles)
    for (const double t : profile.break_times()) problem.break_times.push_back(t);
  name_variables(*plan, problem);
  give_constraints(plan, problem);
  give_forces(plan, problem);
  return problem;
}

void add_notes(const Plan& plan, AssemblyReport& report) {
  std::vector<bool> held(plan.bodies.size(), false);
  const auto hold = [&](const Place& p) {
    if (p.body >= 0) held[static_cast<std::size_t>(p.body)] = true;
  };
  for (const PlanJoint& j : plan.joints) hold(j.A), hold(j.B);
  for (const PlanForce& f : plan.forces) hold(f.A), hold(f.B);
  for (std::size_t k = 0; k < held.size(); ++k)
    if (!held[k])
      report.notes.push_back(fmt::format("'{}' is joined to nothing", plan.bodies[k].name));
}

// The axes of a universal joint are at right angles, whatever was given.
void warn_of_skew_axes(const Plan& plan, const Positions& guess, AssemblyReport& report) {
  // Angles are given to a tenth of a degree or so; degrees in one radian.
  constexpr double skew = 1e-3, degrees = 57.29577951308232;
  View<double> x;
  x.plan = &plan;
  x.q = guess.q.data();
  for (const PlanJoint& j : plan.joints) {
    if (j.type != JointType::universal || j.kind != JointClass::joint) continue;
    const Pair<double> p(x, j.A, j.B);
    const double cosine = p.a(2).dot(p.b(0));
    if (std::abs(cosine) > skew)
      report.warnings.push_back(fmt::format(
          "joint '{}' (universal): axis and axis2 are {:.4g} degrees apart at the guess; the "
          "assembly turned the bodies until they are at right angles",
          j.name, std::acos(cosine) * degrees));
  }
}

// A spring pulls along the line of its points.
void check_springs(const Plan& plan, const Positions& at) {
  constexpr double nothing = 1e-12;  // of the characteristic length
  View<double> x;
  x.plan = &plan;
  x.q = at.q.data();
  for (const PlanForce& e : plan.forces)
    if (e.kind == PlanForce::Kind::spring &&
        !(Pair<double>(x, e.A, e.B).d.norm() > nothing * plan.length))
      throw InvalidArgument(fmt::format(
          "the two points of spring '{}' coincide at the start, so that it has no direction; give "
          "'at2', or take a joint-spring or a bushing",
          e.name));
}

// Formulas of coordinates may be without value where the mechanism starts.
void check_forces(const Plan& plan, const Positions& at, const Eigen::VectorXd& v, double t0) {
  const int size = plan.velocities + plan.followed_count();
  Eigen::VectorXd q(plan.positions + plan.followed_count()),
      all = Eigen::VectorXd::Zero(size), lambda = Eigen::VectorXd::Zero(plan.holonomic());
  q.head(plan.positions) = at.q;
  all.head(plan.velocities) = v;
  for (int k = 0; k < plan.followed_count(); ++k) {
    const auto coordinate = static_cast<std::size_t>(plan.followed[static_cast<std::size_t>(k)]);
    q[plan.positions + k] = at.coordinates[coordinate];
  }
  View<double> x;
  x.plan = &plan;
  x.q = q.data();
  x.v = all.data();
  x.followed = q.data() + plan.positions;
  for (const PlanForce& e : plan.forces) {
    Eigen::VectorXd f = Eigen::VectorXd::Zero(size);
    Loads<double, Eigen::VectorXd> load{x, f};
    try {
      element_force<double>(x, e, t0, arguments_of<double>(x).data(), lambda.data(), load);
    } catch (const Reject& wrong) {
      throw InvalidArgument(fmt::format("force '{}' at the start: {}", e.name, wrong.what()));
    }
    if (!f.allFinite())
      throw InvalidArgument(
          fmt::format("force '{}' has no finite value at the start, t = {:.6g}; look at its "
                      "formula, or start elsewhere",
                      e.name, t0));
  }
}

// A number that was forgotten makes a force of nothing.
std::string missing_in(const PlanForce& e) {
  const bool law = e.force_length >= 0 || e.force_rate >= 0;
  switch (e.kind) {
    case PlanForce::Kind::spring:
    case PlanForce::Kind::coordinate_spring:
      return e.stiffness == 0.0 && e.damping == 0.0 && !law ? "stiffness or damping" : "";
    case PlanForce::Kind::bushing:
      return e.K.isZero(0.0) && e.C.isZero(0.0) && e.preload.isZero(0.0)
                 ? "stiffness, damping or preload"
                 : "";
    case PlanForce::Kind::drag:
      return e.stiffness == 0.0 ? "coefficient" : "";
    case PlanForce::Kind::friction:
      return e.stiffness == 0.0                    ? "coefficient"
             : e.normal == 0.0 && !e.from_reaction ? "normal (a number, or 'reaction')"
                                                   : "";
    default:
      return "";
  }
}
void warn_of_idle_forces(const Plan& plan, AssemblyReport& report) {
  for (const PlanForce& e : plan.forces)
    if (const std::string missing = missing_in(e); !missing.empty())
      report.warnings.push_back(
          fmt::format("force '{}' does nothing: it has no {}", e.name, missing));
}

// Rows that are left out count as no force.
void warn_of_friction(const Plan& plan, AssemblyReport& report) {
  for (const PlanForce& e : plan.forces)
    if (e.kind == PlanForce::Kind::friction && e.from_reaction &&
        plan.unknown[static_cast<std::size_t>(e.joint)])
      report.warnings.push_back(fmt::format(
          "friction '{}' takes the reaction of '{}', a joint of a redundant loop: its share cannot "
          "be known, and rows that are left out count as no force; give 'normal' as a number, or "
          "take joints that are not redundant",
          e.name, plan.joints[static_cast<std::size_t>(e.joint)].name));
}

// Rates that do not fit may come of a loop that cannot move: the reason comes first then.
Eigen::VectorXd possible_velocities(const Description& d, const Plan& plan, const Positions& at,
                                    double t0, const AssemblyReport& report) {
  try {
    return assemble_velocities(d, plan, at, t0);
  } catch (const InvalidArgument& wrong) {
    if (report.warnings.empty()) throw;
    throw InvalidArgument(fmt::format("{}; {}", fmt::join(report.warnings, "; "), wrong.what()));
  }
}

}  // namespace

Assembled Mechanism::assemble(const AssemblyOptions& options) const {
  auto plan = std::make_shared<Plan>(make_plan(*data_, options));
  Assembled result;
  AssemblyReport& report = result.report;
  report.bodies = static_cast<int>(plan->bodies.size());
  report.joints = static_cast<int>(data_->joints.size());
  Positions guess;
  guess.q = guessed_positions(*plan);
  check_drives(*plan, guess, options.t0);
  guess.coordinates = coordinate_values(*plan, guess.q, start_coordinates(*plan));
  const Positions at = assemble_positions(*plan, options, guess.q, guess.coordinates);
  check_assembled(*plan, at, options);
  warn_of_skew_axes(*plan, guess, report);
  check_springs(*plan, at);
  report.iterations = at.iterations;
  report.residual = at.residual;
  report.length = plan->length;
  for (std::size_t k = 0; k < plan->coordinates.size(); ++k)
    plan->coordinates[k].start = at.coordinates[k];
  drop_dependent_rows(*plan, at, options, report);
  warn_of_friction(*plan, report);
  warn_of_idle_forces(*plan, report);
  warn_of_passed_limits(*data_, *plan, report);
  const Eigen::VectorXd v = possible_velocities(*data_, *plan, at, options.t0, report);
  check_forces(*plan, at, v, options.t0);
  add_notes(*plan, report);
  for (std::string& slip : unit_slips(*data_, *plan)) report.warnings.push_back(std::move(slip));
  result.plan_ = plan;
  result.problem = make_problem(plan, at, v);
  result.events = limit_events(*data_, plan);
  result.scene = make_scene(*data_, plan, at.q);
  return result;
}

std::string AssemblyReport::text() const {
  std::string all = fmt::format(
      "{} bodies, {} joints, {} rows{}, {} degrees of freedom (by counting {})\n"
      "assembled in {} iterations, largest gap {:.2g} m, characteristic length {:.4g} m\n",
      bodies, joints, rows,
      nonholonomic_rows > 0 ? fmt::format(" and {} of velocities", nonholonomic_rows) : "",
      degrees_of_freedom, grubler, iterations, residual, length);
  for (const std::string& w : warnings) all += "warning: " + w + "\n";
  for (const std::string& n : notes) all += "note: " + n + "\n";
  return all;
}

}  // namespace daedalus
