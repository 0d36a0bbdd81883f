// SPDX-License-Identifier: BSD-3-Clause
// Order conditions of linearly implicit methods on index-1 systems y' = f(y,z), 0 = g(y,z).
//
// With beta = alpha + Gamma (diagonal gamma), w = beta^-1 and a tree's order rho, the stage
// coefficients L (y-trees) and K (z-trees) obey (Roche 1988; Steinebach 1988, (6.4), (6.13))
//   L_i(f) = 1,   L_i(f[x])        = rho sum_j beta_ij X_j(x)            (approach A; B: alpha_ij)
//                 L_i(f[x1,...,xn]) = rho prod_m sum_j alpha_ij X_j(x_m)
//                 K_i(g[t])         = L_i(t)
//                 K_i(g[x1,...,xn]) = sum_j w_ij prod_m sum_k alpha_jk X_k(x_m).
// Condition: sum_i mu_i L_i = 1, sum_i mu_i K_i = 1; a dense output has b_i(theta) and theta^rho
// instead. The y-conditions up to p and the z-conditions up to p-1 give convergence of order p when
// also |R(infinity)| < 1.
//
// Arbitrary matrix instead of the Jacobian, ordinary differential equations (Hairer and Wanner II,
// section IV.7): U_i(f[..]) = rho prod_m sum_j alpha_ij U_j, U_i(A[x]) = rho sum_j gamma_ij U_j(x);
// sum_i mu_i U_i = 1 for trees without A and 0 for all others.
#pragma once

#include <string>
#include <vector>

#include "kernel/rosenbrock_table.hpp"

namespace daedalus::analysis {

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Quadruple;
#else
using Quadruple = long double;
#endif

enum class Weights { main, embedded };
// Arithmetic of the sums; `quadruple` falls back to long double where the compiler lacks it.
enum class Precision { extended, quadruple };

// Both kinds of table in the form the theory uses. Matrices row by row; gamma has its diagonal.
struct RosenbrockScheme {
  bool explicit_in_y = false;  // approach B
  int stages = 0;
  std::vector<Quadruple> alpha, gamma, mu, mu_hat;
  std::vector<Quadruple> dense;  // dense_rows x stages, for l_i and k_i
  int dense_rows = 0;

  RosenbrockScheme() = default;
  RosenbrockScheme(const RosenbrockCoefficients& table);
  RosenbrockScheme(const RosenbrockBCoefficients& table);
  template <int S>
  RosenbrockScheme(const RosenbrockTable<S>& table)
      : RosenbrockScheme(RosenbrockCoefficients(table)) {}
  template <int S>
  RosenbrockScheme(const RosenbrockBTable<S>& table)
      : RosenbrockScheme(RosenbrockBCoefficients(table)) {}

  // b(theta): the solution is y0 + sum_i b_i(theta) l_i.
  std::vector<Quadruple> dense_weights(Quadruple theta) const;
};

struct OrderCondition {
  std::string tree;  // nested brackets, for instance f[f,g[f,f]]
  int order;
  char kind;        // 'y', 'z', or 'w' for an arbitrary matrix
  double residual;  // left side minus right side, right side 1 (0 for trees with A)
};

// Highest order up to which all conditions of a kind hold.
struct AttainedOrder {
  int y = 0;
  int z = 0;
  int ode = 0;  // y-trees without fat vertices

  // Order of convergence of y and z on index-1 systems, provided that |R(infinity)| < 1.
  int convergence() const { return y < z + 1 ? y : z + 1; }
};

// Printed 16-digit tables leave up to 3e-12, a coefficient changed by 1e-6 mostly more than 1e-8.
inline constexpr double order_tolerance = 1e-10;

// max_order is at most TreeSet::max_known_order; more throws InvalidArgument.
std::vector<OrderCondition> order_conditions(const RosenbrockScheme& scheme, Weights weights,
                                             int max_order,
                                             Precision precision = Precision::quadruple);
AttainedOrder attained_order(const RosenbrockScheme& scheme, Weights weights,
                             double tolerance = order_tolerance, int max_order = 6,
                             Precision precision = Precision::quadruple);

// Root of the sum of squares of the residuals of one kind and order. At the first order that is not
// attained it measures the truncation error, and it pins the coefficients that no order condition
// does: with stage s of a stiffly accurate method small of the embedded order, any multiple of u_s
// in the error estimate or dense output is as good as another.
double truncation_norm(const std::vector<OrderCondition>& conditions, char kind, int order);

// Dense output at one theta, and the order attained for every theta in [0, 1].
std::vector<OrderCondition> dense_order_conditions(const RosenbrockScheme& scheme, double theta,
                                                   int max_order,
                                                   Precision precision = Precision::quadruple);
AttainedOrder attained_dense_order(const RosenbrockScheme& scheme,
                                   double tolerance = order_tolerance, int max_order = 6,
                                   Precision precision = Precision::quadruple);

// Approach A only: approach B throws InvalidArgument.
std::vector<OrderCondition> w_order_conditions(const RosenbrockScheme& scheme, Weights weights,
                                               int max_order,
                                               Precision precision = Precision::quadruple);
int attained_w_order(const RosenbrockScheme& scheme, Weights weights,
                     double tolerance = order_tolerance, int max_order = 6,
                     Precision precision = Precision::quadruple);

}  // namespace daedalus::analysis
