// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "linalg/dense_lu.hpp"
#include "select/stiffness.hpp"

namespace daedalus {
namespace {

// P u = u - f_z (g_y f_z)^-1 g_y u.
class TangentProjector {
 public:
  TangentProjector(PartitionedView& view, int ny, int nz)
      : view_(view),
        fz_(view.rates_by_algebraic()),
        ny_(ny),
        row_(Eigen::VectorXd::Zero(nz)),
        lu_(nz) {
    Eigen::Map<Eigen::MatrixXd> product(lu_.data(), nz, nz);
    product.setZero();
    for (int k = 0; k < nz; ++k) view.add_g_y_times(1.0, fz_.col(k).data(), product.col(k).data());
    regular_ = product.allFinite() && lu_.factorise();
  }
  bool regular() const { return regular_; }
  void apply(Eigen::VectorXd& u) {
    row_.setZero();
    view_.add_g_y_times(1.0, u.data(), row_.data());
    lu_.solve(row_.data());
    u.head(ny_) -= fz_ * row_;
  }

 private:
  PartitionedView& view_;
  const Eigen::MatrixXd& fz_;
  int ny_;
  Eigen::VectorXd row_;
  DenseLu lu_;
  bool regular_ = false;
};

}  // namespace

double hessenberg_radius(System& system, const State& at) {
  // Of the power method: one digit of the radius, which is all that is asked.
  constexpr int iterations = 6;
  PartitionedView& view = *system.partitioned_view();
  const int ny = view.differential_count(), n = system.layout.tangents();
  if (!at.x.allFinite() || !system.layout.euclidean()) return 0.0;
  const PhaseScope phase(system.counter, Phase::start);
  Eigen::VectorXd base(n), there(n);
  if (view.linearise_constraints(at.t, at.x.data()) != Outcome::ok ||
      view.linearise_rates(at.t, at.x.data()) != Outcome::ok ||
      view.evaluate(at.t, at.x.data(), base.data()) != Outcome::ok)
    return 0.0;
  TangentProjector along(view, ny, n - ny);
  if (!along.regular()) return 0.0;
  // No direction is special.
  Eigen::VectorXd u(ny), x = at.x;
  for (int i = 0; i < ny; ++i) u[i] = std::sin(1.7 * (i + 1) + 0.4);
  along.apply(u);
  const double size = 1e-7 * (1.0 + at.x.cwiseAbs().maxCoeff());
  double radius = 0.0;
  for (int k = 0; k < iterations; ++k) {
    const double length = u.norm();
    if (!(length > 0.0) || !std::isfinite(length)) return radius;
    if (k > 0) radius = length;
    u *= size / length;
    x.head(ny) = at.x.head(ny) + u;
    if (view.evaluate(at.t, x.data(), there.data()) != Outcome::ok) return radius;
    u = (there.head(ny) - base.head(ny)) / size;
    along.apply(u);
  }
  const double last = u.norm();
  return std::isfinite(last) ? last : radius;
}

}  // namespace daedalus
