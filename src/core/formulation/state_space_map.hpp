// SPDX-License-Identifier: BSD-3-Clause
// A constrained multibody system in a chart of its manifold given by a tangent space (Potra, Yen
// 1991; Arnold 1998, Example 5, (1.15)). With G(q_c)^T = [N V] [R; 0] at the centre of the chart
//   q = V xi + N mu,  g(t, q, s) = 0 and h(t, q, s) = 0 determine mu and s,
//   v = V u + N w,    G v + g_t = 0 determines w,
//   [M G^T; G 0] [a; lambda] = [f; -d^2g/dt^2|_{v'=0}],
//   xi' = V^T v (= u),  u' = V^T a,  c' = d.
// With nonholonomic rows the velocities have an N and V of their own, from all rows of G.
//
// Over dual numbers one Newton correction with the matrices of the point itself gives mu, s, w, a
// and lambda with exact derivatives (implicit function theorem).
#pragma once

#include <vector>

#include <daedalus/stepper/archive.hpp>
#include "formulation/multibody_system.hpp"
#include "linalg/dense_lu.hpp"
#include "nonlinear/accelerations.hpp"
#include "system/vector_map.hpp"

namespace daedalus {

class StateSpaceMap final : public VectorMap {
 public:
  // `bodies` has the mechanical view and is prepared before the first chart is laid; `mechanics`
  // is evaluated over dual numbers. residual: x' - f instead of f.
  StateSpaceMap(MultibodySystem& bodies, Mechanics& mechanics, bool residual);

  int positions() const { return d_q_; }   // xi
  int velocities() const { return d_v_; }  // u
  void count_into(Counter& counter) { counter_ = &counter; }

  // Everything at a point of the chart, found at the first call for a point.
  struct Point {
    double t = 0.0;
    Eigen::VectorXd x, q, v, s, a, lambda, rates;
    bool valid = false;
  };
  Outcome solve(double t, const double* xi, const double* u, const double* c);
  const Point& point() const { return at_; }

  // A chart with its centre at a model state that meets the constraints.
  bool laid() const { return laid_; }
  Outcome lay(const MechanicalPoint& p);
  void to_chart(const double* q, const double* v, double* xi, double* u) const;
  // Bound of the largest tan of an angle between the tangent space at the point solved last and
  // that of the chart.
  double tilt();
  // The point solved last becomes the one from which Newton's method starts; after tilt().
  void start_from_here();
  // The bodies were prepared anew, or their modes changed.
  void forget() {
    at_.valid = false;
    accelerations_.reset();
  }
  // The chart, where Newton's method starts, and the point solved last.
  void archive(Archive& a) override;

  Eval value(double t, const double* x, const double* xd, double* r) override;
  Eval dual(const Dual4& t, const Dual4* x, const Dual4* xd, Dual4* r) override;
  bool differentiable() const override;
  int rows() const override { return d_q_ + d_v_ + sizes_.dynamic; }
  double noise() const override { return mechanics_.noise(1); }
  const char* running() const override { return mechanics_.running(); }
  void search(bool on) override { mechanics_.search(on); }

 private:
  struct Basis {
    Eigen::MatrixXd tangent, normal;  // V, N
  };
  Outcome solve_positions(double t, const double* xi);
  Outcome solve_velocities(const double* u);
  Outcome solve_accelerations(const double* c);
  Outcome factorise_normal(const MechanicalPoint& p);  // G, and G N of the position rows
  bool make_basis(int count, Basis& basis);            // of the first rows of G
  static double tilt(const Eigen::MatrixXd& rows, const Basis& basis, DenseLu& normal,
                     Eigen::MatrixXd& work);
  Outcome finished(Outcome outcome);
  MechanicalPoint here() const;
  const Basis& moving() const { return sizes_.nonholonomic > 0 ? velocity_ : position_; }
  DenseLu& velocity_lu() { return sizes_.nonholonomic > 0 ? velocity_lu_ : position_lu_; }

  void reserve_duals();
  Eval contact_over_duals(const PointOf<Dual4>& p);
  Eval positions_over_duals(const PointOf<Dual4>& p, const Dual4* xi);
  Eval velocities_over_duals(const PointOf<Dual4>& p, const Dual4* u);
  Eval accelerations_over_duals(const PointOf<Dual4>& p);

  MultibodySystem& bodies_;
  Mechanics& mechanics_;
  Counter* counter_ = nullptr;
  MechanicalSizes sizes_;
  bool residual_, laid_ = false;
  int d_q_, d_v_;
  Basis position_, velocity_;  // velocity_: with nonholonomic rows
  // Where Newton's method starts: the last accepted point with its G N, from where
  //   mu = normal + slope (xi - at) + drift (t - time) + ...
  struct {
    double time = 0.0;
    Eigen::VectorXd at, normal, drift, contact, lambda;
    Eigen::MatrixXd matrix, slope;
  } first_;
  DenseLu first_lu_, position_lu_, velocity_lu_;
  Point at_;
  Eigen::VectorXd mu_, w_, g_, lower_, column_, values_, shift_;
  Eigen::MatrixXd rows_, holonomic_, work_;  // G, and its rows of positions
  Eigen::MatrixXd tilt_, holonomic_tilt_;
  PieceMatrix G_;
  std::unique_ptr<Accelerations> accelerations_;
  DenseLu contact_lu_;  // h_s
  std::vector<Dual4> q4_, v4_, s4_, lambda4_, a4_, g4_, M4_, G4_, f4_;
};

}  // namespace daedalus
