// SPDX-License-Identifier: BSD-3-Clause
// Constants of nature as circuit simulators have them: the values of 2014. Those of 2019 would
// change the currents of diodes by 1e-5, which would hide real differences from other programs.
#pragma once

namespace daedalus::circuit {

inline constexpr double boltzmann = 1.38064852e-23;            // J/K
inline constexpr double elementary_charge = 1.6021766208e-19;  // C
inline constexpr double zero_celsius = 273.15;                 // K
inline constexpr double room_temperature = 300.15;  // K, where model parameters are given

constexpr double thermal_voltage(double temperature) {
  return boltzmann * temperature / elementary_charge;
}

}  // namespace daedalus::circuit
