// SPDX-License-Identifier: BSD-3-Clause
// Trees of index-2 systems: how many there are, their canonical forms, order, symmetry and Pi.
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include <daedalus/types.hpp>

#include "lab/index2_trees.hpp"

namespace daedalus::analysis {
namespace {

std::vector<int> counts(Index2Root root) {
  const Index2Trees& trees = all_index2_trees();
  std::vector<int> result;
  for (int p = 1; p <= trees.max_order(root); ++p)
    result.push_back(static_cast<int>(trees.of(root, p).size()));
  return result;
}

TEST(Index2Trees, Counts) {
  EXPECT_EQ(counts(Index2Root::y), (std::vector<int>{1, 3, 22, 192, 1972, 22057}));
  EXPECT_EQ(counts(Index2Root::z), (std::vector<int>{2, 13, 112, 1131, 12579}));
  std::vector<int> plain;
  for (int p = 1; p <= 6; ++p)
    plain.push_back(static_cast<int>(all_index2_trees().plain(p).size()));
  EXPECT_EQ(plain, (std::vector<int>{1, 1, 9, 80, 841, 9478}));
  // The trees without fat vertex are Butcher's: 1, 1, 2, 4, 9, 20.
  std::vector<int> classical(6);
  for (int tree = 0; tree < all_index2_trees().size(); ++tree)
    if (all_index2_trees()[tree].classical) ++classical[all_index2_trees()[tree].order - 1];
  EXPECT_EQ(classical, (std::vector<int>{1, 1, 2, 4, 9, 20}));
}

// The same numbers without any tree, by series. With Y_p and Z_p trees of order p, the forests of
// trees of T_y and T_z have the generating function of multisets; a fat vertex takes one from the
// order of a forest of T_y, from which the single trees tau and f[u] are left out.
TEST(Index2Trees, CountsByTheEulerTransform) {
  constexpr int most = 6;
  std::vector<long long> y(most + 2), z(most + 2);
  // Multisets of total order n, given how many trees there are of every order.
  const auto multisets = [](const std::vector<long long>& trees, int n) {
    std::vector<long long> result(n + 1);
    result[0] = 1;
    for (int m = 1; m <= n; ++m) {
      long long sum = 0;
      for (int k = 1; k <= m; ++k) {
        long long divisors = 0;
        for (int d = 1; d <= k; ++d)
          if (k % d == 0) divisors += d * trees[d];
        sum += divisors * result[m - k];
      }
      result[m] = sum / m;
    }
    return result[n];
  };
  y[1] = 1;
  for (int p = 2; p <= most; ++p) {
    std::vector<long long> all(most + 2);
    for (int k = 1; k < p; ++k) all[k] = y[k] + z[k];  // z[p-1] is still zero
    const long long plain = multisets(all, p - 1);
    y[p] = plain;  // only those may stand alone below a fat vertex
    z[p - 1] = multisets(y, p);
    y[p] = plain + z[p - 1];
  }
  const std::vector<int> found_y = counts(Index2Root::y), found_z = counts(Index2Root::z);
  for (int p = 1; p <= most; ++p) EXPECT_EQ(found_y[p - 1], y[p]) << p;
  for (int p = 1; p < most; ++p) EXPECT_EQ(found_z[p - 1], z[p]) << p;
}

TEST(Index2Trees, CanonicalFormsAreDifferentAndReadable) {
  const Index2Trees& trees = all_index2_trees();
  std::set<std::string> texts;
  for (int tree = 0; tree < trees.size(); ++tree) {
    const std::string text = trees.text(tree);
    EXPECT_TRUE(texts.insert(text).second) << text;
    ASSERT_EQ(trees.find(text), tree) << text;
  }
  EXPECT_EQ(trees.find("f[g[f,f],f]"), trees.find("f[f,g[f,f]]"));
  EXPECT_EQ(trees.text(trees.find("f[g[f[f],f],f]")), "f[f,g[f,f[f]]]");
  // No trees: the fat vertex needs two subtrees, or one that is neither tau nor f[u].
  for (const char* text : {"g", "g[f]", "g[f[g[f,f]]]", "g[g[f,f],f]", "f[", "f[f", "f]", "f[f]f",
                           "h", "", "f[g[f]]", "f[f,]"})
    EXPECT_EQ(trees.find(text), -1) << text;
}

// Orders and products straight from the text: f counts one, g takes one away; 1/rho for f, rho + 1
// for g.
TEST(Index2Trees, OrderAndPiOfEveryTree) {
  const Index2Trees& trees = all_index2_trees();
  std::function<std::pair<int, double>(const std::string&, std::size_t&)> read =
      [&](const std::string& text, std::size_t& at) {
        const bool meagre = text[at++] == 'f';
        int order = meagre ? 1 : -1;
        double pi = 1;
        if (at < text.size() && text[at] == '[') {
          do {
            ++at;
            const auto [below, factor] = read(text, at);
            order += below;
            pi *= factor;
          } while (text[at] == ',');
          ++at;
        }
        return std::pair(order, meagre ? pi / order : pi * (order + 1));
      };
  for (int tree = 0; tree < trees.size(); ++tree) {
    std::size_t at = 0;
    const auto [order, pi] = read(trees.text(tree), at);
    const Index2Tree& t = trees[tree];
    ASSERT_EQ(t.order, order) << trees.text(tree);
    ASSERT_NEAR(static_cast<double>(t.numerator) / static_cast<double>(t.denominator), pi,
                1e-14 * pi);
  }
}

// Arnold (1998), Example 20: both trees have order 6 and Pi = 1/6.
TEST(Index2Trees, ExampleTwenty) {
  const Index2Trees& trees = all_index2_trees();
  for (const char* text : {"f[f[g[f,f,f[f]]],g[f,f]]", "f[f,f,f[f],g[f,f]]"}) {
    const int tree = trees.find(text);
    ASSERT_GE(tree, 0) << text;
    EXPECT_EQ(trees[tree].order, 6);
    EXPECT_EQ(trees[tree].numerator, 1);
    EXPECT_EQ(trees[tree].denominator, 6);
    EXPECT_FALSE(trees[tree].chain);
  }
}

TEST(Index2Trees, Symmetries) {
  const Index2Trees& trees = all_index2_trees();
  const auto symmetry = [&](const char* text) { return trees[trees.find(text)].symmetry; };
  EXPECT_EQ(symmetry("f"), 1);
  EXPECT_EQ(symmetry("f[f,f,f]"), 6);
  EXPECT_EQ(symmetry("f[f,f[f]]"), 1);
  EXPECT_EQ(symmetry("f[f[f],f[f]]"), 2);
  EXPECT_EQ(symmetry("f[g[f,f],g[f,f]]"), 2 * 2 * 2);
  EXPECT_EQ(symmetry("f[f,f,f[f],g[f,f]]"), 2 * 2);
  EXPECT_EQ(symmetry("g[f[f,f],f[f,f]]"), 2 * 2 * 2);
}

TEST(Index2Trees, FormsThatCountLater) {
  const Index2Trees& trees = all_index2_trees();
  const auto chain = [&](const char* text) { return trees[trees.find(text)].chain; };
  EXPECT_TRUE(chain("f[g[f,f]]"));
  EXPECT_FALSE(chain("f[f]"));
  EXPECT_FALSE(chain("f[f[g[f,f]]]"));
  EXPECT_FALSE(chain("f[f,g[f,f]]"));
  EXPECT_FALSE(chain("g[f,f]"));
}

TEST(Index2Trees, OrdersBeyondTheTablesAreRefused) {
  EXPECT_THROW(Index2Trees(0), InvalidArgument);
  EXPECT_THROW(Index2Trees(7), InvalidArgument);
  EXPECT_EQ(Index2Trees(3).of(Index2Root::y, 3).size(), 22u);
}

}  // namespace
}  // namespace daedalus::analysis
