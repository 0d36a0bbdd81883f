// SPDX-License-Identifier: BSD-3-Clause
// Coefficients of the Lie-group multistep methods: BDF on constant and variable steps,
// Adams-Moulton, Crouch-Grossman and commutator-free tables, correction terms of BLieDF with their
// consistency conditions, and what steps of changing size may do. Index i belongs to the time
// t_{n+1-i} for values and to the step from t_{n+1-i} for increments. Wieloch (2022).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/lie/series.hpp>

namespace daedalus::lie {

// (1/h) sum_i alpha_i x_{n+1-i} = x'(t_{n+1}), i = 0..k: bdf_alpha[k][i], (2.5)-(2.16).
inline constexpr double bdf_alpha[7][7] = {
    {},
    {1.0, -1.0},
    {3.0 / 2, -2.0, 1.0 / 2},
    {11.0 / 6, -3.0, 3.0 / 2, -1.0 / 3},
    {25.0 / 12, -4.0, 3.0, -4.0 / 3, 1.0 / 4},
    {137.0 / 60, -5.0, 5.0, -10.0 / 3, 5.0 / 4, -1.0 / 5},
    {49.0 / 20, -6.0, 15.0 / 2, -20.0 / 3, 15.0 / 4, -6.0 / 5, 1.0 / 6},
};
// The same for increments, gamma_i = alpha_0 + ... + alpha_{i-1}, i = 1..k: bdf_gamma[k][i].
inline constexpr double bdf_gamma[7][7] = {
    {},
    {0.0, 1.0},
    {0.0, 3.0 / 2, -1.0 / 2},
    {0.0, 11.0 / 6, -7.0 / 6, 1.0 / 3},
    {0.0, 25.0 / 12, -23.0 / 12, 13.0 / 12, -1.0 / 4},
    {0.0, 137.0 / 60, -163.0 / 60, 137.0 / 60, -21.0 / 20, 1.0 / 5},
    {0.0, 49.0 / 20, -71.0 / 20, 79.0 / 20, -163.0 / 60, 31.0 / 30, -1.0 / 6},
};
// (x_{n+1} - x_n) / h = sum_i beta_i x'_{n+1-i}, i = 0..k, order k + 1: adams_moulton[k][i],
// (2.17).
inline constexpr double adams_moulton[4][4] = {
    {1.0},
    {1.0 / 2, 1.0 / 2},
    {5.0 / 12, 2.0 / 3, -1.0 / 12},
    {3.0 / 8, 19.0 / 24, -5.0 / 24, 1.0 / 24},
};

// Products of exponentials; block blocks - 1 stands next to q_n.
//   Crouch-Grossman (3.4):  block j = exp(h beta_k^j v_{n+1-k}) ... exp(h beta_0^j v_{n+1})
//   commutator-free (3.7):  block j = exp(h sum_i beta_i^j v_{n+1-i})
struct ExponentialFormula {
  int order;
  int steps;  // k
  int blocks;
  double beta[3][4];  // [j][i]
};
namespace detail {
inline constexpr double root_42351 = 205.79358590587802866;
}
inline constexpr ExponentialFormula crouch_grossman[4] = {
    {1, 0, 1, {{1.0}}},
    {2, 1, 1, {{1.0 / 2, 1.0 / 2}}},
    {3, 2, 2, {{5.0 / 12, 7.0 / 12, -1.0 / 12}, {0.0, 1.0 / 12, 0.0}}},
    {4,
     3,
     3,
     {{3.0 / 8, (923.0 + detail::root_42351) / 1176, (155.0 - detail::root_42351) / 1176, 1.0 / 24},
      {0.0, (-204.0 - detail::root_42351) / 1176, (-400.0 + detail::root_42351) / 1176, 0.0},
      {0.0, 53.0 / 294, 0.0, 0.0}}},
};
inline constexpr ExponentialFormula commutator_free[4] = {
    {1, 0, 1, {{1.0}}},
    {2, 1, 1, {{1.0 / 2, 1.0 / 2}}},
    {3, 2, 2, {{5.0 / 12, 1.0 / 3, -1.0 / 12}, {0.0, 1.0 / 3, 0.0}}},
    {4, 3, 2, {{3.0 / 8, 1.0 / 6, -1.0 / 24, 0.0}, {0.0, 5.0 / 8, -1.0 / 6, 1.0 / 24}}},
};

// BDF of order k on steps of any sizes, times in units of h_n: node[i] = (t_{n+1-i} - t_n) / h_n,
// ratio[i] = h_{n+1-i} / h_n. Equal steps give bdf_alpha and bdf_gamma. (5.28), (5.29)
struct BdfFormula {
  int k = 0;
  double ratio[7] = {};  // 1..k
  double node[7] = {};   // 0..k
  double alpha[7] = {};
  double gamma[7] = {};
};
// steps = {h_n, h_{n-1}, ...}, k of them.
BdfFormula bdf_formula(int k, const double* steps);
BdfFormula bdf_formula(int k);
// The leading error of the formula is h^k times this times x^(k+1): -prod_j (1 - node[j]) / (k+1)!.
double error_constant(const BdfFormula& formula);

// h^j v^(j)(t_n) = sum over i of weight[j][i] v(t_n + node[i] h) for polynomials through the points
// i = first..first+points-1; derivatives j = 0..points-1. (5.34) is one set per derivative.
struct DifferenceWeights {
  int first = 1;
  int points = 0;
  double weight[7][7] = {};
};
DifferenceWeights difference_weights(int first, int points, const double* node);

// Correction term of BLieDF (section 3.2.3), which removes the brackets from the local error:
//   lin_j = h sum_{i=0..k} a_ij v_{n+1-i} + sum_{i=1..k} b_ij omega^(n+1-i) (3.35) L^(1) = L^(2) =
//   0,  h L^(3) = h L^(4) = [lin_1, lin_2], h L^(5) = [lin_1, lin_2 + [lin_3, lin_4]], h L^(6) =
//   [lin_1, lin_2 + [lin_3, lin_4 + [lin_5, lin_6]]]
struct CorrectionSet {
  int k = 0;
  double a[7][7] = {};  // [i][j]
  double b[7][7] = {};

  int factors() const { return k < 3 ? 0 : k < 5 ? 2 : k == 5 ? 4 : 6; }  // how many lin_j
  bool is_explicit() const;  // without v_{n+1} and omega^(n), (3.36)
};
// "default": finite differences (3.40) for k = 3, 4, (3.42) for k = 5, (3.43) for k = 6; for k = 3,
// 4 also "tuned-explicit" (6.7), (6.9) and "tuned-implicit" (6.8), (6.10), the entries i = 4 that
// the print leaves out by (3.41); "none": L = 0, which leaves order 2 (section 6.2.3).
CorrectionSet correction_set(int k, std::string_view name = "default");
std::vector<std::string> correction_set_names(int k);

struct ConsistencyResidual {
  std::string condition;
  double value = 0.0;  // left side minus right side
};
// Of every bracket up to h^(k-1) in the local error, the coefficient that the set leaves there.
std::vector<ConsistencyResidual> residuals(const CorrectionSet& set);
// Lemma 6 for k = 3, 4: linear, and normalised by m_10 = 1/12, m_20 = 0; (3.41e) with 7/6.
std::vector<ConsistencyResidual> lemma6_residuals(const CorrectionSet& set);
double max_residual(const CorrectionSet& set);
// A consistent set with random entries in (-10, 10), as in section 6.2.4; k = 3..6. The same number
// gives the same set on every machine up to round-off.
CorrectionSet random_correction_set(int k, bool implicit, std::uint64_t number);

// L and its derivatives along a run. `prepare` takes v[i] = v_{n+1-i} and omega[i] = omega^(n+1-i)
// of the past (entries with i = 0, and omega[1], are not read), `evaluate` the new ones, which an
// explicit set does not read. No allocation.
class CorrectionTerm {
 public:
  CorrectionTerm(const Bracket& bracket, const CorrectionSet& set);

  const CorrectionSet& set() const { return set_; }
  void prepare(double h, const double* const* v, const double* const* omega);
  void evaluate(const double* v_new, const double* omega_new, double* correction);
  // At the last `evaluate`, with respect to omega^(n) / h and to v_{n+1}, in the group element
  // whose tangent coordinates begin there.
  void derivatives(SpaceKind kind, int tangent, Matrix& by_omega, Matrix& by_velocity) const;

 private:
  double* known(int j) { return memory_.data() + (j - 1) * stride_; }
  double* nested(int j) { return memory_.data() + (5 + j) * stride_; }
  const double* nested(int j) const { return memory_.data() + (5 + j) * stride_; }
  void differentiate(SpaceKind kind, int tangent, const double* factor, Matrix& out) const;

  Bracket bracket_;
  CorrectionSet set_;
  double h_ = 0.0;
  std::ptrdiff_t stride_ = 0;
  // lin_1..lin_6 of the past; then lin_j (j odd) and lin_j + [lin_{j+1}, ...] (j even) of the step
  std::vector<double> memory_;
};

// Variable-step generalised-alpha: ||T_z||_* of the error recursion (4.42) in the norm of theorem
// 3, for the ratios sigma_n = sigma and sigma_{n+1} = next; `approximation` 1..4 is the choice of
// v''_n.
double transfer_norm(double rho, int approximation, double sigma, double next);
struct SigmaBounds {
  double lower = 1.0, upper = 1.0;
};
// Ratios with ||T_z||_* < 1 (table 4.1): for all sigma_n, sigma_{n+1} in the interval when the
// ratios are independent, else for sigma_n = sigma_{n+1}.
SigmaBounds sigma_bounds(double rho, int approximation, bool independent_ratios = true);
// The largest constant ratio sigma for which the BDF formula on steps h_n = sigma h_{n-1} is
// zero-stable, k = 2..6; necessary for BLieDF on such steps.
double bdf_ratio_bound(int k);

// Random step sequences of remark 28: h_{i+1} = max(h_min, min(sigma_{i+1} h_i, h_max)),
// sigma_{i+1} uniform in [sigma_min, sigma_max] where i is a multiple of `hold`, else 1. (6.1)
struct StepSequence {
  double h_min = 0.0, h_max = 0.0;
  double sigma_min = 0.5, sigma_max = 2.0;
  int hold = 1;         // N_const
  int equal_start = 1;  // so many first steps have one size, sqrt(h_min h_max)
  std::uint64_t number = 1;
};
std::vector<double> random_steps(const StepSequence& sequence, int count);
// As many as are needed for an interval of this length, then all of them shrunk by one factor to
// meet its end: the ratios stay.
std::vector<double> random_steps_over(const StepSequence& sequence, double length);

}  // namespace daedalus::lie
