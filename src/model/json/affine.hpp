// SPDX-License-Identifier: BSD-3-Clause
// Subscripts of repeated equations: sums of loop indices and numbers, read off the formula.
#pragma once

#include <string>
#include <vector>

#include "model/text/syntax.hpp"

namespace daedalus::model {

// One index of "for": {"i": [1, 10]}.
struct LoopIndex {
  std::string name;
  long first = 1, last = 1;
};

// constant + slopes[0] i_0 + slopes[1] i_1 + ...; not good: something else.
struct Affine {
  bool good = false;
  double constant = 0.0;
  std::vector<double> slopes;
};

class AffineReader {
 public:
  AffineReader(const Formula& formula, const std::vector<LoopIndex>& loop);
  const Affine& at(int node) const { return known_[static_cast<std::size_t>(node)]; }

 private:
  Affine number(double value) const { return {true, value, std::vector<double>(loop_.size())}; }
  Affine one(int node) const;

  const Formula& formula_;
  const std::vector<LoopIndex>& loop_;
  std::vector<Affine> known_;
};

}  // namespace daedalus::model
