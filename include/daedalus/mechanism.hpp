// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms: bodies, joints, drives and forces in place of callables.
//
//   Mechanism m("pendulum");
//   const BodyId rod = m.body({.name = "rod", .mass = 1.0, .inertia = diagonal(0.01, 0.08, 0.08),
//                              .position = {0.5, 0.0, 0.0}});
//   const JointId hinge = m.revolute("hinge", m.ground(), rod, {.at = {0, 0, 0}, .axis = {0, 1,
//   0}}); const Assembled a = m.assemble(); const Solution s = solve(a.problem, {0.0, 1.0},
//   {.events = a.events}); a.reaction(s.end(), hinge).force;
//
// Points and axes are given in ground at the guess and carried over to the bodies; every joint is a
// set of constraint rows, so that loops need no declaration. Mistakes throw InvalidArgument that
// names body, joint or row.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <daedalus/mechanism/force_law.hpp>
#include <daedalus/mechanism/parts.hpp>
#include <daedalus/mechanism/results.hpp>
#include <daedalus/problem.hpp>

namespace daedalus {

namespace mechanism {
struct Description;
struct Plan;
}  // namespace mechanism

class Assembled;
class Solution;
struct Eigenvalues;

class Mechanism {
 public:
  explicit Mechanism(std::string name, MechanismSpace space = MechanismSpace::r3xso3);
  Mechanism(const Mechanism&);
  Mechanism& operator=(const Mechanism&);
  Mechanism(Mechanism&&) noexcept;
  Mechanism& operator=(Mechanism&&) noexcept;
  ~Mechanism();

  void gravity(const Triple& acceleration);
  BodyId ground() const { return {}; }
  BodyId body(const RigidBody& body);
  // A point with axes in the frame of a body; position in the body frame.
  MarkerId marker(const std::string& name, BodyId body, const Triple& position,
                  const Rotation& rotation = {});

  JointId joint(JointType type, const std::string& name, BodyId first, BodyId second,
                const JointOptions& options);
  JointId fixed(const std::string& n, BodyId a, BodyId b, const JointOptions& o) {
    return joint(JointType::fixed, n, a, b, o);
  }
  JointId revolute(const std::string& n, BodyId a, BodyId b, const JointOptions& o) {
    return joint(JointType::revolute, n, a, b, o);
  }
  JointId prismatic(const std::string& n, BodyId a, BodyId b, const JointOptions& o) {
    return joint(JointType::prismatic, n, a, b, o);
  }
  JointId cylindrical(const std::string& n, BodyId a, BodyId b, const JointOptions& o) {
    return joint(JointType::cylindrical, n, a, b, o);
  }
  JointId screw(const std::string& n, BodyId a, BodyId b, const JointOptions& o) {
    return joint(JointType::screw, n, a, b, o);
  }
  JointId spherical(const std::string& n, BodyId a, BodyId b, const JointOptions& o) {
    return joint(JointType::spherical, n, a, b, o);
  }
  JointId universal(const std::string& n, BodyId a, BodyId b, const JointOptions& o) {
    return joint(JointType::universal, n, a, b, o);
  }
  JointId planar(const std::string& n, BodyId a, BodyId b, const JointOptions& o) {
    return joint(JointType::planar, n, a, b, o);
  }
  JointId distance(const std::string& n, BodyId a, BodyId b, const JointOptions& o) {
    return joint(JointType::distance, n, a, b, o);
  }

  // theta_2 = ratio theta_1 + offset; teeth outside: ratio = -r_1/r_2.
  JointId gear(const std::string& name, JointId first, JointId second, double ratio,
               double offset = 0.0);
  // z_2 = radius theta_1 + offset.
  JointId rack(const std::string& name, JointId pinion, JointId rail, double radius,
               double offset = 0.0);
  // sum of factor times coordinate = constant.
  JointId linear(const std::string& name, const std::vector<std::pair<JointId, double>>& terms,
                 double constant = 0.0);

  // The coordinate of a joint as a function of time, or its rate.
  DriveId drive(const std::string& name, JointId joint, const TimeFunction& value,
                CoordinateOf coordinate = CoordinateOf::automatic);
  DriveId drive_rate(const std::string& name, JointId joint, const TimeFunction& rate,
                     CoordinateOf coordinate = CoordinateOf::automatic);

  void force(const std::string& name, const ForceOptions& options);
  void torque(const std::string& name, const ForceOptions& options);
  void spring_damper(const std::string& name, BodyId first, BodyId second,
                     const SpringOptions& options);
  void joint_spring(const std::string& name, JointId joint, const JointSpringOptions& options);
  void bushing(const std::string& name, BodyId first, BodyId second, const BushingOptions& options);
  void drag(const std::string& name, const DragOptions& options);
  void friction(const std::string& name, JointId joint, const FrictionOptions& options);
  // A law of one's own: law(t, state of the first marker, of the second) returns a Load.
  template <class F>
  void callback(const std::string& name, BodyId first, BodyId second,
                const CallbackOptions& options, F law) {
    force_law(name, first, second, options, std::make_shared<const ForceLawOf<F>>(std::move(law)));
  }
  void force_law(const std::string& name, BodyId first, BodyId second,
                 const CallbackOptions& options, std::shared_ptr<const ForceLaw> law);
  // Argument k of the profiles of forces is this coordinate or its rate from now on.
  void argument(int k, JointId joint, bool rate = false,
                CoordinateOf coordinate = CoordinateOf::automatic);
  void limit(const std::string& name, JointId joint, const LimitOptions& options);

  const std::string& name() const;
  const mechanism::Description& description() const { return *data_; }
  Assembled assemble(const AssemblyOptions& options = {}) const;

 private:
  std::unique_ptr<mechanism::Description> data_;
};

// A mechanism that is ready to run: the problem, its events and its picture, and results in terms
// of joints.
class Assembled {
 public:
  MultibodyProblem problem{};
  std::vector<Event> events{};
  Scene scene{};
  AssemblyReport report{};

  BodyState state_of(const StateView& state, BodyId body) const;
  Eigen::Vector3d marker(const StateView& state, MarkerId marker) const;
  bool has_coordinate(JointId joint) const;
  double coordinate(const StateView& state, JointId joint,
                    CoordinateOf which = CoordinateOf::automatic) const;
  double rate(const StateView& state, JointId joint,
              CoordinateOf which = CoordinateOf::automatic) const;
  // On the second body, in ground axes.
  Wrench reaction(const StateView& state, JointId joint) const;
  std::vector<Wrench> reactions(const StateView& state) const;  // of all joints and couplers
  double effort(const StateView& state, DriveId drive) const;
  Energies energies(const StateView& state) const;
  Hold hold(const StateView& state) const;
  // Along a run: minima of the hold next to zero; with no more than `points` states looked at.
  std::vector<DeadPosition> dead_positions(const Solution& run, int points = 2000) const;
  // How the bodies move in each eigenvalue, from those of `problem` at a state.
  std::vector<Mode> modes(const Eigenvalues& at) const;
  const mechanism::Plan& plan() const { return *plan_; }

 private:
  friend class Mechanism;
  std::shared_ptr<const mechanism::Plan> plan_;
};

}  // namespace daedalus
