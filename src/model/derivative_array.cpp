// SPDX-License-Identifier: BSD-3-Clause
#include "model/derivative_array.hpp"

#include <algorithm>

#include "analysis/structure_signature.hpp"
#include "graph/incidence.hpp"
#include "graph/rewrite.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using graph::InputKind;

// Constraints are met by dense matrices of this many columns at most.
constexpr int max_variables = 400;
// Formulas of higher derivatives grow with each.
constexpr int max_order = 3;

class ArrayBuilder {
 public:
  explicit ArrayBuilder(const FlatModel& flat)
      : flat_(flat),
        from_(*flat.graph),
        graph_(std::make_shared<graph::Graph>()),
        n_(static_cast<int>(flat.variables.size())),
        copy_(from_, *graph_,
              [this](int node, std::span<const Expr>, Expr& result) {
                if (from_.node(node).op != graph::Op::input) return false;
                result = input(node);
                return true;
              }),
        rename_(*graph_, *graph_, [this](int node, std::span<const Expr>, Expr& result) {
          if (graph_->node(node).op != graph::Op::input ||
              graph_->kind(node) != InputKind::derivative)
            return false;
          result = derivative_of(graph_->number(node));
          return true;
        }) {}

  std::unique_ptr<const DerivativeArray> run(const FormulaSettings& settings) {
    number_inputs();
    const graph::Outputs rows = copied();
    const Signature signature = signature_of(rows);
    const Transversal with = max_transversal(signature, n_);
    if (!with.complete) return nullptr;
    offsets_ = min_offsets(signature, n_, with);
    if (*std::max_element(offsets_.c.begin(), offsets_.c.end()) > max_order) return nullptr;
    number_derivatives();
    const graph::Outputs all = differentiated(rows);
    if (missing_) return nullptr;
    stages();
    FormulaSettings plain = settings;
    plain.machine_code = false;
    array_->rows = std::make_unique<FormulaFunction>(
        graph_, all, plain,
        FormulaFunction::Wanted{
            {slot::State::y}, {static_cast<int>(array_->unknowns.size())}, true});
    return std::move(array_);
  }

 private:
  // pre() has the same numbers as in the model: the values lie among its modes.
  void number_inputs() {
    for (int j = 0; j < n_; ++j) {
      graph_->input(InputKind::state, j, flat_.variables[at(j)].name);
      array_->unknowns.push_back({j, 0});
    }
    for (int k = 0; k < flat_.previous_count(); ++k) graph_->pre(input(from_.previous_of(k)));
  }

  Expr input(int node) {
    const int number = from_.number(node);
    switch (const InputKind kind = from_.kind(node)) {
      case InputKind::algebraic:
        return graph_->input(InputKind::state, n_ - flat_.algebraic_count + number);
      case InputKind::previous:
        return graph_->pre(input(from_.previous_of(number)));
      default:
        return graph_->input(kind, number, from_.name(node));
    }
  }

  graph::Outputs copied() {
    graph::Outputs rows;
    rows.count = flat_.residuals.count;
    for (const auto& s : flat_.residuals.single) rows.single.push_back({s.row, copy_(s.value)});
    return rows;
  }

  Signature signature_of(const graph::Outputs& rows) const {
    const auto values = graph::incidence(*graph_, rows, InputKind::state);
    const auto rates = graph::incidence(*graph_, rows, InputKind::derivative);
    Signature s(values.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
      for (const int j : rates[i]) s[i].push_back({j, 1});
      for (const int j : values[i])
        if (!std::binary_search(rates[i].begin(), rates[i].end(), j)) s[i].push_back({j, 0});
    }
    return s;
  }

  void number_derivatives() {
    array_->next.assign(at(n_), -1);
    for (int j = 0; j < n_; ++j) {
      int last = j;
      for (int order = 1; order <= offsets_.d[at(j)]; ++order) {
        const int number = static_cast<int>(array_->unknowns.size());
        array_->next[at(last)] = number;
        last = number;
        array_->unknowns.push_back({j, order});
        array_->next.push_back(-1);
        graph_->input(InputKind::state, last);
      }
    }
  }

  Expr derivative_of(int unknown) {
    const int next = array_->next[at(unknown)];
    // What a formula does not carry a slope of may be beyond the array.
    if (next < 0) missing_ = true;
    return next < 0 ? Expr(0.0) : graph_->input(InputKind::state, next);
  }

  graph::Outputs differentiated(const graph::Outputs& rows) {
    graph::Outputs all;
    first_row_.assign(at(rows.count), 0);
    for (const auto& s : rows.single) {
      first_row_[at(s.row)] = all.count;
      Expr row = rename_(s.value);
      for (int order = 0; order <= offsets_.c[at(s.row)]; ++order) {
        if (order > 0) row = rename_(der(row));
        all.add(row);
      }
    }
    return all;
  }

  void stages() {
    const std::vector<int>&c = offsets_.c, &d = offsets_.d;
    const int first = -*std::max_element(d.begin(), d.end());
    for (int k = first; k <= 0; ++k) {
      DerivativeArray::Stage stage;
      for (std::size_t i = 0; i < c.size(); ++i)
        if (k + c[i] >= 0) stage.rows.push_back(first_row_[i] + k + c[i]);
      for (std::size_t u = 0; u < array_->unknowns.size(); ++u)
        if (array_->unknowns[u].order == k + d[at(array_->unknowns[u].variable)])
          stage.unknowns.push_back(static_cast<int>(u));
      if (!stage.rows.empty()) array_->stages.push_back(std::move(stage));
    }
  }

  const FlatModel& flat_;
  const graph::Graph& from_;
  std::shared_ptr<graph::Graph> graph_;
  int n_;
  graph::Rewriter copy_, rename_;
  Offsets offsets_;
  std::vector<int> first_row_;  // by equation
  bool missing_ = false;
  std::unique_ptr<DerivativeArray> array_ = std::make_unique<DerivativeArray>();
};

}  // namespace

std::unique_ptr<const DerivativeArray> derivative_array(const FlatModel& flat,
                                                        const FormulaSettings& settings) {
  const int n = static_cast<int>(flat.variables.size());
  if (n == 0 || n > max_variables || flat.residuals.count != n || !flat.residuals.maps.empty() ||
      static_cast<int>(flat.residuals.single.size()) != n)
    return nullptr;
  return ArrayBuilder(flat).run(settings);
}

}  // namespace daedalus
