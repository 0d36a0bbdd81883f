// SPDX-License-Identifier: BSD-3-Clause
// Manufactured systems y' = f(t, y, z), 0 = g(t, y, z) with a chosen solution (y*, z*)(t):
//   f = y*' + phi(t, y, z) - phi(t, y*, z*),   g = gamma(t, y, z) - gamma(t, y*, z*),
// phi and gamma from a `Model` that knows neither solution nor form. What a model does off the
// solution (branches, stiffness, curvature) leaves the solution as it is (Roache 1998).
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "soak/case.hpp"
#include "soak/signal.hpp"

namespace daedalus::soak {

constexpr int max_manufactured = 64;  // variables of either kind

// Sum of row i of a matrix times a vector, without the entries that are zero: patterns stay sparse.
template <class S, class V>
S row_times(const Eigen::MatrixXd& m, int i, const V& x) {
  S sum = 0.0;
  for (int j = 0; j < m.cols(); ++j)
    if (m(i, j) != 0.0) sum += m(i, j) * x[j];
  return sum;
}

template <class Model>
struct Manufactured {
  Model model;
  Signals y, z;

  template <class S, class Y, class Z, class O>
  void rates(const S& t, const Y& yv, const Z& zv, O& out) const {
    evaluate(t, yv, zv, out, true);
  }
  template <class S, class Y, class Z, class O>
  void constraints(const S& t, const Y& yv, const Z& zv, O& out) const {
    evaluate(t, yv, zv, out, false);
  }

 private:
  template <class S, class Y, class Z, class O>
  void evaluate(const S& t, const Y& yv, const Z& zv, O& out, bool rate) const {
    std::array<S, max_manufactured> ys, zs;
    for (std::size_t i = 0; i < y.size(); ++i) ys[i] = y[i].value(t);
    for (std::size_t i = 0; i < z.size(); ++i) zs[i] = z[i].value(t);
    const int n = static_cast<int>(rate ? y.size() : z.size());
    for (int i = 0; i < n; ++i)
      out[i] = rate ? y[static_cast<std::size_t>(i)].rate(t) +
                          model.template rate<S>(i, t, yv, zv, ys) -
                          model.template rate<S>(i, t, ys, zs, ys)
                    : model.template constraint<S>(i, t, yv, zv, ys) -
                          model.template constraint<S>(i, t, ys, zs, ys);
  }
};

// How much the equations themselves make of a disturbance of y later on: implicit Euler on
// the linearised system, from several times on. Errors of one step are as large as that later on,
// whatever the method.
template <class Model>
double amplification(const Manufactured<Model>& system, double t0, double t1) {
  const int ny = static_cast<int>(system.y.size()), nz = static_cast<int>(system.z.size());
  const int n = ny + nz, steps = n > 20 ? 60 : 240;
  constexpr double increment = 1e-6;
  // Errors of z count with about the length of a step, a tenth, where the index is 2.
  constexpr double share_of_z = 0.1;
  constexpr int starts = 8;
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(n, n), J(n, n);
  E.topLeftCorner(ny, ny).setIdentity();
  const double h = (t1 - t0) / steps;
  std::vector<Eigen::MatrixXd> moved;
  double largest = 1.0;
  for (int k = 0; k < steps; ++k) {
    const double t = t0 + (k + 1) * h;
    Eigen::VectorXd x(n), high(n), low(n);
    x << values_of(system.y, t), values_of(system.z, t);
    const auto evaluate = [&](Eigen::VectorXd& out) {
      const Eigen::VectorXd y = x.head(ny), z = x.tail(nz);
      Eigen::VectorXd f(ny), g(nz);
      system.rates(t, y, z, f);
      system.constraints(t, y, z, g);
      out << f, g;
    };
    for (int j = 0; j < n; ++j) {
      const double here = x[j];
      x[j] = here + increment;
      evaluate(high);
      x[j] = here - increment;
      evaluate(low);
      x[j] = here;
      J.col(j) = (high - low) / (2.0 * increment);
    }
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(E - h * J);
    // Of z from the second step on, when constraints of index 2 hold.
    for (Eigen::MatrixXd& m : moved) {
      m = lu.solve(E * m);
      largest = std::max(largest, m.topRows(ny).cwiseAbs().rowwise().sum().maxCoeff());
      if (nz > 0)
        largest =
            std::max(largest, share_of_z * m.bottomRows(nz).cwiseAbs().rowwise().sum().maxCoeff());
    }
    if (k % (steps / starts) == 0) moved.push_back(lu.solve(E * Eigen::MatrixXd::Identity(n, ny)));
  }
  return largest;
}

enum class Form { semi_explicit, mass_matrix, implicit };

// Writes the system in one of the forms; in the last two z follows y.
template <class Model>
void write_problem(Case& c, std::shared_ptr<const Manufactured<Model>> system, Form form,
                   int index) {
  const int ny = static_cast<int>(system->y.size()), nz = static_cast<int>(system->z.size());
  c.index = index;
  c.amplification = amplification(*system, c.t0, c.t1);
  c.solution = [system, ny, nz](double t) {
    Eigen::VectorXd x(ny + nz);
    x << values_of(system->y, t), values_of(system->z, t);
    return x;
  };
  c.component_index.assign(static_cast<std::size_t>(ny + nz), 1);
  for (int i = 0; i < nz; ++i)
    c.component_index[static_cast<std::size_t>(ny + i)] = std::max(index, 1);
  const Eigen::VectorXd x0 = c.solution(c.t0);
  if (form == Form::semi_explicit) {
    SemiExplicitProblem p{.name = "manufactured"};
    p.f = autodiff(
        [system](auto t, const auto& y, const auto& z, auto& f) { system->rates(t, y, z, f); });
    p.g = autodiff([system](auto t, const auto& y, const auto& z, auto& g) {
      system->constraints(t, y, z, g);
    });
    if (index == 2) p.hessenberg_blocks = {ny};
    p.y0 = x0.head(ny);
    p.z0 = x0.tail(nz);
    c.problem = p;
    return;
  }
  const auto variable_index = index > 1 ? c.component_index : std::vector<int>{};
  if (form == Form::mass_matrix) {
    MassMatrixProblem p{.name = "manufactured"};
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(ny + nz, ny + nz);
    mass.topLeftCorner(ny, ny).setIdentity();
    p.mass_matrix = mass.sparseView();
    p.rhs = autodiff([system, ny, nz](auto t, const auto& x, auto& r) {
      auto f = r.head(ny);
      auto g = r.tail(nz);
      const auto y = x.head(ny), z = x.tail(nz);
      system->rates(t, y, z, f);
      system->constraints(t, y, z, g);
    });
    p.variable_index = variable_index;
    p.y0 = x0;
    p.index = index;
    c.problem = p;
    return;
  }
  ImplicitProblem p{.name = "manufactured"};
  p.residual = autodiff([system, ny, nz](auto t, const auto& x, const auto& xp, auto& r) {
    auto f = r.head(ny);
    auto g = r.tail(nz);
    const auto y = x.head(ny), z = x.tail(nz);
    system->rates(t, y, z, f);
    for (int i = 0; i < ny; ++i) f[i] -= xp[i];
    system->constraints(t, y, z, g);
  });
  p.variable_index = variable_index;
  p.y0 = x0;
  p.yp0 = Eigen::VectorXd::Zero(ny + nz);
  p.yp0.head(ny) = rates_of(system->y, c.t0);
  p.index = index;
  c.problem = p;
}

inline Form draw_form(Random& random) {
  constexpr std::array forms{Form::semi_explicit, Form::mass_matrix, Form::implicit};
  return forms[static_cast<std::size_t>(random.integer(0, 2))];
}

}  // namespace daedalus::soak
