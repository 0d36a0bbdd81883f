// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/herk_row.hpp"

#include <algorithm>
#include <utility>

namespace daedalus {
namespace {

using Row = std::vector<ExactNumber>;

Row row_of(const std::vector<ExactText>& texts, std::size_t length) {
  Row row;
  for (const ExactText& text : texts) row.push_back(ExactNumber::from_text(text));
  row.resize(length);
  return row;
}

ExactNumber sum_of(const Row& row) {
  ExactNumber sum;
  for (const ExactNumber& x : row) sum += x;
  return sum;
}

ExactNumber power_of(const ExactNumber& x, int exponent) {
  ExactNumber result(1);
  for (int k = 0; k < exponent; ++k) result *= x;
  return result;
}

// The solution of gamma u = right with gamma_11 = 1, the last row left out.
Row apply_w(const std::vector<Row>& gamma, Row right) {
  for (std::size_t i = 1; i < right.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) right[i] -= gamma[i][j] * right[j];
    right[i] /= gamma[i][i];
  }
  return right;
}

// Row by row, the right side in the last column. Exact, so any pivot will do.
std::optional<Row> eliminate(std::vector<Row> system) {
  const std::size_t n = system.size();
  for (std::size_t k = 0; k < n; ++k) {
    const auto pivot = std::find_if(system.begin() + static_cast<std::ptrdiff_t>(k), system.end(),
                                    [&](const Row& row) { return !row[k].is_zero(); });
    if (pivot == system.end()) return {};
    std::swap(*pivot, system[k]);
    for (std::size_t j = n + 1; j-- > k;) system[k][j] /= system[k][k];
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      for (std::size_t j = n + 1; j-- > k;) system[i][j] -= system[i][k] * system[k][j];
    }
  }
  Row result;
  for (Row& row : system) result.push_back(std::move(row[n]));
  return result;
}

}  // namespace

std::optional<std::vector<ExactNumber>> solve_row(const HerkTable& table,
                                                  const RowConditions& conditions) {
  const std::size_t m = table.a.size();
  std::vector<Row> gamma;
  Row c, c_hat;
  for (const auto& texts : table.a) c.push_back(sum_of(row_of(texts, m)));
  for (std::size_t i = 0; i + 1 < m; ++i) {
    gamma.push_back(row_of(table.gamma[i], m));
    c_hat.push_back(sum_of(gamma.back()));
  }

  // Coefficients of x_1, ..., x_m and the right side.
  std::vector<Row> equations;
  const ExactNumber& sum = conditions.c;
  for (int l = 0; l < conditions.stage_order; ++l) {
    Row equation;
    for (const ExactNumber& node : c) equation.push_back(power_of(node, l));
    equation.push_back(power_of(sum, l + 1) / ExactNumber(l + 1));
    equations.push_back(std::move(equation));
  }
  // sum_j x_m w_mj v_j = right, v_m apart: -sum_{i<m} x_i (W v)_i + v_m = right.
  const auto add = [&](const Row& v, const ExactNumber& right) {
    Row equation = apply_w(gamma, v);
    for (ExactNumber& x : equation) x = -x;
    equation.emplace_back(0);
    equation.push_back(right);
    equations.push_back(std::move(equation));
  };
  Row unit(m - 1);
  unit[0] = ExactNumber(1);
  add(unit, 0);
  Row powers;
  for (const ExactNumber& node : c_hat) powers.push_back(power_of(node, conditions.power));
  add(powers, -power_of(sum, conditions.power));
  equations.back()[m - 1] = ExactNumber(-conditions.power);
  if (conditions.second_stage) {
    Row second;
    for (std::size_t j = 0; j + 1 < m; ++j) second.push_back(c_hat[j] * gamma[j][1]);
    add(second, 0);
    equations.back()[1] += sum;
  }

  std::vector<Row> system;
  for (const Row& equation : equations) {
    Row reduced;
    ExactNumber right = equation[m];
    for (std::size_t j = 0; j < m; ++j) {
      if (conditions.given[j])
        right -= equation[j] * *conditions.given[j];
      else
        reduced.push_back(equation[j]);
    }
    reduced.push_back(std::move(right));
    system.push_back(std::move(reduced));
  }
  const auto open = eliminate(std::move(system));
  if (!open) return {};
  Row result;
  std::size_t next = 0;
  for (std::size_t j = 0; j < m; ++j)
    result.push_back(conditions.given[j] ? *conditions.given[j] : (*open)[next++]);
  return result;
}

}  // namespace daedalus
