// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/lower.hpp"

namespace daedalus {

State model_start(const System& system, const Problem& problem, double t0) {
  if (const System* model = system.model_system()) return model_start(*model, problem, t0);
  State s;
  s.t = t0;
  s.x.setZero(system.layout.points());
  s.xd.setZero(system.layout.tangents());
  int offset = 0;
  const auto put = [&](const Eigen::VectorXd& part, int size) {
    if (part.size() > 0) s.x.segment(offset, size) = part;
    offset += size;
  };
  if (const auto* i = std::get_if<ImplicitProblem>(&problem)) {
    put(i->y0, static_cast<int>(i->y0.size()));
    const int n = static_cast<int>(i->y0.size());
    if (i->yp0.size() > 0) {
      s.xd.head(i->yp0.size()) = i->yp0;
      if (s.x.size() == 2 * n) s.x.tail(n) = i->yp0;
    }
  } else if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) {
    if (!system.in_model_coordinates())
      system.from_model(t0, m->y0.data(), s);
    else
      put(m->y0, static_cast<int>(m->y0.size()));
  } else if (const auto* e = std::get_if<SemiExplicitProblem>(&problem)) {
    put(e->y0, static_cast<int>(e->y0.size()));
    put(e->z0, static_cast<int>(e->z0.size()));
  } else {
    const auto& b = std::get<MultibodyProblem>(problem);
    put(b.q0, b.space.points());
    put(b.v0, b.velocities());
    put(b.c0, b.dynamic_count);
    put(b.s0, b.contact_count);
    put(b.lambda0, b.multipliers());
  }
  return s;
}

}  // namespace daedalus
