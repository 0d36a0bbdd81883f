// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_wheel_rail.hpp>

#include <cmath>

#include <fmt/format.h>

namespace daedalus::problems::wheel_rail {
namespace {

int whole(const char* name, double value, int low, int high) {
  if (!(value >= low && value <= high) || value != std::floor(value))
    throw InvalidArgument(
        fmt::format("parameter '{}' = {}; a whole number from {} to {}", name, value, low, high));
  return static_cast<int>(value);
}

double not_negative(const char* name, double value, const char* meaning) {
  if (!(value >= 0.0))
    throw InvalidArgument(
        fmt::format("parameter '{}' = {}; 0 or more is allowed: {}", name, value, meaning));
  return value;
}

int kind_of(const Constants& c) { return whole("contact", c.contact, 0, 2); }

// UIC60 as a natural spline through points at distances of about `spacing` along its surface: the
// curvature, which jumps between the arcs, becomes continuous, as contact coordinates need it
// (h_s contains G'').
Profile smooth_rail(double spacing) {
  if (!(spacing >= 1e-4 && spacing <= 5e-3))
    throw InvalidArgument(fmt::format(
        "parameter 'rail_spline' = {}; 0 (arcs) or a distance of points from 1e-4 to 5e-3 m",
        spacing));
  const Profile arcs = Profile::uic60();
  std::vector<double> half{0.0};
  while (half.back() < arcs.high()) {
    const double slope = arcs.slope(half.back());
    half.push_back(std::min(arcs.high(), half.back() + spacing / std::sqrt(1.0 + slope * slope)));
  }
  std::vector<double> x, y;
  for (std::size_t i = half.size() - 1; i > 0; --i) x.push_back(-half[i]);
  x.insert(x.end(), half.begin(), half.end());
  for (const double v : x) y.push_back(arcs.value(v));
  return Profile::measured("UIC60 spline", x, y);
}

Constants read_over(const Constants& defaults_of_entry, const Values& values) {
  Constants c = defaults_of_entry;
  for (const Field<Constants>& field : fields) {
    const auto found = values.find(field.name);
    if (found != values.end()) c.*field.member = found->second;
  }
  return c;
}

}  // namespace

ContactGrid grid_of(Wheel wheel, const Constants& c) {
  const int factor = whole("grid", c.grid, 1, 10);
  return wheel == Wheel::cone
             ? ContactGrid::uniform(-60e-3, 60e-3, 240 * factor)
             : ContactGrid::graded({-45e-3, -35e-3, 40e-3}, {50 * factor, 150 * factor});
}

// The place xi_v of the centred wheelset moves with the radius: sin(1/40) r0. The cone moves
// farther over the rail and rolls more; it has no jumps to be resolved.
TableRange table_range(Wheel wheel, const Constants& c) {
  TableRange r;
  if (wheel == Wheel::cone) {
    r.places = {-26e-3, 45e-3};
    r.intervals = {60};
    r.yaw_shift = 0.0;
    r.phi_low = 0.0225, r.phi_high = 0.0275;
  }
  for (double& place : r.places) place += std::sin(0.025) * (c.r0 - 0.5);
  return r;
}

TrackAlignment track_of(const Constants& c) {
  TrackAlignment track;
  track.amplitude = c.amplitude;
  track.length = c.wave;
  track.start = c.start;
  // Wavelengths without common multiple on any test section.
  if (c.irregularity != 0.0)
    track.waves = {{c.irregularity, 23.0, 0.3},
                   {0.5 * c.irregularity, 11.3, 1.7},
                   {0.25 * c.irregularity, 6.1, 2.9},
                   {0.125 * c.irregularity, 3.7, 0.9}};
  return track;
}

WheelsetModel model(Wheel wheel, const Constants& c) {
  WheelsetData d;
  d.speed = c.V;
  d.lateral_force = c.Fy;
  d.vertical_force = c.Fz;
  d.rolling_radius = c.r0;
  CreepModel creep;
  creep.law = static_cast<CreepLaw>(whole("law", c.law, 0, 2));
  creep.friction = c.mu;
  creep.cells_along = whole("cells", c.cells, 1, 1000);
  creep.cells_across = creep.cells_along + 1;
  const Profile profile =
      wheel == Wheel::cone ? Profile::cone(c.r0, -0.0262) : Profile::s1002(c.r0);
  creep.material.young *= c.modulus;
  const bool circle = not_negative("arc", c.arc, "radius of a circular rail, m") > 0.0;
  const bool spline =
      not_negative("rail_spline", c.rail_spline, "distance of points of the rail, m") > 0.0;
  const Rail rail(circle   ? Profile::circle(c.arc, 0.06)
                  : spline ? smooth_rail(c.rail_spline)
                           : Profile::uic60());
  const WheelRail geometry(profile, rail);
  const QuasiElasticOnline online(geometry, grid_of(wheel, c), c.nu);
  std::shared_ptr<const ContactCondition> contact;
  if (kind_of(c) == 2)
    contact = std::make_shared<QuasiElasticTable>(online, table_range(wheel, c));
  else
    contact = std::make_shared<QuasiElasticOnline>(online);
  return {d, contact, creep, track_of(c)};
}

Problem build(const std::string& name, Wheel wheel, const Constants& c, bool bogie) {
  WheelsetModel m = model(wheel, c);
  const WheelsetPosition start = m.on_rails(c.y0, 0.0);
  if (bogie) m = m.with_bogie({});
  MultibodyProblem p = kind_of(c) == 1 ? m.rigid_problem(start, grid_of(wheel, c), c.dbeta0)
                                       : m.problem(start, c.dbeta0);
  p.name = name;
  return p;
}

Entry entry(const char* name, const char* title, Wheel wheel, const Constants& c, double t_end,
            const char* place, bool bogie) {
  Entry e;
  e.name = name;
  e.title = title;
  e.form = "multibody";
  e.index = 3;
  e.t_end = t_end;
  e.source = fmt::format(
      "Arnold (1998), {}; data by similarity from Simeon, Fuehrer, Rentrop (1991)", place);
  e.suites = {"contact"};
  e.equations = fmt::format(
      "q = (y, z, alpha, gamma, beta){}, M(q) v' = f(q, v, lambda) - G(q)^T lambda\n"
      "0 = -xi_w(q) - nu ln(sum_i h_i exp(zeta(s_i; xi_v(q), phi(q), psi(q))/nu)/L), right and "
      "left\n"
      "zeta = W(s) - G(v(s)): height of the wheel's point s over the rail below it\n"
      "{}; rail UIC60, inclined 1/40; Hertz' ellipse with mean curvatures;\n"
      "creep forces by FASTSIM (law = 2), mu N tanh (1), linear (0); contact = 0: smax, 1: "
      "contact\n"
      "coordinates and plastic impacts, 2: smax from spline tables",
      bogie ? " twice, (y, gamma) of the frame" : "",
      wheel == Wheel::cone ? "wheel: cone F = r0 - 0.0262 s" : "wheel: S1002");
  for (const Field<Constants>& field : fields)
    e.parameters.push_back({field.name, c.*field.member});
  e.units =
      units({{"m/s", "V"}, {"N", "Fy Fz"}, {"m", "r0 y0 amplitude wave"}, {"rad/s", "dbeta0"}});
  e.build = [=, text = std::string(name)](const Values& values) {
    return build(text, wheel, read_over(c, values), bogie);
  };
  e.build_events = [=](const Values& values) {
    const Constants own = read_over(c, values);
    if (kind_of(own) != 1) return std::vector<Event>{};
    const MultibodyProblem p = std::get<MultibodyProblem>(build("", wheel, own, bogie));
    const WheelsetModel m = model(wheel, own);
    return (bogie ? m.with_bogie({}) : m).jump_events(p, grid_of(wheel, own));
  };
  e.scene = [=](const Values& values) { return scene(wheel, read_over(c, values), bogie); };
  // Lengths of millimetres, angles of milliradians; forces of 1e5 N.
  const std::vector<std::string> suffixes =
      bogie ? std::vector<std::string>{"1", "2"} : std::vector<std::string>{""};
  for (const std::string& s : suffixes) {
    for (const char* lambda : {"lambda_right", "lambda_left"}) {
      e.atol_scale[lambda + s] = 1e5;
      e.units[lambda + s] = "N";
    }
    for (const char* length : {"y", "z"}) {
      e.units[length + s] = "m";
      e.units["d" + (length + s)] = "m/s";
    }
    for (const char* angle : {"alpha", "gamma", "beta"}) {
      e.units[angle + s] = "rad";
      e.units["d" + (angle + s)] = "rad/s";
    }
  }
  return e;
}

}  // namespace daedalus::problems::wheel_rail
