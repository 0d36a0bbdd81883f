// SPDX-License-Identifier: BSD-3-Clause
// Rooted trees behind the order conditions of half-explicit methods on index-2 systems
// y' = f(y, z), 0 = g(y) (Hairer, Lubich, Roche 1989, section 5; Arnold 1998, section 3.3.1).
//
// A meagre vertex f counts one towards the order, a fat vertex g (for (-g_y f_z)^-1 and a
// derivative of g) takes one away:
//   i)   tau = f                         in T_y;
//   ii)  f[t1,...,tm,u1,...,un]          in T_y for t in T_y, u in T_z;
//   iii) g[t1,...,tm]                    in T_z for m >= 2;
//   iv)  g[f[t1,...,tm,u1,...,un]]       in T_z for m >= 1 or n >= 2.
// There are 1, 3, 22, 192, 1972, 22057 trees of order 1 to 6 in T_y, of which 1, 1, 9, 80, 841,
// 9478 have another form than f[u], and 2, 13, 112, 1131, 12579 of order 1 to 5 in T_z.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace daedalus::analysis {

enum class Index2Root { y, z };  // meagre f, fat g

struct Index2Tree {
  Index2Root root;
  int order;
  // f[u] with u in T_z: its condition counts one order later (Arnold 1998, Theorem 16).
  bool chain;
  bool classical;                    // no fat vertex: a tree of ordinary differential equations
  long long symmetry;                // sigma: product of m! over m equal subtrees, at all vertices
  long long numerator, denominator;  // Pi: product of 1/rho at meagre and rho + 1 at fat vertices
  std::vector<int> children;         // ascending indices: the canonical form
};

// Children stand before their parents.
class Index2Trees {
 public:
  static constexpr int max_known_order = 6;  // of T_y; that of T_z is one less

  explicit Index2Trees(int max_order);

  int size() const { return static_cast<int>(trees_.size()); }
  const Index2Tree& operator[](int tree) const { return trees_[tree]; }
  // Those of one order, ascending; T_y has the trees of the form f[u] last.
  std::span<const int> of(Index2Root root, int order) const;
  int max_order(Index2Root root) const {
    return root == Index2Root::y ? max_order_ : max_order_ - 1;
  }
  // Without those of the form f[u].
  std::span<const int> plain(int order) const;
  // Nested brackets, for instance f[f,g[f,f]].
  std::string text(int tree) const;
  // Any order of children; -1 if there is no such tree here.
  int find(std::string_view text) const;

 private:
  int add(Index2Root root, std::vector<int> children);
  void add_plain(int order);
  void add_fat(int order);
  void add_chains(int order);
  std::vector<std::vector<int>> forests(int total, bool only_y) const;
  void grow(std::span<const int> pool, int rest, std::size_t first, std::vector<int>& forest,
            std::vector<std::vector<int>>& found) const;
  int parse(std::string_view text, std::size_t& at) const;

  int max_order_;
  std::vector<Index2Tree> trees_;
  std::vector<std::vector<int>> y_, z_;  // by order
  std::vector<std::size_t> plain_;       // how many of y_ are not of the form f[u]
  std::map<std::pair<Index2Root, std::vector<int>>, int> known_;
};

// Trees up to Index2Trees::max_known_order, made at the first call.
const Index2Trees& all_index2_trees();

}  // namespace daedalus::analysis
