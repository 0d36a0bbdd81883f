// SPDX-License-Identifier: BSD-3-Clause
// A problem whose callables see parameters with derivatives: four directions at a time over dual
// numbers.
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

// The derivative of a parameter asked for in one of four directions.
struct Seed {
  int asked = 0;
  std::size_t lane = 0;
  double slope = 1.0;
};

class Seeds {
 public:
  Seeds(const std::vector<Parameter>& inputs, const std::vector<AskedParameter>& asked);
  // Parameters move in these directions until clear(), and so long `moving` has to live.
  void mark(const std::vector<Seed>& moving);
  void clear();
  // Plain values: another value of one input (for callables that are not generic).
  void shift(int input, double value);
  const std::vector<Seed>& moving() const { return *moving_; }
  bool rebuilt() const { return rebuilt_; }  // a constant inside callables moves
  double width(int asked) const { return width_[static_cast<std::size_t>(asked)]; }
  template <class S>
  const std::vector<S>& of() const {
    if constexpr (std::is_same_v<S, Taylor2Dual>) follow();
    return std::get<std::vector<S>>(sets_);
  }

 private:
  std::vector<int> input_;  // per parameter asked for
  std::vector<double> width_;
  void put(bool moves);
  void follow() const;  // the series, which few problems ask for, move as the dual numbers do
  static const std::vector<Seed> still;
  const std::vector<Seed>* moving_ = &still;
  bool rebuilt_ = false;
  mutable bool series_follow_ = true;
  mutable std::tuple<std::vector<double>, std::vector<Dual4>, std::vector<Taylor2>,
                     std::vector<Taylor2Dual>, std::vector<Recorded>>
      sets_;
};

std::shared_ptr<const Problem> seeded(const Problem& problem,
                                      const std::vector<AskedParameter>& asked,
                                      const std::shared_ptr<Seeds>& seeds);

// Members of the problem that cannot be evaluated over dual numbers.
std::vector<std::string> plain_callables(const Problem& problem);

}  // namespace daedalus
