// SPDX-License-Identifier: BSD-3-Clause
#include "lab/da_trees.hpp"

#include <algorithm>

namespace daedalus::analysis {

TreeSet::TreeSet(TreeFamily family, int max_order) : family_(family) {
  for (int order = 1; order <= max_order; ++order) {
    if (family == TreeFamily::da) {
      add_da_order(order);
    } else {
      add_w_order(order);
    }
  }
}

std::span<const int> TreeSet::children(int tree) const {
  const Tree& t = trees_[tree];
  return {child_list_.data() + t.first_child, static_cast<std::size_t>(t.child_count)};
}

std::string TreeSet::text(int tree) const {
  const Tree& t = trees_[tree];
  std::string result = t.root == Vertex::thin ? "f" : family_ == TreeFamily::da ? "g" : "A";
  const auto subtrees = children(tree);
  if (subtrees.empty()) return result;
  result += '[';
  for (std::size_t i = 0; i < subtrees.size(); ++i) {
    if (i > 0) result += ',';
    result += text(subtrees[i]);
  }
  return result + ']';
}

int TreeSet::count(int order, Vertex root) const {
  return static_cast<int>(std::count_if(trees_.begin(), trees_.end(), [&](const Tree& t) {
    return t.order == order && t.root == root;
  }));
}

int TreeSet::count_up_to(int order) const {
  const auto end =
      std::find_if(trees_.begin(), trees_.end(), [&](const Tree& t) { return t.order > order; });
  return static_cast<int>(end - trees_.begin());
}

void TreeSet::add(int order, Vertex root, std::span<const int> children) {
  const bool classical =
      root == Vertex::thin && std::all_of(children.begin(), children.end(),
                                          [&](int child) { return trees_[child].classical; });
  trees_.push_back({order, root, static_cast<int>(child_list_.size()),
                    static_cast<int>(children.size()), classical});
  child_list_.insert(child_list_.end(), children.begin(), children.end());
}

void TreeSet::add_da_order(int order) {
  // Taken before any tree of this order exists: a forest of two or more trees has none of them.
  const auto bushes = forests(order, 2);
  const int first = size();
  for (const auto& forest : forests(order - 1, 0)) add(order, Vertex::thin, forest);
  const int end = size();
  for (int y_tree = first; y_tree < end; ++y_tree) add(order, Vertex::fat, {&y_tree, 1});
  for (const auto& forest : bushes) add(order, Vertex::fat, forest);
}

void TreeSet::add_w_order(int order) {
  for (const auto& forest : forests(order - 1, 0)) add(order, Vertex::thin, forest);
  const int end = size();
  for (int tree = 0; tree < end; ++tree) {
    if (trees_[tree].order == order - 1) add(order, Vertex::fat, {&tree, 1});
  }
}

std::vector<std::vector<int>> TreeSet::forests(int total, int min_trees) const {
  std::vector<std::vector<int>> found;
  std::vector<int> forest;
  grow(total, 0, min_trees, forest, found);
  return found;
}

// Multisets as ascending lists, so that each appears once.
void TreeSet::grow(int rest, int last, int min_trees, std::vector<int>& forest,
                   std::vector<std::vector<int>>& found) const {
  if (rest == 0) {
    if (static_cast<int>(forest.size()) >= min_trees) found.push_back(forest);
    return;
  }
  for (int tree = last; tree < size() && trees_[tree].order <= rest; ++tree) {
    forest.push_back(tree);
    grow(rest - trees_[tree].order, tree, min_trees, forest, found);
    forest.pop_back();
  }
}

const TreeSet& all_trees(TreeFamily family) {
  static const TreeSet da(TreeFamily::da, TreeSet::max_known_order);
  static const TreeSet w(TreeFamily::w, TreeSet::max_known_order);
  return family == TreeFamily::da ? da : w;
}

}  // namespace daedalus::analysis
