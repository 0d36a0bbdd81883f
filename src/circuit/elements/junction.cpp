// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "circuit/elements/device_model.hpp"

namespace daedalus::circuit {
namespace {

constexpr double max_exponent = 150.0;  // exp of it times any current is far from overflow

double gap_shift(double temperature) {
  const double vt = thermal_voltage(temperature);
  // 1.1150877: gap at the reference temperature as SPICE rounds it.
  return -2.0 * vt *
         (1.5 * std::log(temperature / room_temperature) +
          elementary_charge * (-gap_energy(temperature) / (2.0 * boltzmann * temperature) +
                               1.1150877 / (2.0 * boltzmann * room_temperature)));
}

}  // namespace

Expr limited_exp(const Expr& x) {
  return no_event(
      select(x <= max_exponent, exp(x), std::exp(max_exponent) * (x - (max_exponent - 1.0))));
}

Expr diode_current(const Expr& v, double saturation, double n_vt) {
  return saturation * (limited_exp(v / n_vt) - 1.0);
}

Expr Depletion::charge(const Expr& v) const {
  if (c == 0.0) return 0.0;
  const double edge = fc * vj, f1 = vj / (1.0 - m) * (1.0 - std::pow(1.0 - fc, 1.0 - m));
  const double f2 = std::pow(1.0 - fc, 1.0 + m), f3 = 1.0 - fc * (1.0 + m);
  const Expr below = m == 0.0 ? c * v : c * vj / (1.0 - m) * (1.0 - pow(1.0 - v / vj, 1.0 - m));
  const Expr above = c * (f1 + (f3 * (v - edge) + m / (2.0 * vj) * (v * v - edge * edge)) / f2);
  return no_event(select(v < edge, below, above));
}

double gap_energy(double temperature) {
  return 1.16 - 7.02e-4 * temperature * temperature / (temperature + 1108.0);
}

double potential_at(double v, double temperature, double nominal) {
  if (temperature == nominal) return v;
  const double v0 = (v - gap_shift(nominal)) * room_temperature / nominal;
  return temperature / room_temperature * v0 + gap_shift(temperature);
}

Depletion Depletion::at(double temperature, double nominal) const {
  if (temperature == nominal || c == 0.0) return *this;
  const double v0 = (vj - gap_shift(nominal)) * room_temperature / nominal;
  const double now = potential_at(vj, temperature, nominal);
  const auto factor = [&](double t, double v) {
    return 1.0 + m * (4e-4 * (t - room_temperature) - (v - v0) / v0);
  };
  return {c * factor(temperature, now) / factor(nominal, vj), now, m, fc};
}

Junction junction_of(int a, int b, double sign, double n_vt, double saturation) {
  return {a, b, sign, n_vt, n_vt * std::log(n_vt / (std::sqrt(2.0) * saturation))};
}

}  // namespace daedalus::circuit
