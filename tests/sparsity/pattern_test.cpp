// SPDX-License-Identifier: BSD-3-Clause
#include "function/pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace daedalus {
namespace {

SparsePattern from_columns(int rows, const std::vector<std::set<int>>& columns) {
  SparsePattern p{rows, static_cast<int>(columns.size()), {0}, {}};
  for (const auto& column : columns) {
    p.row.insert(p.row.end(), column.begin(), column.end());
    p.start.push_back(p.nonzeros());
  }
  return p;
}

SparsePattern random_pattern(int rows, int cols, double density, std::mt19937& generator) {
  std::vector<std::set<int>> columns(cols);
  std::bernoulli_distribution present(density);
  for (auto& column : columns)
    for (int r = 0; r < rows; ++r)
      if (present(generator)) column.insert(r);
  return from_columns(rows, columns);
}

SparsePattern banded(int n, int half_width) {
  SparsePattern p{n, n, {0}, {}};
  for (int c = 0; c < n; ++c) {
    for (int r = std::max(0, c - half_width); r <= std::min(n - 1, c + half_width); ++r)
      p.row.push_back(r);
    p.start.push_back(p.nonzeros());
  }
  return p;
}

// A function with a known pattern that counts how often it is asked.
struct Oracle {
  const SparsePattern& truth;
  int probes = 0;

  std::optional<SparsePattern> detect() {
    return detect_pattern(truth.rows, truth.cols, [this](auto lane, auto hits) {
      ++probes;
      for (int c = 0; c < truth.cols; ++c)
        if (lane[c] >= 0)
          for (int k = truth.start[c]; k < truth.start[c + 1]; ++k)
            hits[truth.row[k]] |= static_cast<unsigned char>(1u << lane[c]);
      return true;
    });
  }
};

void expect_equal(const SparsePattern& found, const SparsePattern& truth) {
  EXPECT_EQ(found.rows, truth.rows);
  EXPECT_EQ(found.cols, truth.cols);
  EXPECT_EQ(found.start, truth.start);
  EXPECT_EQ(found.row, truth.row);
}

TEST(DetectPattern, RandomPatternsAreReproducedExactly) {
  std::mt19937 generator(79);
  for (const auto& [rows, cols] :
       {std::pair{1, 1}, {7, 3}, {3, 11}, {40, 40}, {25, 90}, {200, 150}})
    for (const double density : {0.0, 0.01, 0.1, 0.5, 1.0}) {
      const SparsePattern truth = random_pattern(rows, cols, density, generator);
      Oracle oracle{truth};
      const auto found = oracle.detect();
      ASSERT_TRUE(found);
      expect_equal(*found, truth);
      // Never worse than asking four columns at a time, but for the levels that taught nothing
      // (1/32 per column and the level that exceeds it) and the first two.
      EXPECT_LE(oracle.probes, 0.5 * cols + 4) << rows << " x " << cols << ", " << density;
    }
}

// One probe per halving: neighbours only touch neighbours, so four marks go round.
TEST(DetectPattern, TridiagonalNeedsLogarithmicallyManyProbes) {
  for (const auto& [n, limit] : {std::pair{1000, 60}, {100000, 120}}) {
    const SparsePattern truth = banded(n, 1);
    Oracle oracle{truth};
    const auto found = oracle.detect();
    ASSERT_TRUE(found);
    expect_equal(*found, truth);
    EXPECT_LT(oracle.probes, limit);
    RecordProperty("probes", oracle.probes);
  }
}

TEST(DetectPattern, FullMatrixCostsAQuarterProbePerColumn) {
  for (const int n : {20, 1000}) {
    const SparsePattern truth = SparsePattern::dense(n, n);
    Oracle oracle{truth};
    const auto found = oracle.detect();
    ASSERT_TRUE(found);
    expect_equal(*found, truth);
    EXPECT_GE(oracle.probes, n / 4);  // four marks tell four columns apart, no more
    EXPECT_LE(oracle.probes, n / 4 + n / 8 + 4);
  }
}

// A permuted band hides its neighbourhoods from contiguous groups; a grid has far neighbours.
TEST(DetectPattern, ShuffledAndTwoDimensional) {
  std::mt19937 generator(83);
  const int n = 400;
  std::vector<int> shuffled(n);
  for (int i = 0; i < n; ++i) shuffled[i] = i;
  std::shuffle(shuffled.begin(), shuffled.end(), generator);
  std::vector<std::set<int>> band(n), grid(n);
  for (int c = 0; c < n; ++c) {
    for (int r = std::max(0, c - 1); r <= std::min(n - 1, c + 1); ++r)
      band[shuffled[c]].insert(shuffled[r]);
    for (const int r : {c - 20, c - 1, c, c + 1, c + 20})
      if (r >= 0 && r < n && (std::abs(r - c) != 1 || r / 20 == c / 20)) grid[c].insert(r);
  }
  const SparsePattern shuffled_band = from_columns(n, band),
                      two_dimensional = from_columns(n, grid);
  for (const SparsePattern* truth : {&shuffled_band, &two_dimensional}) {
    Oracle oracle{*truth};
    const auto found = oracle.detect();
    ASSERT_TRUE(found);
    expect_equal(*found, *truth);
    EXPECT_LT(oracle.probes, n / 4);
  }
}

TEST(DetectPattern, EmptyShapes) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 3}, {3, 0}}) {
    const SparsePattern truth = SparsePattern::dense(rows, cols);
    Oracle oracle{truth};
    const auto found = oracle.detect();
    ASSERT_TRUE(found);
    expect_equal(*found, truth);
    EXPECT_EQ(oracle.probes, 0);
  }
}

TEST(DetectPattern, GivesUpWhenAProbeFails) {
  int probes = 0;
  const auto failing = [&](auto, auto hits) {
    std::fill(hits.begin(), hits.end(), static_cast<unsigned char>(15));
    return ++probes < 3;
  };
  EXPECT_FALSE(detect_pattern(50, 50, failing));
  EXPECT_EQ(probes, 3);
}

}  // namespace
}  // namespace daedalus
