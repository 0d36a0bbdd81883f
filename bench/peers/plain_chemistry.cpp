// SPDX-License-Identifier: BSD-3-Clause
// Chemical kinetics and small systems by hand. Equations and constants: the catalogue, where the
// sources are.
#include <algorithm>
#include <cmath>

#include "peers/plain.hpp"

namespace daedalus::peers {

const PlainProblem* plain_circuit(const std::string& name);

namespace {

void van_der_pol(double, const double* y, double* f) {
  constexpr double inverse_eps = 1e6;
  f[0] = y[1];
  f[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) * inverse_eps;
}
void van_der_pol_jacobian(double, const double* y, double* J) {
  constexpr double inverse_eps = 1e6;
  J[0] = 0.0;
  J[1] = (-2.0 * y[0] * y[1] - 1.0) * inverse_eps;
  J[2] = 1.0;
  J[3] = (1.0 - y[0] * y[0]) * inverse_eps;
}

void robertson(double, const double* y, double* f) {
  f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
  f[1] = 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1];
  f[2] = y[0] + y[1] + y[2] - 1.0;
}
void robertson_jacobian(double, const double* y, double* J) {
  J[0] = -0.04;
  J[1] = 0.04;
  J[2] = 1.0;
  J[3] = 1e4 * y[2];
  J[4] = -1e4 * y[2] - 6e7 * y[1];
  J[5] = 1.0;
  J[6] = 1e4 * y[1];
  J[7] = -1e4 * y[1];
  J[8] = 1.0;
}
constexpr double robertson_mass[3]{1.0, 1.0, 0.0};

// u = y1 - t y2 has the constant mass matrix that most of these codes ask for.
void brenan(double t, const double* x, double* f) {
  f[0] = t * x[1] - (x[0] + t * x[1]);
  f[1] = std::sin(t) - x[1];
}
void brenan_jacobian(double, const double*, double* J) {
  J[0] = -1.0;
  J[1] = 0.0;
  J[2] = 0.0;
  J[3] = -1.0;
}
constexpr double brenan_mass[2]{1.0, 0.0};
void brenan_to_model(double t, const double* x, double* y) {
  y[0] = x[0] + t * x[1];
  y[1] = x[1];
}
void brenan_from_model(double t, const double* y, double* x) {
  x[0] = y[0] - t * y[1];
  x[1] = y[1];
}

constexpr double akzo_k1 = 18.7, akzo_k2 = 0.58, akzo_k3 = 0.09, akzo_k4 = 0.42, akzo_K = 34.4,
                 akzo_klA = 3.3, akzo_Ks = 115.83, akzo_in = 3.3 * 0.9 / 737.0;
void akzo(double, const double* y, double* f) {
  const double root = std::sqrt(y[1]), square = y[0] * y[0];
  const double r1 = akzo_k1 * square * square * root, r2 = akzo_k2 * y[2] * y[3],
               r3 = akzo_k2 / akzo_K * y[0] * y[4], r4 = akzo_k3 * y[0] * y[3] * y[3],
               r5 = akzo_k4 * y[5] * y[5] * root;
  f[0] = -2.0 * r1 + r2 - r3 - r4;
  f[1] = -0.5 * r1 - r4 - 0.5 * r5 + akzo_in - akzo_klA * y[1];
  f[2] = r1 - r2 + r3;
  f[3] = -r2 + r3 - 2.0 * r4;
  f[4] = r2 - r3 + r5;
  f[5] = akzo_Ks * y[0] * y[3] - y[5];
}
void akzo_jacobian(double, const double* y, double* J) {
  const double root = std::sqrt(y[1]), cube = y[0] * y[0] * y[0];
  const double r11 = 4.0 * akzo_k1 * cube * root, r12 = 0.5 * akzo_k1 * cube * y[0] / root,
               r23 = akzo_k2 * y[3], r24 = akzo_k2 * y[2], r31 = akzo_k2 / akzo_K * y[4],
               r35 = akzo_k2 / akzo_K * y[0], r41 = akzo_k3 * y[3] * y[3],
               r44 = 2.0 * akzo_k3 * y[0] * y[3], r52 = 0.5 * akzo_k4 * y[5] * y[5] / root,
               r56 = 2.0 * akzo_k4 * y[5] * root;
  std::fill_n(J, 36, 0.0);
  const auto at = [J](int r, int c) -> double& { return J[6 * c + r]; };
  at(0, 0) = -2.0 * r11 - r31 - r41;
  at(0, 1) = -2.0 * r12;
  at(0, 2) = r23;
  at(0, 3) = r24 - r44;
  at(0, 4) = -r35;
  at(1, 0) = -0.5 * r11 - r41;
  at(1, 1) = -0.5 * r12 - 0.5 * r52 - akzo_klA;
  at(1, 3) = -r44;
  at(1, 5) = -0.5 * r56;
  at(2, 0) = r11 + r31;
  at(2, 1) = r12;
  at(2, 2) = -r23;
  at(2, 3) = -r24;
  at(2, 4) = r35;
  at(3, 0) = r31 - 2.0 * r41;
  at(3, 2) = -r23;
  at(3, 3) = -r24 - 2.0 * r44;
  at(3, 4) = r35;
  at(4, 0) = -r31;
  at(4, 1) = r52;
  at(4, 2) = r23;
  at(4, 3) = r24;
  at(4, 4) = -r35;
  at(4, 5) = r56;
  at(5, 0) = akzo_Ks * y[3];
  at(5, 3) = akzo_Ks * y[0];
  at(5, 5) = -1.0;
}
constexpr double akzo_mass[6]{1.0, 1.0, 1.0, 1.0, 1.0, 0.0};

void hires(double, const double* y, double* f) {
  const double binding = 280.0 * y[5] * y[7];
  f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
  f[1] = 1.71 * y[0] - 8.75 * y[1];
  f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
  f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
  f[4] = -1.745 * y[4] + 0.43 * (y[5] + y[6]);
  f[5] = -binding + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
  f[6] = binding - 1.81 * y[6];
  f[7] = -f[6];
}
void hires_jacobian(double, const double* y, double* J) {
  std::fill_n(J, 64, 0.0);
  const auto at = [J](int r, int c) -> double& { return J[8 * c + r]; };
  at(0, 0) = -1.71;
  at(0, 1) = 0.43;
  at(0, 2) = 8.32;
  at(1, 0) = 1.71;
  at(1, 1) = -8.75;
  at(2, 2) = -10.03;
  at(2, 3) = 0.43;
  at(2, 4) = 0.035;
  at(3, 1) = 8.32;
  at(3, 2) = 1.71;
  at(3, 3) = -1.12;
  at(4, 4) = -1.745;
  at(4, 5) = 0.43;
  at(4, 6) = 0.43;
  at(5, 3) = 0.69;
  at(5, 4) = 1.71;
  at(5, 5) = -280.0 * y[7] - 0.43;
  at(5, 6) = 0.69;
  at(5, 7) = -280.0 * y[5];
  at(6, 5) = 280.0 * y[7];
  at(6, 6) = -1.81;
  at(6, 7) = 280.0 * y[5];
  at(7, 5) = -280.0 * y[7];
  at(7, 6) = 1.81;
  at(7, 7) = -280.0 * y[5];
}

constexpr double k[25]{.35,     .266e2, .123e5, .86e-3, .82e-3,  .15e5,  .13e-3, .24e5,   .165e5,
                       .9e4,    .22e-1, .12e5,  .188e1, .163e5,  .48e7,  .35e-3, .175e-1, .1e9,
                       .444e12, .124e4, .21e1,  .578e1, .474e-1, .178e4, .312e1};
void pollution(double, const double* y, double* f) {
  const double r1 = k[0] * y[0], r2 = k[1] * y[1] * y[3], r3 = k[2] * y[4] * y[1], r4 = k[3] * y[6],
               r5 = k[4] * y[6], r6 = k[5] * y[6] * y[5], r7 = k[6] * y[8], r8 = k[7] * y[8] * y[5],
               r9 = k[8] * y[10] * y[1], r10 = k[9] * y[10] * y[0], r11 = k[10] * y[12],
               r12 = k[11] * y[9] * y[1], r13 = k[12] * y[13], r14 = k[13] * y[0] * y[5],
               r15 = k[14] * y[2], r16 = k[15] * y[3], r17 = k[16] * y[3], r18 = k[17] * y[15],
               r19 = k[18] * y[15], r20 = k[19] * y[16] * y[5], r21 = k[20] * y[18],
               r22 = k[21] * y[18], r23 = k[22] * y[0] * y[3], r24 = k[23] * y[18] * y[0],
               r25 = k[24] * y[19];
  f[0] = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25;
  f[1] = -r2 - r3 - r9 - r12 + r1 + r21;
  f[2] = -r15 + r1 + r17 + r19 + r22;
  f[3] = -r2 - r16 - r17 - r23 + r15;
  f[4] = -r3 + 2.0 * r4 + r6 + r7 + r13 + r20;
  f[5] = -r6 - r8 - r14 - r20 + r3 + 2.0 * r18;
  f[6] = -r4 - r5 - r6 + r13;
  f[7] = r4 + r5 + r6 + r7;
  f[8] = -r7 - r8;
  f[9] = -r12 + r7 + r9;
  f[10] = -r9 - r10 + r8 + r11;
  f[11] = r9;
  f[12] = -r11 + r10;
  f[13] = -r13 + r12;
  f[14] = r14;
  f[15] = -r18 - r19 + r16;
  f[16] = -r20;
  f[17] = r20;
  f[18] = -r21 - r22 - r24 + r23 + r25;
  f[19] = -r25 + r24;
}
// Reaction i adds `change` to the equation of a species; its derivatives by the one or two species
// that take part are laid into the columns of these.
void pollution_jacobian(double, const double* y, double* J) {
  std::fill_n(J, 400, 0.0);
  const auto add = [J](int column, double slope, std::initializer_list<int> gain,
                       std::initializer_list<int> loss) {
    double* c = J + 20 * column;
    for (const int i : gain) c[i] += slope;
    for (const int i : loss) c[i] -= slope;
  };
  const auto pair = [&](int a, int b, double rate, std::initializer_list<int> gain,
                        std::initializer_list<int> loss) {
    add(a, rate * y[b], gain, loss);
    add(b, rate * y[a], gain, loss);
  };
  add(0, k[0], {1, 2}, {0});
  pair(1, 3, k[1], {0}, {1, 3});
  pair(4, 1, k[2], {0, 5}, {1, 4});
  add(6, k[3], {4, 4, 7}, {6});
  add(6, k[4], {7}, {6});
  pair(6, 5, k[5], {4, 7}, {5, 6});
  add(8, k[6], {4, 7, 9}, {8});
  pair(8, 5, k[7], {10}, {5, 8});
  pair(10, 1, k[8], {0, 9, 11}, {1, 10});
  pair(10, 0, k[9], {12}, {0, 10});
  add(12, k[10], {0, 10}, {12});
  pair(9, 1, k[11], {0, 13}, {1, 9});
  add(13, k[12], {4, 6}, {13});
  pair(0, 5, k[13], {14}, {0, 5});
  add(2, k[14], {3}, {2});
  add(3, k[15], {15}, {3});
  add(3, k[16], {2}, {3});
  add(15, k[17], {5, 5}, {15});
  add(15, k[18], {2}, {15});
  pair(16, 5, k[19], {4, 17}, {5, 16});
  add(18, k[20], {1}, {18});
  add(18, k[21], {0, 2}, {18});
  pair(0, 3, k[22], {18}, {0, 3});
  pair(18, 0, k[23], {19}, {0, 18});
  add(19, k[24], {0, 18}, {19});
}

}  // namespace

const PlainProblem* plain_first_order(const std::string& name) {
  static const PlainProblem list[]{
      {"van-der-pol", 2, van_der_pol, van_der_pol_jacobian},
      {"robertson", 3, robertson, robertson_jacobian, robertson_mass, nullptr, false},
      {"brenan", 2, brenan, brenan_jacobian, brenan_mass, nullptr, false, false, brenan_to_model,
       brenan_from_model},
      {"akzo", 6, akzo, akzo_jacobian, akzo_mass, nullptr, false},
      {"hires", 8, hires, hires_jacobian},
      {"pollution", 20, pollution, pollution_jacobian}};
  for (const PlainProblem& p : list)
    if (name == p.name) return &p;
  return plain_circuit(name);
}

}  // namespace daedalus::peers
