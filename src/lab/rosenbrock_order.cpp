// SPDX-License-Identifier: BSD-3-Clause
#include "lab/rosenbrock_order.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "daedalus/types.hpp"
#include "lab/da_trees.hpp"

namespace daedalus::analysis {
namespace {

using Row = std::vector<Quadruple>;

void require_shape(int stages, double gamma, int dense_rows) {
  const auto wrong = rosenbrock_detail::shape_defect(stages, gamma, dense_rows);
  if (wrong.empty()) return;
  throw InvalidArgument("Rosenbrock table with stages = " + std::to_string(stages) +
                        ", gamma = " + std::to_string(gamma) +
                        ", dense_rows = " + std::to_string(dense_rows) + ": " + std::string(wrong));
}

void require_order(int max_order) {
  if (max_order >= 1 && max_order <= TreeSet::max_known_order) return;
  throw InvalidArgument("max_order = " + std::to_string(max_order) + ": must be between 1 and " +
                        std::to_string(TreeSet::max_known_order));
}

void require_approach_a(const RosenbrockScheme& scheme) {
  if (!scheme.explicit_in_y) return;
  throw InvalidArgument(
      "scheme is explicit in y: conditions for an arbitrary Jacobian exist for approach A only");
}

// Rows of `left` (rows x s, row by row, double) times the lower triangular s x s matrix `right`.
Row times(const double* left, int rows, const Row& right, int s) {
  Row product(static_cast<std::size_t>(rows) * s, Quadruple(0));
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < s; ++k) {
      for (int j = 0; j <= k; ++j) {
        product[i * s + j] += Quadruple(left[i * s + k]) * right[k * s + j];
      }
    }
  }
  return product;
}

template <class T>
std::vector<T> lower_triangular_inverse(const std::vector<T>& matrix, int s) {
  std::vector<T> inverse(matrix.size(), T(0));
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j <= i; ++j) {
      T rest = T(i == j ? 1 : 0);
      for (int k = j; k < i; ++k) rest -= matrix[i * s + k] * inverse[k * s + j];
      inverse[i * s + j] = rest / matrix[i * s + i];
    }
  }
  return inverse;
}

// Stage coefficients of the first `count` trees of a family, one pass in the order of the set.
template <class T>
class StageCoefficients {
 public:
  StageCoefficients(const RosenbrockScheme& scheme, const TreeSet& trees, int count)
      : trees_(trees),
        s_(scheme.stages),
        explicit_in_y_(scheme.explicit_in_y),
        alpha_(scheme.alpha.begin(), scheme.alpha.end()),
        gamma_(scheme.gamma.begin(), scheme.gamma.end()),
        beta_(alpha_),
        product_(s_) {
    for (std::size_t i = 0; i < beta_.size(); ++i) beta_[i] += gamma_[i];
    w_ = lower_triangular_inverse(beta_, s_);
    values_.reserve(static_cast<std::size_t>(count) * s_);
    alpha_sums_.reserve(static_cast<std::size_t>(count) * s_);
  }

  // Coefficients of `tree`; all trees before it have been asked for. Grows with the trees, so that
  // a search that ends at a low order does not touch the memory of the high ones.
  const T* evaluate(int tree) {
    values_.resize(static_cast<std::size_t>(tree + 1) * s_);
    alpha_sums_.resize(values_.size());
    T* x = values_.data() + static_cast<std::size_t>(tree) * s_;
    if (trees_.family() == TreeFamily::da) {
      evaluate_da(tree, x);
    } else {
      evaluate_w(tree, x);
    }
    multiply(alpha_, x, alpha_sums_.data() + static_cast<std::size_t>(tree) * s_);
    return x;
  }

 private:
  void evaluate_da(int tree, T* x) {
    const auto children = trees_.children(tree);
    const bool single = children.size() == 1;
    if (trees_.root(tree) == Vertex::fat) {
      if (single) {
        std::copy_n(value(children[0]), s_, x);
      } else {
        alpha_product(tree, T(1), product_.data());
        multiply(w_, product_.data(), x);
      }
    } else if (single && !explicit_in_y_) {
      multiply(beta_, value(children[0]), x);
      scale(x, trees_.order(tree));
    } else {
      alpha_product(tree, T(trees_.order(tree)), x);
    }
  }

  void evaluate_w(int tree, T* x) {
    if (trees_.root(tree) == Vertex::fat) {
      multiply(gamma_, value(trees_.children(tree)[0]), x);
      scale(x, trees_.order(tree));
    } else {
      alpha_product(tree, T(trees_.order(tree)), x);
    }
  }

  const T* value(int tree) const { return values_.data() + static_cast<std::size_t>(tree) * s_; }

  void alpha_product(int tree, T factor, T* out) const {
    std::fill_n(out, s_, factor);
    for (const int child : trees_.children(tree)) {
      const T* sums = alpha_sums_.data() + static_cast<std::size_t>(child) * s_;
      for (int i = 0; i < s_; ++i) out[i] *= sums[i];
    }
  }

  void multiply(const std::vector<T>& lower, const T* in, T* out) const {
    for (int i = 0; i < s_; ++i) {
      T sum = T(0);
      for (int j = 0; j <= i; ++j) sum += lower[i * s_ + j] * in[j];
      out[i] = sum;
    }
  }

  void scale(T* x, int factor) const {
    for (int i = 0; i < s_; ++i) x[i] *= T(factor);
  }

  const TreeSet& trees_;
  int s_;
  bool explicit_in_y_;
  std::vector<T> alpha_, gamma_, beta_, w_, product_, values_, alpha_sums_;
};

// One set of weights b and the point theta at which they must reproduce the exact solution.
template <class T>
struct Target {
  std::vector<T> weights;
  T theta;
};

template <class T>
Target<T> target(const Row& weights, Quadruple theta) {
  return {std::vector<T>(weights.begin(), weights.end()), static_cast<T>(theta)};
}

template <class T>
double residual(const TreeSet& trees, int tree, const T* x, const Target<T>& goal) {
  const bool vanishes = trees.family() == TreeFamily::w && !trees.classical(tree);
  T right = T(vanishes ? 0 : 1);
  for (int n = 0; n < trees.order(tree); ++n) right *= goal.theta;
  T left = T(0);
  for (std::size_t i = 0; i < goal.weights.size(); ++i) left += goal.weights[i] * x[i];
  return static_cast<double>(left - right);
}

char kind(const TreeSet& trees, int tree) {
  if (trees.family() == TreeFamily::w) return 'w';
  return trees.root(tree) == Vertex::thin ? 'y' : 'z';
}

template <class T>
std::vector<OrderCondition> list(const RosenbrockScheme& scheme, TreeFamily family,
                                 const Row& weights, Quadruple theta, int max_order) {
  const TreeSet& trees = all_trees(family);
  const int count = trees.count_up_to(max_order);
  StageCoefficients<T> stages(scheme, trees, count);
  const Target<T> goal = target<T>(weights, theta);
  std::vector<OrderCondition> conditions;
  for (int tree = 0; tree < count; ++tree) {
    const T* x = stages.evaluate(tree);
    conditions.push_back(
        {trees.text(tree), trees.order(tree), kind(trees, tree), residual(trees, tree, x, goal)});
  }
  return conditions;
}

// For W-trees, y is the order with an arbitrary matrix and z stays zero.
template <class T>
AttainedOrder attained(const RosenbrockScheme& scheme, TreeFamily family,
                       const std::vector<Target<T>>& goals, double tolerance, int max_order) {
  const TreeSet& trees = all_trees(family);
  const int count = trees.count_up_to(max_order);
  StageCoefficients<T> stages(scheme, trees, count);
  AttainedOrder result{max_order, family == TreeFamily::da ? max_order : 0, max_order};
  for (int tree = 0; tree < count; ++tree) {
    const int order = trees.order(tree);
    if (order > std::max({result.y, result.z, result.ode})) break;
    const T* x = stages.evaluate(tree);
    for (const Target<T>& goal : goals) {
      const double defect = residual(trees, tree, x, goal);
      // The comparison that NaN fails decides.
      if (defect <= tolerance && -defect <= tolerance) continue;
      int& reached = kind(trees, tree) == 'z' ? result.z : result.y;
      reached = std::min(reached, order - 1);
      if (trees.classical(tree)) result.ode = std::min(result.ode, order - 1);
    }
  }
  return result;
}

const Row& chosen(const RosenbrockScheme& scheme, Weights weights) {
  return weights == Weights::main ? scheme.mu : scheme.mu_hat;
}

template <class T>
std::vector<Target<T>> single_target(const RosenbrockScheme& scheme, Weights weights) {
  return {target<T>(chosen(scheme, weights), Quadruple(1))};
}

// sum_i b_i(theta) L_i - theta^rho is a polynomial that vanishes at zero, of degree at most
// max(dense_rows + 1, rho): that many further zeros make it vanish everywhere.
template <class T>
std::vector<Target<T>> dense_targets(const RosenbrockScheme& scheme, int max_order) {
  const int points = std::max(scheme.dense_rows + 1, max_order);
  std::vector<Target<T>> goals;
  for (int k = 1; k <= points; ++k) {
    const Quadruple theta = Quadruple(k) / Quadruple(points);
    goals.push_back(target<T>(scheme.dense_weights(theta), theta));
  }
  return goals;
}

}  // namespace

RosenbrockScheme::RosenbrockScheme(const RosenbrockCoefficients& table)
    : stages(table.stages), dense_rows(table.dense_rows) {
  require_shape(table.stages, table.gamma, table.dense_rows);
  const int s = stages;
  Row inverse(static_cast<std::size_t>(s) * s, Quadruple(0));
  for (int i = 0; i < s; ++i) {
    inverse[i * s + i] = Quadruple(1) / Quadruple(table.gamma);
    for (int j = 0; j < i; ++j) inverse[i * s + j] = -Quadruple(table.c[i * s + j]);
  }
  gamma = lower_triangular_inverse(inverse, s);
  alpha = times(table.a, s, gamma, s);
  mu = times(table.weights, 1, gamma, s);
  mu_hat = times(table.error, 1, gamma, s);
  for (int i = 0; i < s; ++i) mu_hat[i] = mu[i] - mu_hat[i];
  dense = times(table.dense, dense_rows, gamma, s);
}

RosenbrockScheme::RosenbrockScheme(const RosenbrockBCoefficients& table)
    : explicit_in_y(true), stages(table.stages), dense_rows(table.dense_rows) {
  require_shape(table.stages, table.gamma, table.dense_rows);
  const int s = stages;
  alpha.assign(table.alpha, table.alpha + s * s);
  gamma.assign(table.gamma_ij, table.gamma_ij + s * s);
  for (int i = 0; i < s; ++i) gamma[i * s + i] = Quadruple(table.gamma);
  mu.assign(table.mu, table.mu + s);
  mu_hat.assign(table.mu_hat, table.mu_hat + s);
  if (dense_rows > 0) dense.assign(table.dense, table.dense + dense_rows * s);
}

std::vector<Quadruple> RosenbrockScheme::dense_weights(Quadruple theta) const {
  Row result(mu);
  for (int i = 0; i < stages; ++i) {
    Quadruple polynomial = Quadruple(0);
    for (int row = dense_rows - 1; row >= 0; --row) {
      polynomial = polynomial * theta + dense[row * stages + i];
    }
    result[i] = theta * (mu[i] + (Quadruple(1) - theta) * polynomial);
  }
  return result;
}

std::vector<OrderCondition> order_conditions(const RosenbrockScheme& scheme, Weights weights,
                                             int max_order, Precision precision) {
  require_order(max_order);
  const auto run = precision == Precision::quadruple ? list<Quadruple> : list<long double>;
  return run(scheme, TreeFamily::da, chosen(scheme, weights), Quadruple(1), max_order);
}

double truncation_norm(const std::vector<OrderCondition>& conditions, char kind, int order) {
  double sum = 0;
  for (const auto& c : conditions) {
    if (c.kind == kind && c.order == order) sum += c.residual * c.residual;
  }
  return std::sqrt(sum);
}

AttainedOrder attained_order(const RosenbrockScheme& scheme, Weights weights, double tolerance,
                             int max_order, Precision precision) {
  require_order(max_order);
  if (precision == Precision::extended) {
    return attained(scheme, TreeFamily::da, single_target<long double>(scheme, weights), tolerance,
                    max_order);
  }
  return attained(scheme, TreeFamily::da, single_target<Quadruple>(scheme, weights), tolerance,
                  max_order);
}

std::vector<OrderCondition> dense_order_conditions(const RosenbrockScheme& scheme, double theta,
                                                   int max_order, Precision precision) {
  require_order(max_order);
  const auto run = precision == Precision::quadruple ? list<Quadruple> : list<long double>;
  return run(scheme, TreeFamily::da, scheme.dense_weights(Quadruple(theta)), Quadruple(theta),
             max_order);
}

AttainedOrder attained_dense_order(const RosenbrockScheme& scheme, double tolerance, int max_order,
                                   Precision precision) {
  require_order(max_order);
  if (precision == Precision::extended) {
    return attained(scheme, TreeFamily::da, dense_targets<long double>(scheme, max_order),
                    tolerance, max_order);
  }
  return attained(scheme, TreeFamily::da, dense_targets<Quadruple>(scheme, max_order), tolerance,
                  max_order);
}

std::vector<OrderCondition> w_order_conditions(const RosenbrockScheme& scheme, Weights weights,
                                               int max_order, Precision precision) {
  require_order(max_order);
  require_approach_a(scheme);
  const auto run = precision == Precision::quadruple ? list<Quadruple> : list<long double>;
  return run(scheme, TreeFamily::w, chosen(scheme, weights), Quadruple(1), max_order);
}

int attained_w_order(const RosenbrockScheme& scheme, Weights weights, double tolerance,
                     int max_order, Precision precision) {
  require_order(max_order);
  require_approach_a(scheme);
  if (precision == Precision::extended) {
    return attained(scheme, TreeFamily::w, single_target<long double>(scheme, weights), tolerance,
                    max_order)
        .y;
  }
  return attained(scheme, TreeFamily::w, single_target<Quadruple>(scheme, weights), tolerance,
                  max_order)
      .y;
}

}  // namespace daedalus::analysis
