// SPDX-License-Identifier: BSD-3-Clause
#include "function/recorded_callable.hpp"

namespace daedalus {

using graph::InputKind;

graph::Point<double> graph_point(const CallPoint& at, const InputKinds& kinds) {
  graph::Point<double> point;
  point[InputKind::time] = &at.t;
  for (std::size_t k = 0; k < kinds.size(); ++k) point[kinds[k]] = at.x[k].data();
  point[InputKind::parameter] = at.p.data();
  point.modes = at.modes.data();
  return point;
}

bool RecordedCallable::guards_hold(const double* values) const {
  const auto& guards = recording->guards();
  for (std::size_t k = 0; k < guards.size(); ++k)
    if ((values[static_cast<std::size_t>(rows) + k] != 0.0) != guards[k].outcome) return false;
  return true;
}

RecordedCallable detail::start_recording(const CallPoint& at, const InputKinds& kinds,
                                         std::vector<Recorded>& storage) {
  RecordedCallable callable;
  callable.kinds = kinds;
  callable.recording = std::make_unique<Recording>();
  Recording& recording = *callable.recording;
  storage.push_back(recording.input(InputKind::time, 0, at.t));
  const auto add = [&](InputKind kind, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      storage.push_back(recording.input(kind, static_cast<int>(i), values[i]));
  };
  for (std::size_t k = 0; k < kinds.size(); ++k) add(kinds[k], at.x[k]);
  add(InputKind::parameter, at.p);
  return callable;
}

void detail::finish_recording(RecordedCallable& callable, const std::vector<Recorded>& out) {
  for (const Recorded& r : out) callable.outputs.add(callable.recording->expr(r));
  callable.rows = callable.outputs.count;
  for (const Recording::Guard& g : callable.recording->guards()) callable.outputs.add(g.condition);
}

}  // namespace daedalus
