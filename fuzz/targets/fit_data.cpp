// SPDX-License-Identifier: BSD-3-Clause
// Measured data for fits: what is read has as many values as times, finite unless missing.
#include <cmath>

#include <daedalus/fit.hpp>

#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void fit_data_read(const std::uint8_t* data, std::size_t size) {
  const std::string content = text(data, size);
  reads([&] {
    const Experiment experiment = parse_experiment(content, "data.csv", {.ignore = {"note"}});
    for (const double t : experiment.t)
      if (!std::isfinite(t)) std::abort();
    for (const Measurement& m : experiment.outputs) {
      const bool each = m.sigma.size() > 1;
      if (m.value.size() != experiment.t.size() || (each && m.sigma.size() != m.value.size()))
        std::abort();
      for (const double v : m.value)
        if (std::isinf(v)) std::abort();
    }
  });
}

extern const Target fit_data_target{"fit_data", fit_data_read, nullptr, true};

}  // namespace daedalus::fuzz
