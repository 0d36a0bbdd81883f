// SPDX-License-Identifier: BSD-3-Clause
#include "lab/index2_trees.hpp"

#include <algorithm>
#include <numeric>

#include <daedalus/types.hpp>

namespace daedalus::analysis {

Index2Trees::Index2Trees(int max_order)
    : max_order_(max_order),
      y_(static_cast<std::size_t>(max_order) + 1),
      z_(static_cast<std::size_t>(max_order) + 1),
      plain_(static_cast<std::size_t>(max_order) + 1) {
  if (max_order < 1 || max_order > max_known_order)
    throw InvalidArgument("order " + std::to_string(max_order) + " of trees: must be 1 to " +
                          std::to_string(max_known_order));
  // T_z of order p needs the trees of order p + 1 in T_y that are no f[u], and those are forests of
  // smaller ones; only f[u] need T_z of order p. This sequence closes the circle.
  add_plain(1);
  for (int order = 2; order <= max_order; ++order) {
    add_plain(order);
    add_fat(order - 1);
    add_chains(order);
  }
}

std::span<const int> Index2Trees::of(Index2Root root, int order) const {
  return root == Index2Root::y ? y_.at(order) : z_.at(order);
}

std::span<const int> Index2Trees::plain(int order) const {
  return of(Index2Root::y, order).first(plain_.at(order));
}

std::string Index2Trees::text(int tree) const {
  const Index2Tree& t = trees_[tree];
  std::string result = t.root == Index2Root::y ? "f" : "g";
  if (t.children.empty()) return result;
  for (std::size_t i = 0; i < t.children.size(); ++i)
    result += (i == 0 ? "[" : ",") + text(t.children[i]);
  return result + "]";
}

int Index2Trees::find(std::string_view text) const {
  std::size_t at = 0;
  const int tree = parse(text, at);
  return at == text.size() ? tree : -1;
}

int Index2Trees::parse(std::string_view text, std::size_t& at) const {
  if (at >= text.size() || (text[at] != 'f' && text[at] != 'g')) return -1;
  const Index2Root root = text[at++] == 'f' ? Index2Root::y : Index2Root::z;
  std::vector<int> children;
  if (at < text.size() && text[at] == '[') {
    do {
      children.push_back(parse(text, ++at));
      if (children.back() < 0) return -1;
    } while (at < text.size() && text[at] == ',');
    if (at >= text.size() || text[at++] != ']') return -1;
  }
  std::sort(children.begin(), children.end());
  const auto found = known_.find({root, children});
  return found == known_.end() ? -1 : found->second;
}

int Index2Trees::add(Index2Root root, std::vector<int> children) {
  std::sort(children.begin(), children.end());
  const bool meagre = root == Index2Root::y;
  Index2Tree tree{root, meagre ? 1 : -1, false, meagre, 1, 1, 1, children};
  int equal = 0, last = -1;
  for (const int child : children) {
    const Index2Tree& c = trees_[child];
    tree.order += c.order;
    tree.classical = tree.classical && c.classical;
    equal = child == last ? equal + 1 : 1;
    last = child;
    tree.symmetry *= c.symmetry * equal;
    tree.numerator *= c.numerator;
    tree.denominator *= c.denominator;
  }
  tree.chain = meagre && children.size() == 1 && trees_[last].root == Index2Root::z;
  if (meagre)
    tree.denominator *= tree.order;
  else
    tree.numerator *= tree.order + 1;
  const long long common = std::gcd(tree.numerator, tree.denominator);
  tree.numerator /= common;
  tree.denominator /= common;
  const int index = size();
  (meagre ? y_ : z_).at(tree.order).push_back(index);
  known_.emplace(std::make_pair(root, std::move(children)), index);
  trees_.push_back(std::move(tree));
  return index;
}

void Index2Trees::add_plain(int order) {
  for (auto& forest : forests(order - 1, false)) add(Index2Root::y, std::move(forest));
  plain_[order] = y_[order].size();
}

void Index2Trees::add_fat(int order) {
  // Rule iii and rule iv at once: a single subtree of this order is neither tau nor f[u].
  for (auto& forest : forests(order + 1, true)) add(Index2Root::z, std::move(forest));
}

void Index2Trees::add_chains(int order) {
  for (const int fat : z_[order - 1]) add(Index2Root::y, {fat});
}

// Multisets of the trees made so far as ascending lists, so that each appears once.
std::vector<std::vector<int>> Index2Trees::forests(int total, bool only_y) const {
  std::vector<int> pool;
  for (int order = 1; order <= total; ++order) {
    pool.insert(pool.end(), y_[order].begin(), y_[order].end());
    if (!only_y) pool.insert(pool.end(), z_[order].begin(), z_[order].end());
  }
  std::vector<std::vector<int>> found;
  std::vector<int> forest;
  grow(pool, total, 0, forest, found);
  return found;
}

void Index2Trees::grow(std::span<const int> pool, int rest, std::size_t first,
                       std::vector<int>& forest, std::vector<std::vector<int>>& found) const {
  if (rest == 0) {
    found.push_back(forest);
    return;
  }
  for (std::size_t i = first; i < pool.size() && trees_[pool[i]].order <= rest; ++i) {
    forest.push_back(pool[i]);
    grow(pool, rest - trees_[pool[i]].order, i, forest, found);
    forest.pop_back();
  }
}

const Index2Trees& all_index2_trees() {
  static const Index2Trees trees(Index2Trees::max_known_order);
  return trees;
}

}  // namespace daedalus::analysis
