// SPDX-License-Identifier: BSD-3-Clause
// What the global search of <daedalus/contact.hpp> asks of a family at one p.
#pragma once

namespace daedalus::detail {

// zeta, zeta_s and zeta_ss at one s.
struct ContactShape {
  double value, slope, curvature;
};

struct ContactProbe {
  virtual ContactShape shape(double s) const = 0;
  virtual double value(double s) const = 0;

 protected:
  ~ContactProbe() = default;
};

}  // namespace daedalus::detail
