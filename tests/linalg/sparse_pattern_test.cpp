// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_pattern.hpp"

#include <gtest/gtest.h>

#include <random>

#include "daedalus/types.hpp"
#include "random_systems.hpp"

namespace daedalus {
namespace {

TEST(SparsePattern, FindsEveryEntryAndNothingElse) {
  const SparsePattern p{3, 2, {0, 2, 3}, {0, 2, 1}};
  EXPECT_EQ(p.find(0, 0), 0);
  EXPECT_EQ(p.find(2, 0), 1);
  EXPECT_EQ(p.find(1, 1), 2);
  for (const auto& [r, c] : {std::pair{1, 0}, {0, 1}, {2, 1}, {-1, 0}, {3, 0}, {0, 2}, {0, -1}})
    EXPECT_EQ(p.find(r, c), -1) << r << ", " << c;
  EXPECT_DOUBLE_EQ(p.density(), 0.5);  // 3 of 6
}

TEST(SparsePattern, DenseAndIdentity) {
  const SparsePattern d = SparsePattern::dense(2, 3);
  EXPECT_EQ(d.nonzeros(), 6);
  EXPECT_EQ(d.start, (std::vector<int>{0, 2, 4, 6}));
  EXPECT_EQ(d.find(1, 2), 5);
  const SparsePattern i = SparsePattern::identity(3);
  EXPECT_EQ(i.nonzeros(), 3);
  EXPECT_EQ(i.find(1, 1), 1);
  EXPECT_EQ(i.find(0, 1), -1);
  EXPECT_EQ(SparsePattern::dense(0, 0).density(), 0.0);
}

TEST(SparsePattern, UnionHoldsBothAndMapsPointHome) {
  std::mt19937 generator(11);
  for (int trial = 0; trial < 20; ++trial) {
    const auto a = testing::random_system(9, 1.5, generator).pattern;
    const auto b = testing::random_system(9, 1.5, generator).pattern;
    std::vector<int> map_a, map_b;
    const SparsePattern u = unite(a, b, &map_a, &map_b);
    int expected = 0;
    for (int c = 0; c < 9; ++c)
      for (int r = 0; r < 9; ++r) {
        const bool in_either = a.find(r, c) >= 0 || b.find(r, c) >= 0;
        expected += in_either;
        EXPECT_EQ(u.find(r, c) >= 0, in_either);
        if (a.find(r, c) >= 0) {
          EXPECT_EQ(map_a[a.find(r, c)], u.find(r, c));
        }
        if (b.find(r, c) >= 0) {
          EXPECT_EQ(map_b[b.find(r, c)], u.find(r, c));
        }
      }
    EXPECT_EQ(u.nonzeros(), expected);
  }
}

TEST(SparsePattern, UnionOfDifferentSizesIsMisuse) {
  EXPECT_THROW(unite(SparsePattern::identity(2), SparsePattern::identity(3)), InvalidArgument);
}

}  // namespace
}  // namespace daedalus
