// SPDX-License-Identifier: BSD-3-Clause
#include "peer.hpp"

#include <Simbody.h>

#include <array>
#include <cmath>
#include <ctime>
#include <set>
#include <stdexcept>

namespace daedalus::mechanism_peers {
namespace {

using nlohmann::json;
using SimTK::Transform;
using SimTK::Vec3;

Vec3 vector(const json& j) { return {j[0].get<double>(), j[1].get<double>(), j[2].get<double>()}; }
Vec3 vector(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }

SimTK::Rotation rotation(const Eigen::Matrix3d& R) {
  SimTK::Mat33 m;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) m(i, k) = R(i, k);
  return SimTK::Rotation(m, true);
}
// Axes with the given third (first) one.
SimTK::Rotation about(const Vec3& axis, const SimTK::CoordinateAxis& which) {
  return SimTK::Rotation(SimTK::UnitVec3(axis), which);
}

// offset + amplitude sin(omega t + phase) per axis of ground, or numbers.
class HarmonicForce : public SimTK::Force::Custom::Implementation {
 public:
  HarmonicForce(const SimTK::MobilizedBody& body, const Vec3& station, const json& value)
      : body_(body), station_(station) {
    for (int k = 0; k < 3; ++k) {
      const json& v = value[static_cast<std::size_t>(k)];
      if (v.is_number()) {
        terms_[static_cast<std::size_t>(k)] = {v.get<double>(), 0.0, 0.0, 0.0};
        continue;
      }
      const json& h = v.at("harmonic");
      terms_[static_cast<std::size_t>(k)] = {h["offset"], h["amplitude"], h["omega"], h["phase"]};
    }
  }
  void calcForce(const SimTK::State& state, SimTK::Vector_<SimTK::SpatialVec>& forces,
                 SimTK::Vector_<Vec3>&, SimTK::Vector&) const override {
    Vec3 F;
    for (int k = 0; k < 3; ++k) {
      const auto& [offset, amplitude, omega, phase] = terms_[static_cast<std::size_t>(k)];
      F[k] = offset + amplitude * std::sin(omega * state.getTime() + phase);
    }
    body_.applyForceToBodyPoint(state, station_, F, forces);
  }
  SimTK::Real calcPotentialEnergy(const SimTK::State&) const override { return 0.0; }

 private:
  struct Term {
    double offset, amplitude, omega, phase;
  };
  const SimTK::MobilizedBody& body_;
  Vec3 station_;
  std::array<Term, 3> terms_{};
};

}  // namespace

struct Peer::Model {
  SimTK::MultibodySystem system{};
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  std::map<std::string, SimTK::MobilizedBodyIndex> bodies{};
  std::map<std::string, Transform> guess{};  // of body frames in ground
  std::map<std::string, const json*> texts{};
  SimTK::State start{};

  SimTK::MobilizedBody& at(const std::string& name) {
    return matter.updMobilizedBody(name == "ground" ? SimTK::GroundIndex : bodies.at(name));
  }
  Vec3 station(const std::string& body, const Vec3& in_ground) const {
    return guess.at(body).invert() * in_ground;
  }

  SimTK::Body::Rigid body(const json& b) const {
    const double mass = b["mass"].get<double>();
    const json& J = b["inertia"];
    const Vec3 com = b.contains("com") ? vector(b["com"]) : Vec3(0);
    const SimTK::Inertia central(J[0].get<double>(), J[1].get<double>(), J[2].get<double>(),
                                 J[3].get<double>(), J[4].get<double>(), J[5].get<double>());
    return SimTK::Body::Rigid(
        SimTK::MassProperties(mass, com, central.shiftFromMassCenter(-com, mass)));
  }

  // The frame of a joint in ground at the guess, as its mobilizer wants it.
  static Transform frame(const json& joint) {
    const std::string type = joint["type"];
    SimTK::Rotation R;
    if (type == "revolute") R = about(vector(joint["axis"]), SimTK::ZAxis);
    if (type == "prismatic") R = about(vector(joint["axis"]), SimTK::XAxis);
    if (type == "universal")  // first about x of the parent, then about y of the child
      R = SimTK::Rotation(SimTK::UnitVec3(vector(joint["axis"])), SimTK::XAxis,
                          vector(joint["axis2"]), SimTK::YAxis);
    return Transform(R, vector(joint["at"]));
  }

  void mobilizer(const json& joint, const std::string& parent, const std::string& child) {
    const Transform in_ground = frame(joint), F = guess.at(parent).invert() * in_ground,
                    M = guess.at(child).invert() * in_ground;
    const SimTK::Body::Rigid mass = body(*texts.at(child));
    const std::string type = joint["type"];
    SimTK::MobilizedBody& from = at(parent);
    if (type == "revolute")
      bodies[child] = SimTK::MobilizedBody::Pin(from, F, mass, M).getMobilizedBodyIndex();
    else if (type == "spherical")
      bodies[child] = SimTK::MobilizedBody::Ball(from, F, mass, M).getMobilizedBodyIndex();
    else if (type == "universal")
      bodies[child] = SimTK::MobilizedBody::Universal(from, F, mass, M).getMobilizedBodyIndex();
    else if (type == "prismatic")
      bodies[child] = SimTK::MobilizedBody::Slider(from, F, mass, M).getMobilizedBodyIndex();
    else
      throw std::invalid_argument("the peer has no mobilizer for " + type);
  }

  void constraint(const json& joint) {
    const std::string a = joint["bodies"][0], b = joint["bodies"][1], type = joint["type"];
    const Vec3 p = vector(joint["at"]), p2 = joint.contains("at2") ? vector(joint["at2"]) : p;
    const auto axis = [&](const std::string& body, const Vec3& v) {
      return SimTK::UnitVec3(guess.at(body).R().invert() * v);
    };
    if (type == "distance") {
      const double length =
          joint.contains("length") ? joint["length"].get<double>() : (p2 - p).norm();
      SimTK::Constraint::Rod(at(a), station(a, p), at(b), station(b, p2), length);
      return;
    }
    if (type != "spherical" && type != "revolute" && type != "universal")
      throw std::invalid_argument("the peer has no constraint for " + type);
    SimTK::Constraint::Ball(at(a), station(a, p), at(b), station(b, p));
    if (type == "spherical") return;
    const SimTK::Rotation R = about(vector(joint["axis"]), SimTK::ZAxis);
    if (type == "universal") {
      SimTK::Constraint::ConstantAngle(at(a), axis(a, vector(joint["axis"])), at(b),
                                       axis(b, vector(joint["axis2"])));
      return;
    }
    for (int k = 0; k < 2; ++k)
      SimTK::Constraint::ConstantAngle(at(a), axis(a, Vec3(R.col(k))), at(b), axis(b, Vec3(R.z())));
  }

  void force(const json& f) {
    const std::string type = f["type"];
    if (type == "spring-damper") {
      const std::string a = f["bodies"][0], b = f["bodies"][1];
      const Vec3 pa = station(a, vector(f["at"])), pb = station(b, vector(f["at2"]));
      SimTK::Force::TwoPointLinearSpring(forces, at(a), pa, at(b), pb, f["stiffness"].get<double>(),
                                         f["rest_length"].get<double>());
      if (f.value("damping", 0.0) != 0.0)
        SimTK::Force::TwoPointLinearDamper(forces, at(a), pa, at(b), pb,
                                           f["damping"].get<double>());
      return;
    }
    if (type == "torque" && f["value"].is_number() && f["bodies"][0] == "ground") {
      const SimTK::UnitVec3 axis(vector(f["axis"]));
      SimTK::Force::ConstantTorque(forces, at(f["bodies"][1]), f["value"].get<double>() * axis);
      return;
    }
    if (type == "force" && f["frame"] == "ground") {
      const std::string on = f["body"];
      SimTK::Force::Custom(forces,
                           new HarmonicForce(at(on), station(on, vector(f["at"])), f["value"]));
      return;
    }
    throw std::invalid_argument("the peer has no force for " + type);
  }
};

Peer::Peer(const json& file, const std::map<std::string, PeerBody>& start)
    : model_(std::make_unique<Model>()) {
  Model& m = *model_;
  SimTK::Force::UniformGravity(m.forces, m.matter, vector(file["gravity"]));
  m.guess["ground"] = Transform();
  std::map<std::string, PeerBody> states = start;
  states["ground"] = {};
  for (const json& b : file["bodies"]) {
    const std::string name = b["name"];
    m.guess[name] = Transform(rotation(states[name].rotation), vector(states[name].position));
    m.texts[name] = &b;
  }
  std::set<std::string> placed{"ground"};
  std::set<std::size_t> used;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t k = 0; k < file["joints"].size(); ++k) {
      const json& j = file["joints"][k];
      const std::string a = j["bodies"][0], b = j["bodies"][1];
      if (used.count(k) || j["type"] == "distance" || placed.count(a) == placed.count(b)) continue;
      const bool forward = placed.count(a) > 0;
      if (!forward && j["type"] == "universal") continue;
      m.mobilizer(j, forward ? a : b, forward ? b : a);
      placed.insert(forward ? b : a);
      used.insert(k);
      grows = true;
    }
  }
  for (const json& b : file["bodies"])
    if (!placed.count(b["name"]))
      throw std::invalid_argument("the peer leaves a body without mobilizer");
  for (std::size_t k = 0; k < file["joints"].size(); ++k)
    if (!used.count(k)) m.constraint(file["joints"][k]);
  if (file.contains("forces"))
    for (const json& f : file["forces"]) m.force(f);
  m.start = m.system.realizeTopology();
  m.system.realizeModel(m.start);
  for (const auto& [name, index] : m.bodies) {
    m.system.realize(m.start, SimTK::Stage::Velocity);  // what is set below takes it back
    const SimTK::MobilizedBody& body = m.matter.getMobilizedBody(index);
    const SimTK::MobilizedBody& parent = body.getParentMobilizedBody();
    std::string from = "ground";
    for (const auto& [other, number] : m.bodies)
      if (number == parent.getMobilizedBodyIndex()) from = other;
    const auto spin = [&](const std::string& of) { return vector(states[of].angular_velocity); };
    const Transform M = body.getBodyTransform(m.start) * body.getOutboardFrame(m.start);
    const auto speed = [&](const std::string& of) {
      return vector(states[of].velocity) + spin(of) % (M.p() - vector(states[of].position));
    };
    const SimTK::Rotation F =
        (parent.getBodyTransform(m.start) * body.getInboardFrame(m.start)).R();
    body.setUToFitVelocity(m.start, SimTK::SpatialVec(F.invert() * (spin(name) - spin(from)),
                                                      F.invert() * (speed(name) - speed(from))));
  }
}
Peer::~Peer() = default;

PeerRun Peer::run(double accuracy, double t_end) const {
  PeerRun result;
  SimTK::RungeKuttaMersonIntegrator integrator(model_->system);
  integrator.setAccuracy(accuracy);
  integrator.setConstraintTolerance(accuracy);
  SimTK::TimeStepper stepper(model_->system, integrator);
  try {
    stepper.initialize(model_->start);
    const std::clock_t begin = std::clock();
    stepper.stepTo(t_end);
    result.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    result.steps = integrator.getNumStepsTaken();
    const SimTK::State& end = integrator.getState();
    model_->system.realize(end, SimTK::Stage::Velocity);
    for (const auto& [name, index] : model_->bodies) {
      const Vec3 v = model_->matter.getMobilizedBody(index).getBodyOriginVelocity(end);
      result.velocities[name] = {v[0], v[1], v[2]};
    }
    result.success = true;
  } catch (const std::exception&) {
    result.success = false;
  }
  return result;
}

}  // namespace daedalus::mechanism_peers
