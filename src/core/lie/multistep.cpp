// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/lie/multistep.hpp>

#include <algorithm>
#include <string>

#include <daedalus/types.hpp>

namespace daedalus::lie {

namespace {

void require_order(int k, int low, int high) {
  if (k < low || k > high)
    throw InvalidArgument("k: " + std::to_string(k) + "; allowed are " + std::to_string(low) +
                          ".." + std::to_string(high));
}

}  // namespace

BdfFormula bdf_formula(int k, const double* steps) {
  require_order(k, 1, 6);
  BdfFormula f;
  f.k = k;
  f.node[0] = 1.0;
  for (int i = 1; i <= k; ++i) {
    f.ratio[i] = steps[i - 1] / steps[0];
    f.node[i] = i == 1 ? 0.0 : f.node[i - 1] - f.ratio[i];
  }
  for (int i = 1; i <= k; ++i) {
    double upper = 1.0, lower = 1.0;
    for (int j = 0; j <= k; ++j) {
      if (j != 0 && j != i) upper *= f.node[0] - f.node[j];
      if (j != i) lower *= f.node[i] - f.node[j];
    }
    f.alpha[i] = upper / lower;
    f.alpha[0] -= f.alpha[i];
  }
  // From the far end the sums are small and lose nothing: sum of all alpha_i is 0.
  for (int i = k; i >= 1; --i) f.gamma[i] = (i < k ? f.gamma[i + 1] : 0.0) - f.alpha[i];
  return f;
}

BdfFormula bdf_formula(int k) {
  constexpr double equal[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  BdfFormula f = bdf_formula(k, equal);
  std::copy(bdf_alpha[k], bdf_alpha[k] + 7, f.alpha);
  std::copy(bdf_gamma[k], bdf_gamma[k] + 7, f.gamma);
  return f;
}

double error_constant(const BdfFormula& formula) {
  double product = -1.0;
  for (int j = 1; j <= formula.k; ++j) product *= (1.0 - formula.node[j]) / (j + 1);
  return product;
}

DifferenceWeights difference_weights(int first, int points, const double* node) {
  if (first < 0 || points < 1 || first + points > 7)
    throw InvalidArgument("points: " + std::to_string(points) + " from " + std::to_string(first) +
                          "; allowed are 1..7 within 0..6");
  DifferenceWeights w;
  w.first = first;
  w.points = points;
  // Taylor coefficients at 0 of the Lagrange polynomials, factor by factor.
  for (int i = first; i < first + points; ++i) {
    double polynomial[7] = {1.0};
    int degree = 0;
    for (int j = first; j < first + points; ++j) {
      if (j == i) continue;
      const double scale = 1.0 / (node[i] - node[j]);
      ++degree;
      for (int l = degree; l >= 0; --l)
        polynomial[l] = scale * ((l > 0 ? polynomial[l - 1] : 0.0) - node[j] * polynomial[l]);
    }
    double factorial = 1.0;
    for (int j = 0; j < points; ++j) {
      if (j > 0) factorial *= j;
      w.weight[j][i] = factorial * polynomial[j];
    }
  }
  return w;
}

bool CorrectionSet::is_explicit() const {
  for (int j = 1; j <= factors(); ++j)
    if (a[0][j] != 0.0 || b[1][j] != 0.0) return false;
  return true;
}

CorrectionTerm::CorrectionTerm(const Bracket& bracket, const CorrectionSet& set)
    : bracket_(bracket), set_(set), stride_(bracket.size()) {
  require_order(set.k, 1, 6);
  memory_.assign(static_cast<std::size_t>(13 * stride_), 0.0);
}

void CorrectionTerm::prepare(double h, const double* const* v, const double* const* omega) {
  h_ = h;
  if (bracket_.is_zero()) return;
  for (int j = 1; j <= set_.factors(); ++j) {
    double* lin = known(j);
    std::fill(lin, lin + stride_, 0.0);
    for (int i = 1; i <= set_.k; ++i) {
      const double a = h * set_.a[i][j];
      const double b = i > 1 ? set_.b[i][j] : 0.0;
      if (a != 0.0)
        for (std::ptrdiff_t l = 0; l < stride_; ++l) lin[l] += a * v[i][l];
      if (b != 0.0)
        for (std::ptrdiff_t l = 0; l < stride_; ++l) lin[l] += b * omega[i][l];
    }
  }
}

void CorrectionTerm::evaluate(const double* v_new, const double* omega_new, double* correction) {
  const int count = set_.factors();
  if (count == 0 || bracket_.is_zero()) {
    std::fill(correction, correction + stride_, 0.0);
    return;
  }
  for (int j = 1; j <= count; ++j) {
    double* lin = nested(j);
    std::copy(known(j), known(j) + stride_, lin);
    const double a = h_ * set_.a[0][j];
    const double b = set_.b[1][j];
    if (a != 0.0)
      for (std::ptrdiff_t l = 0; l < stride_; ++l) lin[l] += a * v_new[l];
    if (b != 0.0)
      for (std::ptrdiff_t l = 0; l < stride_; ++l) lin[l] += b * omega_new[l];
  }
  double* product = nested(7);
  for (int j = count - 1; j >= 3; j -= 2) {
    bracket_(nested(j), nested(j + 1), product);
    double* outer = nested(j - 1);
    for (std::ptrdiff_t l = 0; l < stride_; ++l) outer[l] += product[l];
  }
  bracket_(nested(1), nested(2), correction);
  for (std::ptrdiff_t l = 0; l < stride_; ++l) correction[l] /= h_;
}

// lin_j changes by h factor[j] times the identity; the h cancels with that of L.
void CorrectionTerm::differentiate(SpaceKind kind, int tangent, const double* factor,
                                   Matrix& out) const {
  const int n = tangents_of(kind);
  const int count = set_.factors();
  out = Matrix::Zero(n, n);
  if (count == 0 || bracket_.is_zero()) return;
  out.diagonal().setConstant(factor[count]);
  Matrix left, right;
  for (int j = count - 1; j >= 1; j -= 2) {
    hat(kind, nested(j) + tangent, left);
    hat(kind, nested(j + 1) + tangent, right);
    out = (left * out - factor[j] * right).eval();
    if (j > 1) out.diagonal().array() += factor[j - 1];
  }
}

void CorrectionTerm::derivatives(SpaceKind kind, int tangent, Matrix& by_omega,
                                 Matrix& by_velocity) const {
  differentiate(kind, tangent, set_.b[1], by_omega);
  differentiate(kind, tangent, set_.a[0], by_velocity);
}

}  // namespace daedalus::lie
