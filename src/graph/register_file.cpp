// SPDX-License-Identifier: BSD-3-Clause
#include "graph/register_file.hpp"

namespace daedalus::graph {

NextUse::NextUse(const Instructions& code, int first, int last)
    : head_(static_cast<std::size_t>(code.slots) + 1, 0) {
  const auto each = [&](auto&& f) {
    for (int i = first; i < last; ++i)
      for_slots_read(code, code.list[static_cast<std::size_t>(i)],
                     [&](int slot) { f(static_cast<std::size_t>(slot), i); });
  };
  each([&](std::size_t slot, int) { ++head_[slot + 1]; });
  for (std::size_t s = 1; s < head_.size(); ++s) head_[s] += head_[s - 1];
  uses_.resize(static_cast<std::size_t>(head_.back()));
  position_.assign(head_.begin(), head_.end() - 1);
  std::vector<int> fill = position_;
  each([&](std::size_t slot, int i) { uses_[static_cast<std::size_t>(fill[slot]++)] = i; });
}

}  // namespace daedalus::graph
