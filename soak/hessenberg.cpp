// SPDX-License-Identifier: BSD-3-Clause
// y' = f(t, y, z), 0 = g(t, y): gamma = G y + curvature/2 (w_i . y^2), phi = A y + F(t) z with
// F = gamma_y(y*)^T, so that gamma_y F is positive definite along the solution.
#include <cmath>

#include "linalg/decompositions.hpp"
#include "soak/manufactured.hpp"

namespace daedalus::soak {
namespace {

struct CurvedModel {
  Eigen::MatrixXd A, G, w;
  Eigen::VectorXd a;
  double curvature = 0.0;

  template <class S, class Y, class Z, class X>
  S rate(int i, const S&, const Y& y, const Z& z, const X& ys) const {
    using std::sin;
    S sum = row_times<S>(A, i, y);
    for (int k = 0; k < G.rows(); ++k) sum += (G(k, i) + curvature * w(k, i) * ys[i]) * z[k];
    if (a[i] != 0.0) sum += a[i] * sin(y[i]);
    return sum;
  }
  template <class S, class Y, class Z, class X>
  S constraint(int i, const S&, const Y& y, const Z&, const X&) const {
    S sum = row_times<S>(G, i, y);
    for (int j = 0; j < G.cols(); ++j) sum += 0.5 * curvature * w(i, j) * y[j] * y[j];
    return sum;
  }
  // Smallest singular value of gamma_y at y.
  double regularity(const Eigen::VectorXd& y) const {
    Eigen::MatrixXd gradient = G + curvature * w * y.asDiagonal();
    return singular_values(gradient).minCoeff();
  }
};

}  // namespace

Case draw_hessenberg2(Random& random) {
  constexpr double min_regularity = 0.3;  // of gamma_y along the solution
  for (;;) {
    const int nz = random.integer(1, 2), ny = nz + random.integer(1, 4);
    Case c;
    const bool damped = random.chance(0.5);
    c.t1 = random.uniform(0.5, 3.0);
    auto system = std::make_shared<Manufactured<CurvedModel>>();
    CurvedModel& m = system->model;
    const double damping = damped ? random.log_uniform(5.0, 1e5) : random.uniform(0.0, 3.0);
    c.stiff = damping > 50.0;
    m.A = random.matrix(ny, ny, -0.5, 0.5);
    for (int i = 0; i < ny; ++i) m.A(i, i) -= damping * random.uniform(0.5, 1.0);
    m.G = random.orthogonal(ny).topRows(nz);
    m.w = random.matrix(nz, ny, -1.0, 1.0);
    m.curvature = random.chance(0.3) ? 0.0 : random.log_uniform(0.1, 10.0);
    m.a = random.vector(ny, -0.5, 0.5);
    system->y = draw_signals(random, ny, {.max_frequency = 4.0});
    system->z = draw_signals(random, nz, {.max_frequency = 4.0});
    double regular = 1.0;
    for (int k = 0; k <= 40; ++k)
      regular =
          std::min(regular, m.regularity(values_of(system->y, c.t0 + (c.t1 - c.t0) * k / 40.0)));
    if (regular < min_regularity) continue;
    c.description = std::to_string(ny) + " + " + std::to_string(nz) + ", damping " +
                    std::to_string(damping) + ", curvature " + std::to_string(m.curvature);
    write_problem<CurvedModel>(c, system, draw_form(random), 2);
    return c;
  }
}

}  // namespace daedalus::soak
