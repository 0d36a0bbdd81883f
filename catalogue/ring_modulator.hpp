// SPDX-License-Identifier: BSD-3-Clause
// Ring modulator (Horneber 1976): currents and voltage drops f(t, y) of the 15 circuit equations,
// before division by the capacitances and inductances; y = (U1..U7, I1..I8).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems::ring {

struct Constants {
  double C = 1.6e-8, Cs = 2e-12, Cp = 1e-8, R = 25e3, Rp = 50.0, Lh = 4.45, Ls1 = 2e-3, Ls2 = 5e-4,
         Ls3 = 5e-4, Rg1 = 36.3, Rg2 = 17.3, Rg3 = 17.3, Ri = 50.0, Rc = 600.0,
         gamma = 40.67286402e-9, delta = 17.7493332;
};

// Cs stands last so that the circuit without it uses the same list, shortened.
inline constexpr std::array<Field<Constants>, 16> fields{{{"C", &Constants::C},
                                                          {"Cp", &Constants::Cp},
                                                          {"R", &Constants::R},
                                                          {"Rp", &Constants::Rp},
                                                          {"Lh", &Constants::Lh},
                                                          {"Ls1", &Constants::Ls1},
                                                          {"Ls2", &Constants::Ls2},
                                                          {"Ls3", &Constants::Ls3},
                                                          {"Rg1", &Constants::Rg1},
                                                          {"Rg2", &Constants::Rg2},
                                                          {"Rg3", &Constants::Rg3},
                                                          {"Ri", &Constants::Ri},
                                                          {"Rc", &Constants::Rc},
                                                          {"gamma", &Constants::gamma},
                                                          {"delta", &Constants::delta},
                                                          {"Cs", &Constants::Cs}}};

inline constexpr double pi = std::numbers::pi;
inline constexpr double max_exponent = 300.0;

// What stands before y' in each equation.
inline std::array<double, 15> storage(const Constants& c) {
  return {c.C,  c.C,   c.Cs,  c.Cs,  c.Cs,  c.Cs,  c.Cp, c.Lh,
          c.Lh, c.Ls2, c.Ls3, c.Ls2, c.Ls3, c.Ls1, c.Ls1};
}

template <class T, class Vector, class Result>
Eval currents(const Constants& c, const T& t, const Vector& y, Result& f) {
  using std::exp, std::sin;
  const auto signal = 0.5 * sin(2e3 * pi * t);
  const auto carrier = 2.0 * sin(2e4 * pi * t);
  const auto x1 = c.delta * (y[2] - y[4] - y[6] - carrier);
  const auto x2 = c.delta * (y[5] - y[3] - y[6] - carrier);
  const auto x3 = c.delta * (y[3] + y[4] + y[6] + carrier);
  const auto x4 = c.delta * (y[6] - y[2] - y[5] + carrier);
  if (x1 > max_exponent || x2 > max_exponent || x3 > max_exponent || x4 > max_exponent)
    return Eval::reject;
  const auto q1 = c.gamma * (exp(x1) - 1.0);
  const auto q2 = c.gamma * (exp(x2) - 1.0);
  const auto q3 = c.gamma * (exp(x3) - 1.0);
  const auto q4 = c.gamma * (exp(x4) - 1.0);
  f[0] = y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / c.R;
  f[1] = y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / c.R;
  f[2] = y[9] - q1 + q4;
  f[3] = q2 - q3 - y[10];
  f[4] = y[11] + q1 - q3;
  f[5] = q4 - q2 - y[12];
  f[6] = q1 + q2 - q3 - q4 - y[6] / c.Rp;
  f[7] = -y[0];
  f[8] = -y[1];
  f[9] = 0.5 * y[0] - y[2] - c.Rg2 * y[9];
  f[10] = y[3] - 0.5 * y[0] - c.Rg3 * y[10];
  f[11] = 0.5 * y[1] - y[4] - c.Rg2 * y[11];
  f[12] = y[5] - 0.5 * y[1] - c.Rg3 * y[12];
  f[13] = signal - y[0] - (c.Ri + c.Rg1) * y[13];
  f[14] = -y[1] - (c.Rc + c.Rg1) * y[14];
  return Eval::ok;
}

inline std::vector<std::string> variables() { return joined({numbered("U", 7), numbered("I", 8)}); }

// Text of the equations; `parasitic` is what stands before U3'..U6' (with a blank) or "0 = ".
inline std::string text(bool parasitic) {
  const auto row = [&](const char* n) {
    return parasitic ? std::string("Cs U") + n + "' = " : std::string("0 = ");
  };
  return "q(U) = gamma (exp(delta U) - 1), e1 = 0.5 sin(2000 pi t), e2 = 2 sin(20000 pi t)\n"
         "D1 = U3 - U5 - U7 - e2, D2 = -U4 + U6 - U7 - e2, D3 = U4 + U5 + U7 + e2, "
         "D4 = -U3 - U6 + U7 + e2\n"
         "C U1' = I1 - I3/2 + I4/2 + I7 - U1/R\n"
         "C U2' = I2 - I5/2 + I6/2 + I8 - U2/R\n" +
         row("3") + "I3 - q(D1) + q(D4)\n" + row("4") + "-I4 + q(D2) - q(D3)\n" + row("5") +
         "I5 + q(D1) - q(D3)\n" + row("6") +
         "-I6 - q(D2) + q(D4)\n"
         "Cp U7' = -U7/Rp + q(D1) + q(D2) - q(D3) - q(D4)\n"
         "Lh I1' = -U1\n"
         "Lh I2' = -U2\n"
         "Ls2 I3' = U1/2 - U3 - Rg2 I3\n"
         "Ls3 I4' = -U1/2 + U4 - Rg3 I4\n"
         "Ls2 I5' = U2/2 - U5 - Rg2 I5\n"
         "Ls3 I6' = -U2/2 + U6 - Rg3 I6\n"
         "Ls1 I7' = -U1 + e1 - (Ri + Rg1) I7\n"
         "Ls1 I8' = -U2 - (Rc + Rg1) I8";
}

}  // namespace daedalus::problems::ring
