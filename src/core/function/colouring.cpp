// SPDX-License-Identifier: BSD-3-Clause
#include "function/colouring.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace daedalus {
namespace {

// The colours that the columns of one row have taken. A long row would be walked once per column,
// quadratic in its length; as a bit set it costs a sixty-fourth of that.
struct RowColours {
  bool long_row = false;
  std::vector<int> list;
  std::vector<std::uint64_t> bits;

  void add(int colour) {
    if (!long_row) {
      list.push_back(colour);
      return;
    }
    const std::size_t word = colour / 64;
    if (bits.size() <= word) bits.resize(word + 1);
    bits[word] |= std::uint64_t{1} << (colour % 64);
  }
  std::uint64_t word(std::size_t w) const { return w < bits.size() ? bits[w] : 0; }
};

// Colours of longer rows are kept as bits: a list would be walked for every column.
constexpr int long_row_length = 256;

Colouring greedy_in_words(const SparsePattern& p, const std::vector<int>& order);

Colouring greedy(const SparsePattern& p, const std::vector<int>& order,
                 const std::vector<int>& row_length) {
  // A column never needs a colour beyond the number of columns before it.
  if (p.cols <= 64) return greedy_in_words(p, order);
  Colouring result{0, std::vector<int>(p.cols, -1)};
  std::vector<RowColours> rows(p.rows);
  for (int r = 0; r < p.rows; ++r) rows[r].long_row = row_length[r] > long_row_length;
  std::vector<int> taken_by(p.cols, -1);  // colour -> column that must not use it
  std::vector<const RowColours*> long_rows;
  for (const int c : order) {
    long_rows.clear();
    for (int k = p.start[c]; k < p.start[c + 1]; ++k) {
      const RowColours& row = rows[p.row[k]];
      for (const int colour : row.list) taken_by[colour] = c;
      if (row.long_row) long_rows.push_back(&row);
    }
    int colour = -1;
    for (std::size_t w = 0; colour < 0; ++w) {
      std::uint64_t taken = 0;
      for (const RowColours* row : long_rows) taken |= row->word(w);
      for (int bit = 0; bit < 64 && colour < 0; ++bit) {
        const int candidate = static_cast<int>(64 * w) + bit;
        if (!(taken >> bit & 1) && taken_by[candidate] != c) colour = candidate;
      }
    }
    result.colour[c] = colour;
    result.colours = std::max(result.colours, colour + 1);
    for (int k = p.start[c]; k < p.start[c + 1]; ++k) rows[p.row[k]].add(colour);
  }
  return result;
}

// The same where all colours of a row are bits of one word.
Colouring greedy_in_words(const SparsePattern& p, const std::vector<int>& order) {
  Colouring result{0, std::vector<int>(p.cols, -1)};
  std::vector<std::uint64_t> rows(p.rows, 0);
  for (const int c : order) {
    std::uint64_t taken = 0;
    for (int k = p.start[c]; k < p.start[c + 1]; ++k) taken |= rows[p.row[k]];
    const int colour = std::countr_one(taken);
    result.colour[c] = colour;
    result.colours = std::max(result.colours, colour + 1);
    for (int k = p.start[c]; k < p.start[c + 1]; ++k) rows[p.row[k]] |= std::uint64_t{1} << colour;
  }
  return result;
}

}  // namespace

Colouring colour_columns(const SparsePattern& p) {
  std::vector<int> row_length(p.rows, 0);
  for (const int r : p.row) ++row_length[r];
  std::vector<int> order;
  order.reserve(p.cols);
  for (int c = 0; c < p.cols; ++c)
    if (p.start[c + 1] > p.start[c]) order.push_back(c);
  if (order.empty()) return {0, std::vector<int>(p.cols, -1)};

  const int longest = *std::max_element(row_length.begin(), row_length.end());
  if (longest == static_cast<int>(order.size())) {
    Colouring all_different{longest, std::vector<int>(p.cols, -1)};
    for (int k = 0; k < longest; ++k) all_different.colour[order[k]] = k;
    return all_different;
  }
  Colouring natural = greedy(p, order, row_length);
  if (natural.colours == longest) return natural;  // no colouring can do with fewer

  // Neighbours counted once per shared row: an upper bound of the degree that costs one sweep.
  std::vector<long> degree(p.cols, 0);
  for (int c = 0; c < p.cols; ++c)
    for (int k = p.start[c]; k < p.start[c + 1]; ++k) degree[c] += row_length[p.row[k]] - 1;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return degree[a] > degree[b]; });
  Colouring sorted = greedy(p, order, row_length);
  return sorted.colours < natural.colours ? sorted : natural;
}

}  // namespace daedalus
