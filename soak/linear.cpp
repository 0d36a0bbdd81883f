// SPDX-License-Identifier: BSD-3-Clause
// E x' = A x + q(t) with E = P diag(I, N) Q, A = P diag(J, I) Q (Weierstrass; Gantmacher 1959,
// chapter XII) and a chosen solution x = Q^-1 z(t): q = E x' - A x. N has nilpotency index k, which
// is the index of the system; of a block of N the last variable has index 1, the first k.
#include <Eigen/LU>
#include <memory>

#include "soak/case.hpp"
#include "soak/signal.hpp"

namespace daedalus::soak {
namespace {

constexpr int max_size = 13;  // 4 differential variables and 3 blocks of 3

struct Linear {
  Eigen::MatrixXd E, A, P, D, C;  // D = diag(I, N), C = diag(J, I)
  Signals z;
  int size() const { return static_cast<int>(E.rows()); }

  // q = P (D z' - C z)
  template <class S, class V>
  void inhomogeneity(const S& t, V& out) const {
    const int n = size();
    std::array<S, max_size> value, rate, g;
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      value[k] = z[k].value(t);
      rate[k] = z[k].rate(t);
    }
    for (int i = 0; i < n; ++i) {
      S sum = 0.0;
      for (int j = 0; j < n; ++j) {
        const auto k = static_cast<std::size_t>(j);
        if (D(i, j) != 0.0) sum += D(i, j) * rate[k];
        if (C(i, j) != 0.0) sum -= C(i, j) * value[k];
      }
      g[static_cast<std::size_t>(i)] = sum;
    }
    for (int i = 0; i < n; ++i) {
      S sum = 0.0;
      for (int j = 0; j < n; ++j)
        if (P(i, j) != 0.0) sum += P(i, j) * g[static_cast<std::size_t>(j)];
      out[i] = sum;
    }
  }
};

// Real and complex eigenvalues of the differential part, well away from the imaginary axis where
// they are large.
Eigen::MatrixXd draw_modes(Random& random, int n, bool stiff) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    const bool fast = stiff && (i == 0 || random.chance(0.4));
    const double real = fast ? -random.log_uniform(1e2, 1e6) : random.uniform(-5.0, 0.3);
    J(i, i) = real;
    if (i + 1 < n && random.chance(0.4)) {
      const double imaginary = random.uniform(0.0, 1.0) * std::min(std::abs(real) + 1.0, 1e3);
      J(i + 1, i + 1) = real;
      J(i, i + 1) = imaginary;
      J(i + 1, i) = -imaginary;
      ++i;
    }
  }
  return J;
}

Case draw_linear(Random& random, int index) {
  const bool stiff = random.chance(0.5);
  const int differential = random.integer(1, 4);
  std::vector<int> blocks;
  if (index > 0) blocks.push_back(index);
  while (index > 0 && blocks.size() < 3 && random.chance(0.4))
    blocks.push_back(random.integer(1, index));
  int n = differential;
  for (const int b : blocks) n += b;

  auto system = std::make_shared<Linear>();
  system->D = system->C = Eigen::MatrixXd::Identity(n, n);
  system->C.topLeftCorner(differential, differential) = draw_modes(random, differential, stiff);
  std::vector<int> index_of(static_cast<std::size_t>(n), 1);
  int at = differential;
  for (const int b : blocks) {
    for (int i = 0; i < b; ++i) {
      system->D(at + i, at + i) = 0.0;
      if (i + 1 < b) system->D(at + i, at + i + 1) = 1.0;
      index_of[static_cast<std::size_t>(at + i)] = b - i;
    }
    at += b;
  }
  // Mixed variables have all indices at once.
  const bool mixed = random.chance(0.6);
  const Eigen::MatrixXd Q = mixed ? random.conditioned(n, 10.0) : random.permutation(n);
  system->P = random.chance(0.8) ? random.conditioned(n, 10.0) : random.permutation(n);
  system->E = system->P * system->D * Q;
  system->A = system->P * system->C * Q;
  system->z = draw_signals(random, n);
  const Eigen::MatrixXd inverse = Q.inverse();

  Case c;
  c.index = index;
  c.stiff = stiff;
  c.t1 = random.uniform(0.5, 3.0);
  c.solution = [system, inverse](double t) -> Eigen::VectorXd {
    return inverse * values_of(system->z, t);
  };
  c.components = Q;
  c.component_index = index_of;
  std::vector<int> variable_index;
  if (index > 1 && !mixed)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (Q(i, j) != 0.0) variable_index.push_back(index_of[static_cast<std::size_t>(i)]);
  if (index > 1 && mixed && random.chance(0.5)) {
    // Who says that all variables have index k gets h^(k-1) on all errors.
    variable_index.assign(static_cast<std::size_t>(n), index);
    c.component_index = variable_index;
  }
  c.description = "n = " + std::to_string(n) + (stiff ? ", stiff" : "") +
                  (mixed ? ", mixed variables" : "") +
                  (variable_index.empty() ? "" : ", variable_index given");
  const auto rhs = autodiff([system](auto t, const auto& y, auto& f) {
    system->inhomogeneity(t, f);
    const int size = system->size();
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j)
        if (system->A(i, j) != 0.0) f[i] += system->A(i, j) * y[j];
  });
  const Eigen::VectorXd y0 = c.solution(c.t0);
  if (random.chance(0.6)) {
    MassMatrixProblem p{.name = "linear"};
    p.mass_matrix = system->E.sparseView();
    p.rhs = rhs;
    p.variable_index = variable_index;
    p.y0 = y0;
    p.index = index;
    c.problem = p;
  } else {
    ImplicitProblem p{.name = "linear"};
    p.residual = autodiff([system](auto t, const auto& y, const auto& yp, auto& r) {
      system->inhomogeneity(t, r);
      const int size = system->size();
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
          if (system->A(i, j) != 0.0) r[i] += system->A(i, j) * y[j];
          if (system->E(i, j) != 0.0) r[i] -= system->E(i, j) * yp[j];
        }
    });
    p.variable_index = variable_index;
    p.y0 = y0;
    p.yp0 = inverse * rates_of(system->z, c.t0);
    p.index = index;
    c.problem = p;
  }
  return c;
}

}  // namespace

Case draw_linear_index0(Random& random) { return draw_linear(random, 0); }
Case draw_linear_index1(Random& random) { return draw_linear(random, 1); }
Case draw_linear_index2(Random& random) { return draw_linear(random, 2); }
Case draw_linear_index3(Random& random) { return draw_linear(random, 3); }

}  // namespace daedalus::soak
