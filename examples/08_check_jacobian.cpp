// SPDX-License-Identifier: BSD-3-Clause
// 08: finding mistakes: a Jacobian with a wrong sign, a formula that divides by zero, a callable
// that throws, and one that forgets an entry.
//
// Model    Robertson's reactions, M y' = f(y) with M = diag(1, 1, 0):
//          y1' = -0.04 y1 + 1e4 y2 y3
//          y2' =  0.04 y1 - 1e4 y2 y3 - 3e7 y2^2
//          0   =  y1 + y2 + y3 - 1
//
// Builds on 03 (mass-matrix form). New: given Jacobians and their checker, constant sparse M,
// Status with message and exception, guarded validation.
#include <cmath>
#include <iostream>
#include <stdexcept>

#include <daedalus/daedalus.hpp>
#include <daedalus/testing/jacobian.hpp>

using daedalus::In, daedalus::MatrixOut, daedalus::Out;

namespace {

daedalus::MassMatrixProblem robertson(double sign) {
  // [problem]
  daedalus::SparseMatrix M(3, 3);
  M.insert(0, 0) = 1.0;
  M.insert(1, 1) = 1.0;
  return {.name = "robertson",
          .mass_matrix = M,
          .rhs =
              [](double, In y, Out f) {
                f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                f[1] = 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1];
                f[2] = y[0] + y[1] + y[2] - 1.0;
              },
          .jacobian =
              [sign](double, In y, MatrixOut J) {
                J << -0.04, 1e4 * y[2], 1e4 * y[1],                      //
                    0.04, -1e4 * y[2] + sign * 6e7 * y[1], -1e4 * y[1],  //
                    1.0, 1.0, 1.0;
              },
          .y0 = Eigen::Vector3d(1.0, 0.0, 0.0),
          .variables = {"y1", "y2", "y3"},
          .equations = {"rate of y1", "rate of y2", "conservation"}};
  // [/problem]
}

daedalus::MassMatrixProblem root_of(double from) {
  return {.name = "root",
          .rhs = [](double, In y, Out f) { f[0] = -1.0 / std::sqrt(y[0]); },
          .y0 = Eigen::VectorXd::Constant(1, from),
          .index = 0,
          .variables = {"level"}};
}

// y' = -y + z, 0 = z - y^2, with every derivative given, in the two other first-order forms.
// [forms]
daedalus::SemiExplicitProblem partitioned() {
  return {.name = "partitioned",
          .f = [](double, In y, In z, Out f) { f[0] = -y[0] + z[0]; },
          .g = [](double, In y, In z, Out g) { g[0] = z[0] - y[0] * y[0]; },
          .f_y = [](double, In, In, MatrixOut J) { J(0, 0) = -1.0; },
          .f_z = [](double, In, In, MatrixOut J) { J(0, 0) = 1.0; },
          .g_y = [](double, In y, In, MatrixOut J) { J(0, 0) = -2.0 * y[0]; },
          .g_z = [](double, In, In, MatrixOut J) { J(0, 0) = 1.0; },
          .y0 = Eigen::VectorXd::Constant(1, 0.5),
          .z0 = Eigen::VectorXd::Constant(1, 0.25)};
}

daedalus::ImplicitProblem implicit() {
  return {.name = "implicit",
          .residual =
              [](double, In y, In yp, Out r) {
                r[0] = yp[0] + y[0] - y[1];
                r[1] = y[1] - y[0] * y[0];
              },
          .jacobian_y = [](double, In y, In, MatrixOut J) { J << 1.0, -1.0, -2.0 * y[0], 1.0; },
          .jacobian_yp = [](double, In, In, MatrixOut J) { J << 1.0, 0.0, 0.0, 0.0; },
          .y0 = Eigen::Vector2d(0.5, 0.25)};
}
// [/forms]

}  // namespace

int main() {
  // [check]
  const daedalus::testing::JacobianReport wrong =
      daedalus::testing::check_jacobians(robertson(+1.0), 0.0);
  std::cout << wrong.text() << '\n';
  for (const daedalus::testing::JacobianEntry& e : wrong.wrong)
    std::cout << "  " << e.row << ", " << e.column << ": " << e.given << " for " << e.differences
              << '\n';
  const auto right = daedalus::testing::check_jacobians(robertson(-1.0), 0.0);
  std::cout << right.text() << '\n';
  // [/check]
  const bool others = daedalus::testing::check_jacobians(partitioned(), 0.0).ok &&
                      daedalus::testing::check_jacobians(implicit(), 0.0).ok;
  // Bernoulli: y = 1 / (1 + e^t) from y(0) = 1/2.
  const double exact = 1.0 / (1.0 + std::exp(1.0));
  const double first = daedalus::solve(partitioned(), {0.0, 1.0}).end()["y1"] - exact;
  const double second =
      daedalus::solve(implicit(), {0.0, 1.0}, {.rtol = 1e-5, .atol = 1e-5}).end()["y1"] - exact;
  std::cout << "two other forms off by " << first << " and " << second << '\n';
  const daedalus::Solution good = daedalus::solve(robertson(-1.0), {0.0, 40.0}, {.atol = 1e-10});
  std::cout << good.end().y().transpose() << ", " << good.statistics() << '\n';

  // y' = -1/sqrt(y) reaches y = 0 at t = 2/3 and has no solution after that.
  // [status]
  const daedalus::Solution lost = daedalus::solve(root_of(1.0), {0.0, 1.0});
  std::cout << lost.status() << ": " << lost.message() << '\n';
  // [/status]

  // [exception]
  daedalus::MassMatrixProblem throwing = root_of(1.0);
  throwing.rhs = [](double t, In y, Out f) {
    if (t > 0.25) throw std::runtime_error("the table of material data ends at t = 0.25");
    f[0] = -y[0];
  };
  const daedalus::Solution thrown = daedalus::solve(throwing, {0.0, 1.0});
  std::cout << thrown.status() << ": " << thrown.message()
            << "\nkept up to t = " << thrown.end_time() << '\n';
  try {
    if (thrown.exception()) std::rethrow_exception(thrown.exception());
  } catch (const std::runtime_error& e) {
    std::cout << "the original: " << e.what() << '\n';
  }
  // [/exception]

  // [guarded]
  daedalus::MassMatrixProblem forgetful = robertson(-1.0);
  forgetful.rhs = [](double, In y, Out f) {
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = y.sum() - 1.0;
  };
  bool found = false;
  try {
    daedalus::solve(forgetful, {0.0, 1.0});
  } catch (const daedalus::InvalidArgument& e) {
    std::cout << e.what() << '\n';
    found = true;
  }
  // [/guarded]
  return others && std::abs(first) < 1e-5 && std::abs(second) < 1e-2 && !wrong.ok &&
                 wrong.worst.row == "rate of y2" && wrong.worst.column == "y2" && right.ok &&
                 good.ok() && !lost.ok() && std::abs(lost.end_time() - 2.0 / 3.0) < 1e-3 &&
                 thrown.status() == daedalus::Status::callback_failed && thrown.exception() &&
                 thrown.end_time() > 0.0 && thrown.end_time() <= 0.25 && found
             ? 0
             : 1;
}
