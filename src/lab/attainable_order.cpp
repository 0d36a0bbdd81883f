// SPDX-License-Identifier: BSD-3-Clause
#include "lab/attainable_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "daedalus/types.hpp"
#include "lab/da_trees.hpp"

namespace daedalus::analysis {
namespace {

using Real = long double;
using Vector = std::vector<Real>;

constexpr int max_order_searched = 4;  // the trees that it knows end here
constexpr Real solved = 1e-15L;  // rounding in sums of a few dozen terms of size one to hundred

void require(bool holds, const char* field, int value, const char* allowed) {
  if (holds) return;
  throw InvalidArgument(std::string(field) + " = " + std::to_string(value) + ": " + allowed);
}

// The same numbers on every platform, which the distributions of the standard library are not.
class Random {
 public:
  explicit Random(unsigned number) : engine_(number) {}
  Real between(Real low, Real high) {
    return low + (high - low) * static_cast<Real>(engine_()) / 18446744073709551616.0L;
  }

 private:
  std::mt19937_64 engine_;
};

// x = (gamma, mu, alpha row by row, beta row by row), both matrices strictly lower triangular.
struct Unknowns {
  int s;

  int matrix() const { return s * (s - 1) / 2; }
  int size() const { return 1 + s + 2 * matrix(); }
  int mu(int i) const { return 1 + i; }
  int alpha(int i, int j) const { return 1 + s + i * (i - 1) / 2 + j; }
  int beta(int i, int j) const { return alpha(i, j) + matrix(); }
};

Vector random_point(const Unknowns& unknowns, Random& random) {
  Vector x(unknowns.size());
  for (Real& value : x) value = random.between(-1, 1);
  x[0] = random.between(0.15L, 1);
  return x;
}

// The recursion of rosenbrock_order.hpp on a flat vector of unknowns: a search runs it a million
// times.
class Recursion {
 public:
  Recursion(bool explicit_in_y, int s, const TreeSet& trees)
      : explicit_in_y_(explicit_in_y),
        unknowns_{s},
        trees_(trees),
        alpha_(s * s, 0),
        beta_(s * s, 0),
        w_(s * s, 0),
        product_(s),
        values_(static_cast<std::size_t>(trees.size()) * s),
        sums_(values_.size()) {}

  void start(const Vector& x) {
    const int s = unknowns_.s;
    for (int i = 0; i < s; ++i) {
      beta_[i * s + i] = x[0];
      for (int j = 0; j < i; ++j) {
        alpha_[i * s + j] = x[unknowns_.alpha(i, j)];
        beta_[i * s + j] = x[unknowns_.beta(i, j)];
      }
      for (int j = 0; j <= i; ++j) {
        Real rest = i == j;
        for (int k = j; k < i; ++k) rest -= beta_[i * s + k] * w_[k * s + j];
        w_[i * s + j] = rest / x[0];
      }
    }
  }

  // sum_i mu_i X_i(tree) - 1; the children of the tree have been asked for.
  Real residual(int tree, const Vector& x) {
    const int s = unknowns_.s;
    Real* value = values_.data() + static_cast<std::size_t>(tree) * s;
    evaluate(tree, value);
    multiply(alpha_, value, sums_.data() + static_cast<std::size_t>(tree) * s);
    Real sum = -1;
    for (int i = 0; i < s; ++i) sum += x[unknowns_.mu(i)] * value[i];
    return sum;
  }

  Real r_infinity(const Vector& x) const {
    const int s = unknowns_.s;
    Real result = 1;
    for (int i = 0; i < s; ++i)
      for (int j = 0; j <= i; ++j) result -= x[unknowns_.mu(i)] * w_[i * s + j];
    return result;
  }

 private:
  void evaluate(int tree, Real* value) {
    const auto children = trees_.children(tree);
    const int s = unknowns_.s;
    const bool single = children.size() == 1, fat = trees_.root(tree) == Vertex::fat;
    if (single && (fat || !explicit_in_y_)) {
      const Real* child = values_.data() + static_cast<std::size_t>(children[0]) * s;
      if (fat) {
        std::copy_n(child, s, value);
        return;
      }
      multiply(beta_, child, value);
      for (int i = 0; i < s; ++i) value[i] *= trees_.order(tree);
      return;
    }
    Real* out = fat ? product_.data() : value;
    std::fill_n(out, s, fat ? Real(1) : Real(trees_.order(tree)));
    for (const int child : children) {
      const Real* sums = sums_.data() + static_cast<std::size_t>(child) * s;
      for (int i = 0; i < s; ++i) out[i] *= sums[i];
    }
    if (fat) multiply(w_, out, value);
  }

  void multiply(const Vector& lower, const Real* in, Real* out) const {
    const int s = unknowns_.s;
    for (int i = 0; i < s; ++i) {
      Real sum = 0;
      for (int j = 0; j <= i; ++j) sum += lower[i * s + j] * in[j];
      out[i] = sum;
    }
  }

  bool explicit_in_y_;
  Unknowns unknowns_;
  const TreeSet& trees_;
  Vector alpha_, beta_, w_, product_, values_, sums_;
};

// Of the conditions for order p, one of each kind: those that agree at a point without structure
// agree everywhere. Six stages, so that no condition is trivial.
std::vector<int> different_conditions(bool explicit_in_y, int order, const TreeSet& trees) {
  const Unknowns unknowns{6};
  Random random(7);
  const Vector x = random_point(unknowns, random);
  Recursion recursion(explicit_in_y, unknowns.s, trees);
  recursion.start(x);
  std::vector<int> chosen;
  Vector seen;
  for (int tree = 0; tree < trees.size(); ++tree) {
    const Real value = recursion.residual(tree, x);
    const int last = trees.root(tree) == Vertex::thin ? order : order - 1;
    const bool known = std::any_of(seen.begin(), seen.end(), [&](Real other) {
      return std::abs(value - other) <= 1e-13L * (1 + std::abs(value));
    });
    if (trees.order(tree) > last || known) continue;
    seen.push_back(value);
    chosen.push_back(tree);
  }
  return chosen;
}

// The chosen conditions, and by how much |R(infinity)| exceeds its bound.
class Equations {
 public:
  Equations(bool explicit_in_y, int s, int order, double bound)
      : unknowns_{s},
        bound_(bound),
        trees_(TreeFamily::da, order),
        chosen_(different_conditions(explicit_in_y, order, trees_)),
        needed_(trees_.size(), false),
        recursion_(explicit_in_y, s, trees_) {
    for (const int tree : chosen_) needed_[tree] = true;
    for (int tree = trees_.size() - 1; tree >= 0; --tree) {
      if (!needed_[tree]) continue;
      for (const int child : trees_.children(tree)) needed_[child] = true;
    }
  }

  const Unknowns& unknowns() const { return unknowns_; }
  int count() const { return static_cast<int>(chosen_.size()) + 1; }

  void evaluate(const Vector& x, Vector& residual) {
    recursion_.start(x);
    std::size_t next = 0;
    for (int tree = 0; tree < trees_.size(); ++tree) {
      if (!needed_[tree]) continue;
      const Real value = recursion_.residual(tree, x);
      if (next < chosen_.size() && chosen_[next] == tree) residual[next++] = value;
    }
    const Real r = recursion_.r_infinity(x);
    residual[next] = r > bound_ ? r - bound_ : r < -bound_ ? r + bound_ : 0;
  }

 private:
  Unknowns unknowns_;
  Real bound_;
  TreeSet trees_;
  std::vector<int> chosen_;
  std::vector<char> needed_;
  Recursion recursion_;
};

Real norm(const Vector& x) {
  Real sum = 0;
  for (const Real value : x) sum += value * value;
  return std::sqrt(sum);
}

// Solves A x = b with a symmetric positive definite A, which is overwritten; false if it is not.
bool solve_cholesky(Vector& a, Vector& b) {
  const int n = static_cast<int>(b.size());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      Real sum = a[i * n + j];
      for (int k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0)) return false;
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
    for (int k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

// Levenberg and Marquardt's method within bounds; a coefficient at its bound that the descent would
// push further out rests for that step.
class Descent {
 public:
  Descent(Equations& equations, const OrderSearch& search)
      : equations_(equations),
        search_(search),
        m_(equations.count()),
        n_(equations.unknowns().size()),
        residual_(m_),
        trial_residual_(m_),
        jacobian_(static_cast<std::size_t>(m_) * n_),
        matrix_(m_ * m_),
        dual_(m_),
        trial_(n_) {}

  // Moves x; the norm it reaches.
  Real run(Vector& x) {
    equations_.evaluate(x, residual_);
    Real best = norm(residual_), damping = 1e-2L;
    for (int n = 0; n < search_.iterations && best > solved / 100; ++n) {
      differentiate(x);
      const Real before = best;
      bool better = false;
      for (int attempt = 0; attempt < 12 && !better; ++attempt) {
        better = step(x, damping * best) && norm(trial_residual_) < best;
        damping = better ? std::max(damping / 5, 1e-12L) : damping * 4;
      }
      if (!better) break;
      x = trial_;
      residual_ = trial_residual_;
      best = norm(residual_);
      slow_ = best > 0.999L * before ? slow_ + 1 : 0;
      if (slow_ > 15) break;
    }
    slow_ = 0;
    return best;
  }

 private:
  Real low(int k) const { return k == 0 ? search_.min_gamma : -search_.largest; }
  Real high(int k) const { return k == 0 ? search_.max_gamma : search_.largest; }

  // Central differences: in long double exact to about twelve digits.
  void differentiate(const Vector& x) {
    trial_ = x;
    Vector& other = dual_;
    for (int k = 0; k < n_; ++k) {
      const Real h = 1e-6L * (1 + std::abs(x[k]));
      trial_[k] = x[k] + h;
      equations_.evaluate(trial_, trial_residual_);
      trial_[k] = x[k] - h;
      equations_.evaluate(trial_, other);
      trial_[k] = x[k];
      Real gradient = 0;
      for (int i = 0; i < m_; ++i) {
        jacobian_[i * n_ + k] = (trial_residual_[i] - other[i]) / (2 * h);
        gradient += jacobian_[i * n_ + k] * residual_[i];
      }
      const bool rests = (x[k] <= low(k) && gradient > 0) || (x[k] >= high(k) && gradient < 0);
      for (int i = 0; rests && i < m_; ++i) jacobian_[i * n_ + k] = 0;
    }
  }

  // x - J^T (J J^T + damping I)^-1 r: fewer equations than unknowns in the cases that matter.
  bool step(const Vector& x, Real damping) {
    for (int i = 0; i < m_; ++i) {
      for (int j = 0; j <= i; ++j) {
        Real sum = i == j ? damping : 0;
        for (int k = 0; k < n_; ++k) sum += jacobian_[i * n_ + k] * jacobian_[j * n_ + k];
        matrix_[i * m_ + j] = sum;
      }
    }
    dual_ = residual_;
    if (!solve_cholesky(matrix_, dual_)) return false;
    for (int k = 0; k < n_; ++k) {
      Real move = 0;
      for (int i = 0; i < m_; ++i) move += jacobian_[i * n_ + k] * dual_[i];
      trial_[k] = std::clamp(x[k] - move, low(k), high(k));
    }
    equations_.evaluate(trial_, trial_residual_);
    return true;
  }

  Equations& equations_;
  const OrderSearch& search_;
  int m_, n_, slow_ = 0;
  Vector residual_, trial_residual_, jacobian_, matrix_, dual_, trial_;
};

RosenbrockScheme scheme_of(bool explicit_in_y, const Unknowns& unknowns, const Vector& x) {
  const int s = unknowns.s;
  RosenbrockScheme scheme;
  scheme.explicit_in_y = explicit_in_y;
  scheme.stages = s;
  scheme.alpha.assign(s * s, Quadruple(0));
  scheme.gamma.assign(s * s, Quadruple(0));
  for (int i = 0; i < s; ++i) {
    scheme.mu.push_back(x[unknowns.mu(i)]);
    scheme.gamma[i * s + i] = x[0];
    for (int j = 0; j < i; ++j) {
      scheme.alpha[i * s + j] = x[unknowns.alpha(i, j)];
      scheme.gamma[i * s + j] =
          Quadruple(x[unknowns.beta(i, j)]) - Quadruple(x[unknowns.alpha(i, j)]);
    }
  }
  scheme.mu_hat = scheme.mu;
  return scheme;
}

}  // namespace

OrderSearchResult search_order(bool explicit_in_y, int stages, int order,
                               const OrderSearch& search) {
  require(stages >= 1 && stages <= 8, "stages", stages, "must be between 1 and 8");
  require(order >= 1 && order <= max_order_searched, "order", order, "must be between 1 and 4");
  require(search.starts >= 1, "starts", search.starts, "must be at least 1");
  Equations equations(explicit_in_y, stages, order, search.max_r_infinity);
  Descent descent(equations, search);
  Random random(search.number);
  OrderSearchResult result;
  Real least = std::numeric_limits<Real>::infinity();
  while (result.starts < search.starts && !result.found) {
    ++result.starts;
    Vector x = random_point(equations.unknowns(), random);
    const Real reached = descent.run(x);
    if (!(reached < least)) continue;
    least = reached;
    result.scheme = scheme_of(explicit_in_y, equations.unknowns(), x);
    result.found = reached <= solved;
  }
  result.residual = static_cast<double>(least);
  return result;
}

int condition_count(bool explicit_in_y, int order) {
  require(order >= 1 && order <= max_order_searched, "order", order, "must be between 1 and 4");
  const TreeSet trees(TreeFamily::da, order);
  return static_cast<int>(different_conditions(explicit_in_y, order, trees).size());
}

AttainableOrder attainable_order(bool explicit_in_y, int stages, const OrderSearch& search) {
  AttainableOrder row{explicit_in_y, stages, 0, {}, {}};
  for (int order = 1; order <= max_order_searched; ++order) {
    OrderSearchResult result = search_order(explicit_in_y, stages, order, search);
    if (!result.found) {
      row.next = std::move(result);
      break;
    }
    row.order = order;
    row.witness = std::move(result);
  }
  return row;
}

std::vector<AttainableOrder> attainable_order_table(const OrderSearch& search) {
  std::vector<AttainableOrder> rows;
  for (int stages = 1; stages <= 5; ++stages)
    rows.push_back(attainable_order(false, stages, search));
  for (int stages = 1; stages <= 6; ++stages)
    rows.push_back(attainable_order(true, stages, search));
  return rows;
}

}  // namespace daedalus::analysis
