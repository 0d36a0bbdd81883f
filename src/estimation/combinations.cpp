// SPDX-License-Identifier: BSD-3-Clause
// Combinations of parameters in words.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "estimation/statistics.hpp"

namespace daedalus::estimation {

Eigen::MatrixXd sparse_basis(Eigen::MatrixXd rows) {
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    Eigen::Index i = 0, j = 0;
    rows.bottomRows(rows.rows() - k).cwiseAbs().maxCoeff(&i, &j);
    rows.row(k).swap(rows.row(k + i));
    rows.row(k) /= rows(k, j);
    for (Eigen::Index other = 0; other < rows.rows(); ++other)
      if (other != k) rows.row(other) -= (rows(other, j) * rows.row(k)).eval();
  }
  for (Eigen::Index k = 0; k < rows.rows(); ++k) rows.row(k).normalize();
  return rows;
}

std::string product_of_powers(const std::vector<std::string>& names,
                              const Eigen::VectorXd& powers) {
  constexpr double shown = 0.1;   // of the largest; smaller ones are left out (spec)
  constexpr double whole = 1e-3;  // nearer to 1 than this: no exponent is written
  Eigen::VectorXd v = powers / powers.cwiseAbs().maxCoeff();
  if (v.maxCoeff() < shown) v = -v;  // 1/(a b) reads better as a b
  std::vector<std::string> above, below;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const double power = std::abs(v[i]);
    if (power < shown) continue;
    const std::string& name = names[static_cast<std::size_t>(i)];
    (v[i] > 0.0 ? above : below)
        .push_back(std::abs(power - 1.0) < whole ? name : fmt::format("{}^{:.3g}", name, power));
  }
  if (below.empty()) return fmt::format("{}", fmt::join(above, " * "));
  const std::string top = fmt::format("{}", fmt::join(above, " * "));
  return below.size() == 1 ? fmt::format("{}/{}", top, below[0])
                           : fmt::format("{}/({})", top, fmt::join(below, " * "));
}

}  // namespace daedalus::estimation
