// SPDX-License-Identifier: BSD-3-Clause
// Values by number of a node: a map whose table holds nothing but numbers. With a deque as list its
// values keep their places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace daedalus::graph {

template <class T, template <class...> class List = std::vector>
class NodeMap {
 public:
  const T* find(int node) const {
    if (places_.empty()) return nullptr;
    const int k = places_[place(node)];
    return k < 0 ? nullptr : &entries_[static_cast<std::size_t>(k)].second;
  }
  // The one that is there, or a new one.
  T& operator[](int node) {
    if (2 * (entries_.size() + 1) > places_.size()) grow();
    int& k = places_[place(node)];
    if (k < 0) {
      k = static_cast<int>(entries_.size());
      entries_.emplace_back(node, T());
    }
    return entries_[static_cast<std::size_t>(k)].second;
  }

 private:
  // Of the node, or of the first free place where it would be.
  std::size_t place(int node) const {
    // Multiplicative hashing by 2^32 over the golden ratio: Knuth, TAOCP 3, 6.4.
    const std::uint32_t hash = static_cast<std::uint32_t>(node) * 2654435769u;
    std::size_t i = (hash ^ hash >> 15) & (places_.size() - 1);
    while (places_[i] >= 0 && entries_[static_cast<std::size_t>(places_[i])].first != node)
      i = (i + 1) & (places_.size() - 1);
    return i;
  }
  void grow() {
    places_.assign(places_.empty() ? 8 : 2 * places_.size(), -1);
    for (std::size_t k = 0; k < entries_.size(); ++k)
      places_[place(entries_[k].first)] = static_cast<int>(k);
  }

  std::vector<int> places_;  // a power of two of them; -1: free
  List<std::pair<int, T>> entries_;
};

}  // namespace daedalus::graph
