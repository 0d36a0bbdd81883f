// SPDX-License-Identifier: BSD-3-Clause
// Inputs that are not smooth at known times: kinks of differential, jumps of algebraic variables.
#include <algorithm>

#include "soak/smooth_model.hpp"

namespace daedalus::soak {

Case draw_break_times(Random& random) {
  const int ny = random.integer(1, 3), nz = random.integer(1, 2);
  Case c;
  c.stiff = random.chance(0.3);
  c.t1 = random.uniform(1.0, 4.0);
  auto system = std::make_shared<Manufactured<SmoothModel>>();
  system->model = draw_smooth_model(random, ny, nz, c.stiff ? 1e4 : 0.0);
  system->y = draw_signals(random, ny, {.max_frequency = 3.0});
  system->z = draw_signals(random, nz, {.max_frequency = 3.0});
  const int breaks = random.integer(1, 4);
  for (int k = 0; k < breaks; ++k)
    c.break_times.push_back(c.t0 + random.uniform(0.05, 0.95) * (c.t1 - c.t0));
  std::sort(c.break_times.begin(), c.break_times.end());
  for (const double t : c.break_times) {
    for (Signal& s : system->y)
      if (random.chance(0.7)) s.breaks.push_back({t, 0.0, random.uniform(-3.0, 3.0)});
    for (Signal& s : system->z)
      if (random.chance(0.7))
        s.breaks.push_back({t, random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)});
  }
  c.jumps = c.break_times;
  c.description = std::to_string(ny) + " + " + std::to_string(nz) + ", " + std::to_string(breaks) +
                  " break times" + (c.stiff ? ", stiff" : "");
  write_problem<SmoothModel>(c, system, draw_form(random), 1);
  return c;
}

}  // namespace daedalus::soak
