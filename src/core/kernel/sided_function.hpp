// SPDX-License-Identifier: BSD-3-Clause
// An event function that knows which side of zero the modes stand for: that of a relation in a
// compiled model. Where its handler left it on that side, what fired is over; coming straight back
// is a crossing of its own, and modes that went on as if it had not come would be wrong.
#pragma once

#include <functional>

#include <daedalus/event.hpp>

namespace daedalus {

struct SidedFunction {
  std::function<double(const StateView&)> value;
  std::function<double(const StateView&)> side;  // 1 or -1
  double operator()(const StateView& s) const { return value(s); }
};

}  // namespace daedalus
