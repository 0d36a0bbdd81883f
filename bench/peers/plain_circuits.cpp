// SPDX-License-Identifier: BSD-3-Clause
// Circuits by hand. Equations and constants: the catalogue, where the sources are.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "peers/plain.hpp"

namespace daedalus::peers {

const PlainProblem* plain_circuit(const std::string& name);

namespace {

constexpr double pi = std::numbers::pi;

constexpr double inverse_UF = 1.0 / 0.026, alpha = 0.99, beta = 1e-6, g0 = 1.0 / 1000.0,
                 g = 1.0 / 9000.0, supply = 6.0 / 9000.0;
void amplifier(double t, const double* y, double* f) {
  const double i23 = beta * (std::exp((y[1] - y[2]) * inverse_UF) - 1.0);
  const double i56 = beta * (std::exp((y[4] - y[5]) * inverse_UF) - 1.0);
  f[0] = (y[0] - 0.1 * std::sin(200.0 * pi * t)) * g0;
  f[1] = y[1] * (g + g) - supply + (1.0 - alpha) * i23;
  f[2] = y[2] * g - i23;
  f[3] = y[3] * g - supply + alpha * i23;
  f[4] = y[4] * (g + g) - supply + (1.0 - alpha) * i56;
  f[5] = y[5] * g - i56;
  f[6] = y[6] * g - supply + alpha * i56;
  f[7] = y[7] * g;
}
void amplifier_jacobian(double, const double* y, double* J) {
  const double d23 = beta * inverse_UF * std::exp((y[1] - y[2]) * inverse_UF);
  const double d56 = beta * inverse_UF * std::exp((y[4] - y[5]) * inverse_UF);
  std::fill_n(J, 64, 0.0);
  const auto at = [J](int r, int c) -> double& { return J[8 * c + r]; };
  at(0, 0) = g0;
  at(1, 1) = g + g + (1.0 - alpha) * d23;
  at(1, 2) = -(1.0 - alpha) * d23;
  at(2, 1) = -d23;
  at(2, 2) = g + d23;
  at(3, 1) = alpha * d23;
  at(3, 2) = -alpha * d23;
  at(3, 3) = g;
  at(4, 4) = g + g + (1.0 - alpha) * d56;
  at(4, 5) = -(1.0 - alpha) * d56;
  at(5, 4) = -d56;
  at(5, 5) = g + d56;
  at(6, 4) = alpha * d56;
  at(6, 5) = -alpha * d56;
  at(6, 6) = g;
  at(7, 7) = g;
}
std::array<double, 64> amplifier_mass() {
  std::array<double, 64> M{};
  const auto at = [&M](int r, int c) -> double& { return M[static_cast<std::size_t>(8 * c + r)]; };
  const auto coupling = [&](int i, double C) {
    at(i, i) = at(i + 1, i + 1) = -C;
    at(i, i + 1) = at(i + 1, i) = C;
  };
  coupling(0, 1e-6);
  at(2, 2) = -2e-6;
  coupling(3, 3e-6);
  at(5, 5) = -4e-6;
  coupling(6, 5e-6);
  return M;
}

constexpr double diode = 40.67286402e-9, slope = 17.7493332;
// The inverse of every C or L.
constexpr double scale[15]{1.0 / 1.6e-8, 1.0 / 1.6e-8, 1.0 / 2e-12, 1.0 / 2e-12, 1.0 / 2e-12,
                           1.0 / 2e-12,  1.0 / 1e-8,   1.0 / 4.45,  1.0 / 4.45,  1.0 / 5e-4,
                           1.0 / 5e-4,   1.0 / 5e-4,   1.0 / 5e-4,  1.0 / 2e-3,  1.0 / 2e-3};
void modulator(double t, const double* y, double* f) {
  const double e1 = 0.5 * std::sin(2e3 * pi * t), e2 = 2.0 * std::sin(2e4 * pi * t);
  const double q1 = diode * (std::exp(slope * (y[2] - y[4] - y[6] - e2)) - 1.0);
  const double q2 = diode * (std::exp(slope * (y[5] - y[3] - y[6] - e2)) - 1.0);
  const double q3 = diode * (std::exp(slope * (y[3] + y[4] + y[6] + e2)) - 1.0);
  const double q4 = diode * (std::exp(slope * (y[6] - y[2] - y[5] + e2)) - 1.0);
  f[0] = scale[0] * (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] * (1.0 / 25e3));
  f[1] = scale[1] * (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] * (1.0 / 25e3));
  f[2] = scale[2] * (y[9] - q1 + q4);
  f[3] = scale[3] * (-y[10] + q2 - q3);
  f[4] = scale[4] * (y[11] + q1 - q3);
  f[5] = scale[5] * (-y[12] - q2 + q4);
  f[6] = scale[6] * (-y[6] * (1.0 / 50.0) + q1 + q2 - q3 - q4);
  f[7] = -scale[7] * y[0];
  f[8] = -scale[8] * y[1];
  f[9] = scale[9] * (0.5 * y[0] - y[2] - 17.3 * y[9]);
  f[10] = scale[10] * (-0.5 * y[0] + y[3] - 17.3 * y[10]);
  f[11] = scale[11] * (0.5 * y[1] - y[4] - 17.3 * y[11]);
  f[12] = scale[12] * (-0.5 * y[1] + y[5] - 17.3 * y[12]);
  f[13] = scale[13] * (-y[0] + e1 - 86.3 * y[13]);
  f[14] = scale[14] * (-y[1] - 636.3 * y[14]);
}
void modulator_jacobian(double t, const double* y, double* J) {
  const double e2 = 2.0 * std::sin(2e4 * pi * t), factor = diode * slope;
  const double d1 = factor * std::exp(slope * (y[2] - y[4] - y[6] - e2));
  const double d2 = factor * std::exp(slope * (y[5] - y[3] - y[6] - e2));
  const double d3 = factor * std::exp(slope * (y[3] + y[4] + y[6] + e2));
  const double d4 = factor * std::exp(slope * (y[6] - y[2] - y[5] + e2));
  std::fill_n(J, 225, 0.0);
  const auto set = [J](int r, int c, double value) { J[15 * c + r] = scale[r] * value; };
  set(0, 0, -1.0 / 25e3);
  set(0, 7, 1.0);
  set(0, 9, -0.5);
  set(0, 10, 0.5);
  set(0, 13, 1.0);
  set(1, 1, -1.0 / 25e3);
  set(1, 8, 1.0);
  set(1, 11, -0.5);
  set(1, 12, 0.5);
  set(1, 14, 1.0);
  set(2, 2, -d1 - d4);
  set(2, 4, d1);
  set(2, 5, -d4);
  set(2, 6, d1 + d4);
  set(2, 9, 1.0);
  set(3, 3, -d2 - d3);
  set(3, 4, -d3);
  set(3, 5, d2);
  set(3, 6, -d2 - d3);
  set(3, 10, -1.0);
  set(4, 2, d1);
  set(4, 3, -d3);
  set(4, 4, -d1 - d3);
  set(4, 6, -d1 - d3);
  set(4, 11, 1.0);
  set(5, 2, -d4);
  set(5, 3, d2);
  set(5, 5, -d2 - d4);
  set(5, 6, d2 + d4);
  set(5, 12, -1.0);
  set(6, 2, d1 + d4);
  set(6, 3, -d2 - d3);
  set(6, 4, -d1 - d3);
  set(6, 5, d2 + d4);
  set(6, 6, -1.0 / 50.0 - d1 - d2 - d3 - d4);
  set(7, 0, -1.0);
  set(8, 1, -1.0);
  set(9, 0, 0.5);
  set(9, 2, -1.0);
  set(9, 9, -17.3);
  set(10, 0, -0.5);
  set(10, 3, 1.0);
  set(10, 10, -17.3);
  set(11, 1, 0.5);
  set(11, 4, -1.0);
  set(11, 11, -17.3);
  set(12, 1, -0.5);
  set(12, 5, 1.0);
  set(12, 12, -17.3);
  set(13, 0, -1.0);
  set(13, 13, -86.3);
  set(14, 1, -1.0);
  set(14, 14, -636.3);
}

}  // namespace

const PlainProblem* plain_circuit(const std::string& name) {
  static const std::array<double, 64> mass = amplifier_mass();
  static const PlainProblem list[]{
      {"transistor-amplifier", 8, amplifier, amplifier_jacobian, nullptr, mass.data(), false,
       false},
      {"ring-modulator", 15, modulator, modulator_jacobian, nullptr, nullptr, true, false}};
  for (const PlainProblem& p : list)
    if (name == p.name) return &p;
  return nullptr;
}

}  // namespace daedalus::peers
