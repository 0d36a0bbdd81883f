// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/structure_start.hpp"

#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "start/consistent.hpp"

namespace daedalus {
namespace {

void complete(AnalysedSystem& a, StartRequest request, const Options& options) {
  Eigen::VectorXd size(a.size());
  a.system->layout.magnitude(a.state.x.data(), size.data());
  request.weight = (options.rtol * size).array() + options.atol.values().minCoeff();
  a.system->prepare(a.state);
  const State given = a.state;
  const StartReport report = make_consistent(*a.system, a.state, request);
  a.consistent = report.status == Status::success;
  a.message = report.message;
  if (!a.state.x.allFinite() || !a.state.xd.allFinite()) a.state = given;
}

AnalysedSystem lowered(const Problem& problem, std::string_view formulation, double t) {
  AnalysedSystem a;
  a.problem = std::make_shared<const Problem>(problem);
  a.system = lower(a.problem, formulation, View::residual, {}, t);
  return a;
}

}  // namespace

Eigen::VectorXd AnalysedSystem::rates() const {
  Eigen::VectorXd dd =
      Eigen::VectorXd::Zero(std::max(size(), system->residual_view()->differentiated_count()));
  dd.head(state.xd.size()) = state.xd;
  return dd;
}

bool AnalysedSystem::linearise(const State& at, Eigen::MatrixXd& E, Eigen::MatrixXd& J) {
  Eigen::VectorXd dd = Eigen::VectorXd::Zero(std::max(size(), view().differentiated_count()));
  dd.head(at.xd.size()) = at.xd;
  if (view().linearise(at.t, at.x.data(), dd.data()) != Outcome::ok) return false;
  view().residual_pencil().dense_e(E);
  view().residual_pencil().dense_j(J);
  return E.allFinite() && J.allFinite();
}

std::string natural_formulation(const Problem& problem) {
  const auto* b = std::get_if<MultibodyProblem>(&problem);
  if (b == nullptr) return "";
  return b->constraint_count > 0 || b->nonholonomic_count == 0 ? "index3" : "index2";
}

AnalysedSystem analysed_at_start(const Problem& problem, std::string_view formulation, double t0,
                                 const Options& options) {
  validate(problem, t0);
  AnalysedSystem a = lowered(problem, formulation, t0);
  a.state = model_start(*a.system, problem, t0);
  StartRequest request = initial_equations(a.problem, *a.system);
  request.strategy = options.start;
  complete(a, std::move(request), options);
  return a;
}

AnalysedSystem analysed_at(const Problem& problem, std::string_view formulation, double t,
                           const Eigen::VectorXd& y, const Options& options) {
  AnalysedSystem a = lowered(problem, formulation, t);
  a.state = model_start(*a.system, problem, t);
  a.system->from_model(t, y.data(), a.state);
  a.state.t = t;
  StartRequest request;
  request.strategy = StartStrategy::given;
  complete(a, std::move(request), options);
  return a;
}

}  // namespace daedalus
