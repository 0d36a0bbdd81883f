// SPDX-License-Identifier: BSD-3-Clause
#include "soak/signal.hpp"

#include <numbers>

namespace daedalus::soak {

Signal Signal::derivative() const {
  Signal d;
  d.constant = slope;
  for (const Wave& w : waves)
    d.waves.push_back({w.amplitude * w.frequency, w.frequency, w.phase + 0.5 * std::numbers::pi});
  return d;
}

Signal draw_signal(Random& random, const SignalKind& kind) {
  Signal s;
  s.constant = random.uniform(-1.0, 1.0);
  s.slope = random.chance(0.3) ? random.uniform(-0.5, 0.5) : 0.0;
  const int waves = random.integer(1, kind.max_waves);
  for (int i = 0; i < waves; ++i)
    s.waves.push_back({random.uniform(0.2, 1.0),
                       random.log_uniform(kind.min_frequency, kind.max_frequency),
                       random.uniform(0.0, 2.0 * std::numbers::pi)});
  return s;
}

Signals draw_signals(Random& random, int n, const SignalKind& kind) {
  Signals all;
  for (int i = 0; i < n; ++i) all.push_back(draw_signal(random, kind));
  return all;
}

Eigen::VectorXd values_of(const Signals& signals, double t) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(signals.size()));
  for (std::size_t i = 0; i < signals.size(); ++i)
    v[static_cast<Eigen::Index>(i)] = signals[i].value(t);
  return v;
}

Eigen::VectorXd rates_of(const Signals& signals, double t) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(signals.size()));
  for (std::size_t i = 0; i < signals.size(); ++i)
    v[static_cast<Eigen::Index>(i)] = signals[i].rate(t);
  return v;
}

}  // namespace daedalus::soak
