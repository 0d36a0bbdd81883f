#include "analysis/structure_signature.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace daedalus {
namespace {

std::size_t place(int i) { return static_cast<std::size_t>(i); }
constexpr int unreached = 1 << 28;

}  // namespace

Transversal largest_transversal(const Signature& signature, int variables) {
  const int n = static_cast<int>(signature.size());
  Transversal result{std::vector<int>(place(n), -1), std::vector<int>(place(variables), -1), false};
  // Costs 1 - sigma >= 0, reduced by potentials to costs >= 0 that vanish on the matching.
  std::vector<int> of_row(place(n), 0), of_column(place(variables), 0);
  std::vector<int> distance(place(variables)), from(place(variables));
  int matched = 0;
  using Item = std::pair<int, int>;  // distance, variable
  for (int start = 0; start < n; ++start) {
    std::fill(distance.begin(), distance.end(), unreached);
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    std::vector<int> done;
    // The potential of an unmatched row is free: its smallest reduced cost becomes zero.
    int least = unreached;
    for (const SignatureRow& e : signature[place(start)])
      least = std::min(least, 1 - e.order - of_column[place(e.variable)]);
    of_row[place(start)] = least == unreached ? 0 : least;
    const auto scan = [&](int row, int so_far) {
      for (const SignatureRow& e : signature[place(row)]) {
        const int d = so_far + 1 - e.order - of_row[place(row)] - of_column[place(e.variable)];
        if (d >= distance[place(e.variable)]) continue;
        distance[place(e.variable)] = d;
        from[place(e.variable)] = row;
        queue.emplace(d, e.variable);
      }
    };
    scan(start, 0);
    int end = -1;
    std::vector<char> settled(place(variables), 0);
    while (!queue.empty()) {
      const auto [d, j] = queue.top();
      queue.pop();
      if (settled[place(j)]) continue;
      settled[place(j)] = 1;
      if (result.equation_of[place(j)] < 0) {
        end = j;
        break;
      }
      done.push_back(j);
      scan(result.equation_of[place(j)], d);
    }
    if (end < 0) continue;
    const int length = distance[place(end)];
    of_row[place(start)] += length;
    for (const int j : done) {
      of_row[place(result.equation_of[place(j)])] += length - distance[place(j)];
      of_column[place(j)] -= length - distance[place(j)];
    }
    for (int j = end; j >= 0;) {
      const int row = from[place(j)], before = result.variable_of[place(row)];
      result.variable_of[place(row)] = j;
      result.equation_of[place(j)] = row;
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
    if (with.variable_of[place(i)] < 0) part.equations.push_back(i);
  for (std::size_t k = 0; k < part.equations.size(); ++k)
    for (const SignatureRow& e : signature[place(part.equations[k])]) {
      if (seen[place(e.variable)]) continue;
      seen[place(e.variable)] = 1;
      part.variables.push_back(e.variable);
      if (const int row = with.equation_of[place(e.variable)]; row >= 0)
        part.equations.push_back(row);
    }
  std::sort(part.equations.begin(), part.equations.end());
  std::sort(part.variables.begin(), part.variables.end());
  return part;
}

StructuralAnalysis::Block underdetermined_part(const Signature& signature, int variables,
                                               const Transversal& with) {
  StructuralAnalysis::Block part;
  std::vector<std::vector<int>> rows_of(place(variables));
  for (int i = 0; i < static_cast<int>(signature.size()); ++i)
    for (const SignatureRow& e : signature[place(i)]) rows_of[place(e.variable)].push_back(i);
  std::vector<char> seen(signature.size(), 0);
  for (int j = 0; j < variables; ++j)
    if (with.equation_of[place(j)] < 0) part.variables.push_back(j);
  for (std::size_t k = 0; k < part.variables.size(); ++k)
    for (const int row : rows_of[place(part.variables[k])]) {
      if (seen[place(row)]) continue;
      seen[place(row)] = 1;
      part.equations.push_back(row);
      if (const int j = with.variable_of[place(row)]; j >= 0) part.variables.push_back(j);
    }
  std::sort(part.equations.begin(), part.equations.end());
  std::sort(part.variables.begin(), part.variables.end());
  return part;
}

// From c = 0 upwards; the smallest solution is the only fixed point that is reached (Pryce 2001,
// algorithm 3.1).
Offsets smallest_offsets(const Signature& signature, int variables, const Transversal& with) {
  Offsets o{std::vector<int>(signature.size(), 0), std::vector<int>(place(variables), 0)};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < signature.size(); ++i)
      for (const SignatureRow& e : signature[i])
        o.d[place(e.variable)] = std::max(o.d[place(e.variable)], e.order + o.c[i]);
    for (std::size_t i = 0; i < signature.size(); ++i)
      for (const SignatureRow& e : signature[i]) {
        if (e.variable != with.variable_of[i]) continue;
        const int c = o.d[place(e.variable)] - e.order;
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
  std::vector<std::vector<int>> needs(place(n));
  for (int i = 0; i < n; ++i)
    for (const SignatureRow& e : signature[place(i)])
      if (offsets.d[place(e.variable)] - offsets.c[place(i)] == e.order)
        if (const int owner = with.equation_of[place(e.variable)]; owner != i)
          needs[place(i)].push_back(owner);
  std::vector<StructuralAnalysis::Block> blocks;
  std::vector<int> number(place(n), -1), low(place(n), 0), stack;
  std::vector<char> open(place(n), 0);
  struct Visit {
    int equation;
    std::size_t next;
  };
  int count = 0;
  for (int root = 0; root < n; ++root) {
    if (number[place(root)] >= 0) continue;
    std::vector<Visit> path{{root, 0}};
    while (!path.empty()) {
      const int i = path.back().equation;
      if (path.back().next == 0) {
        number[place(i)] = low[place(i)] = count++;
        stack.push_back(i);
        open[place(i)] = 1;
      }
      if (path.back().next < needs[place(i)].size()) {
        const int k = needs[place(i)][path.back().next++];
        if (number[place(k)] < 0)
          path.push_back({k, 0});
        else if (open[place(k)])
          low[place(i)] = std::min(low[place(i)], number[place(k)]);
        continue;
      }
      path.pop_back();
      if (!path.empty())
        low[place(path.back().equation)] =
            std::min(low[place(path.back().equation)], low[place(i)]);
      if (low[place(i)] != number[place(i)]) continue;
      StructuralAnalysis::Block block;
      for (int k = -1; k != i;) {
        k = stack.back();
        stack.pop_back();
        open[place(k)] = 0;
        block.equations.push_back(k);
        block.variables.push_back(with.variable_of[place(k)]);
      }
      std::sort(block.equations.begin(), block.equations.end());
      std::sort(block.variables.begin(), block.variables.end());
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

}  // namespace daedalus
