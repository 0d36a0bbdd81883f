// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <daedalus/fit.hpp>

namespace daedalus {

std::string_view to_string(Loss loss) {
  switch (loss) {
    case Loss::linear:
      return "linear";
    case Loss::huber:
      return "huber";
    case Loss::soft_l1:
      return "soft-l1";
    case Loss::cauchy:
      return "cauchy";
  }
  return "";
}

// rho(s), s = r^2, with a the scale.
double loss_value(Loss loss, double a, double s) {
  const double a2 = a * a;
  switch (loss) {
    case Loss::linear:
      return s;
    case Loss::huber:
      return s <= a2 ? s : 2.0 * a * std::sqrt(s) - a2;
    case Loss::soft_l1:
      return 2.0 * s / (std::sqrt(1.0 + s / a2) + 1.0);  // of 2 a^2 (sqrt(1 + s/a^2) - 1)
    case Loss::cauchy:
      return a2 * std::log1p(s / a2);
  }
  return s;
}

double loss_slope(Loss loss, double a, double s) {
  const double a2 = a * a;
  switch (loss) {
    case Loss::linear:
      return 1.0;
    case Loss::huber:
      return s <= a2 ? 1.0 : a / std::sqrt(s);
    case Loss::soft_l1:
      return 1.0 / std::sqrt(1.0 + s / a2);
    case Loss::cauchy:
      return 1.0 / (1.0 + s / a2);
  }
  return 1.0;
}

}  // namespace daedalus
