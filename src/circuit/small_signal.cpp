// SPDX-License-Identifier: BSD-3-Clause
// Small signals: (J + j omega E) X = B at the operating point; poles are the finite eigenvalues.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "circuit/circuit_data.hpp"
#include "linalg/complex_solver.hpp"

#include <daedalus/analysis.hpp>

namespace daedalus {

std::vector<SmallSignal> Circuit::small_signals() const {
  std::vector<SmallSignal> list;
  const auto& request = data_->assembly->requests.frequencies;
  if (!request)
    throw InvalidArgument("small signals need the frequencies of a line .ac in the netlist");
  if (!data_->operating_point().report.found) return list;
  const circuit::Linearised l = circuit::linearised(*data_);
  std::vector<int> place_j, place_e;
  const SparsePattern both = unite(l.j_pattern, l.e_pattern, &place_j, &place_e);
  const auto solver = make_complex_solver(both, both.cols <= 32);
  std::vector<double> matrix(2 * both.row.size());
  for (const double f : request->frequencies()) {
    const double omega = 2.0 * std::numbers::pi * f;
    std::fill(matrix.begin(), matrix.end(), 0.0);
    for (std::size_t k = 0; k < place_j.size(); ++k)
      matrix[2 * static_cast<std::size_t>(place_j[k])] += l.j[k];
    for (std::size_t k = 0; k < place_e.size(); ++k)
      matrix[2 * static_cast<std::size_t>(place_e[k]) + 1] += omega * l.e[k];
    std::vector<double> x(2 * static_cast<std::size_t>(both.cols), 0.0);
    for (const auto& b : data_->assembly->network.excitations) {
      x[2 * static_cast<std::size_t>(b.row)] += b.re;
      x[2 * static_cast<std::size_t>(b.row) + 1] += b.im;
    }
    SmallSignal s;
    s.f = f;
    s.values.assign(static_cast<std::size_t>(both.cols), std::nan(""));
    if (solver->factorise(matrix)) {
      solver->solve(x.data());
      for (std::size_t k = 0; k < s.values.size(); ++k) s.values[k] = {x[2 * k], x[2 * k + 1]};
    }
    list.push_back(std::move(s));
  }
  return list;
}

std::vector<std::complex<double>> Circuit::poles() const {
  const circuit::Linearised l = circuit::linearised(*data_);
  const Eigen::Index n = l.j_pattern.cols;
  Eigen::MatrixXd e = Eigen::MatrixXd::Zero(n, n), j = e;
  circuit::add_dense(l.e_pattern, l.e, e);
  circuit::add_dense(l.j_pattern, l.j, j);
  return weierstrass_form(e, j).eigenvalues();
}

}  // namespace daedalus
