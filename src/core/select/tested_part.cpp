// SPDX-License-Identifier: BSD-3-Clause
#include "select/tested_part.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/policy.hpp"
#include "linalg/matrix_chain.hpp"

namespace daedalus {
namespace {

// The chain needs full matrices and singular values: above this size it would cost more than many
// steps.
constexpr int max_size = 300;

ErrorPolicy policy_of(const Options& o, const Method& method) {
  if (o.error_test != ErrorPolicy::automatic) return o.error_test;
  return control_of(o, method).error_policy();
}

int stated_index(const System& system) {
  int index = 1;
  for (const LayoutBlock& b : system.layout.blocks()) index = std::max(index, b.index);
  return index;
}

// E and J of the residual view, or E = M and -J of the linear one.
bool matrices_at(System& system, const State& s, Eigen::MatrixXd& E, Eigen::MatrixXd& J) {
  const int n = system.layout.tangents();
  E.setZero(n, n);
  J.setZero(n, n);
  if (ResidualView* view = system.residual_view()) {
    Eigen::VectorXd dd = Eigen::VectorXd::Zero(std::max(n, view->differentiated_count()));
    if (!view->states_leading_term()) dd.head(n) = s.xd;
    if (view->linearise(s.t, s.x.data(), dd.data()) != Outcome::ok) return false;
    view->residual_pencil().dense_e(E);
    view->residual_pencil().dense_j(J);
    return true;
  }
  if (LinearView* view = system.linear_view()) {
    if (view->linearise(s.t, s.x.data()) != Outcome::ok) return false;
    view->linear_pencil().dense_e(E);
    view->linear_pencil().dense_j(J);
    J = -J;
    return true;
  }
  return false;
}

void check_projector(const Options& o, int n) {
  const Eigen::MatrixXd& P = o.projector;
  if (P.size() == 0) return;
  if (P.rows() != n || P.cols() != n)
    throw InvalidArgument(fmt::format("projector: {} x {} is not allowed; give a {} x {} matrix",
                                      P.rows(), P.cols(), n, n));
  if (!P.allFinite() || (P * P - P).cwiseAbs().maxCoeff() > 1e-8 * (1.0 + P.squaredNorm()))
    throw InvalidArgument("projector: the matrix is no projector; P P = P has to hold");
}

// Blocks that the layout leaves out of the test stay out.
Eigen::MatrixXd without(const Eigen::MatrixXd& T) {
  return Eigen::MatrixXd::Identity(T.rows(), T.cols()) - T;
}

}  // namespace

StructureAnalysis tested_part(const Options& options, const Method& method, const System& system) {
  const ErrorPolicy policy = policy_of(options, method);
  const int n = system.layout.tangents();
  if (policy == ErrorPolicy::differential) check_projector(options, n);
  const bool open = policy == ErrorPolicy::automatic;
  if (policy == ErrorPolicy::all)
    return [](System&, const State&, Measure& m) { m.set_index_weights(false); };
  const int stated = stated_index(system);
  if (policy == ErrorPolicy::index_weighted && stated > 1) return {};
  // Multistep methods alone see what index 2 differentiates as jumps with each change of the step;
  // for the others, which are A-stable or of one order, the weights of the layout are enough.
  if (options.linear_algebra == LinearAlgebra::krylov && policy != ErrorPolicy::index_weighted &&
      !(policy == ErrorPolicy::differential && options.projector.size() > 0)) {
    if (open) return {};
    throw InvalidArgument(
        "error_test: with linear_algebra krylov only 'all' and 'index-weighted' are possible, and "
        "'differential' with a given projector");
  }
  if (open &&
      (stated > 2 || n > max_size || !options.index_weights || method.view != View::residual ||
       method.max_order <= method.min_order || method.stability != Stability::none))
    return {};
  if (!system.layout.euclidean()) {
    if (options.error_test == ErrorPolicy::automatic) return {};
    throw InvalidArgument("error_test: on a group only 'all' and 'index-weighted' are possible");
  }
  return [policy, open, stated, P = options.projector](System& s, const State& at,
                                                       Measure& measure) {
    TestedPart part;
    if (policy == ErrorPolicy::differential && P.size() > 0) {
      part.matrix = P;
      measure.test_only(std::move(part));
      return;
    }
    Eigen::MatrixXd E, J;
    if (!matrices_at(s, at, E, J)) return;
    const MatrixChain chain = matrix_chain(E, J);
    if (policy == ErrorPolicy::differential) {
      // Index above 2 has a P too; a regular E has nothing to leave out.
      if (chain.P.size() > 0 && chain.index != 0) part.matrix = chain.P;
    } else if (chain.index == 2) {
      if (stated == 1)
        for (const ComponentKind kind : chain.kinds)
          part.index.push_back(kind == ComponentKind::algebraic_index2 ? 2 : 1);
      if (policy == ErrorPolicy::without_index2 || open) part.matrix = without(chain.T);
      if (open && stated == 1)
        s.warnings.push_back(
            "The equations have index 2, which the problem does not state: the part of the "
            "solution "
            "that is obtained by differentiation is left out of the error test.");
    } else if (chain.index > 2 && open) {
      s.warnings.push_back(
          "The equations seem to have an index above 2, which the problem does not state. State "
          "variable_index, or differentiate constraints to lower it.");
    }
    measure.test_only(std::move(part));
  };
}

}  // namespace daedalus
