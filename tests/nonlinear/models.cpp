// SPDX-License-Identifier: BSD-3-Clause
#include "models.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <random>
#include <string>

#include <daedalus/autodiff.hpp>

namespace daedalus::nonlinear_models {
namespace {

constexpr double high_rate = 1e6;

template <class T>
T rate_at(const T& t, const Jump& jump) {
  using std::exp, std::tanh;
  if (jump.width == 0.0) return T((value_of(t) < 1.0) == jump.falls ? high_rate : 1.0);
  const T late = 0.5 * (1.0 + tanh((t - 1.0) / jump.width));
  return exp(std::log(high_rate) * (jump.falls ? 1.0 - late : late));
}

const Eigen::Matrix4d& mixing() {
  static const Eigen::Matrix4d m = [] {
    Eigen::Matrix4d x;
    x << 1.0, 0.5, -0.3, 0.2, -0.4, 1.0, 0.6, 0.1, 0.3, -0.5, 1.0, 0.4, 0.2, 0.3, -0.6, 1.0;
    return x;
  }();
  return m;
}

constexpr double phases[4] = {0.0, 0.7, 1.9, 2.6};

}  // namespace

// f of y' = f.
template <class T, class Y>
T scalar_rate(const Jump& jump, const T& t, const Y& y) {
  using std::cos, std::sin;
  return -rate_at(t, jump) * (y[0] - cos(t)) - sin(t);
}

Problem scalar_jump(const Jump& jump, bool mass_matrix) {
  const std::string name = "jump of stiffness";
  if (mass_matrix) {
    MassMatrixProblem p;
    p.name = name;
    p.mass_matrix = Eigen::MatrixXd::Identity(1, 1).sparseView();
    p.rhs = autodiff([jump](const auto& t, const auto& y, auto& f) {
      f[0] = scalar_rate(jump, std::decay_t<decltype(y[0])>(t), y);
    });
    p.y0 = Eigen::VectorXd::Ones(1);
    p.index = 0;
    return p;
  }
  ImplicitProblem p;
  p.name = name;
  p.residual = autodiff([jump](const auto& t, const auto& y, const auto& yp, auto& r) {
    r[0] = yp[0] - scalar_rate(jump, std::decay_t<decltype(y[0])>(t), y);
  });
  p.y0 = Eigen::VectorXd::Ones(1);
  p.yp0 = Eigen::VectorXd::Zero(1);
  p.index = 0;
  return p;
}

Problem algebraic_jump(const Jump& jump) {
  SemiExplicitProblem p;
  p.name = "jump of stiffness in an algebraic equation";
  p.f = autodiff([](const auto& t, const auto&, const auto& z, auto& f) {
    using std::sin;
    f[0] = -z[0] - sin(t);
  });
  p.g = autodiff([jump](const auto& t, const auto& y, const auto& z, auto& g) {
    using std::cos;
    using T = std::decay_t<decltype(y[0])>;
    g[0] = z[0] - rate_at(T(t), jump) * (y[0] - cos(t));
  });
  p.y0 = Eigen::VectorXd::Ones(1);
  p.z0 = Eigen::VectorXd::Zero(1);
  return p;
}

Eigen::VectorXd mixed_solution(double t) {
  Eigen::Vector4d u;
  for (int i = 0; i < 4; ++i) u[i] = std::cos(t + phases[i]);
  return mixing() * u;
}

// u' of the components u = mixing^-1 y.
template <class T, class Y>
void component_rates(const Jump& jump, const T& t, const Y& y, T* rates) {
  using std::cos, std::sin;
  static const Eigen::Matrix4d back = mixing().inverse();
  const T stiffness[4] = {T(0.1), rate_at(t, jump), T(10.0), T(1e4)};
  for (int i = 0; i < 4; ++i) {
    T u(0.0);
    for (int j = 0; j < 4; ++j) u = u + back(i, j) * y[j];
    rates[i] = -stiffness[i] * (u - cos(t + phases[i])) - sin(t + phases[i]);
  }
}

Problem mixed_jump(const Jump& jump, bool mixed_rows, bool mass_matrix) {
  const std::string name = "jump of one stiffness of four";
  Eigen::Matrix4d rows = Eigen::Matrix4d::Identity();
  if (mixed_rows) rows = mixing().transpose();
  const Eigen::Matrix4d mass = rows * mixing().inverse();
  if (mass_matrix) {
    MassMatrixProblem p;
    p.name = name;
    p.mass_matrix = mass.sparseView();
    p.rhs = autodiff([jump, rows](const auto& t, const auto& y, auto& f) {
      using T = std::decay_t<decltype(y[0])>;
      T rates[4];
      component_rates(jump, T(t), y, rates);
      for (int i = 0; i < 4; ++i) {
        f[i] = T(0.0);
        for (int j = 0; j < 4; ++j) f[i] = f[i] + rows(i, j) * rates[j];
      }
    });
    p.y0 = mixed_solution(0.0);
    p.index = 0;
    return p;
  }
  ImplicitProblem p;
  p.name = name;
  p.residual = autodiff([jump, rows, mass](const auto& t, const auto& y, const auto& yp, auto& r) {
    using T = std::decay_t<decltype(y[0])>;
    T rates[4];
    component_rates(jump, T(t), y, rates);
    for (int i = 0; i < 4; ++i) {
      r[i] = T(0.0);
      for (int j = 0; j < 4; ++j) r[i] = r[i] + mass(i, j) * yp[j] - rows(i, j) * rates[j];
    }
  });
  p.y0 = mixed_solution(0.0);
  Eigen::Vector4d slope;
  for (int i = 0; i < 4; ++i) slope[i] = -std::sin(phases[i]);
  p.yp0 = mixing() * slope;
  p.index = 0;
  return p;
}

Problem rotating_jump(const Jump& jump) {
  MultibodyProblem p;
  p.name = "damped rotation";
  p.space = so3_space();
  p.mass = [](double, In, MatrixOut M) { M.setIdentity(); };
  p.force = autodiff([jump](const auto& t, const auto&, const auto& v, auto& f) {
    using std::cos, std::sin;
    using T = std::decay_t<decltype(v[0])>;
    const T s(t);
    const T rate = rate_at(s, jump);
    f[0] = -rate * (v[0] - cos(s)) - sin(s);
    f[1] = -rate * v[1];
    f[2] = -rate * v[2];
  });
  p.q0.setZero(p.space.points());
  p.space.identity(p.q0.data());
  p.v0 = Eigen::Vector3d(1.0, 0.0, 0.0);
  return p;
}

Weierstrass::Weierstrass(unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const int regular = 1 + static_cast<int>(generator() % 4),
            pairs = 1 + static_cast<int>(generator() % 2);
  const int n = regular + 2 * pairs + static_cast<int>(generator() % 2);
  const auto transform = [&] {
    Eigen::MatrixXd m(n, n);
    for (double& x : m.reshaped()) x = normal(generator);
    const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(m).householderQ();
    Eigen::VectorXd d(n);
    for (double& x : d) x = std::pow(10.0, uniform(generator) - 0.5);
    return Eigen::MatrixXd(Q * d.asDiagonal());
  };
  const Eigen::MatrixXd P = transform(), Q = transform();
  Eigen::MatrixXd e = Eigen::MatrixXd::Zero(n, n), a = Eigen::MatrixXd::Identity(n, n);
  for (int i = 0; i < regular; ++i) {
    e(i, i) = 1.0;
    a(i, i) = std::pow(10.0, 6.0 * uniform(generator));
  }
  for (int k = 0; k < pairs; ++k) e(regular + 2 * k, regular + 2 * k + 1) = 1.0;
  E = P * e * Q.transpose();
  A = P * a * Q.transpose();
  X = Q.transpose().inverse();
  frequency.resize(n);
  phase.resize(n);
  for (int i = 0; i < n; ++i) {
    frequency[i] = 1.0 + 2.0 * uniform(generator);
    phase[i] = 6.0 * uniform(generator);
  }
}

Eigen::VectorXd Weierstrass::solution(double t) const {
  return X * (frequency * t + phase).array().sin().matrix();
}

namespace {

// x and x' of the solution over any number type.
template <class T>
void solution_of(const Weierstrass& w, const T& t, std::vector<T>& x, std::vector<T>& rate) {
  using std::cos, std::sin;
  const int n = static_cast<int>(w.phase.size());
  x.assign(static_cast<std::size_t>(n), T(0.0));
  rate = x;
  for (int j = 0; j < n; ++j) {
    const T s = sin(w.frequency[j] * t + w.phase[j]), c = cos(w.frequency[j] * t + w.phase[j]);
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      x[k] = x[k] + w.X(i, j) * s;
      rate[k] = rate[k] + w.X(i, j) * w.frequency[j] * c;
    }
  }
}

std::vector<int> stated(bool wanted, Eigen::Index n) {
  return wanted ? std::vector<int>(static_cast<std::size_t>(n), 2) : std::vector<int>{};
}

}  // namespace

Problem Weierstrass::implicit(bool index_stated) const {
  ImplicitProblem p;
  p.name = "Weierstrass form";
  p.index = 2;
  p.variable_index = stated(index_stated, E.rows());
  p.residual = autodiff([w = *this](const auto& t, const auto& y, const auto& yp, auto& r) {
    using T = std::decay_t<decltype(y[0])>;
    std::vector<T> x, rate;
    solution_of(w, T(t), x, rate);
    for (Eigen::Index i = 0; i < w.E.rows(); ++i) {
      T sum(0.0);
      for (Eigen::Index j = 0; j < w.E.rows(); ++j) {
        const auto k = static_cast<std::size_t>(j);
        sum = sum + w.E(i, j) * (yp[j] - rate[k]) + w.A(i, j) * (y[j] - x[k]);
      }
      r[i] = sum;
    }
  });
  p.y0 = solution(0.0);
  p.yp0 = X * (frequency.array() * phase.array().cos()).matrix();
  return p;
}

Problem Weierstrass::mass_matrix(bool index_stated) const {
  MassMatrixProblem p;
  p.name = "Weierstrass form";
  p.index = 2;
  p.variable_index = stated(index_stated, E.rows());
  p.mass_matrix = E.sparseView();
  p.rhs = autodiff([w = *this](const auto& t, const auto& y, auto& r) {
    using T = std::decay_t<decltype(y[0])>;
    std::vector<T> x, rate;
    solution_of(w, T(t), x, rate);
    for (Eigen::Index i = 0; i < w.E.rows(); ++i) {
      T sum(0.0);
      for (Eigen::Index j = 0; j < w.E.rows(); ++j) {
        const auto k = static_cast<std::size_t>(j);
        sum = sum + w.E(i, j) * rate[k] - w.A(i, j) * (y[j] - x[k]);
      }
      r[i] = sum;
    }
  });
  p.y0 = solution(0.0);
  return p;
}

}  // namespace daedalus::nonlinear_models
