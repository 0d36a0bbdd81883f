// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/paired_ordering.hpp"

#include <amd.h>

#include <algorithm>
#include <array>
#include <new>

#include "kernel/at.hpp"

namespace daedalus {
namespace {

// Neighbours of both kinds: rows of a column, columns of a row.
std::vector<std::vector<int>> rows_of(const SparsePattern& p) {
  std::vector<std::vector<int>> columns(at(p.rows));
  for (int c = 0; c < p.cols; ++c)
    for (int k = p.start[at(c)]; k < p.start[at(c + 1)]; ++k)
      columns[at(p.row[at(k)])].push_back(c);
  return columns;
}

// Pairs each unknown without a diagonal entry with the neighbour that fewest others could take.
std::vector<int> partners(const SparsePattern& p) {
  const int n = p.cols;
  std::vector<char> diagonal(at(n), 0);
  for (int c = 0; c < n; ++c) diagonal[at(c)] = p.find(c, c) >= 0;
  std::vector<int> wanted(at(n), 0), partner(at(n), -1);
  const auto candidates = [&](int c, auto&& visit) {
    for (int k = p.start[at(c)]; k < p.start[at(c + 1)]; ++k)
      if (const int r = p.row[at(k)]; diagonal[at(r)] && p.find(c, r) >= 0) visit(r);
  };
  for (int c = 0; c < n; ++c)
    if (!diagonal[at(c)]) candidates(c, [&](int r) { ++wanted[at(r)]; });
  for (int c = 0; c < n; ++c) {
    if (diagonal[at(c)]) continue;
    int best = -1;
    candidates(c, [&](int r) {
      if (partner[at(r)] < 0 && (best < 0 || wanted[at(r)] < wanted[at(best)])) best = r;
    });
    if (best < 0) continue;
    partner[at(c)] = best;
    partner[at(best)] = c;
  }
  return partner;
}

}  // namespace

PairedOrdering paired_ordering(const SparsePattern& p) {
  const int n = p.cols;
  PairedOrdering result;
  const std::vector<int> partner = partners(p);
  std::vector<std::array<int, 2>> members;
  std::vector<int> group(at(n), -1);
  for (int c = 0; c < n; ++c) {
    if (group[at(c)] >= 0) continue;
    const int other = partner[at(c)];
    group[at(c)] = static_cast<int>(members.size());
    if (other >= 0) {
      group[at(other)] = group[at(c)];
      ++result.pairs;
    }
    const bool first = other < 0 || p.find(c, c) >= 0;
    members.push_back(first ? std::array{c, other} : std::array{other, c});
  }
  if (result.pairs == 0) return result;

  // The graph of the groups: the union of the members' neighbours, each once.
  const std::vector<std::vector<int>> columns = rows_of(p);
  const int count = static_cast<int>(members.size());
  std::vector<int> start{0}, neighbours, seen(at(count), -1);
  for (int g = 0; g < count; ++g) {
    seen[at(g)] = g;
    for (const int c : members[at(g)]) {
      if (c < 0) continue;
      const auto add = [&](int other) {
        if (seen[at(group[at(other)])] == g) return;
        seen[at(group[at(other)])] = g;
        neighbours.push_back(group[at(other)]);
      };
      for (int k = p.start[at(c)]; k < p.start[at(c + 1)]; ++k) add(p.row[at(k)]);
      for (const int other : columns[at(c)]) add(other);
    }
    std::sort(neighbours.begin() + start.back(), neighbours.end());
    start.push_back(static_cast<int>(neighbours.size()));
  }
  std::vector<int> order(at(count));
  std::array<double, AMD_CONTROL> control{};
  std::array<double, AMD_INFO> info{};
  amd_defaults(control.data());
  const int status =
      amd_order(count, start.data(), neighbours.data(), order.data(), control.data(), info.data());
  if (status == AMD_OUT_OF_MEMORY) throw std::bad_alloc();
  const double members_each = static_cast<double>(n) / count;
  result.entries = info[AMD_LNZ] * members_each * members_each;
  result.operations =
      (info[AMD_NDIV] + 2.0 * info[AMD_NMULTSUBS_LU]) * members_each * members_each * members_each;
  for (const int g : order)
    for (const int c : members[at(g)])
      if (c >= 0) result.order.push_back(c);
  return result;
}

}  // namespace daedalus
