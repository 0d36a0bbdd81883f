// SPDX-License-Identifier: BSD-3-Clause
#include "state_space/models.hpp"

#include <array>
#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::state_space_test {
namespace {

constexpr double gravity = 9.81;

// Arithmetic-geometric means, Abramowitz and Stegun (1964), 16.4 and 17.6.
struct Means {
  std::array<double, 12> a{}, c{};
  int last = 0;
  explicit Means(double k) {
    a[0] = 1.0;
    c[0] = k;
    double b = std::sqrt(1.0 - k * k);
    while (c[at(last)] > 1e-17 && last < 10) {
      const double mean = 0.5 * (a[at(last)] + b);
      c[at(last + 1)] = 0.5 * (a[at(last)] - b);
      b = std::sqrt(a[at(last)] * b);
      a[at(++last)] = mean;
    }
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
};

struct Jacobi {
  double sn, cn, dn;
};
Jacobi jacobi(double u, double k) {
  const Means m(k);
  double phi = std::ldexp(m.a[Means::at(m.last)] * u, m.last);
  for (int n = m.last; n > 0; --n)
    phi = 0.5 * (phi + std::asin(m.c[Means::at(n)] / m.a[Means::at(n)] * std::sin(phi)));
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1.0 - k * k * sn * sn)};
}

Eigen::VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(), static_cast<int>(values.size()));
}

}  // namespace

Problem pendulum() { return problems::find_problem("pendulum")->problem(); }

double pendulum_period() {
  const Means m(std::sqrt(0.5));
  const double quarter = std::acos(-1.0) / (2.0 * m.a[Means::at(m.last)]);
  return 4.0 * quarter / std::sqrt(gravity);
}

Eigen::VectorXd pendulum_at(double t) {
  const double k = std::sqrt(0.5), w = std::sqrt(gravity);
  const Jacobi j = jacobi(w * t, k);
  const double phi = 2.0 * std::asin(k * j.cn / j.dn), rate = -2.0 * k * k * w * j.sn / j.dn;
  const double x = std::sin(phi), y = -std::cos(phi);
  return vec({x, y, -y * rate, x * rate, rate * rate - gravity * y});
}

Problem bead(bool with_contact) {
  // lambda holds the bead on the curve: M a = f - G^T lambda with G = (-x, 1), so -lambda lifts it.
  const auto force = [](const auto& x, auto& f) {
    f[0] = -0.3 * x.v[0] + 0.05 * x.lambda[0] - 0.1 * x.c[0];
    f[1] = -gravity - 0.1 * x.v[1];
  };
  const auto dynamics = [](const auto& x, auto& d) { d[0] = x.lambda[0] - x.c[0] + x.q[0]; };
  MultibodyProblem p;
  p.name = with_contact ? "bead with contact coordinate" : "bead";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.dynamic_count = 1;
  p.mass = autodiff([](const auto&, const auto& q, auto& M) {
    M(0, 0) = 1.0 + 0.1 * q[0] * q[0];
    M(0, 1) = 0.0;
    M(1, 0) = 0.0;
    M(1, 1) = 1.0;
  });
  p.force = autodiff(force);
  p.dynamics = autodiff(dynamics);
  if (with_contact) {
    p.contact_count = 1;
    p.contact = autodiff([](const auto& x, auto& h) { h[0] = x.s[0] - x.q[0]; });
    p.constraint = autodiff([](const auto& x, auto& g) {
      using std::sin;
      g[0] = x.q[1] - 0.1 * sin(2.0 * x.t) - 0.5 * x.s[0] * x.s[0];
    });
    p.s0 = vec({1.0});
  } else {
    p.constraint = autodiff([](const auto& x, auto& g) {
      using std::sin;
      g[0] = x.q[1] - 0.1 * sin(2.0 * x.t) - 0.5 * x.q[0] * x.q[0];
    });
  }
  p.q0 = vec({1.0, 0.5});
  p.v0 = vec({0.0, 0.2});
  p.c0 = vec({0.0});
  p.lambda0 = vec({-5.0});
  return p;
}

Problem particle_with_nonholonomic_row() {
  MultibodyProblem p;
  p.name = "particle";
  p.space = euclidean(3);
  p.constraint_count = 1;
  p.nonholonomic_count = 1;
  p.force = autodiff([](const auto&, const auto& q, const auto& v, auto& f) {
    f[0] = -q[0] - 0.1 * v[0];
    f[1] = 0.5;
    f[2] = -gravity;
  });
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.0);
  });
  p.nonholonomic_matrix = autodiff([](const auto&, const auto& q, auto& A) {
    A(0, 0) = 1.0;
    A(0, 1) = -0.5 * q[2];
    A(0, 2) = 0.0;
  });
  // Normals (0, 0.6, -0.8) and (1, 0.4, 0): v is half of their vector product.
  p.q0 = vec({0.0, 0.6, -0.8});
  p.v0 = vec({0.16, -0.4, -0.3});
  p.lambda0 = vec({0.0, 0.0});
  return p;
}

std::vector<Refused> refused() {
  MultibodyProblem rotation;
  rotation.name = "rotation";
  rotation.space = so3_space();
  rotation.force = [](double, In, In, Out f) { f.setZero(); };
  rotation.q0 = vec({1, 0, 0, 0, 1, 0, 0, 0, 1});
  rotation.v0 = vec({0, 0, 1});

  MultibodyProblem turned = std::get<MultibodyProblem>(pendulum());
  turned.velocity_count = 2;
  turned.kinematics = autodiff([](const auto&, const auto&, auto& T) {
    T(0, 0) = 1.0, T(0, 1) = 0.0, T(1, 0) = 0.0, T(1, 1) = 1.0;
  });

  MultibodyProblem fixed = std::get<MultibodyProblem>(pendulum());
  fixed.constraint_count = 2;
  fixed.constraint = autodiff([](const auto&, const auto& q, auto& g) {
    g[0] = q[0] - 1.0;
    g[1] = q[1];
  });
  fixed.constraint_jacobian = {};
  fixed.constraint_time_derivative = {};
  fixed.acceleration_term = {};
  fixed.lambda0 = vec({0.0, 0.0});
  fixed.lambda_names = {"l1", "l2"};
  return {{"rotation", rotation, "needs a Euclidean space, not"},
          {"turned", turned, "needs q' = v"},
          {"fixed", fixed, "no coordinates left: 2 constraints for 2 velocities"}};
}

}  // namespace daedalus::state_space_test
