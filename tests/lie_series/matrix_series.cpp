// SPDX-License-Identifier: BSD-3-Clause
#include "lie_series/matrix_series.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace daedalus::matrix_series {

Power& Power::add(long double factor, const Power& other) {
  for (int i = 0; i <= degree; ++i)
    for (std::size_t l = 0; l < size; ++l) c[i][l] += factor * other.c[i][l];
  return *this;
}

Power identity() {
  Power out;
  for (std::size_t l = 0; l < n; ++l) out.c[0][(n + 1) * l] = 1.0L;
  return out;
}

Power product(const Power& a, const Power& b) {
  Power out;
  for (int i = 0; i <= degree; ++i)
    for (int j = 0; i + j <= degree; ++j)
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t l = 0; l < n; ++l)
          for (std::size_t s = 0; s < n; ++s)
            out.c[i + j][n * r + s] += a.c[i][n * r + l] * b.c[j][n * l + s];
  return out;
}

Power commutator(const Power& a, const Power& b) { return product(a, b).add(-1.0L, product(b, a)); }

Power exponential(const Power& a) {
  Power sum = identity(), term = identity();
  for (int i = 1; i <= degree; ++i) {
    Power next;
    next.add(1.0L / i, product(term, a));
    term = next;
    sum.add(1.0L, term);
  }
  return sum;
}

Power logarithm(const Power& a) {
  Power z = a, sum, term = identity();
  z.add(-1.0L, identity());
  for (int i = 1; i <= degree; ++i) {
    term = product(term, z);
    sum.add((i % 2 == 1 ? 1.0L : -1.0L) / i, term);
  }
  return sum;
}

void bracket(const double* a, const double* b, double* out) {
  double result[size] = {};
  for (int r = 0; r < n; ++r)
    for (int l = 0; l < n; ++l)
      for (int s = 0; s < n; ++s)
        result[n * r + s] += a[n * r + l] * b[n * l + s] - b[n * r + l] * a[n * l + s];
  std::copy(result, result + size, out);
}

Vectors random_matrices(int count, unsigned number) {
  std::mt19937 engine(number);
  Vectors out(static_cast<std::size_t>(count), std::vector<double>(size));
  for (auto& one : out)
    for (double& x : one) x = static_cast<double>(engine()) * 0x1p-31 - 1.0;
  return out;
}

std::vector<const double*> pointers(const Vectors& vectors) {
  std::vector<const double*> out;
  for (const auto& one : vectors) out.push_back(one.data());
  return out;
}

Power velocity(const Vectors& v, double c) {
  Power out;
  long double factor = 1.0L;
  for (std::size_t j = 0; j < v.size() && j < degree; ++j) {
    if (j > 0) factor *= static_cast<long double>(c) / j;
    for (std::size_t l = 0; l < size; ++l) out.c[j + 1][l] = factor * v[j][l];
  }
  return out;
}

Power increment(const Vectors& v, double c, double r, bool from_left) {
  // Y in s with t = t_n + (c + s r) h: dY/ds = Y r h v(t), all weights of h kept apart from s.
  std::vector<Power> rate, flow = {identity()};  // coefficients of s^m
  for (int m = 0; m < degree; ++m) {
    Power coefficient;
    for (std::size_t j = static_cast<std::size_t>(m); j < v.size() && j < degree; ++j) {
      long double factor = r;  // h^(j+1) r v^(j) (c + s r)^j / j!
      for (int i = 1; i <= m; ++i) factor *= static_cast<long double>(r) / i;
      for (std::size_t i = 1; i + static_cast<std::size_t>(m) <= j; ++i)
        factor *= static_cast<long double>(c) / i;
      for (std::size_t l = 0; l < size; ++l) coefficient.c[j + 1][l] = factor * v[j][l];
    }
    rate.push_back(coefficient);
  }
  Power at_end = identity();
  for (int m = 0; m < degree; ++m) {
    Power next;
    for (int i = 0; i <= m; ++i) {
      const Power& y = flow[static_cast<std::size_t>(i)];
      const Power& x = rate[static_cast<std::size_t>(m - i)];
      next.add(1.0L / (m + 1), from_left ? product(x, y) : product(y, x));
    }
    flow.push_back(next);
    at_end.add(1.0L, next);
  }
  return logarithm(at_end);
}

Power increment_defect(const Vectors& v, const lie::BdfFormula& formula) {
  Power out;
  for (int i = 1; i <= formula.k; ++i)
    out.add(formula.gamma[i], increment(v, formula.node[i], formula.ratio[i]));
  return out.add(-1.0L, velocity(v, 1.0));
}

Power correction(const Vectors& v, const lie::CorrectionSet& set, const lie::BdfFormula& formula) {
  Power lin[7], out;
  for (int i = 0; i <= set.k; ++i) {
    const Power value = velocity(v, formula.node[i]);
    const Power nu = i > 0 ? increment(v, formula.node[i], formula.ratio[i]) : Power();
    for (int j = 1; j <= set.factors(); ++j) lin[j].add(set.a[i][j], value).add(set.b[i][j], nu);
  }
  for (int j = set.factors() - 1; j >= 1; j -= 2) {
    out = commutator(lin[j], lin[j + 1]);
    if (j > 1) lin[j - 1].add(1.0L, out);
  }
  return out;
}

std::vector<double> sum(const Vectors& v, const std::vector<Term>& terms) {
  std::vector<double> out(size);
  for (const Term& term : terms) {
    std::vector<double> nested = v[static_cast<std::size_t>(term.letters.back())];
    for (std::size_t i = term.letters.size() - 1; i-- > 0;)
      bracket(v[static_cast<std::size_t>(term.letters[i])].data(), nested.data(), nested.data());
    for (std::size_t l = 0; l < size; ++l) out[l] += term.coefficient * nested[l];
  }
  return out;
}

double distance(const Power& a, int power, const std::vector<double>& b) {
  long double out = 0.0L;
  for (std::size_t l = 0; l < size; ++l) out = std::max(out, std::abs(a.c[power][l] - b[l]));
  return static_cast<double>(out);
}

double largest(const Power& a, int from, int to) {
  long double out = 0.0L;
  for (int i = from; i <= to; ++i)
    for (const long double x : a.c[i]) out = std::max(out, std::abs(x));
  return static_cast<double>(out);
}

}  // namespace daedalus::matrix_series
