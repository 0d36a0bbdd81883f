// SPDX-License-Identifier: BSD-3-Clause
// Coefficients, predictor and error estimate of the program against the library's: claim R1.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "kernel/at.hpp"
#include "methods/bdf/engine_formula.hpp"
#include "reproduce/tischendorf.hpp"
#include "reproduce/tischendorf_support.hpp"

namespace daedalus::experiments::tischendorf {
namespace {

// t[0] = t_{n+1}, t[1] = t_n, ...
using Grid = std::vector<double>;
using Coefficients = std::vector<double>;

// (4.2): x'_{n+1} = -(1/h) sum_{i=0}^k alpha_i x_{n+1-i}.
Coefficients printed_alpha(const Grid& t, int k) {
  Coefficients a(at(k + 1), 0.0);
  for (int i = 1; i <= k; ++i) {
    double product = (t[0] - t[1]) / (t[0] - t[at(i)]);
    for (int j = 1; j <= k; ++j)
      if (j != i) product *= (t[0] - t[at(j)]) / (t[at(i)] - t[at(j)]);
    a[at(i)] = product;
    a[0] -= product;
  }
  return a;
}

// (4.3) with t_{n-j}, t_{n-i}: prediction sum_{i=0}^k gamma_i x_{n-i}.
Coefficients gamma(const Grid& t, int k) {
  Coefficients g(at(k + 1), 0.0);
  g[0] = 1.0;
  for (int i = 1; i <= k; ++i) {
    double product = 1.0;
    for (int j = 0; j <= k; ++j)
      if (j != i) product *= (t[0] - t[at(j + 1)]) / (t[at(i + 1)] - t[at(j + 1)]);
    g[at(i)] = product;
    g[0] -= product;
  }
  return g;
}

Coefficients gamma_minus(const Grid& t, int k) {
  const Coefficients g = gamma(t, k);
  Coefficients m(at(k));
  for (int i = 0; i < k; ++i)
    m[at(i)] = (t[at(i + 1)] - t[at(k + 1)]) / (t[0] - t[at(k + 1)]) * g[at(i)];
  return m;
}

Coefficients gamma_plus(const Grid& t, int k) {
  const Coefficients g = gamma(t, k);
  Coefficients p(at(k + 2));
  p[at(k + 1)] = 1.0;
  for (int i = 0; i <= k; ++i) {
    p[at(i)] = (t[0] - t[at(k + 2)]) / (t[at(i + 1)] - t[at(k + 2)]) * g[at(i)];
    p[at(k + 1)] -= p[at(i)];
  }
  return p;
}

// Of the prediction of degree k in the library.
Coefficients library_gamma(const bdf::Formula& f, int k) {
  Coefficients g(at(k + 1), 0.0);
  g[0] = 1.0;
  for (int i = 1; i <= k; ++i)
    for (int j = 1; j <= i; ++j) {
      g[at(j)] += f.weight[at(i)][at(j)];
      g[0] -= f.weight[at(i)][at(j)];
    }
  return g;
}

double difference(const Coefficients& a, const Coefficients& b) {
  double size = 0.0, worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::max(size, std::abs(a[i]));
    worst = std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst / size;
}

// Neighbouring steps differ by factors in [1/3, 3]; t_{n+1} = 0.
Grid random_grid(std::mt19937& engine) {
  const auto uniform = [&] { return engine() / 4294967296.0; };
  Grid t{0.0};
  double h = 1.0;
  for (int i = 0; i < 8; ++i) {
    t.push_back(t.back() - h);
    h *= std::pow(3.0, 2.0 * uniform() - 1.0);
  }
  return t;
}

struct FormulaErrors {
  double derivative = 0.0, prediction = 0.0, minus = 0.0, plus = 0.0, estimate = 0.0;
  double alpha = 0.0, gamma = 0.0, library_minus = 0.0, library_plus = 0.0, constant = 0.0;
  double beyond = 1e300;  // least error of the derivative for the degree k + 1
};

double sum(const Coefficients& c, const Grid& t, int offset, int power) {
  double s = 0.0;
  for (std::size_t i = 0; i < c.size(); ++i)
    s += c[i] * std::pow(t[i + static_cast<std::size_t>(offset)], power);
  return s;
}
double size(const Coefficients& c, const Grid& t, int offset, int power) {
  double s = 0.0;
  for (std::size_t i = 0; i < c.size(); ++i)
    s += std::abs(c[i] * std::pow(t[i + static_cast<std::size_t>(offset)], power));
  return std::max(s, 1e-300);
}

// Errors on the monomials (t - t_{n+1})^p: value 1 or 0, derivative 1 for p = 1 and 0 otherwise.
void add_polynomials(const Grid& t, int k, FormulaErrors& e) {
  const double h = t[0] - t[1];
  const auto keep = [](double& worst, double value) { worst = std::max(worst, std::abs(value)); };
  const Coefficients a = printed_alpha(t, k), g = gamma(t, k), m = gamma_minus(t, k),
                     p = gamma_plus(t, k);
  for (int power = 0; power <= k + 1; ++power) {
    const double exact = power == 0 ? 1.0 : 0.0;
    const double derivative = -sum(a, t, 0, power) / h - (power == 1 ? 1.0 : 0.0);
    if (power <= k) {
      keep(e.derivative, derivative / (size(a, t, 0, power) / h));
      keep(e.prediction, (sum(g, t, 1, power) - exact) / size(g, t, 1, power));
    } else {
      e.beyond = std::min(e.beyond, std::abs(derivative) / (size(a, t, 0, power) / h));
      // E = h / (t_{n+1} - t_{n-k}) (x - x^p) estimates h times the error of the derivative.
      const double factor = h / (t[0] - t[at(k + 1)]);
      keep(e.estimate,
           (std::abs(factor * (exact - sum(g, t, 1, power))) - std::abs(h * derivative)) /
               (factor * size(g, t, 1, power)));
    }
    if (power <= k - 1) keep(e.minus, (sum(m, t, 1, power) - exact) / size(m, t, 1, power));
    keep(e.plus, (sum(p, t, 1, power) - exact) / size(p, t, 1, power));
  }
}

void add_library(const Grid& t, int k, FormulaErrors& e) {
  const bdf::Formula f(t.data() + 1, k + 2, t[0]);
  Coefficients ours(at(k + 1), 0.0);
  const auto row = f.derivative(k);
  for (int j = 0; j < k; ++j) {
    ours[at(j + 1)] = -row[at(j)];
    ours[0] += row[at(j)];
  }
  const auto keep = [](double& worst, double value) { worst = std::max(worst, value); };
  keep(e.alpha, difference(printed_alpha(t, k), ours));
  keep(e.gamma, difference(gamma(t, k), library_gamma(f, k)));
  keep(e.library_minus, difference(gamma_minus(t, k), library_gamma(f, k - 1)));
  keep(e.library_plus, difference(gamma_plus(t, k), library_gamma(f, k + 1)));
  keep(e.constant, std::abs(f.defect_constant(k) * (t[0] - t[at(k + 1)]) / (t[0] - t[1]) - 1.0));
}

std::vector<Claim> formulas(Context&) {
  std::vector<Claim> claims;
  std::mt19937 engine(1992);
  FormulaErrors e;
  for (int run = 0; run < 100; ++run) {
    const Grid t = random_grid(engine);
    for (int k = 1; k <= 5; ++k) {
      add_polynomials(t, k, e);
      add_library(t, k, e);
    }
  }
  const auto zero = [&](const char* id, const char* text, double value) {
    claims.push_back(number_claim(std::string("tischendorf-R1.") + id, text, 0.0, value, 1e-10));
  };
  zero("alpha", "(4.2) is exact for polynomials up to degree k, 100 random grids, k = 1..5",
       e.derivative);
  claims.push_back(fact_claim("tischendorf-R1.beyond", "and not for degree k + 1",
                              e.beyond > 1e6 * e.derivative));
  zero("gamma", "the prediction (4.3) with t_{n-j}, t_{n-i} is exact up to degree k", e.prediction);
  zero("gamma-minus", "gamma^- up to degree k - 1", e.minus);
  zero("gamma-plus", "gamma^+ up to degree k + 1", e.plus);
  zero("estimate",
       "E of (4.4) is h times the error of x' for degree k + 1 (difference over the sum of terms)",
       e.estimate);
  zero("library.alpha", "the library's derivative is that of (4.2)", e.alpha);
  zero("library.gamma", "its prediction that of (4.3)", e.gamma);
  zero("library.gamma-minus", "that of degree k - 1 has gamma^-", e.library_minus);
  zero("library.gamma-plus", "that of degree k + 1 has gamma^+", e.library_plus);
  zero("library.estimate", "and the factor of (4.4) is the one of dae2sol", e.constant);

  const std::array<Coefficients, 5> uniform{{{1, -1},
                                             {1.5, -2, 0.5},
                                             {11.0 / 6, -3, 1.5, -1.0 / 3},
                                             {25.0 / 12, -4, 3, -4.0 / 3, 0.25},
                                             {137.0 / 60, -5, 5, -10.0 / 3, 1.25, -0.2}}};
  const std::array<Coefficients, 5> extrapolation{
      {{2, -1}, {3, -3, 1}, {4, -6, 4, -1}, {5, -10, 10, -5, 1}, {6, -15, 20, -15, 6, -1}}};
  double worst = 0.0;
  const Grid steps{0, -1, -2, -3, -4, -5, -6, -7, -8};
  for (int k = 1; k <= 5; ++k) {
    Coefficients a = printed_alpha(steps, k);
    for (double& value : a) value = -value;
    worst = std::max({worst, difference(uniform[at(k - 1)], a),
                      difference(extrapolation[at(k - 1)], gamma(steps, k))});
  }
  zero("uniform", "constant steps: -alpha and gamma are those of the literature", worst);
  // The product of the printed (4.3) contains (t_{n+1} - t_{n+1-j}) for j = 0.
  claims.push_back(
      with_remark(fact_claim("tischendorf-R1.misprint",
                             "(4.3) as printed, with t_{n+1-j} and t_{n+1-i}, vanishes: a misprint",
                             [&] {
                               double product = 1.0;
                               for (int j = 0; j <= 2; ++j)
                                 if (j != 1) product *= steps[0] - steps[at(j)];
                               return product == 0.0;
                             }()),
                  "read with t_{n-j}, t_{n-i}, which the claims above confirm"));
  return claims;
}

}  // namespace

std::vector<Experiment> formula_experiments() {
  return {{.id = "tischendorf-R1",
           .title = "Coefficients, predictor and error estimate",
           .source = source,
           .basis = Basis::printed("(4.2) to (4.4) and section 4.3"),
           .seconds = 0.01,
           .run = formulas}};
}

}  // namespace daedalus::experiments::tischendorf
