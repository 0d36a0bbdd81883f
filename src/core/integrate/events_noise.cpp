// SPDX-License-Identifier: BSD-3-Clause
// Motions that event functions cannot show: late flights of a series of impacts are shorter than
// the rounding errors of a position, or than what projections and start values move it by. Nothing
// would come back to zero from there, and a body would be seen on the wrong side.
#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/events.hpp"

namespace daedalus {

double EventMonitor::noise(int i, const State& s) {
  constexpr double unit = 4.0 * std::numeric_limits<double>::epsilon();
  system_.to_model(s, model_.data());
  // Beside the solution the function need not be defined.
  const int failed = failed_;
  const Failure failure = system_.failure;
  const Eigen::VectorXd here = model_;
  const double f = value_in_model(i, s.t);
  double largest = 0.0;
  // All at once, with signs that do not cancel in sums and in differences.
  for (const int alternate : {1, 2, 4}) {
    for (Eigen::Index k = 0; k < here.size(); ++k)
      model_[k] = here[k] * (1.0 + ((k & alternate) != 0 ? -unit : unit));
    largest = std::max(largest, std::abs(value_in_model(i, s.t) - f));
  }
  if (failed_ == failed) return largest;
  failed_ = failed;
  system_.failure = failure;
  return 0.0;
}

void EventMonitor::note_handled(const Eigen::VectorXd& model, double t) {
  const PhaseScope phase(system_.counter, Phase::events);
  model_ = model;
  for (const Located& a : acting_)
    landed_[static_cast<std::size_t>(a.event)].handled = value_in_model(a.event, t);
}

bool EventMonitor::below_noise(int i, const State& start, double interval) {
  // Half of the way out at the speed of the event, with some of it to spare.
  constexpr double share = 0.125, resolved = 4.0;
  const Landed& l = landed_[static_cast<std::size_t>(i)];
  const PhaseScope phase(system_.counter, Phase::events);
  const double moved = std::abs(value(i, start) - l.handled);
  const double motion = share * std::abs(state(i).slope) * interval;
  return motion <= resolved * std::max(l.noise, moved);
}

}  // namespace daedalus
