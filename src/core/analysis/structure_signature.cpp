// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/structure_signature.hpp"

#include <algorithm>

#include "kernel/at.hpp"

namespace daedalus {
namespace {

// Longer than any path, and two of them still fit an int.
constexpr int unreached = 1 << 28;

// Costs 1 - order >= 0, reduced by potentials to costs >= 0 that vanish on the matching. Equations
// without a variable search together: paths that do not meet are taken at once, so that chains of
// 10^5 equations need a few rounds and not one search each.
class Matching {
 public:
  Matching(const Signature& signature, int variables)
      : signature_(signature),
        of_row_(signature.size(), 0),
        of_column_(at(variables), 0),
        next_(signature.size()),
        path_(signature.size()),
        seen_(at(variables)),
        distance_(at(variables)),
        result_{std::vector<int>(signature.size(), -1), std::vector<int>(at(variables), -1),
                false} {
    for (std::size_t i = 0; i < signature.size(); ++i) {
      int least = unreached;
      for (const SignatureRow& e : signature[i]) least = std::min(least, 1 - e.order);
      of_row_[i] = least == unreached ? 0 : least;
    }
  }

  Transversal run() {
    std::size_t matched = 0;
    do {
      std::fill(next_.begin(), next_.end(), 0);
      std::fill(seen_.begin(), seen_.end(), 0);
      for (int row = 0; row < static_cast<int>(signature_.size()); ++row)
        if (result_.variable_of[at(row)] < 0) matched += augment(row);
    } while (matched < signature_.size() && raise());
    result_.complete = matched == signature_.size() && seen_.size() == matched;
    return std::move(result_);
  }

 private:
  int reduced(int row, const SignatureRow& e) const {
    return 1 - e.order - of_row_[at(row)] - of_column_[at(e.variable)];
  }

  // A path over entries of reduced cost zero to a free variable; none is looked at twice.
  bool augment(int start) {
    rows_.assign(1, start);
    while (!rows_.empty()) {
      const int row = rows_.back();
      const int j = step(row);
      if (j < 0) {
        rows_.pop_back();
        continue;
      }
      path_[at(row)] = j;
      if (const int owner = result_.equation_of[at(j)]; owner >= 0) {
        rows_.push_back(owner);
        continue;
      }
      for (const int r : rows_) {
        result_.variable_of[at(r)] = path_[at(r)];
        result_.equation_of[at(path_[at(r)])] = r;
      }
      return true;
    }
    return false;
  }

  int step(int row) {
    const auto& entries = signature_[at(row)];
    for (std::size_t& k = next_[at(row)]; k < entries.size(); ++k) {
      const SignatureRow& e = entries[k];
      if (seen_[at(e.variable)] || reduced(row, e) != 0) continue;
      seen_[at(e.variable)] = 1;
      return e.variable;
    }
    return -1;
  }

  // Shortest paths from all free equations to the nearest free variable change the potentials such
  // that a path of reduced cost zero exists. False: there is none at all.
  bool raise() {
    std::fill(distance_.begin(), distance_.end(), unreached);
    std::vector<std::vector<int>> by_distance(1);
    const auto scan = [&](int row, int so_far) {
      for (const SignatureRow& e : signature_[at(row)]) {
        const int d = so_far + reduced(row, e);
        if (d >= distance_[at(e.variable)]) continue;
        distance_[at(e.variable)] = d;
        if (at(d) >= by_distance.size()) by_distance.resize(at(d) + 1);
        by_distance[at(d)].push_back(e.variable);
      }
    };
    for (int row = 0; row < static_cast<int>(signature_.size()); ++row)
      if (result_.variable_of[at(row)] < 0) scan(row, 0);
    std::vector<char> settled(seen_.size(), 0);
    int length = -1;
    for (std::size_t d = 0; d < by_distance.size() && length < 0; ++d)
      for (std::size_t k = 0; k < by_distance[d].size() && length < 0; ++k) {
        const int j = by_distance[d][k];
        if (settled[at(j)] || distance_[at(j)] != static_cast<int>(d)) continue;
        settled[at(j)] = 1;
        if (result_.equation_of[at(j)] < 0)
          length = static_cast<int>(d);
        else
          scan(result_.equation_of[at(j)], static_cast<int>(d));
      }
    if (length > 0) shift(length);
    return length >= 0;
  }

  void shift(int length) {
    for (std::size_t j = 0; j < distance_.size(); ++j) {
      const int by = length - distance_[j];
      if (by <= 0) continue;
      of_column_[j] -= by;
      of_row_[at(result_.equation_of[j])] += by;
    }
    for (std::size_t i = 0; i < signature_.size(); ++i)
      if (result_.variable_of[i] < 0) of_row_[i] += length;
  }

  const Signature& signature_;
  std::vector<int> of_row_, of_column_;  // potentials
  std::vector<std::size_t> next_;        // entry of a row that is looked at next
  std::vector<int> path_, rows_;
  std::vector<char> seen_;
  std::vector<int> distance_;
  Transversal result_;
};

}  // namespace

Transversal max_transversal(const Signature& signature, int variables) {
  return Matching(signature, variables).run();
}

StructuralAnalysis::Block overdetermined_part(const Signature& signature, const Transversal& with) {
  StructuralAnalysis::Block part;
  std::vector<char> seen(with.equation_of.size(), 0);
  for (int i = 0; i < static_cast<int>(signature.size()); ++i)
    if (with.variable_of[at(i)] < 0) part.equations.push_back(i);
  for (std::size_t k = 0; k < part.equations.size(); ++k)
    for (const SignatureRow& e : signature[at(part.equations[k])]) {
      if (seen[at(e.variable)]) continue;
      seen[at(e.variable)] = 1;
      part.variables.push_back(e.variable);
      if (const int row = with.equation_of[at(e.variable)]; row >= 0) part.equations.push_back(row);
    }
  std::sort(part.equations.begin(), part.equations.end());
  std::sort(part.variables.begin(), part.variables.end());
  return part;
}

StructuralAnalysis::Block underdetermined_part(const Signature& signature, int variables,
                                               const Transversal& with) {
  StructuralAnalysis::Block part;
  std::vector<std::vector<int>> rows_of(at(variables));
  for (int i = 0; i < static_cast<int>(signature.size()); ++i)
    for (const SignatureRow& e : signature[at(i)]) rows_of[at(e.variable)].push_back(i);
  std::vector<char> seen(signature.size(), 0);
  for (int j = 0; j < variables; ++j)
    if (with.equation_of[at(j)] < 0) part.variables.push_back(j);
  for (std::size_t k = 0; k < part.variables.size(); ++k)
    for (const int row : rows_of[at(part.variables[k])]) {
      if (seen[at(row)]) continue;
      seen[at(row)] = 1;
      part.equations.push_back(row);
      if (const int j = with.variable_of[at(row)]; j >= 0) part.variables.push_back(j);
    }
  std::sort(part.equations.begin(), part.equations.end());
  std::sort(part.variables.begin(), part.variables.end());
  return part;
}

// From c = 0 upwards; the smallest solution is the only fixed point that is reached (Pryce 2001,
// algorithm 3.1).
Offsets min_offsets(const Signature& signature, int variables, const Transversal& with) {
  Offsets o{std::vector<int>(signature.size(), 0), std::vector<int>(at(variables), 0)};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < signature.size(); ++i)
      for (const SignatureRow& e : signature[i])
        o.d[at(e.variable)] = std::max(o.d[at(e.variable)], e.order + o.c[i]);
    for (std::size_t i = 0; i < signature.size(); ++i)
      for (const SignatureRow& e : signature[i]) {
        if (e.variable != with.variable_of[i]) continue;
        const int c = o.d[at(e.variable)] - e.order;
        if (c != o.c[i]) {
          o.c[i] = c;
          changed = true;
        }
      }
  }
  return o;
}

std::vector<StructuralAnalysis::Block> triangular_blocks(const Signature& signature,
                                                         const Transversal& with,
                                                         const Offsets& offsets) {
  const int n = static_cast<int>(signature.size());
  // Equation i waits for the equation that determines each variable it needs.
  std::vector<std::vector<int>> needs(at(n));
  for (int i = 0; i < n; ++i)
    for (const SignatureRow& e : signature[at(i)])
      if (offsets.d[at(e.variable)] - offsets.c[at(i)] == e.order)
        if (const int owner = with.equation_of[at(e.variable)]; owner != i)
          needs[at(i)].push_back(owner);
  std::vector<StructuralAnalysis::Block> blocks;
  std::vector<int> number(at(n), -1), low(at(n), 0), stack;
  std::vector<char> open(at(n), 0);
  struct Visit {
    int equation;
    std::size_t next;
  };
  int count = 0;
  for (int root = 0; root < n; ++root) {
    if (number[at(root)] >= 0) continue;
    std::vector<Visit> path{{root, 0}};
    while (!path.empty()) {
      const int i = path.back().equation;
      if (path.back().next == 0) {
        number[at(i)] = low[at(i)] = count++;
        stack.push_back(i);
        open[at(i)] = 1;
      }
      if (path.back().next < needs[at(i)].size()) {
        const int k = needs[at(i)][path.back().next++];
        if (number[at(k)] < 0)
          path.push_back({k, 0});
        else if (open[at(k)])
          low[at(i)] = std::min(low[at(i)], number[at(k)]);
        continue;
      }
      path.pop_back();
      if (!path.empty())
        low[at(path.back().equation)] = std::min(low[at(path.back().equation)], low[at(i)]);
      if (low[at(i)] != number[at(i)]) continue;
      StructuralAnalysis::Block block;
      for (int k = -1; k != i;) {
        k = stack.back();
        stack.pop_back();
        open[at(k)] = 0;
        block.equations.push_back(k);
        block.variables.push_back(with.variable_of[at(k)]);
      }
      std::sort(block.equations.begin(), block.equations.end());
      std::sort(block.variables.begin(), block.variables.end());
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

}  // namespace daedalus
