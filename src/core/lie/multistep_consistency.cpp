// SPDX-License-Identifier: BSD-3-Clause
// Order conditions of correction sets and random sets that satisfy them.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include <daedalus/lie/multistep.hpp>
#include <daedalus/types.hpp>
#include "lie/increment_series.hpp"
#include "lie/multistep_random.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus::lie {

namespace {

constexpr double range = 10.0;  // larger parameters make the method unstable, section 6.2.4

struct Parameter {
  char kind;
  int i, j;
};

double& entry(CorrectionSet& set, const Parameter& p) {
  return (p.kind == 'a' ? set.a : set.b)[p.i][p.j];
}

std::vector<Parameter> parameters(int k, bool implicit) {
  CorrectionSet shape;
  shape.k = k;
  std::vector<Parameter> all;
  for (int j = 1; j <= shape.factors(); ++j) {
    for (int i = implicit ? 0 : 1; i <= k; ++i) all.push_back({'a', i, j});
    for (int i = implicit ? 1 : 2; i <= k; ++i) all.push_back({'b', i, j});
  }
  return all;
}

std::vector<std::size_t> bracket_conditions(int k) {
  std::vector<std::size_t> all;
  for (std::size_t m = 0; m < series::monomials.size(); ++m)
    if (series::monomials[m].length > 1 && series::monomials[m].weight <= k) all.push_back(m);
  return all;
}

// Newton's method with steps of least norm: from a random point to a consistent one close by. L is
// linear in every lin_j; with X_j what stands behind lin_j, the change E of an odd one gives
// [lin_1,[lin_3,...,[E, X_{j+1}]]], that of an even one [lin_1,[lin_3,...,[lin_{j-1}, E]]].
bool solve_bracket_conditions(CorrectionSet& set, const std::vector<Parameter>& free) {
  const int k = set.k;
  const std::vector<std::size_t> conditions = bracket_conditions(k);
  const BdfFormula formula = bdf_formula(k);
  const series::Element defect = increment_defect(formula);
  series::Element v[7], nu[7];
  for (int i = 0; i <= k; ++i) {
    v[i] = series::velocity(formula.node[i]);
    if (i > 0) nu[i] = series::increment(formula.node[i], formula.ratio[i]);
  }
  const auto rows = static_cast<Eigen::Index>(conditions.size());
  const auto columns = static_cast<Eigen::Index>(free.size());
  Eigen::VectorXd residual(rows);
  Eigen::MatrixXd jacobian(rows, columns);
  for (int iteration = 0; iteration < 30; ++iteration) {
    series::Element lin[8], behind[8];
    for (const Parameter& p : free) lin[p.j].add(entry(set, p), p.kind == 'a' ? v[p.i] : nu[p.i]);
    for (int j = set.factors(); j >= 1; --j)
      behind[j] =
          j % 2 == 1 ? series::bracket(lin[j], behind[j + 1], k) : lin[j].add(1.0, behind[j + 1]);
    for (Eigen::Index r = 0; r < rows; ++r) {
      const std::size_t m = conditions[static_cast<std::size_t>(r)];
      residual[r] = behind[1][m] - defect[m];
    }
    if (residual.lpNorm<Eigen::Infinity>() < 1e-13) return true;
    for (Eigen::Index c = 0; c < columns; ++c) {
      const Parameter& p = free[static_cast<std::size_t>(c)];
      series::Element change = p.kind == 'a' ? v[p.i] : nu[p.i];
      if (p.j % 2 == 1) change = series::bracket(change, behind[p.j + 1], k);
      for (int j = p.j % 2 == 1 ? p.j - 2 : p.j - 1; j >= 1; j -= 2)
        change = series::bracket(lin[j], change, k);
      for (Eigen::Index r = 0; r < rows; ++r)
        jacobian(r, c) = change[conditions[static_cast<std::size_t>(r)]];
    }
    const Eigen::VectorXd step = least_squares(jacobian, residual);  // the shortest one
    if (!step.allFinite()) return false;
    const double damping = std::min(1.0, range / step.lpNorm<Eigen::Infinity>());
    for (Eigen::Index c = 0; c < columns; ++c)
      entry(set, free[static_cast<std::size_t>(c)]) -= damping * step[c];
  }
  return false;
}

// The conditions of lemma 6 are linear: the closest consistent point in one step.
bool solve_lemma6(CorrectionSet& set, const std::vector<Parameter>& free) {
  const std::vector<ConsistencyResidual> at = lemma6_residuals(set);
  Eigen::VectorXd residual(static_cast<Eigen::Index>(at.size()));
  Eigen::MatrixXd jacobian(residual.size(), static_cast<Eigen::Index>(free.size()));
  for (std::size_t r = 0; r < at.size(); ++r) residual[static_cast<Eigen::Index>(r)] = at[r].value;
  for (std::size_t c = 0; c < free.size(); ++c) {
    CorrectionSet moved = set;
    entry(moved, free[c]) += 1.0;
    const std::vector<ConsistencyResidual> there = lemma6_residuals(moved);
    for (std::size_t r = 0; r < at.size(); ++r)
      jacobian(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
          there[r].value - at[r].value;
  }
  const Eigen::VectorXd step = least_squares(jacobian, residual);
  for (std::size_t c = 0; c < free.size(); ++c)
    entry(set, free[c]) -= step[static_cast<Eigen::Index>(c)];
  return true;
}

}  // namespace

std::vector<ConsistencyResidual> residuals(const CorrectionSet& set) {
  const BdfFormula formula = bdf_formula(set.k);
  const series::Element defect = increment_defect(formula);
  const series::Element value = correction_series(set, formula);
  std::vector<ConsistencyResidual> out;
  for (const std::size_t m : bracket_conditions(set.k))
    out.push_back({"h^" + std::to_string(series::monomials[m].weight - 1) + " " +
                       series::monomial_name(static_cast<int>(m)),
                   value[m] - defect[m]});
  return out;
}

std::vector<ConsistencyResidual> lemma6_residuals(const CorrectionSet& set) {
  if (set.k != 3 && set.k != 4)
    throw InvalidArgument("k: " + std::to_string(set.k) + "; lemma 6 is for 3 and 4");
  double zeroth[3] = {}, first[3] = {}, second = 0.0, sum_b = 0.0;
  for (int i = 0; i <= set.k; ++i) {
    for (int j = 1; j <= 2; ++j) {
      zeroth[j] += set.a[i][j] + set.b[i][j];
      first[j] += set.a[i][j] * (1 - i) + set.b[i][j] * (1.5 - i);
    }
    second +=
        set.a[i][2] * (i - 1) * (i - 1) / 2.0 + set.b[i][2] * (7.0 / 6 - 1.5 * i + 0.5 * i * i);
    sum_b += set.b[i][2];
  }
  std::vector<ConsistencyResidual> out = {
      {"(3.41a) sum a_i1 + sum b_i1 = 1/12", zeroth[1] - 1.0 / 12},
      {"(3.41b) sum a_i2 + sum b_i2 = 0", zeroth[2]},
      {"(3.41c) first moment of lin_2 = 1", first[2] - 1.0}};
  if (set.k == 4) {
    out.push_back({"(3.41d) first moment of lin_1 = 0", first[1]});
    out.push_back({"(3.41e) second moment of lin_2 = 1", second - 1.0});
    out.push_back({"(3.41f) sum b_i2 = 0", sum_b});
  }
  return out;
}

double max_residual(const CorrectionSet& set) {
  double largest = 0.0;
  for (const ConsistencyResidual& r : residuals(set))
    largest = std::max(largest, std::abs(r.value));
  return largest;
}

CorrectionSet random_correction_set(int k, bool implicit, std::uint64_t number) {
  if (k < 3 || k > 6) throw InvalidArgument("k: " + std::to_string(k) + "; allowed are 3..6");
  const std::vector<Parameter> free = parameters(k, implicit);
  PortableRandom random(number);
  // Products of up to four factors move far on the way to consistency; from the middle of the range
  // they end within it more often.
  const double start = k < 5 ? range : 0.5 * range;
  for (;;) {
    CorrectionSet set;
    set.k = k;
    for (const Parameter& p : free) entry(set, p) = random.uniform(-start, start);
    if (!(k < 5 ? solve_lemma6(set, free) : solve_bracket_conditions(set, free))) continue;
    if (std::all_of(free.begin(), free.end(),
                    [&](const Parameter& p) { return std::abs(entry(set, p)) < range; }))
      return set;
  }
}

}  // namespace daedalus::lie
