// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/lanes/formulas.hpp"

#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "kernel/at.hpp"

namespace daedalus::lanes {
namespace {

using graph::InputKind;

graph::Outputs outputs_of(const std::vector<Expr>& formulas) {
  graph::Outputs outputs;
  for (const Expr& e : formulas) outputs.add(e);
  return outputs;
}

void lower(graph::Graph& graph, std::vector<Expr>& formulas) {
  const graph::Outputs lowered = graph::lower(graph, outputs_of(formulas));
  for (const auto& s : lowered.single) formulas[at(s.row)] = s.value;
}

// Dense, row by row.
std::vector<Expr> derivatives(graph::Graph& graph, const std::vector<Expr>& formulas,
                              InputKind kind, int columns) {
  std::vector<Expr> matrix(formulas.size() * at(columns));
  const graph::Jacobian j = graph::jacobian(graph, outputs_of(formulas), kind, columns);
  std::vector<Expr> entries(j.inner.size());
  for (const auto& s : j.entries.single) entries[at(s.row)] = s.value;
  for (int c = 0; c < columns; ++c)
    for (int k = j.outer[at(c)]; k < j.outer[at(c) + 1]; ++k)
      matrix[at(j.inner[at(k)] * columns + c)] = entries[at(k)];
  return matrix;
}

}  // namespace

void differentiate(Formulas& m, bool multibody) {
  graph::Graph& graph = *m.graph;
  lower(graph, m.f);
  lower(graph, m.guards);
  lower(graph, m.stops);
  if (!multibody) {
    m.f_y = derivatives(graph, m.f, InputKind::state, m.n);
    m.f_t = derivatives(graph, m.f, InputKind::time, 1);
    return;
  }
  lower(graph, m.mass);
  lower(graph, m.g);
  const int nq = m.n;
  const auto first_half = [&](const std::vector<Expr>& both) {
    std::vector<Expr> half;
    for (int i = 0; i < m.constraints; ++i)
      for (int j = 0; j < nq; ++j) half.push_back(both[at(i * 2 * nq + j)]);
    return half;
  };
  m.g_q = first_half(derivatives(graph, m.g, InputKind::state, 2 * nq));
  m.g_t = derivatives(graph, m.g, InputKind::time, 1);
  std::vector<Expr> rate = m.g_t, v;
  for (int j = 0; j < nq; ++j) v.push_back(graph.input(InputKind::state, nq + j));
  for (int i = 0; i < m.constraints; ++i)
    for (int j = 0; j < nq; ++j) rate[at(i)] += m.g_q[at(i * nq + j)] * v[at(j)];
  const std::vector<Expr> by_q = first_half(derivatives(graph, rate, InputKind::state, 2 * nq));
  m.curvature = derivatives(graph, rate, InputKind::time, 1);
  for (int i = 0; i < m.constraints; ++i)
    for (int j = 0; j < nq; ++j) m.curvature[at(i)] += by_q[at(i * nq + j)] * v[at(j)];
}

}  // namespace daedalus::lanes
