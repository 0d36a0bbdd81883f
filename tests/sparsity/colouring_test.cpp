// SPDX-License-Identifier: BSD-3-Clause
#include "function/colouring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace daedalus {
namespace {

// Columns of one colour share no row, empty columns have none, and every colour occurs.
bool valid(const SparsePattern& p, const Colouring& colouring) {
  if (colouring.colour.size() != static_cast<std::size_t>(p.cols)) return false;
  std::vector<std::vector<bool>> used(p.rows, std::vector<bool>(colouring.colours, false));
  std::vector<bool> occurs(colouring.colours, false);
  for (int c = 0; c < p.cols; ++c) {
    const int colour = colouring.colour[c];
    const bool empty = p.start[c] == p.start[c + 1];
    if (empty != (colour == -1) || colour >= colouring.colours) return false;
    if (empty) continue;
    occurs[colour] = true;
    for (int k = p.start[c]; k < p.start[c + 1]; ++k) {
      if (used[p.row[k]][colour]) return false;
      used[p.row[k]][colour] = true;
    }
  }
  return std::all_of(occurs.begin(), occurs.end(), [](bool b) { return b; });
}

template <class Present>
SparsePattern pattern_where(int rows, int cols, Present present) {
  SparsePattern p{rows, cols, {0}, {}};
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r)
      if (present(r, c)) p.row.push_back(r);
    p.start.push_back(p.nonzeros());
  }
  return p;
}

int longest_row(const SparsePattern& p) {
  std::vector<int> length(p.rows, 0);
  for (const int r : p.row) ++length[r];
  return length.empty() ? 0 : *std::max_element(length.begin(), length.end());
}

TEST(Colouring, ValidOnRandomPatterns) {
  std::mt19937 generator(89);
  for (const double density : {0.0, 0.005, 0.02, 0.1, 0.6, 1.0})
    for (const auto& [rows, cols] : {std::pair{1, 1}, {30, 30}, {20, 70}, {70, 20}, {100, 600}}) {
      std::bernoulli_distribution draw(density);
      const auto p = pattern_where(rows, cols, [&](int, int) { return draw(generator); });
      const Colouring colouring = colour_columns(p);
      EXPECT_TRUE(valid(p, colouring)) << rows << " x " << cols << ", " << density;
      EXPECT_GE(colouring.colours, longest_row(p));
      EXPECT_LE(colouring.colours, cols);
    }
}

TEST(Colouring, TheValidityCheckSeesAConflict) {
  const auto p = pattern_where(9, 9, [](int r, int c) { return std::abs(r - c) <= 1; });
  Colouring colouring = colour_columns(p);
  ASSERT_TRUE(valid(p, colouring));
  colouring.colour[4] = colouring.colour[5];
  EXPECT_FALSE(valid(p, colouring));
}

TEST(Colouring, BandsNeedTheirWidth) {
  for (const int half_width : {0, 1, 2, 5}) {
    const auto p =
        pattern_where(50, 50, [&](int r, int c) { return std::abs(r - c) <= half_width; });
    const Colouring colouring = colour_columns(p);
    EXPECT_TRUE(valid(p, colouring));
    EXPECT_EQ(colouring.colours, 2 * half_width + 1);  // the length of an inner row
  }
}

TEST(Colouring, ArrowMatrices) {
  // A full row ties all columns together; a full column alone ties it to each other one.
  const auto full_row = pattern_where(40, 40, [](int r, int c) { return r == c || r == 39; });
  EXPECT_EQ(colour_columns(full_row).colours, 40);
  const auto full_column = pattern_where(40, 40, [](int r, int c) { return r == c || c == 39; });
  const Colouring two = colour_columns(full_column);
  EXPECT_TRUE(valid(full_column, two));
  EXPECT_EQ(two.colours, 2);
}

TEST(Colouring, LargestFirstHelpsWhereNaturalOrderFails) {
  // Path a - b - c - d in the order a, d, b, c: natural order uses three colours, two suffice.
  // Rows: edge ab, edge bc, edge cd; columns in the order a, d, b, c.
  SparsePattern path{3, 4, {0, 1, 2, 4, 6}, {0, 2, 0, 1, 1, 2}};
  const Colouring colouring = colour_columns(path);
  EXPECT_TRUE(valid(path, colouring));
  EXPECT_EQ(colouring.colours, 2);
}

TEST(Colouring, EmptyColumnsAndShapes) {
  const auto p = pattern_where(3, 5, [](int r, int c) { return c == 2 && r == 1; });
  const Colouring colouring = colour_columns(p);
  EXPECT_EQ(colouring.colours, 1);
  EXPECT_EQ(colouring.colour, (std::vector<int>{-1, -1, 0, -1, -1}));
  EXPECT_EQ(colour_columns(SparsePattern{0, 0, {0}, {}}).colours, 0);
  EXPECT_EQ(colour_columns(SparsePattern{2, 2, {0, 0, 0}, {}}).colours, 0);
}

// Rows of more than 256 entries keep their colours as bit sets: half of the columns in one row, a
// third in another.
TEST(Colouring, LongRows) {
  const int n = 2000;
  const auto p = pattern_where(n, n, [](int r, int c) {
    return r == c || (r == 7 && c % 2 == 0) || (r == n - 1 && c % 3 == 0);
  });
  const Colouring colouring = colour_columns(p);
  EXPECT_TRUE(valid(p, colouring));
  EXPECT_EQ(colouring.colours, longest_row(p));  // row 7: 1000 even columns and its diagonal
  EXPECT_EQ(colouring.colours, 1001);
}

}  // namespace
}  // namespace daedalus
