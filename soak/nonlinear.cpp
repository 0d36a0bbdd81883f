// SPDX-License-Identifier: BSD-3-Clause
#include "soak/smooth_model.hpp"

namespace daedalus::soak {

SmoothModel draw_smooth_model(Random& random, int ny, int nz, double stiffness) {
  SmoothModel m;
  m.A = random.matrix(ny, ny, -0.5, 0.5);
  for (int i = 0; i < ny; ++i)
    m.A(i, i) = stiffness > 0.0 && (i == 0 || random.chance(0.3))
                    ? -random.log_uniform(1e2, stiffness)
                    : -random.uniform(0.1, 5.0);
  m.B = random.matrix(ny, nz, -1.0, 1.0);
  m.a = random.chance(0.7) ? random.vector(ny, -1.0, 1.0) : Eigen::VectorXd::Zero(ny);
  m.saturated = random.matrix(ny, ny, -1.0, 1.0);
  // Symmetric positive definite, so that no saturation makes gamma_z singular.
  const Eigen::MatrixXd root = random.conditioned(nz, 3.0);
  m.K = root.transpose() * root;
  m.C = random.matrix(nz, ny, -1.0, 1.0);
  m.turned = random.chance(0.5) ? Eigen::MatrixXd::Identity(nz, nz).eval()
                                : Eigen::MatrixXd(random.permutation(nz) * 0.1);
  m.b = random.vector(nz, 0.0, 1.0);
  m.cubic = random.chance(0.5) ? random.uniform(0.0, 0.5) : 0.0;
  return m;
}

Case draw_nonlinear_index1(Random& random) {
  const int ny = random.integer(1, 4), nz = random.integer(1, 3);
  Case c;
  c.stiff = random.chance(0.4);
  c.t1 = random.uniform(0.5, 4.0);
  auto system = std::make_shared<Manufactured<SmoothModel>>();
  system->model = draw_smooth_model(random, ny, nz, c.stiff ? 1e6 : 0.0);
  system->y = draw_signals(random, ny);
  system->z = draw_signals(random, nz);
  c.description = std::to_string(ny) + " + " + std::to_string(nz) + (c.stiff ? ", stiff" : "");
  write_problem<SmoothModel>(c, system, draw_form(random), 1);
  return c;
}

}  // namespace daedalus::soak
