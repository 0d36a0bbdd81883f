// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/gpu/regions.hpp"

#include "graph/operations.hpp"
#include "kernel/at.hpp"

namespace daedalus::gpu {
namespace {

using graph::Op;
using lanes::Instruction;

// In multiplications: a branch costs a jump, and both sides where threads of a group differ.
constexpr int least_weight = 40;

bool is(const Instruction& i, Op op) { return i.op == static_cast<std::uint16_t>(op); }

class Finder {
 public:
  Finder(const lanes::Program& p, const std::vector<Instruction>& list)
      : list_(list), definition_(at(p.slots()), -1) {
    regions_.all.push_back({});
    regions_.of.assign(list.size(), -1);
    regions_.branch_of.assign(list.size(), {0, 0});
    for (std::size_t k = 0; k < list.size(); ++k) definition_[at(list[k].d)] = static_cast<int>(k);
  }

  Regions run() {
    // Users come before what they use: the region of an instruction is known when its turn comes.
    for (std::size_t k = list_.size(); k-- > 0;) {
      if (regions_.of[k] < 0) regions_.of[k] = 0;  // a result
      place_operands(k);
    }
    join_small_ones();
    return std::move(regions_);
  }

 private:
  void place_operands(std::size_t k) {
    const Instruction& i = list_[k];
    const int here = regions_.of[k];
    use(i.a, k, here);
    if (is(i, Op::select)) {
      use(i.b, k, branch(k, 0));
      use(i.c, k, branch(k, 1));
    } else if (is(i, Op::logical_and)) {
      use(i.b, k, branch(k, 0));
    } else if (is(i, Op::logical_or)) {
      use(i.b, k, branch(k, 1));
    } else if (operand_count(i) > 1) {
      use(i.b, k, here);
    }
  }
  int branch(std::size_t k, int which) {
    regions_.all.push_back({regions_.of[k], k, which});
    const int made = static_cast<int>(regions_.all.size()) - 1;
    regions_.branch_of[k][at(which)] = made;
    return made;
  }
  void use(int slot, std::size_t user, int region) {
    const int k = definition_[at(slot)];
    // An input that is replaced at the end is defined behind its users.
    if (k < 0 || static_cast<std::size_t>(k) >= user) return;
    int& of = regions_.of[at(k)];
    of = of < 0 ? region : common(of, region);
  }
  // Children have larger numbers than their parents.
  int common(int a, int b) const {
    while (a != b) (a > b ? a : b) = regions_.all[at(a > b ? a : b)].parent;
    return a;
  }
  void join_small_ones() {
    std::vector<int> weight(regions_.all.size(), 0), joined(regions_.all.size(), 0);
    for (std::size_t k = 0; k < list_.size(); ++k)
      weight[at(regions_.of[k])] +=
          list_[k].op == lanes::copy_op ? 0 : graph::info(static_cast<Op>(list_[k].op)).weight;
    for (std::size_t r = weight.size(); r-- > 1;) weight[at(regions_.all[r].parent)] += weight[r];
    for (std::size_t r = 1; r < weight.size(); ++r) {
      const int parent = joined[at(regions_.all[r].parent)];
      joined[r] = weight[r] < least_weight ? parent : static_cast<int>(r);
      regions_.all[r].parent = parent;
    }
    for (int& of : regions_.of) of = joined[at(of)];
    for (auto& both : regions_.branch_of)
      for (int& r : both) r = r > 0 && joined[at(r)] == r ? r : 0;
  }

  const std::vector<Instruction>& list_;
  std::vector<int> definition_;  // by slot
  Regions regions_;
};

}  // namespace

int operand_count(const Instruction& i) {
  return i.op == lanes::copy_op ? 1 : graph::info(static_cast<Op>(i.op)).operand_count;
}

Regions find_regions(const lanes::Program& program, const std::vector<Instruction>& list) {
  return Finder(program, list).run();
}

}  // namespace daedalus::gpu
