// SPDX-License-Identifier: BSD-3-Clause
#include "select/stiffness.hpp"

#include <cmath>

#include "nonlinear/accelerations.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus {

bool explicit_method(const Method& method) {
  return method.view == View::mechanical || method.view_elsewhere == View::partitioned;
}

double spectral_radius(System& system, const State& at) {
  MechanicalView* view = system.mechanical_view();
  const LayoutBlock* q = system.layout.find(VariableClass::q);
  const LayoutBlock* v = system.layout.find(VariableClass::v);
  if (!view && system.partitioned_view()) return hessenberg_radius(system, at);
  if (!view || !q || !v || view->sizes().contact > 0 || !at.x.allFinite()) return 0.0;
  const PhaseScope phase(system.counter, Phase::start);
  Accelerations accelerations(*view, system.counter);
  const int nq = view->sizes().tangents, nv = view->sizes().velocities;
  State moved = at;
  Eigen::VectorXd move = Eigen::VectorXd::Zero(system.layout.tangents());
  Eigen::VectorXd u(nq + nv), base(nq + nv), there(nq + nv);
  const auto rates = [&](const State& s, Eigen::VectorXd& out) {
    const MechanicalPoint p = view->point(s.t, s.x.data());
    if (view->rate(p, out.data()) != Outcome::ok || accelerations.solve(p) != Outcome::ok)
      return false;
    out.tail(nv) = accelerations.a();
    return out.allFinite();
  };
  if (!rates(at, base)) return 0.0;
  // No direction is special.
  for (int i = 0; i < nq + nv; ++i) u[i] = std::sin(1.7 * (i + 1) + 0.4);
  double radius = 0.0;
  const double size = 1e-7 * (1.0 + at.x.cwiseAbs().maxCoeff());
  for (int k = 0; k < 3; ++k) {
    const double before = u.tail(nv).norm();
    for (int twice = 0; twice < 2; ++twice) {
      const double step = size / u.cwiseAbs().maxCoeff();
      move.setZero();
      move.segment(q->tangent, nq) = step * u.head(nq);
      move.segment(v->tangent, nv) = step * u.tail(nv);
      system.layout.plus(at.x.data(), move.data(), moved.x.data());
      if (!rates(moved, there)) return radius;
      u = (there - base) / step;
      if (!u.allFinite() || !(u.cwiseAbs().maxCoeff() > 0.0)) return radius;
    }
    radius = std::sqrt(u.tail(nv).norm() / std::max(before, 1e-300));
    u /= u.cwiseAbs().maxCoeff();
  }
  return radius;
}

}  // namespace daedalus
