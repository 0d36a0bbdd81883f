// SPDX-License-Identifier: BSD-3-Clause
#include "tool/check_table_rosenbrock.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kernel/rosenbrock_table.hpp"

namespace daedalus::cli {
namespace {

using analysis::RosenbrockScheme;

Numbers row_sums(const Numbers& matrix, int s) {
  Numbers sums(s, Quadruple(0));
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) sums[i] += matrix[i * s + j];
  return sums;
}

// left (rows x s) times the lower triangular right (s x s).
Numbers product(const Numbers& left, const Numbers& right, int s) {
  Numbers result(left.size(), Quadruple(0));
  for (std::size_t i = 0; i < left.size() / s; ++i)
    for (int k = 0; k < s; ++k)
      for (int j = 0; j <= k; ++j) result[i * s + j] += left[i * s + k] * right[k * s + j];
  return result;
}

// Gamma = (I/gamma - C)^-1.
Numbers gamma_from(const Numbers& c, Quadruple gamma, int s) {
  Numbers result(c.size(), Quadruple(0));
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j <= i; ++j) {
      Quadruple sum = Quadruple(i == j ? 1 : 0);
      for (int k = j; k < i; ++k) sum += c[i * s + k] * result[k * s + j];
      result[i * s + j] = sum * gamma;
    }
  }
  return result;
}

int stages_of(TableFields& fields, const std::string& weights, const Numbers& values) {
  const int s = static_cast<int>(values.size());
  if (s < 1 || s > max_rosenbrock_stages)
    fields.refuse(weights, fmt::format("has {} entries; 1 to {} stages are possible", s,
                                       max_rosenbrock_stages));
  return s;
}

// A field that repeats what the table says already: a slip of the pen shows.
void compare(TableFields& fields, const std::string& field, const Numbers& expected,
             const char* meaning) {
  if (!fields.has(field)) return;
  const Numbers given = fields.numbers(field, static_cast<int>(expected.size()));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto have = static_cast<double>(given[i]), want = static_cast<double>(expected[i]);
    if (std::abs(have - want) <= 1e-12 * (1 + std::abs(want))) continue;
    fields.refuse(fmt::format("{}[{}]", field, i + 1),
                  fmt::format("{:.16g}: must be {:.16g}, {}", have, want, meaning));
  }
}

void read_theory_form(TableFields& fields, Quadruple gamma, ReadTable& table) {
  RosenbrockScheme& scheme = table.scheme;
  const std::string weights = fields.either("mu", "b");
  if (weights.empty()) fields.refuse("mu", "is missing: the weights of the solution");
  scheme.mu = fields.numbers(weights);
  const int s = scheme.stages = stages_of(fields, weights, scheme.mu);
  scheme.alpha = fields.lower_triangle("alpha", s, Quadruple(0));
  scheme.gamma = fields.lower_triangle("gamma_ij", s, gamma);
  for (int i = 0; i < s; ++i) scheme.gamma[i * s + i] = gamma;
  const std::string embedded = fields.either("mu_hat", "b_hat");
  table.embedded = !embedded.empty();
  scheme.mu_hat = table.embedded ? fields.numbers(embedded, s) : scheme.mu;
  if (fields.has("H")) scheme.dense = fields.rows("H", s, max_rosenbrock_dense_rows);
}

void read_implementation_form(TableFields& fields, Quadruple gamma, ReadTable& table) {
  RosenbrockScheme& scheme = table.scheme;
  const Numbers m = fields.numbers("m");
  const int s = scheme.stages = stages_of(fields, "m", m);
  const Numbers a = fields.lower_triangle("A", s, Quadruple(0));
  scheme.gamma = gamma_from(fields.lower_triangle("C", s, Quadruple(0)), gamma, s);
  scheme.alpha = product(a, scheme.gamma, s);
  scheme.mu = scheme.mu_hat = product(m, scheme.gamma, s);
  table.embedded = fields.has("e");
  if (table.embedded) {
    const Numbers difference = product(fields.numbers("e", s), scheme.gamma, s);
    for (int i = 0; i < s; ++i) scheme.mu_hat[i] -= difference[i];
  }
  if (fields.has("H"))
    scheme.dense = product(fields.rows("H", s, max_rosenbrock_dense_rows), scheme.gamma, s);
}

Json list(const double* values, int count) {
  Json result = Json::array();
  for (int j = 0; j < count; ++j) result.push_back(values[j]);
  return result;
}

Json triangle(const double* matrix, int s) {
  Json result = Json::array();
  for (int i = 0; i < s; ++i) result.push_back(list(matrix + i * s, i));
  return result;
}

template <class View>
void export_common(const View& table, const Method& method, Json& json) {
  json["abscissae"] = list(table.abscissae, table.stages);
  json["time_weights"] = list(table.time_weights, table.stages);
  if (table.dense_rows > 0) json["H"] = Json::array();
  for (int row = 0; row < table.dense_rows; ++row)
    json["H"].push_back(list(table.dense + row * table.stages, table.stages));
  Json& claims = json["claims"] = Json{{"order", method.order}};
  if (method.error_order > 0) claims["embedded_order"] = method.error_order;
  if (table.dense_rows > 0) claims["dense_order"] = method.dense_order;
  if (method.stability != Stability::none) claims["a_stable"] = true;
  if (method.stability == Stability::l_stable) claims["l_stable"] = true;
  if (method.stiffly_accurate) claims["stiffly_accurate"] = true;
}

Json head(const Method& method, const char* kind) {
  return {{"name", method.name}, {"kind", kind}, {"reference", method.reference}};
}

}  // namespace

ReadTable read_rosenbrock(TableFields& fields, bool explicit_in_y) {
  ReadTable table;
  table.scheme.explicit_in_y = explicit_in_y;
  const Quadruple gamma = fields.number("gamma");
  if (gamma == Quadruple(0)) fields.refuse("gamma", "0: must be a number other than zero");
  const bool theory = fields.has("alpha") || fields.has("gamma_ij");
  const bool implementation = !explicit_in_y && (fields.has("A") || fields.has("C"));
  if (theory && implementation)
    fields.refuse("A", "a table is either alpha, gamma_ij, mu or A, C, m, not both");
  if (implementation)
    read_implementation_form(fields, gamma, table);
  else
    read_theory_form(fields, gamma, table);
  const RosenbrockScheme& scheme = table.scheme;
  table.scheme.dense_rows = static_cast<int>(scheme.dense.size()) / scheme.stages;
  compare(fields, "abscissae", row_sums(scheme.alpha, scheme.stages), "the row sum of alpha");
  compare(fields, "time_weights", row_sums(scheme.gamma, scheme.stages),
          "the row sum of gamma_ij with its diagonal");
  return table;
}

Json exported_rosenbrock_a(const Method& method) {
  if (method.family != "rosenbrock" || method.view != View::linear || method.table == nullptr)
    return nullptr;
  const auto& table = *static_cast<const RosenbrockCoefficients*>(method.table);
  const int s = table.stages;
  Json json = head(method, "rosenbrock-a");
  json["gamma"] = table.gamma;
  json["A"] = triangle(table.a, s);
  json["C"] = triangle(table.c, s);
  json["m"] = list(table.weights, s);
  json["e"] = list(table.error, s);
  export_common(table, method, json);
  return json;
}

Json exported_rosenbrock_b(const Method& method) {
  if (method.family != "rosenbrock" || method.view != View::partitioned || method.table == nullptr)
    return nullptr;
  const auto& table = *static_cast<const RosenbrockBCoefficients*>(method.table);
  const int s = table.stages;
  Json json = head(method, "rosenbrock-b");
  json["gamma"] = table.gamma;
  json["alpha"] = triangle(table.alpha, s);
  json["gamma_ij"] = triangle(table.gamma_ij, s);
  json["mu"] = list(table.mu, s);
  json["mu_hat"] = list(table.mu_hat, s);
  export_common(table, method, json);
  return json;
}

}  // namespace daedalus::cli
