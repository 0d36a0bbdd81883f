// SPDX-License-Identifier: BSD-3-Clause
// Coefficient tables of linearly implicit one-step methods, and views for engines and checkers.
//
// Approach A (linearly implicit in all variables; Hairer and Wanner II, section IV.7), with
// u_i = sum_j gamma_ij k_j, so that no product with the Jacobian J is needed:
//   (M/(h gamma) - J) u_i = F(t + alpha_i h, y0 + sum_{j<i} a_ij u_j) + (M/h) sum_{j<i} c_ij u_j
//                           + h gamma_i F_t,
//   y1 = y0 + sum_i weights_i u_i,     y1 - yhat1 = sum_i error_i u_i,
// where a = alpha Gamma^-1, c = I/gamma - Gamma^-1, weights = mu Gamma^-1.
//
// Approach B (explicit in y, linearly implicit in z; Steinebach 1988, (6.3)), not transformed:
//   l_i = h f(a_i, b_i),  0 = g(a_i, b_i) + sum_{j<=i} gamma_ij (g_y l_j + g_z k_j),
//   a_i = y0 + sum_{j<i} alpha_ij l_j,  b_i = z0 + sum_{j<i} alpha_ij k_j.
//
// Dense output of both, with K_j = sum_i dense_ji u_i (approach B: sum_i dense_ji times l_i, k_i):
//   y(t + theta h) = (1-theta) y0 + theta y1 + theta (1-theta) (K_1 + theta K_2 + ...).
#pragma once

#include <array>
#include <string_view>

namespace daedalus {

// Room for the tables of the library, which have at most 19 stages, and for users' own.
inline constexpr int max_rosenbrock_stages = 32;
inline constexpr int max_rosenbrock_dense_rows = 4;

template <int S>
struct RosenbrockTable {
  static_assert(S >= 1 && S <= max_rosenbrock_stages);
  static constexpr int stages = S;
  static constexpr bool approach_b = false;
  using Row = std::array<double, S>;

  double gamma = 0;
  std::array<Row, S> a{};  // strictly lower triangular
  std::array<Row, S> c{};  // strictly lower triangular, the diagonal 1/gamma left out
  Row weights{};
  Row error{};         // weights of the solution minus weights of the embedded solution
  Row abscissae{};     // alpha_i, the row sums of alpha
  Row time_weights{};  // gamma_i, the row sums of Gamma with its diagonal
  std::array<Row, max_rosenbrock_dense_rows> dense{};
  int dense_rows = 0;
  int extra_stages = 0;  // the last ones, which only the dense output uses
  // The error weights say nothing about z beyond what they say about y: the constraints at the end
  // of the step are evaluated too, and the correction of z they ask for counts as an error.
  bool constraint_check = false;
};

template <int S>
struct RosenbrockBTable {
  static_assert(S >= 1 && S <= max_rosenbrock_stages);
  static constexpr int stages = S;
  static constexpr bool approach_b = true;
  using Row = std::array<double, S>;

  double gamma = 0;
  std::array<Row, S> alpha{};     // strictly lower triangular
  std::array<Row, S> gamma_ij{};  // strictly lower triangular, the diagonal gamma left out
  Row mu{};                       // weights of the solution
  Row mu_hat{};                   // weights of the embedded solution
  Row abscissae{};                // alpha_i, the row sums of alpha
  Row time_weights{};             // gamma_i, the row sums of gamma_ij and gamma
  std::array<Row, max_rosenbrock_dense_rows> dense{};
  int dense_rows = 0;
};

// Non-owning; matrices are row by row, `stages` entries per row. The table must outlive the view.
struct RosenbrockCoefficients {
  static constexpr bool approach_b = false;

  int stages = 0;
  double gamma = 0;
  const double* a = nullptr;
  const double* c = nullptr;
  const double* weights = nullptr;
  const double* error = nullptr;
  const double* abscissae = nullptr;
  const double* time_weights = nullptr;
  const double* dense = nullptr;
  int dense_rows = 0;
  int extra_stages = 0;
  bool constraint_check = false;

  constexpr RosenbrockCoefficients() = default;
  template <int S>
  constexpr RosenbrockCoefficients(const RosenbrockTable<S>& t)
      : stages(S),
        gamma(t.gamma),
        a(t.a[0].data()),
        c(t.c[0].data()),
        weights(t.weights.data()),
        error(t.error.data()),
        abscissae(t.abscissae.data()),
        time_weights(t.time_weights.data()),
        dense(t.dense[0].data()),
        dense_rows(t.dense_rows),
        extra_stages(t.extra_stages),
        constraint_check(t.constraint_check) {}

  // Stages of a step without those of the dense output.
  constexpr int step_stages() const { return stages - extra_stages; }
  // Stage i evaluates f where stage j < i did: the rows of alpha agree, hence those of a.
  constexpr bool same_point(int i, int j) const {
    if (abscissae[i] != abscissae[j]) return false;
    for (int k = 0; k < i; ++k)
      if (a[i * stages + k] != a[j * stages + k]) return false;
    return true;
  }
  // The stage whose evaluation stage i takes over, or i: the first stage or the last one that
  // evaluated, which is all that published tables ask for.
  constexpr int evaluated_by(int i) const {
    if (i > 0 && same_point(i, 0)) return 0;
    if (i > 0 && same_point(i, i - 1)) return evaluated_by(i - 1);
    return i;
  }
  // Evaluations of f per step, the dense output and the check of constraints not counted.
  constexpr int evaluations() const {
    int count = 0;
    for (int i = 0; i < step_stages(); ++i) count += evaluated_by(i) == i;
    return count;
  }
};

struct RosenbrockBCoefficients {
  static constexpr bool approach_b = true;

  int stages = 0;
  double gamma = 0;
  const double* alpha = nullptr;
  const double* gamma_ij = nullptr;
  const double* mu = nullptr;
  const double* mu_hat = nullptr;
  const double* abscissae = nullptr;
  const double* time_weights = nullptr;
  const double* dense = nullptr;
  int dense_rows = 0;

  constexpr RosenbrockBCoefficients() = default;
  template <int S>
  constexpr RosenbrockBCoefficients(const RosenbrockBTable<S>& t)
      : stages(S),
        gamma(t.gamma),
        alpha(t.alpha[0].data()),
        gamma_ij(t.gamma_ij[0].data()),
        mu(t.mu.data()),
        mu_hat(t.mu_hat.data()),
        abscissae(t.abscissae.data()),
        time_weights(t.time_weights.data()),
        dense(t.dense[0].data()),
        dense_rows(t.dense_rows) {}
};

namespace rosenbrock_detail {

// Relative to the size of the summands: the digits of a printed table carry that much rounding.
inline constexpr double defect_tolerance = 1e-12;

struct Sum {
  double value = 0;
  double size = 1;

  constexpr void add(double x) {
    value += x;
    size += x < 0 ? -x : x;
  }
  // Written so that a value that is not a number does not agree with anything.
  constexpr bool agrees_with(double expected) const {
    const double difference = value < expected ? expected - value : value - expected;
    return difference <= defect_tolerance * size;
  }
};

constexpr std::string_view shape_defect(int stages, double gamma, int dense_rows) {
  if (stages < 1 || stages > max_rosenbrock_stages) return "stages must be between 1 and 32";
  if (!(gamma > 0 || gamma < 0)) return "gamma must be a number other than zero";
  if (dense_rows < 0 || dense_rows > max_rosenbrock_dense_rows)
    return "dense_rows must be between 0 and 4";
  return {};
}

template <class T>
constexpr std::string_view extra_defect(const T& t) {
  if (t.extra_stages < 0 || t.extra_stages >= t.stages)
    return "extra_stages must be between 0 and stages - 1";
  for (int i = t.stages - t.extra_stages; i < t.stages; ++i)
    if (t.weights[i] != 0 || t.error[i] != 0)
      return "weights and error weights of extra stages must be zero";
  return {};
}

// The entry functions hide whether the matrices come from a table, where a constant expression may
// not step from one row into the next, or from a view.
template <class EntryA, class EntryC, class T>
constexpr std::string_view defect_a(const T& t, EntryA a, EntryC c) {
  if (const auto shape = shape_defect(t.stages, t.gamma, t.dense_rows); !shape.empty())
    return shape;
  if (const auto extra = extra_defect(t); !extra.empty()) return extra;
  std::array<double, max_rosenbrock_stages> row_sum{};  // Gamma (1,...,1)^T by substitution
  Sum weight, error;
  for (int i = 0; i < t.stages; ++i) {
    for (int j = i; j < t.stages; ++j) {
      if (a(i, j) != 0) return "a must be strictly lower triangular";
      if (c(i, j) != 0) return "c must be strictly lower triangular";
    }
    Sum abscissa, time_weight;
    time_weight.add(t.gamma);
    for (int j = 0; j < i; ++j) {
      abscissa.add(a(i, j) * row_sum[j]);
      time_weight.add(t.gamma * c(i, j) * row_sum[j]);
    }
    row_sum[i] = time_weight.value;
    if (!abscissa.agrees_with(t.abscissae[i])) return "abscissae differ from the row sums of alpha";
    if (!time_weight.agrees_with(t.time_weights[i]))
      return "time_weights differ from the row sums of Gamma";
    weight.add(t.weights[i] * row_sum[i]);
    error.add(t.error[i] * row_sum[i]);
  }
  if (!weight.agrees_with(1)) return "weights do not sum to one (sum of mu_i)";
  if (!error.agrees_with(0)) return "error weights do not sum to zero (sum of mu_i - mu_hat_i)";
  return {};
}

template <class EntryAlpha, class EntryGamma, class T>
constexpr std::string_view defect_b(const T& t, EntryAlpha alpha, EntryGamma gamma_ij) {
  if (const auto shape = shape_defect(t.stages, t.gamma, t.dense_rows); !shape.empty())
    return shape;
  Sum weight, embedded;
  for (int i = 0; i < t.stages; ++i) {
    for (int j = i; j < t.stages; ++j) {
      if (alpha(i, j) != 0) return "alpha must be strictly lower triangular";
      if (gamma_ij(i, j) != 0) return "gamma_ij must be strictly lower triangular";
    }
    Sum abscissa, time_weight;
    time_weight.add(t.gamma);
    for (int j = 0; j < i; ++j) {
      abscissa.add(alpha(i, j));
      time_weight.add(gamma_ij(i, j));
    }
    if (!abscissa.agrees_with(t.abscissae[i])) return "abscissae differ from the row sums of alpha";
    if (!time_weight.agrees_with(t.time_weights[i]))
      return "time_weights differ from the row sums of gamma_ij";
    weight.add(t.mu[i]);
    embedded.add(t.mu_hat[i]);
  }
  if (!weight.agrees_with(1)) return "mu does not sum to one";
  if (!embedded.agrees_with(1)) return "mu_hat does not sum to one";
  return {};
}

}  // namespace rosenbrock_detail

// What is wrong with a table's shape, row sums or sums of weights; empty when nothing is. The
// versions for tables are constant expressions: static_assert(defect(table).empty()).
constexpr std::string_view defect(const RosenbrockCoefficients& v) {
  return rosenbrock_detail::defect_a(
      v, [&](int i, int j) { return v.a[i * v.stages + j]; },
      [&](int i, int j) { return v.c[i * v.stages + j]; });
}

constexpr std::string_view defect(const RosenbrockBCoefficients& v) {
  return rosenbrock_detail::defect_b(
      v, [&](int i, int j) { return v.alpha[i * v.stages + j]; },
      [&](int i, int j) { return v.gamma_ij[i * v.stages + j]; });
}

template <int S>
constexpr std::string_view defect(const RosenbrockTable<S>& t) {
  return rosenbrock_detail::defect_a(
      t, [&](int i, int j) { return t.a[i][j]; }, [&](int i, int j) { return t.c[i][j]; });
}

template <int S>
constexpr std::string_view defect(const RosenbrockBTable<S>& t) {
  return rosenbrock_detail::defect_b(
      t, [&](int i, int j) { return t.alpha[i][j]; },
      [&](int i, int j) { return t.gamma_ij[i][j]; });
}

}  // namespace daedalus
