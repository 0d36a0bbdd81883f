// Models whose equations depend on more variables after a branch than at the start values, each
// with a twin whose terms of value zero show all dependences from the beginning.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <daedalus/daedalus.hpp>

namespace daedalus::branches_test {

using Eigen::VectorXd;

inline VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

enum class Callable { differentiable, plain };

// y_i' = cos(t) - y_i, and from t = 1 on neighbours on a ring are tied together by `stiffness`. Two
// variables, or many.
inline MassMatrixProblem ring(int n, bool shown, Callable kind, double stiffness = 1e4) {
  MassMatrixProblem p;
  p.name = "ring";
  p.index = 0;
  const auto rhs = [n, shown, stiffness](const auto& t, const auto& y, auto& f) {
    using std::cos;
    for (int i = 0; i < n; ++i) {
      const int next = (i + 1) % n, last = (i + n - 1) % n;
      f[i] = cos(t) - y[i];
      if (shown) f[i] = f[i] + 0.0 * (y[next] + y[last]);
      if (t >= 1.0) f[i] = f[i] + stiffness * (y[next] + y[last] - 2.0 * y[i]);
    }
  };
  if (kind == Callable::differentiable)
    p.rhs = autodiff(rhs);
  else
    p.rhs = [rhs](double t, In y, Out f) { rhs(t, y, f); };
  p.y0.setZero(n);
  for (int i = 0; i < n; ++i) p.y0[i] = i % 2;
  return p;
}

// Index 2 with n copies of  a' = z - a, b' = z - b,  0 = a - sin t  (t < 1),
// 0 = b - sin t - e^-t / 2  from t = 1 on: the same solution, a = sin t, by another variable.
inline ImplicitProblem network(int n, bool shown, Callable kind) {
  ImplicitProblem p;
  p.name = "network";
  p.index = 2;
  const auto residual = [n, shown](const auto& t, const auto& y, const auto& yp, auto& r) {
    using std::exp, std::sin;
    for (int k = 0; k < n; ++k) {
      const int a = 3 * k, b = a + 1, z = a + 2;
      r[a] = yp[a] + y[a] - y[z];
      r[b] = yp[b] + y[b] - y[z];
      if (t < 1.0) {
        r[z] = y[a] - sin(t);
        if (shown) r[z] = r[z] + 0.0 * y[b];
      } else {
        r[z] = y[b] - sin(t) - 0.5 * exp(-t);
      }
    }
  };
  if (kind == Callable::differentiable)
    p.residual = autodiff(residual);
  else
    p.residual = [residual](double t, In y, In yp, Out r) { residual(t, y, yp, r); };
  p.y0.setZero(3 * n);
  p.yp0.setZero(3 * n);
  for (int k = 0; k < n; ++k) {
    for (const int index : {1, 1, 2}) p.variable_index.push_back(index);
    p.y0[3 * k + 1] = 0.5;
    p.y0[3 * k + 2] = 1.0;
    p.yp0[3 * k] = 1.0;
    p.yp0[3 * k + 1] = 0.5;
    p.yp0[3 * k + 2] = 1.0;
  }
  return p;
}
inline Options options(const std::string& method, double tolerance) {
  Options o;
  o.method = method;
  o.rtol = tolerance;
  o.atol = tolerance;
  o.max_steps = 20000;
  return o;
}

inline int mentions(const Solution& s, const std::string& text) {
  int count = 0;
  for (const std::string& w : s.warnings()) count += w.find(text) != w.npos;
  return count;
}

}  // namespace daedalus::branches_test
