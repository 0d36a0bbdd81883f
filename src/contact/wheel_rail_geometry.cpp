// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <daedalus/types.hpp>
#include <daedalus/wheel_rail/geometry.hpp>

namespace daedalus {
namespace {

// Two functions of (xi_v, phi, psi, s; tau) with all partial derivatives up to the second.
struct Partials {
  std::array<double, 5> first{};                  // xi_v, phi, psi, x, s at fixed tau
  std::array<std::array<double, 5>, 5> second{};  // symmetric, upper triangle filled
  double tau = 0.0, tau_tau = 0.0;
  std::array<double, 5> with_tau{};

  // Derivatives along tau(p).
  void follow(const std::array<double, 5>& t1, const std::array<std::array<double, 5>, 5>& t2,
              std::array<double, 5>& gradient, std::array<std::array<double, 5>, 5>& hessian,
              bool both) const {
    for (std::size_t i = 0; i < 5; ++i) gradient[i] = first[i] + tau * t1[i];
    if (!both) return;
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = i; j < 5; ++j)
        hessian[i][j] = hessian[j][i] = second[i][j] + with_tau[i] * t1[j] + with_tau[j] * t1[i] +
                                        tau_tau * t1[i] * t1[j] + tau * t2[i][j];
  }
};

enum : std::size_t { xi_v = 0, phi = 1, psi = 2, along = 3, across = 4 };

}  // namespace

double WheelRail::distance(double s, double tau, const RailPose<double>& p, double xi_w) const {
  const double F = wheel_.value(s), sf = std::sin(p[1]), cf = std::cos(p[1]);
  const double v = p[0] + std::sin(p[2]) * F * std::sin(tau) +
                   std::cos(p[2]) * (cf * s - sf * F * std::cos(tau));
  return rail_.value(v, p[3]) - xi_w - sf * s - cf * F * std::cos(tau);
}

WheelRail::Expansion WheelRail::expansion(double s, const RailPose<double>& p, bool second) const {
  Expansion e;
  const ProfileJet f = wheel_.jet(s);
  const WheelAngle<double> angle(p, f.first);
  if (!angle.exists) {
    e.exists = false;
    e.zeta = -std::numeric_limits<double>::infinity();
    return e;
  }
  const double sf = std::sin(p[1]), cf = std::cos(p[1]), sp = std::sin(p[2]), cp = std::cos(p[2]);
  const double st = angle.sine, ct = angle.cosine, F = f.value, F1 = f.first, F2 = f.second;
  const double W = sf * s + cf * F * ct, W_phi = cf * s - sf * F * ct;
  Partials w, v, h;
  w.first[phi] = W_phi;
  w.first[across] = sf + cf * F1 * ct;
  w.tau = -cf * F * st;
  v.first[xi_v] = 1.0;
  v.first[phi] = -cp * W;
  v.first[psi] = cp * F * st - sp * W_phi;
  v.first[across] = sp * F1 * st + cp * (cf - sf * F1 * ct);
  v.tau = sp * F * ct + cp * sf * F * st;
  h.first[phi] = sp * cf * ct - sp * sf * F1;
  h.first[psi] = -sp * st + cp * sf * ct + cp * cf * F1;
  h.first[across] = sp * cf * F2;
  h.tau = cp * ct - sp * sf * st;
  if (second) {
    const double W_phi_s = cf - sf * F1 * ct;
    w.second[phi][phi] = -W;
    w.second[phi][across] = W_phi_s;
    w.second[across][across] = cf * F2 * ct;
    w.tau_tau = -cf * F * ct;
    w.with_tau[phi] = sf * F * st;
    w.with_tau[across] = -cf * F1 * st;
    v.second[phi][phi] = -cp * W_phi;
    v.second[phi][psi] = sp * W;
    v.second[psi][psi] = -sp * F * st - cp * W_phi;
    v.second[phi][across] = -cp * w.first[across];
    v.second[psi][across] = cp * F1 * st - sp * W_phi_s;
    v.second[across][across] = sp * F2 * st - cp * sf * F2 * ct;
    v.tau_tau = -sp * F * st + cp * sf * F * ct;
    v.with_tau[phi] = cp * cf * F * st;
    v.with_tau[psi] = cp * F * ct - sp * sf * F * st;
    v.with_tau[across] = sp * F1 * ct + cp * sf * F1 * st;
    h.second[phi][phi] = -sp * sf * ct - sp * cf * F1;
    h.second[phi][psi] = cp * cf * ct - cp * sf * F1;
    h.second[psi][psi] = -cp * st - sp * sf * ct - sp * cf * F1;
    h.second[phi][across] = -sp * sf * F2;
    h.second[psi][across] = cp * cf * F2;
    h.second[across][across] = sp * cf * f.third;
    h.tau_tau = -cp * st - sp * sf * ct;
    h.with_tau[phi] = -sp * cf * st;
    h.with_tau[psi] = -sp * ct - cp * sf * st;
  }
  // tau(p) from H = 0.
  std::array<double, 5> t1{}, w1{};
  std::array<std::array<double, 5>, 5> t2{}, w2{}, v2{};
  for (std::size_t i = 0; i < 5; ++i) t1[i] = -h.first[i] / h.tau;
  if (second)
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = i; j < 5; ++j)
        t2[i][j] = -(h.second[i][j] + h.with_tau[i] * t1[j] + h.with_tau[j] * t1[i] +
                     h.tau_tau * t1[i] * t1[j]) /
                   h.tau;
  w.follow(t1, t2, w1, w2, second);
  v.follow(t1, t2, e.v_gradient, v2, second);
  e.v = p[0] + sp * F * st + cp * W_phi;
  const Rail::Jet g = rail_.jet(e.v, p[3]);
  e.zeta = W - g.value;
  for (std::size_t i = 0; i < 5; ++i) e.gradient[i] = w1[i] - g.v * e.v_gradient[i];
  e.gradient[along] -= g.x;
  if (!second) return e;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      e.hessian[i][j] = w2[i][j] - g.vv * e.v_gradient[i] * e.v_gradient[j] - g.v * v2[i][j];
  for (std::size_t i = 0; i < 5; ++i) {
    e.hessian[i][along] -= g.xv * e.v_gradient[i];
    e.hessian[along][i] -= g.xv * e.v_gradient[i];
  }
  e.hessian[along][along] -= g.xx;
  return e;
}

ContactGrid wear_profile_grid() { return ContactGrid::graded({-45e-3, -35e-3, 40e-3}, {50, 150}); }

static double checked_nu(const WheelRail& pair, double nu) {
  if (!(nu > 0.0) || !std::isfinite(nu))
    throw InvalidArgument(
        fmt::format("quasi-elastic contact of wheel '{}' on rail '{}': nu = {}; a finite positive "
                    "length in metres is allowed",
                    pair.wheel().name(), pair.rail().profile().name(), nu));
  return nu;
}

QuasiElasticOnline::QuasiElasticOnline(WheelRail pair, ContactGrid points, double nu)
    : family_(std::move(points), checked_nu(pair, nu),
              Zeta{std::make_shared<const WheelRail>(pair)}) {
  const Profile& wheel = geometry().wheel();
  if (grid().low() < wheel.low() || grid().high() > wheel.high())
    throw InvalidArgument(
        fmt::format("contact grid [{}, {}] of wheel profile '{}': the profile is given on [{}, {}]",
                    grid().low(), grid().high(), wheel.name(), wheel.low(), wheel.high()));
  for (int i = 0; i < grid().size(); ++i) {
    const ProfileJet f = wheel.jet(grid().point(i));
    if (!std::isfinite(f.value) || !std::isfinite(f.first) || !(f.value > 0.0))
      throw InvalidArgument(
          fmt::format("wheel profile '{}': radius {} and slope {} at s = {}; the radius must be "
                      "positive and the "
                      "slope finite",
                      wheel.name(), f.value, f.first, grid().point(i)));
    const double root = std::sqrt(1.0 + f.first * f.first);
    nodes_.push_back({grid().point(i), grid().weight(i), f.value, f.first, 1.0 / (f.value * root),
                      -f.second / (root * root * root)});
  }
}

Taylor2Dual QuasiElasticOnline::series(const RailPose<Taylor2Dual>& p) const {
  return family_.smax(p);
}

bool QuasiElasticOnline::evaluate(const RailPose<double>& p, bool derivatives,
                                  RailContact& out) const {
  constexpr std::size_t means = 8;  // zeta_i (4), s, three curvatures
  const Rail& rail = geometry().rail();
  const double sf = std::sin(p[1]), cf = std::cos(p[1]), sp = std::sin(p[2]), cp = std::cos(p[2]);
  const double root = std::sqrt(cp * cp + sp * sp * sf * sf);
  double values[ContactGrid::largest];
  double top = -std::numeric_limits<double>::infinity();
  const std::size_t count = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Node& n = nodes_[i];
    const double k = -sp * cf * n.slope / root;
    if (!(std::abs(k) < 0.999)) {
      values[i] = -std::numeric_limits<double>::infinity();
      continue;
    }
    const double c = std::sqrt(1.0 - k * k);
    const double st = (k * cp - c * sp * sf) / root, below = n.F * (c * cp + k * sp * sf) / root;
    const double v = p[0] + sp * n.F * st + cp * (cf * n.s - sf * below);
    values[i] = sf * n.s + cf * below - rail.value(v, p[3]);
    top = std::max(top, values[i]);
  }
  if (!std::isfinite(top)) return false;
  // Running means and covariances: differences of large sums would lose digits when divided by nu.
  std::array<double, means> mean{};
  std::array<std::array<double, 4>, means> cov{}, own{};  // own: mean of d(quantity)/dp
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double power = (values[i] - top) / nu();
    if (power < detail::contact_cut) continue;
    const double weight = nodes_[i].weight * std::exp(power);
    sum += weight;
    const double share = weight / sum;
    const WheelRail::Expansion e = geometry().expansion(nodes_[i].s, p, derivatives);
    const Rail::Jet g = rail.jet(e.v, p[3]);
    const double steep = 1.0 + g.v * g.v, power15 = steep * std::sqrt(steep);
    const std::array<double, means> k{e.gradient[0],         e.gradient[1], e.gradient[2],
                                      e.gradient[3],         nodes_[i].s,   nodes_[i].curvature_x,
                                      nodes_[i].curvature_y, g.vv / power15};
    std::array<double, means> off{};
    for (std::size_t j = 0; j < means; ++j) off[j] = k[j] - mean[j];
    if (derivatives) {
      for (std::size_t j = 0; j < means; ++j)
        for (std::size_t l = 0; l < 4; ++l)
          cov[j][l] += share * ((1.0 - share) * off[j] * off[l] - cov[j][l]);
      const double bend = g.vvv / power15 - 3.0 * g.v * g.vv * g.vv / (power15 * steep);
      const double bend_x = g.xvv / power15 - 3.0 * g.v * g.xv * g.vv / (power15 * steep);
      for (std::size_t l = 0; l < 4; ++l) {
        for (std::size_t j = 0; j < 4; ++j) own[j][l] += share * (e.hessian[j][l] - own[j][l]);
        own[7][l] += share * (bend * e.v_gradient[l] + (l == along ? bend_x : 0.0) - own[7][l]);
      }
    }
    for (std::size_t j = 0; j < means; ++j) mean[j] += share * off[j];
  }
  out.value = top + nu() * std::log(sum);
  for (std::size_t l = 0; l < 4; ++l) out.gradient[l] = mean[l];
  out.s = mean[4];
  out.curvature = {mean[5], mean[6], 0.0, mean[7]};
  if (!derivatives) return true;
  for (std::size_t l = 0; l < 4; ++l) {
    for (std::size_t j = 0; j < 4; ++j) out.hessian[j][l] = own[j][l] + cov[j][l] / nu();
    out.s_gradient[l] = cov[4][l] / nu();
    out.curvature_gradient[0][l] = cov[5][l] / nu();
    out.curvature_gradient[1][l] = cov[6][l] / nu();
    out.curvature_gradient[2][l] = 0.0;
    out.curvature_gradient[3][l] = own[7][l] + cov[7][l] / nu();
  }
  return true;
}

RigidGlobal::RigidGlobal(WheelRail geometry, ContactGrid grid)
    : online_(std::move(geometry), std::move(grid), 1.0) {}

Taylor2Dual RigidGlobal::series(const RailPose<Taylor2Dual>& p) const {
  // At a fixed contact point; exact up to first derivatives, the second need s' = -zeta_sp/zeta_ss.
  std::array<double, 4> values{};
  for (std::size_t i = 0; i < 4; ++i) values[i] = value_of(p[i]);
  const double s = online_.rigid(values).s;
  const WheelRail& g = geometry();
  // Two Newton steps on zeta_s(s; p) = 0 over the series give its coefficients up to the second.
  Taylor2Dual place(s);
  for (int iteration = 0; iteration < 3; ++iteration) {
    const auto x = Dual<Taylor2Dual, 1>::variable(place, 0);
    std::array<Dual<Taylor2Dual, 1>, 4> pose;
    for (std::size_t i = 0; i < 4; ++i) pose[i] = Dual<Taylor2Dual, 1>(p[i]);
    const Taylor2Dual slope = g.zeta(x, pose).d[0];
    const double bend = g.expansion(value_of(place), values).hessian[across][across];
    if (!(bend < 0.0)) break;
    place = place - slope * (1.0 / bend);
  }
  return g.zeta(place, p);
}

bool RigidGlobal::evaluate(const RailPose<double>& p, bool derivatives, RailContact& out) const {
  const RigidContact c = online_.rigid(p);
  const WheelRail::Expansion e = geometry().expansion(c.s, p, true);
  if (!e.exists || !std::isfinite(e.zeta)) return false;
  const ProfileJet f = geometry().wheel().jet(c.s);
  const Rail::Jet g = geometry().rail().jet(e.v, p[3]);
  const double root = std::sqrt(1.0 + f.first * f.first), steep = std::sqrt(1.0 + g.v * g.v);
  out.value = e.zeta;
  for (std::size_t l = 0; l < 4; ++l) out.gradient[l] = e.gradient[l];
  out.s = c.s;
  const double root3 = root * root * root, steep3 = steep * steep * steep;
  out.curvature = {1.0 / (f.value * root), -f.second / root3, 0.0, g.vv / steep3};
  if (!derivatives) return true;
  const double bend = e.hessian[across][across];
  const double wheel_x =
      -f.first / (f.value * f.value * root) - f.first * f.second / (f.value * root3);
  const double wheel_y =
      -f.third / root3 + 3.0 * f.first * f.second * f.second / (root3 * root * root);
  const double rail_y = g.vvv / steep3 - 3.0 * g.v * g.vv * g.vv / (steep3 * steep * steep);
  for (std::size_t l = 0; l < 4; ++l) {
    const double ds = c.interior && bend < 0.0 ? -e.hessian[across][l] / bend : 0.0;
    out.s_gradient[l] = ds;
    for (std::size_t j = 0; j < 4; ++j)
      out.hessian[j][l] = e.hessian[j][l] + e.hessian[j][across] * ds;
    out.curvature_gradient[0][l] = wheel_x * ds;
    out.curvature_gradient[1][l] = wheel_y * ds;
    out.curvature_gradient[2][l] = 0.0;
    out.curvature_gradient[3][l] = rail_y * (e.v_gradient[l] + e.v_gradient[across] * ds);
  }
  return true;
}

}  // namespace daedalus
