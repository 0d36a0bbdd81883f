// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/default_names.hpp"
#include "formulation/first_order_maps.hpp"
#include "formulation/lower_forms.hpp"
#include "formulation/lowered_layout.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using SemiExplicit = std::shared_ptr<const SemiExplicitProblem>;

Layout semi_explicit_layout(const SemiExplicitProblem& p) {
  const int ny = static_cast<int>(p.y0.size()), nz = static_cast<int>(p.z0.size());
  const auto y = default_names(p.y_names, "y", ny), z = default_names(p.z_names, "z", nz);
  Layout layout;
  const int m = static_cast<int>(p.hessenberg_blocks.size()) + 1;
  if (p.hessenberg_blocks.empty()) {
    std::vector<int> index = p.variable_index;
    if (index.empty()) index.assign(at(ny), 1);
    index.resize(at(ny + nz), std::max(p.index, 1));
    add_indexed(layout, VariableClass::y, index.data(), ny, y);
    if (nz == 0) layout.add(VariableClass::z, 1, euclidean(0), z);
    add_indexed(layout, VariableClass::z, index.data() + ny, nz, z);
  } else {
    // x_1 has index m - 1, ..., x_{m-1} index 1, x_m index m.
    int first = 0;
    for (int k = 0; k < m - 1; ++k) {
      const int count = p.hessenberg_blocks[at(k)];
      layout.add(VariableClass::y, m - 1 - k, euclidean(count),
                 {y.begin() + first, y.begin() + first + count});
      first += count;
    }
    layout.add(VariableClass::z, m, euclidean(nz), z);
  }
  return layout;
}

// f_y, f_z, g_y, g_z as they are given, times sign; with -1 for F = (y' - f, -g) and F_y'.
GivenJacobian given_blocks(SemiExplicit p, Modes modes, double sign) {
  const int ny = static_cast<int>(p->y0.size()), nz = static_cast<int>(p->z0.size());
  auto parameters = std::make_shared<ParameterSet>(p->parameters, modes);
  auto block = std::make_shared<Eigen::MatrixXd>();
  return [p, parameters, block, ny, nz, sign](double t, const double* x, const double*,
                                              SparseValues& dx, SparseValues& dxd) {
    const int n = ny + nz;
    Eigen::Map<Eigen::MatrixXd> J(dx.values.data(), n, n);
    const auto a = state_arguments<double>(*parameters, t, x, ny, x + ny, nz);
    const auto put = [&](const Function<slot::CoupledMatrix>& f, int row, int col, int rows,
                         int cols) {
      if (rows == 0 || cols == 0) return Eval::ok;
      block->resize(rows, cols);
      const Eval e = f(a, block->data(), rows, cols);
      J.block(row, col, rows, cols) = sign * *block;
      return e;
    };
    if (const Eval e = put(p->f_y, 0, 0, ny, ny); e != Eval::ok) return e;
    if (const Eval e = put(p->f_z, 0, ny, ny, nz); e != Eval::ok) return e;
    if (const Eval e = put(p->g_y, ny, 0, nz, ny); e != Eval::ok) return e;
    if (const Eval e = put(p->g_z, ny, ny, nz, nz); e != Eval::ok) return e;
    if (sign < 0.0) {
      Eigen::Map<Eigen::MatrixXd> E(dxd.values.data(), n, n);
      E.setZero();
      E.diagonal().head(ny).setOnes();
    }
    return Eval::ok;
  };
}

GivenJacobian given_constraint_blocks(SemiExplicit p, Modes modes) {
  const int ny = static_cast<int>(p->y0.size()), nz = static_cast<int>(p->z0.size());
  auto parameters = std::make_shared<ParameterSet>(p->parameters, modes);
  return [p, parameters, ny, nz](double t, const double* x, const double*, SparseValues& dx,
                                 SparseValues&) {
    const auto a = state_arguments<double>(*parameters, t, x, ny, x + ny, nz);
    if (const Eval e = p->g_y(a, dx.values.data(), nz, ny); e != Eval::ok) return e;
    return p->g_z(a, dx.values.data() + nz * ny, nz, nz);
  };
}

}  // namespace

std::unique_ptr<System> lower_semi_explicit(std::shared_ptr<const SemiExplicitProblem> p, View view,
                                            const LoweringOptions& options) {
  const int ny = static_cast<int>(p->y0.size()), nz = static_cast<int>(p->z0.size());
  auto modes = modes_of(*p);
  const auto y = default_names(p->y_names, "y", ny);
  std::vector<std::string> equations = p->equations;
  for (int i = static_cast<int>(equations.size()); i < ny + nz; ++i)
    equations.push_back(i < ny ? "rate of " + y[at(i)]
                               : "algebraic equation " + std::to_string(i - ny + 1));
  Layout layout = semi_explicit_layout(*p);
  GivenJacobian given;
  if (p->f_y && (nz == 0 || (p->f_z && p->g_y && p->g_z)) && !options.differences)
    given = given_blocks(p, modes, view == View::residual ? -1.0 : 1.0);
  auto map = std::make_unique<SemiExplicitMap>(p, modes, view == View::residual);
  if (view == View::partitioned) {
    GivenJacobian given_constraints;
    if (p->g_y && p->g_z && !options.differences)
      given_constraints = given_constraint_blocks(p, modes);
    auto constraints = nz > 0 ? std::make_unique<ConstraintMap>(p, modes) : nullptr;
    return complete_system(
        std::make_unique<PartitionedSystem>(layout, std::move(map), std::move(constraints), ny,
                                            options, given, given_constraints),
        modes, ny + nz, equations);
  }
  if (view == View::residual)
    return complete_system(
        std::make_unique<FirstOrderSystem>(std::move(layout), std::move(map), options, given),
        modes, ny + nz, equations);
  SparseMatrix mass(ny + nz, ny + nz);
  for (int i = 0; i < ny; ++i) mass.insert(i, i) = 1.0;
  return complete_system(std::make_unique<FirstOrderSystem>(std::move(layout), std::move(map),
                                                            std::move(mass), options, given),
                         modes, ny + nz, equations);
}

}  // namespace daedalus
