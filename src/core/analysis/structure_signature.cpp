// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/structure_signature.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include "kernel/at.hpp"

namespace daedalus {
namespace {

constexpr int unreached = 1 << 28;

}  // namespace

Transversal largest_transversal(const Signature& signature, int variables) {
  const int n = static_cast<int>(signature.size());
  Transversal result{std::vector<int>(at(n), -1), std::vector<int>(at(variables), -1), false};
  // Costs 1 - sigma >= 0, reduced by potentials to costs >= 0 that vanish on the matching.
  std::vector<int> of_row(at(n), 0), of_column(at(variables), 0);
  std::vector<int> distance(at(variables), unreached), from(at(variables));
  std::vector<char> settled(at(variables), 0);
  std::vector<int> touched;  // what has to be forgotten: searches of large systems are local
  int matched = 0;
  using Item = std::pair<int, int>;  // distance, variable
  for (int start = 0; start < n; ++start) {
    for (const int j : touched) {
      distance[at(j)] = unreached;
      settled[at(j)] = 0;
    }
    touched.clear();
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    std::vector<int> done;
    // The potential of an unmatched row is free: its smallest reduced cost becomes zero.
    int least = unreached;
    for (const SignatureRow& e : signature[at(start)])
      least = std::min(least, 1 - e.order - of_column[at(e.variable)]);
    of_row[at(start)] = least == unreached ? 0 : least;
    const auto scan = [&](int row, int so_far) {
      for (const SignatureRow& e : signature[at(row)]) {
        const int d = so_far + 1 - e.order - of_row[at(row)] - of_column[at(e.variable)];
        if (d >= distance[at(e.variable)]) continue;
        if (distance[at(e.variable)] == unreached) touched.push_back(e.variable);
        distance[at(e.variable)] = d;
        from[at(e.variable)] = row;
        queue.emplace(d, e.variable);
      }
    };
    scan(start, 0);
    int end = -1;
    while (!queue.empty()) {
      const auto [d, j] = queue.top();
      queue.pop();
      if (settled[at(j)]) continue;
      settled[at(j)] = 1;
      if (result.equation_of[at(j)] < 0) {
        end = j;
        break;
      }
      done.push_back(j);
      scan(result.equation_of[at(j)], d);
    }
    if (end < 0) continue;
    const int length = distance[at(end)];
    of_row[at(start)] += length;
    for (const int j : done) {
      of_row[at(result.equation_of[at(j)])] += length - distance[at(j)];
      of_column[at(j)] -= length - distance[at(j)];
    }
    for (int j = end; j >= 0;) {
      const int row = from[at(j)], before = result.variable_of[at(row)];
      result.variable_of[at(row)] = j;
      result.equation_of[at(j)] = row;
      j = row == start ? -1 : before;
    }
    ++matched;
  }
  result.complete = matched == n && variables == n;
  return result;
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
Offsets smallest_offsets(const Signature& signature, int variables, const Transversal& with) {
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
