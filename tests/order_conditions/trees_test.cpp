// SPDX-License-Identifier: BSD-3-Clause
// Numbers, shapes and names of the generated trees.
#include "lab/da_trees.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace daedalus::analysis {
namespace {

TEST(DaTrees, CountsOfRoche) {
  const TreeSet& trees = all_trees(TreeFamily::da);
  const std::vector<int> y{1, 2, 10, 56, 372}, z{1, 5, 28, 186, 1326};
  for (int order = 1; order <= 5; ++order) {
    EXPECT_EQ(trees.count(order, Vertex::thin), y[order - 1]) << "order " << order;
    EXPECT_EQ(trees.count(order, Vertex::fat), z[order - 1]) << "order " << order;
  }
}

// Number of multisets of total order n when there are kinds[k] things of order k (Euler transform).
std::vector<long> multisets(const std::vector<long>& kinds, int largest) {
  std::vector<long> result(largest + 1, 0);
  result[0] = 1;
  for (int n = 1; n <= largest; ++n) {
    long sum = 0;
    for (int k = 1; k <= n; ++k) {
      long divisors = 0;
      for (int d = 1; d <= k; ++d) {
        if (k % d == 0) divisors += d * kinds[d];
      }
      sum += divisors * result[n - k];
    }
    result[n] = sum / n;
  }
  return result;
}

TEST(DaTrees, CountsAgreeWithTheEulerTransformUpToOrderSix) {
  const TreeSet& trees = all_trees(TreeFamily::da);
  std::vector<long> kinds(TreeSet::max_known_order + 1, 0);
  for (int n = 1; n <= TreeSet::max_known_order; ++n) {
    const long y = multisets(kinds, n - 1)[n - 1];
    const long z = y + multisets(kinds, n)[n];  // kinds[n] is still zero: two or more children
    EXPECT_EQ(trees.count(n, Vertex::thin), y) << "order " << n;
    EXPECT_EQ(trees.count(n, Vertex::fat), z) << "order " << n;
    kinds[n] = y + z;
  }
}

TEST(DaTrees, OrderTwoByName) {
  const TreeSet& trees = all_trees(TreeFamily::da);
  std::set<std::string> found;
  for (int tree = 0; tree < trees.size(); ++tree) {
    if (trees.order(tree) == 2) found.insert(trees.text(tree));
  }
  const std::set<std::string> expected{"f[f]",   "f[g[f]]",   "g[f[f]]",     "g[f[g[f]]]",
                                       "g[f,f]", "g[f,g[f]]", "g[g[f],g[f]]"};
  EXPECT_EQ(found, expected);
}

int thin_vertices(const std::string& text) {
  int count = 0;
  for (const char letter : text) count += letter == 'f';
  return count;
}

TEST(DaTrees, EachTreeOnceChildrenFirstNoFatVertexWithASingleFatChild) {
  const TreeSet& trees = all_trees(TreeFamily::da);
  std::set<std::string> names;
  for (int tree = 0; tree < trees.size(); ++tree) {
    const std::string text = trees.text(tree);
    EXPECT_TRUE(names.insert(text).second) << text;
    EXPECT_EQ(thin_vertices(text), trees.order(tree)) << text;
    EXPECT_EQ(text.find('g') == std::string::npos, trees.classical(tree)) << text;
    const auto children = trees.children(tree);
    for (const int child : children) EXPECT_LT(child, tree) << text;
    if (trees.root(tree) == Vertex::fat && children.size() == 1) {
      EXPECT_EQ(trees.root(children[0]), Vertex::thin) << text;
    }
  }
}

TEST(DaTrees, ClassicalTreesAreTheRootedTrees) {
  const TreeSet& trees = all_trees(TreeFamily::da);
  std::vector<int> count(TreeSet::max_known_order + 1, 0);
  for (int tree = 0; tree < trees.size(); ++tree) {
    if (trees.classical(tree)) ++count[trees.order(tree)];
  }
  EXPECT_EQ(count, (std::vector<int>{0, 1, 1, 2, 4, 9, 20}));  // Cayley's numbers
}

TEST(DaTrees, SetsOfLowerOrderAreTheBeginningOfTheWholeSet) {
  const TreeSet& whole = all_trees(TreeFamily::da);
  const TreeSet part(TreeFamily::da, 4);
  EXPECT_EQ(part.size(), 69 + 220);
  EXPECT_EQ(part.size(), whole.count_up_to(4));
  for (int tree = 0; tree < part.size(); ++tree) EXPECT_EQ(part.text(tree), whole.text(tree));
}

TEST(WTrees, CountsOfHairerAndWanner) {
  const TreeSet& trees = all_trees(TreeFamily::w);
  const std::vector<int> up_to{1, 3, 8, 21, 58, 166};
  for (int order = 1; order <= 6; ++order) {
    EXPECT_EQ(trees.count_up_to(order), up_to[order - 1]) << "order " << order;
  }
}

TEST(WTrees, OrderThreeByName) {
  const TreeSet& trees = all_trees(TreeFamily::w);
  std::set<std::string> found;
  for (int tree = 0; tree < trees.size(); ++tree) {
    if (trees.order(tree) == 3) found.insert(trees.text(tree));
  }
  const std::set<std::string> expected{"f[f,f]", "f[f[f]]", "f[A[f]]", "A[f[f]]", "A[A[f]]"};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace daedalus::analysis
