// SPDX-License-Identifier: BSD-3-Clause
// Functions of t that stand for exact solutions: sums of sines, a line, and, where wanted, kinks
// and jumps at given times. Values and rates over any number type.
#pragma once

#include <cmath>
#include <vector>

#include "soak/random.hpp"

namespace daedalus::soak {

struct Signal {
  struct Wave {
    double amplitude, frequency, phase;
  };
  struct Break {
    double t, jump, kink;  // from t on: + jump + kink (. - t)
  };
  double constant = 0.0, slope = 0.0;
  std::vector<Wave> waves{};
  std::vector<Break> breaks{};

  template <class S>
  S value(const S& t) const {
    using std::sin;
    S sum = constant + slope * t;
    for (const Wave& w : waves) sum += w.amplitude * sin(w.frequency * t + w.phase);
    for (const Break& b : breaks)
      if (t >= b.t) sum += b.jump + b.kink * (t - b.t);
    return sum;
  }
  template <class S>
  S rate(const S& t) const {
    using std::cos;
    S sum = S(slope) + 0.0 * t;
    for (const Wave& w : waves) sum += (w.amplitude * w.frequency) * cos(w.frequency * t + w.phase);
    for (const Break& b : breaks)
      if (t >= b.t) sum += b.kink;
    return sum;
  }
  Signal derivative() const;  // of a signal without breaks
};

using Signals = std::vector<Signal>;

struct SignalKind {
  double min_frequency = 0.3, max_frequency = 6.0;
  int max_waves = 3;
};
Signal draw_signal(Random& random, const SignalKind& kind = {});
Signals draw_signals(Random& random, int n, const SignalKind& kind = {});
Eigen::VectorXd values_of(const Signals& signals, double t);
Eigen::VectorXd rates_of(const Signals& signals, double t);

}  // namespace daedalus::soak
