// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "formulation/lower.hpp"
#include "lab/perturbation_parts.hpp"
#include "linalg/saddle_solver.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus::perturbation {

struct Components::Mechanical {
  std::unique_ptr<System> system;
  std::unique_ptr<SaddleSolver> solver;
  PieceMatrix M, G;
  Eigen::VectorXd tangential, normal;

  Mechanical(const PerturbationStudy& study, const ModelState& start) {
    auto problem = std::make_shared<const Problem>(study.problem);
    system = lower(problem, "index2", View::mechanical, {}, start.t());
    State at = model_start(*system, study.problem, start.t());
    at.x = start.y().head(at.x.size());
    system->prepare(at);
    MechanicalView& view = *system->mechanical_view();
    M = view.make_mass();
    G = view.make_constraint_matrix();
    solver = view.make_saddle_solver();
    tangential.setZero(view.sizes().velocities + view.sizes().multipliers());
    normal.setZero(view.sizes().multipliers());
  }

  bool evaluate(const StateView& state) {
    MechanicalView& view = *system->mechanical_view();
    const MechanicalPoint p = view.point(state.t(), state.y().data());
    const int nv = view.sizes().velocities;
    if (view.mass(p, M) != Outcome::ok || view.constraint_matrix(p, G) != Outcome::ok) return false;
    if (view.velocity_offset(p, normal.data()) != Outcome::ok) return false;
    G.add_times(1.0, p.v, normal.data());
    if (!solver->factorise(M, G, G)) return false;
    tangential.setZero();
    M.add_times(1.0, p.v, tangential.data());
    solver->solve(tangential.data());
    return tangential.head(nv).allFinite();
  }
};

Components::~Components() = default;

void Components::add(std::string name, std::string cls, int from, int count) {
  if (count == 0) return;
  const bool saturates = cls == "y" || cls == "q" || cls == "Sv";
  parts_.push_back({std::move(name), std::move(cls), size_, count, saturates});
  sources_.push_back({from, count});
  size_ += count;
}

void Components::add_all(const Variables& variables, const PerturbationStudy& study) {
  // Ranges of one class follow each other (the blocks of Hessenberg systems).
  for (std::size_t i = 0; i < variables.ranges.size();) {
    const Variables::Range& range = variables.ranges[i];
    int count = 0;
    for (; i < variables.ranges.size() && variables.ranges[i].cls == range.cls; ++i)
      count += variables.ranges[i].count;
    const std::string name(to_string(range.cls));
    add(name, name, range.first, count);
    const auto* p = std::get_if<MultibodyProblem>(&study.problem);
    if (range.cls == VariableClass::v && p && p->multipliers() > 0) {
      add("Sv", "Sv", -1, p->velocities());
      add("Gv", "Gv", -2, p->multipliers());
    }
  }
}

Components::Components(const PerturbationStudy& study, const Solution& first) {
  const Variables& variables = first.variables();
  Components all;
  all.add_all(variables, study);
  if (study.components.empty()) {
    parts_ = all.parts_;
    sources_ = all.sources_;
    size_ = all.size_;
  }
  for (const std::string& name : study.components) {
    bool known = false;
    for (std::size_t i = 0; i < all.parts_.size() && !known; ++i)
      if (all.parts_[i].name == name) {
        add(name, name, all.sources_[i].from, all.sources_[i].count);
        known = true;
      }
    const int at = known ? -1 : variables.find(name);
    for (const Variables::Range& range : variables.ranges)
      if (at >= range.first && at < range.first + range.count) {
        add(name, std::string(to_string(range.cls)), at, 1);
        known = true;
      }
    if (!known) {
      std::string allowed;
      for (const Part& part : all.parts_) allowed += part.name + ", ";
      throw InvalidArgument(fmt::format(
          "components: there is no '{}'; allowed are {}or the name of a variable", name, allowed));
    }
  }
  for (const Source& source : sources_)
    if (source.from < 0 && !mechanical_)
      mechanical_ = std::make_unique<Mechanical>(study, first.start());
}

bool Components::evaluate(const StateView& state, Eigen::Ref<Eigen::VectorXd> out) {
  if (mechanical_ && !mechanical_->evaluate(state)) return false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    auto segment = out.segment(part.first, part.count);
    if (sources_[i].from >= 0)
      segment = state.y().segment(sources_[i].from, part.count);
    else if (sources_[i].from == -1)
      segment = mechanical_->tangential.head(part.count);
    else
      segment = mechanical_->normal;
  }
  return out.allFinite();
}

}  // namespace daedalus::perturbation
