// SPDX-License-Identifier: BSD-3-Clause
// Rooted trees behind the order conditions of linearly implicit methods.
//
// DA-trees of y' = f(y,z), 0 = g(y,z) with regular g_z (Roche 1988; Hairer and Wanner II, section
// VI.3). A thin vertex f counts one towards the order, a fat vertex g (for -g_z^-1 g) nothing:
//   y-trees  f[t1,...,tn]  any subtrees, n >= 0;
//   z-trees  g[t1,...,tm]  m > 1, or m = 1 with a thin child.
// There are 1, 2, 10, 56, 372, 2652 y-trees and 1, 5, 28, 186, 1326, 10103 z-trees of order 1 to 6.
//
// W-trees of y' = f(y) with an arbitrary matrix A in place of the Jacobian (Steihaug and Wolfbrandt
// 1979; Hairer and Wanner II, section IV.7): every vertex counts one, a vertex A has exactly one
// child. There are 1, 2, 5, 13, 37, 108 of them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace daedalus::analysis {

enum class TreeFamily { da, w };
enum class Vertex { thin, fat };  // f, and g or A

// All monic trees of one family up to an order. Children stand before their parents, orders
// never decrease, so one pass over the indices evaluates any recursion over the trees.
class TreeSet {
 public:
  // Trees of higher order are not enumerated.
  static constexpr int max_known_order = 6;

  TreeSet(TreeFamily family, int max_order);

  TreeFamily family() const { return family_; }
  int size() const { return static_cast<int>(trees_.size()); }
  int order(int tree) const { return trees_[tree].order; }
  Vertex root(int tree) const { return trees_[tree].root; }
  std::span<const int> children(int tree) const;
  // Without a fat vertex: a tree of the classical theory of ordinary differential equations.
  bool classical(int tree) const { return trees_[tree].classical; }
  // Nested brackets, for instance f[f,g[f,f]].
  std::string text(int tree) const;
  int count(int order, Vertex root) const;
  // Number of trees with at most this order; their indices come first.
  int count_up_to(int order) const;

 private:
  struct Tree {
    int order;
    Vertex root;
    int first_child;
    int child_count;
    bool classical;
  };

  void add(int order, Vertex root, std::span<const int> children);
  void add_da_order(int order);
  void add_w_order(int order);
  std::vector<std::vector<int>> forests(int total, int min_trees) const;
  void grow(int rest, int last, int min_trees, std::vector<int>& forest,
            std::vector<std::vector<int>>& found) const;

  TreeFamily family_;
  std::vector<Tree> trees_;
  std::vector<int> child_list_;
};

// Trees up to TreeSet::max_known_order, made at the first call.
const TreeSet& all_trees(TreeFamily family);

}  // namespace daedalus::analysis
