// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_baumgarte.hpp>

#include <stdexcept>

namespace daedalus::problems {

BaumgarteData baumgarte_data(const MultibodyProblem& p, double alpha, double beta) {
  const int n = static_cast<int>(p.q0.size());
  if (n > max_baumgarte_positions || p.constraint_count > max_baumgarte_constraints)
    throw std::logic_error("baumgarte: too many positions or constraints");
  BaumgarteData r{n, p.constraint_count, {}, alpha, beta};
  Arguments<double> at;
  at.x[0] = p.q0.data();
  at.n[0] = n;
  at.x[1] = p.v0.data();
  at.n[1] = n;
  Eigen::MatrixXd M(n, n);
  if (p.mass(at, M.data(), n, n) != Eval::ok || !M.isDiagonal(0.0))
    throw std::logic_error("baumgarte: the mass matrix must be diagonal");
  for (int j = 0; j < n; ++j) r.inverse_mass[static_cast<std::size_t>(j)] = 1.0 / M(j, j);
  return r;
}

SemiExplicitProblem baumgarte_frame(const MultibodyProblem& p, const std::string& name) {
  SemiExplicitProblem result;
  result.name = name;
  result.y0.resize(p.q0.size() + p.v0.size());
  result.y0 << p.q0, p.v0;
  result.z0 = p.lambda0;
  result.y_names = joined({p.q_names, p.v_names});
  result.z_names = p.lambda_names;
  result.equations = joined({prefixed("rate of ", result.y_names),
                             prefixed("stabilised constraint ", numbered("", p.constraint_count))});
  return result;
}

}  // namespace daedalus::problems
