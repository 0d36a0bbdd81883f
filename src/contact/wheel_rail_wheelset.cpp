// SPDX-License-Identifier: BSD-3-Clause
#include "contact/wheel_rail_equations.hpp"

#include <daedalus/autodiff.hpp>

namespace daedalus {
namespace {

void positive(const char* field, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw InvalidArgument(
        fmt::format("wheelset: {} = {}; a finite positive number is allowed", field, value));
}

void finite(const char* field, double value) {
  if (!std::isfinite(value))
    throw InvalidArgument(
        fmt::format("wheelset: {} = {}; a finite number is allowed", field, value));
}

}  // namespace

WheelsetModel::WheelsetModel(WheelsetData data, std::shared_ptr<const ContactCondition> contact,
                             CreepModel creep, TrackAlignment track)
    : data_(data), contact_(std::move(contact)), creep_(creep), track_(std::move(track)) {
  if (!contact_) throw InvalidArgument("wheelset: contact is empty; give a contact condition");
  positive("mass", data.mass);
  positive("inertia", data.inertia);
  positive("rolling_inertia", data.rolling_inertia);
  positive("rolling_radius", data.rolling_radius);
  positive("wheel_distance", data.wheel_distance);
  positive("rail_distance", data.rail_distance);
  positive("speed", data.speed);
  finite("inclination", data.inclination);
  finite("lateral_spring", data.lateral_spring);
  finite("yaw_spring", data.yaw_spring);
  finite("gravity", data.gravity);
  finite("lateral_force", data.lateral_force);
  finite("vertical_force", data.vertical_force);
  // Contact holds in this model while the rails push: without a load there is nothing to begin
  // with.
  if (!(data.load() > 0.0))
    throw InvalidArgument(
        fmt::format("wheelset: vertical_force = {:.10g} N (F_z); more than {:.10g} N is allowed, "
                    "which balances the "
                    "weight: such a force lifts the wheels off the rails",
                    data.vertical_force, -data.mass * data.gravity));
  finite("friction", creep.friction);
  positive("material.young", creep.material.young);
  finite("track.amplitude", track_.amplitude);
  finite("track.start", track_.start);
  if (track_.amplitude != 0.0) positive("track.length", track_.length);
  for (const TrackAlignment::Wave& wave : track_.waves) {
    finite("amplitude of a track wave", wave.amplitude);
    positive("wavelength of a track wave", wave.wavelength);
    finite("phase of a track wave", wave.phase);
  }
  if (!(creep.friction >= 0.0) || creep.cells_along < 1 || creep.cells_across < 1)
    throw InvalidArgument(fmt::format(
        "wheelset: friction = {}, cells {} x {}; friction >= 0 and at least one cell are allowed",
        creep.friction, creep.cells_along, creep.cells_across));
}

WheelsetModel WheelsetModel::with_bogie(BogieFrame frame) const {
  WheelsetModel m = *this;
  m.bogie_ = true;
  m.frame_ = frame;
  positive("frame mass", frame.mass);
  positive("frame inertia", frame.inertia);
  positive("frame half_wheelbase", frame.half_wheelbase);
  finite("frame lateral_spring", frame.lateral_spring);
  finite("frame yaw_spring", frame.yaw_spring);
  finite("frame lateral_damper", frame.lateral_damper);
  finite("frame yaw_damper", frame.yaw_damper);
  return m;
}

bool WheelsetModel::gaps(const WheelsetPosition& at, double x, std::array<double, 2>& gap,
                         std::array<std::array<double, 4>, 2>& gradient) const {
  for (std::size_t i = 0; i < 2; ++i) {
    const WheelPose<double> w(data_, i == 0 ? 1.0 : -1.0, at.y - track_.place(x), at.z, at.alpha,
                              at.gamma, x);
    RailContact c;
    if (!contact_->evaluate(w.p, false, c)) return false;
    gap[i] = -w.xi_w - c.value;
    gradient[i] = w.gap_gradient(data_, {c.gradient[0], c.gradient[1], c.gradient[2]});
  }
  return true;
}

WheelsetPosition WheelsetModel::on_rails(double y, double gamma, double x) const {
  finite("y", y);
  finite("gamma", gamma);
  finite("x", x);
  const double middle = track_.place(x);
  const auto newton = [&](double theta, WheelsetPosition& p) {
    p.y = middle + theta * (y - middle);
    p.gamma = theta * gamma;
    for (int iteration = 0; iteration < 25; ++iteration) {
      std::array<double, 2> g{};
      std::array<std::array<double, 4>, 2> G{};
      if (!gaps(p, x, g, G)) return false;
      const double det = G[0][1] * G[1][2] - G[0][2] * G[1][1];
      const double dz = -(g[0] * G[1][2] - g[1] * G[0][2]) / det;
      const double da = -(g[1] * G[0][1] - g[0] * G[1][1]) / det;
      if (!std::isfinite(dz) || !std::isfinite(da) || std::abs(da) > 0.1) return false;
      p.z += dz;
      p.alpha += da;
      if (std::abs(dz) < 1e-14 && std::abs(da) < 1e-14) break;
      if (iteration == 24 && !(std::abs(dz) < 1e-11 && std::abs(da) < 1e-11)) return false;
    }
    const Equations equations(*this);
    for (const double side : {1.0, -1.0}) {
      const WheelPose<double> w(data_, side, p.y - middle, p.z, p.alpha, p.gamma, x);
      RailContact c;
      const bool found = contact_->evaluate(w.p, false, c);
      try {
        equations.check(side, w.p, c.s, found);
      } catch (const Reject&) {
        return false;
      }
    }
    return true;
  };
  WheelsetPosition p;
  p.z = -data_.rolling_radius;
  double theta = 0.0, step = 1.0;
  if (!newton(0.0, p)) theta = -1.0;
  while (theta >= 0.0 && theta < 1.0 && step > 1e-4) {
    WheelsetPosition next = p;
    const double to = std::min(1.0, theta + step);
    if (newton(to, next)) {
      p = next;
      theta = to;
    } else {
      step *= 0.5;
    }
  }
  if (theta < 1.0)
    throw InvalidArgument(fmt::format(
        "wheelset: y = {} m, gamma = {} rad at x = {} m: wheel '{}' is off the rail '{}'{}", y,
        gamma, x, contact_->geometry().wheel().name(), contact_->geometry().rail().profile().name(),
        theta < 0.0 ? "; even the centred wheelset finds no rail, check the distances"
                    : fmt::format("; contact exists up to y = {:.6g} m, gamma = {:.6g} rad",
                                  middle + theta * (y - middle), theta * gamma)));
  return p;
}

double WheelsetModel::static_lateral_force(double y) const {
  const WheelsetPosition p = on_rails(y, 0.0);
  std::array<double, 2> g{};
  std::array<std::array<double, 4>, 2> G{};
  gaps(p, 0.0, g, G);
  // Rows z and alpha: G_z . lambda = F_z + m g, G_alpha . lambda = 0.
  const double det = G[0][1] * G[1][2] - G[1][1] * G[0][2];
  const double right = data_.load() * G[1][2] / det, left = -data_.load() * G[0][2] / det;
  return G[0][0] * right + G[1][0] * left;
}

WheelState WheelsetModel::wheel(int side, double t, In q, In v, double lambda) const {
  const Equations equations(*this);
  const WheelPose<double> w = equations.pose<double>(side, t, q, 0);
  std::array<double, 4> gradient{};
  const AttackPoint<double> a = equations.attack(w, gradient);
  WheelState state;
  std::array<double, 5> Q{};
  equations.add_creep<double>(w, a, v, 0, lambda, Q, &state);
  state.pose = w.p;
  state.xi_w = w.xi_w;
  state.rail_place = contact_->geometry().rail_place(a.s, w.p);
  return state;
}

}  // namespace daedalus
