// SPDX-License-Identifier: BSD-3-Clause
// A problem whose callables see parameters with derivatives: four at a time over dual numbers.
// Where a parameter is a constant inside a callable, its derivative is the difference of the
// callables of problems built for values nearby, at the same arguments.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <daedalus/function.hpp>

#include "sensitivity/asked.hpp"

namespace daedalus {

class Seeds {
 public:
  Seeds(const std::vector<Parameter>& inputs, const std::vector<AskedParameter>& asked);
  // Derivatives by these of the parameters asked for; -1: none. All -1 at the beginning.
  void mark(const std::array<int, 4>& lanes);
  // Plain values: another value of one input (for callables that are not generic).
  void shift(int input, double value);
  const std::array<int, 4>& lanes() const { return lanes_; }
  bool rebuilt() const { return rebuilt_; }  // a lane is a constant inside callables
  double width(int asked) const { return width_[static_cast<std::size_t>(asked)]; }
  template <class S>
  const std::vector<S>& of() const {
    return std::get<std::vector<S>>(sets_);
  }

 private:
  std::vector<int> input_;  // per parameter asked for
  std::vector<double> width_;
  std::array<int, 4> lanes_{-1, -1, -1, -1};
  bool rebuilt_ = false;
  std::tuple<std::vector<double>, std::vector<Dual4>, std::vector<Taylor2>,
             std::vector<Taylor2Dual>, std::vector<Recorded>>
      sets_;
};

std::shared_ptr<const Problem> seeded(const Problem& problem,
                                      const std::vector<AskedParameter>& asked,
                                      const std::shared_ptr<Seeds>& seeds);

// Members of the problem that cannot be evaluated over dual numbers.
std::vector<std::string> plain_callables(const Problem& problem);

}  // namespace daedalus
