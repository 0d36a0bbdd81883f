// SPDX-License-Identifier: BSD-3-Clause
#include "select/tested_part.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/policy.hpp"
#include "formulation/first_order_system.hpp"
#include "linalg/index_directions.hpp"

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
// sharply: ranks are decided with them that difference quotients would blur.
bool matrices_at(System& system, const State& s, bool sharply, Eigen::MatrixXd& E,
                 Eigen::MatrixXd& J) {
  const int n = system.layout.tangents();
  E.setZero(n, n);
  J.setZero(n, n);
  auto* equations = sharply ? dynamic_cast<FirstOrderSystem*>(&system) : nullptr;
  if (equations) equations->jacobian().sharpen();
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

bool multistep(const Method& method) {
  return method.max_order > method.min_order && method.stability == Stability::none;
}

// Blocks that the layout leaves out of the test stay out.
Eigen::MatrixXd without(const Eigen::MatrixXd& T) {
  return Eigen::MatrixXd::Identity(T.rows(), T.cols()) - T;
}

// What directions of index 2 and 3 let count of an error. Multistep methods see what index 2
// differentiates as jumps with each change of the step: they leave that out.
TestedPart part_by_directions(const IndexDirections& d, bool leaves_index_2_out) {
  TestedPart part;
  if (d.index < 2 || d.index > 3) return part;
  part.once = projector_on_columns(d.differentiated);
  part.matrix = without(part.once);
  if (d.index == 3) {
    part.twice = projector_on_columns(d.twice);
    part.once -= part.twice;
  }
  part.graded = d.index == 3 || !leaves_index_2_out;
  return part;
}

// Index 2 where a variable takes part in a differentiated direction.
std::vector<int> index_of_variables(const IndexDirections& d) {
  constexpr double negligible = 1e-8;  // half of the digits
  std::vector<int> index;
  for (Eigen::Index i = 0; i < d.differentiated.rows(); ++i)
    index.push_back(d.differentiated.row(i).cwiseAbs().maxCoeff() > negligible ? 2 : 1);
  return index;
}

TestedPart found_part(System& s, const IndexDirections& d, bool multistep, int stated) {
  if (d.index < 2) return {};
  if (d.index > 3 || (d.index == 3 && stated > 1)) {
    s.warnings.push_back(
        "The equations seem to have an index above 2, which the problem does not state. State "
        "variable_index, or differentiate constraints to lower it.");
    return {};
  }
  TestedPart part = part_by_directions(d, multistep);
  if (stated > 1) return part;
  if (d.index == 3) {
    s.warnings.push_back(
        "The equations have index 3, and variable_index does not tell which variables: components "
        "of index 2 and 3 were found at the start. Their errors count with h and h^2 only, and "
        "rounding errors reach them as 1/h and 1/h^2. Differentiated constraints are more accurate "
        "and cheaper.");
    return part;
  }
  part.index = index_of_variables(d);
  if (multistep)
    s.warnings.push_back(
        "The equations have index 2, which the problem does not state: the part of the "
        "solution "
        "that is obtained by differentiation is left out of the error test.");
  return part;
}

// ErrorPolicy::differential and without_index2.
TestedPart asked_part(ErrorPolicy policy, const Eigen::MatrixXd& E, const Eigen::MatrixXd& J,
                      int stated) {
  TestedPart part;
  if (policy == ErrorPolicy::differential) {
    const MatrixChain chain = matrix_chain(E, J);
    // Index above 2 has a P too; a regular E has nothing to leave out.
    if (chain.P.size() > 0 && chain.index != 0) part.matrix = chain.P;
    return part;
  }
  const IndexDirections d = index_directions(E, J);
  if (d.index != 2) return part;
  if (policy == ErrorPolicy::without_index2) part = part_by_directions(d, true);
  if (stated == 1) part.index = index_of_variables(d);
  return part;
}

// Where the policy leaves it open: multistep methods look always, others where the problem has a
// higher index than its variables tell.
bool looks_at_structure(const Options& options, const Method& method, int stated, int n,
                        int declared) {
  if (stated > 2 || n > max_size || !options.index_weights || method.view != View::residual)
    return false;
  return multistep(method) || (stated == 1 && declared > 1);
}

}  // namespace

StructureAnalysis tested_part(const Options& options, const Method& method, const System& system,
                              int declared) {
  const ErrorPolicy policy = policy_of(options, method);
  const int n = system.layout.tangents();
  if (policy == ErrorPolicy::differential) check_projector(options, n);
  const bool open = policy == ErrorPolicy::automatic;
  if (policy == ErrorPolicy::all)
    return [](System&, const State&, Measure& m) { m.set_index_weights(false); };
  const int stated = stated_index(system);
  if (policy == ErrorPolicy::index_weighted && stated > 1) return {};
  if (options.linear_algebra == LinearAlgebra::krylov && policy != ErrorPolicy::index_weighted &&
      !(policy == ErrorPolicy::differential && options.projector.size() > 0)) {
    if (open) return {};
    throw InvalidArgument(
        "error_test: with linear_algebra krylov only 'all' and 'index-weighted' are possible, and "
        "'differential' with a given projector");
  }
  if (open && !looks_at_structure(options, method, stated, n, declared)) return {};
  if (!system.layout.euclidean()) {
    if (options.error_test == ErrorPolicy::automatic) return {};
    throw InvalidArgument("error_test: on a group only 'all' and 'index-weighted' are possible");
  }
  const bool hidden = stated == 1 && declared > 1;
  return [policy, open, stated, hidden, leaves_out = multistep(method), P = options.projector](
             System& s, const State& at, Measure& measure) {
    if (policy == ErrorPolicy::differential && P.size() > 0) {
      TestedPart part;
      part.matrix = P;
      measure.test_only(std::move(part));
      return;
    }
    Eigen::MatrixXd E, J;
    if (!matrices_at(s, at, hidden, E, J)) return;
    measure.test_only(open ? found_part(s, index_directions(E, J), leaves_out, stated)
                           : asked_part(policy, E, J, stated));
  };
}

}  // namespace daedalus
