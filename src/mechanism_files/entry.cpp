// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism_files/entry.hpp"

#include <fmt/format.h>

#include <mutex>

#include "mechanism/plan.hpp"

namespace daedalus::mechanism_files {
namespace {

using Shared = std::shared_ptr<const NamedMechanism>;

// The last assembly is kept: problem, events, scene and outputs ask for the same one.
struct Cache {
  std::mutex mutex{};
  Values values{};
  Shared last{};
};

// Names and values of the outputs of a state, in a fixed order.
template <class Visit>
void for_outputs(const NamedMechanism& m, const StateView& state, Visit&& visit) {
  for (const std::string& name : m.joint_order) {
    const JointId joint = m.joints.at(name);
    if (m.assembled.has_coordinate(joint)) {
      visit("joint:" + name, m.assembled.coordinate(state, joint));
      visit("rate:" + name, m.assembled.rate(state, joint));
    }
  }
  for (const auto& [name, drive] : m.drives)
    visit("effort:" + name, m.assembled.effort(state, drive));
  const std::vector<Wrench> all = m.assembled.reactions(state);
  for (const std::string& name : m.joint_order) {
    const Wrench& w = all[static_cast<std::size_t>(m.joints.at(name).number)];
    constexpr std::array<const char*, 3> axes{"x", "y", "z"};
    for (std::size_t k = 0; w.known && k < 3; ++k)
      visit(fmt::format("reaction:{}.{}", name, axes[k]), w.force[static_cast<int>(k)]);
  }
}

// The start of a problem as a state.
ModelState start_of(const MultibodyProblem& p) {
  auto variables = std::make_shared<Variables>();
  Eigen::VectorXd x(p.q0.size() + p.v0.size() + p.multipliers());
  x << p.q0, p.v0, Eigen::VectorXd::Zero(p.multipliers());
  int first = 0;
  const auto range = [&](VariableClass c, const std::vector<std::string>& names) {
    variables->ranges.push_back({c, 1, first, static_cast<int>(names.size())});
    variables->names.insert(variables->names.end(), names.begin(), names.end());
    first += static_cast<int>(names.size());
  };
  range(VariableClass::q, p.q_names);
  range(VariableClass::v, p.v_names);
  range(VariableClass::lambda, p.lambda_names);
  return {variables, 0.0, x};
}

}  // namespace

void complete(MechanismFile& file, const std::string& name, Make make) {
  const auto cache = std::make_shared<Cache>();
  file.assembled = [cache, name, make = std::move(make)](const Values& values) {
    const std::lock_guard lock(cache->mutex);
    if (cache->last && cache->values == values) return cache->last;
    NamedMechanism m = make(values);
    try {
      m.assembled = m.mechanism.assemble(m.options);
    } catch (const InvalidArgument& wrong) {
      SourceDiagnostic d;
      d.file = name;
      d.message = wrong.what();
      throw InvalidModel({d});
    }
    Scene& scene = m.assembled.scene;
    scene.up = m.scene.up.value_or(scene.up);
    scene.view = m.scene.view.value_or(scene.view);
    if (m.scene.ground) scene.ground = m.scene.ground;
    cache->last = std::make_shared<const NamedMechanism>(std::move(m));
    cache->values = values;
    return cache->last;
  };
  Entry& e = file.entry;
  const auto assembled = file.assembled;
  Values standard;
  for (const Parameter& p : e.parameters) standard[p.name] = p.value;
  const Shared m = assembled(standard);
  e.form = "multibody";
  e.index = m->assembled.problem.constraint_count > 0 ? 3 : 2;
  e.build = [assembled](const Values& v) { return Problem(assembled(v)->assembled.problem); };
  e.build_events = [assembled](const Values& v) { return assembled(v)->assembled.events; };
  e.scene = [assembled](const Values& v) { return assembled(v)->assembled.scene; };
  e.equations = m->assembled.report.text();
  // Lengths count in parts of the characteristic one, turns in radians.
  const double length = m->assembled.report.length;
  const bool planar = m->assembled.plan().planar();
  for (const std::string& body : m->body_order)
    for (const char* part : {".x", ".y", ".u_x", ".u_y", ".z", ".u_z"})
      if (!planar || part[part[1] == 'u' ? 3 : 1] != 'z') e.atol_scale[body + part] = length;
  for (const std::string& w : m->assembled.report.warnings) e.notes.push_back(w);
  for (const std::string& n : m->assembled.report.notes) e.notes.push_back(n);
  const ModelState start = start_of(m->assembled.problem);
  for_outputs(*m, start, [&](const std::string& output, double) {
    e.outputs.push_back({output, "", "", false});
  });
  e.evaluate_outputs = [assembled](const Values& v, const StateView& state, Out out) {
    int k = 0;
    for_outputs(*assembled(v), state, [&](const std::string&, double value) {
      if (k < out.size()) out[k++] = value;
    });
  };
}

}  // namespace daedalus::mechanism_files
