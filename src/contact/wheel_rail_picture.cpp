// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/wheel_rail/picture.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include <fmt/format.h>

#include "io/json.hpp"

namespace daedalus {
namespace {

using json::Json;

// Polygons that look round and level lines that look smooth on a screen.
constexpr int outline_points = 48, level_points = 97;

// Half of a level line's extent along the track at s, as an angle of the wheel: where the distance
// is `level`. The circle's parabola, mended by secant steps.
double reach(const WheelRail& g, const RailPose<double>& p, double s, double lowest, double level,
             double height, double direction) {
  const auto excess = [&](double turn) {
    return g.distance(s, lowest + direction * turn, p, height) - level;
  };
  double before = 0.0, behind = excess(0.0);
  if (!(behind < 0.0)) return 0.0;
  double turn = std::sqrt(-2.0 * behind / g.wheel().value(s));
  for (int i = 0; i < 8 && std::abs(turn - before) > 1e-9; ++i) {
    const double here = excess(turn), slope = (here - behind) / (turn - before);
    if (!(slope > 0.0)) break;
    before = turn;
    behind = here;
    turn -= here / slope;
  }
  return direction * turn;
}

// Nine digits: a drawing needs no more, and frames are many.
Json drawn(double value) {
  return std::isfinite(value) ? Json(std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr))
                              : Json(nullptr);
}
template <class Point>
Json point(const Point& p) {
  Json list = Json::array();
  for (const double x : p) list.push_back(drawn(x));
  return list;
}
template <class Points>
Json points(const Points& all) {
  Json list = Json::array();
  for (const auto& p : all) list.push_back(point(p));
  return list;
}

}  // namespace

std::vector<ContactPicture::Level> level_lines(const WheelRail& g, const RailPose<double>& p,
                                               const std::vector<double>& levels, int points) {
  if (points < 5 || points % 2 == 0)
    throw InvalidArgument(
        fmt::format("level_lines: {} points; an odd number from 5 is allowed", points));
  constexpr double step = 0.1e-3;  // m: profiles are given every 0.1 to 1 mm
  const double low = g.wheel().low();
  std::vector<double> zeta;
  for (double s = low; s <= g.wheel().high(); s += step) zeta.push_back(g.zeta(s, p));
  const double top = *std::max_element(zeta.begin(), zeta.end());
  const auto behind = [&](double s) { return top - g.zeta(s, p); };
  std::vector<ContactPicture::Level> all;
  for (const double level : levels) {
    ContactPicture::Level line{level, {}};
    std::size_t first = 0, last = zeta.size() - 1;
    while (first < last && !(top - zeta[first] < level)) ++first;
    while (last > first && !(top - zeta[last] < level)) --last;
    // The ends of the line lie less than one step beyond.
    const auto end = [&](double inside, double outside) {
      for (int i = 0; i < 30; ++i) {
        const double middle = 0.5 * (inside + outside);
        (behind(middle) < level ? inside : outside) = middle;
      }
      return inside;
    };
    const double from = low + step * static_cast<double>(first),
                 to = low + step * static_cast<double>(last);
    const double s0 = first == 0 ? from : end(from, from - step),
                 s1 = last + 1 == zeta.size() ? to : end(to, to + step);
    for (int i = 0; i < points; ++i) {
      const double turn = 2.0 * std::numbers::pi * i / (points - 1);
      const double s = 0.5 * (s0 + s1) + 0.5 * (s1 - s0) * std::cos(turn);
      const WheelAngle<double> angle(p, g.wheel().slope(s));
      const double lowest = std::atan2(angle.sine, angle.cosine);
      const double direction = 2 * i < points - 1 ? 1.0 : -1.0;
      const bool inside = i > 0 && i + 1 < points && angle.exists;  // not at the outer end
      const double tau = lowest + (inside ? reach(g, p, s, lowest, level, -top, direction) : 0.0);
      line.outline.push_back({g.wheel().value(s) * std::sin(tau), s});
    }
    all.push_back(std::move(line));
  }
  return all;
}

WheelsetPicture picture(const WheelsetModel& model, double t, In q, In v, In lambda,
                        const std::vector<double>& levels) {
  WheelsetPicture frame;
  const WheelsetData& d = model.data();
  const WheelRail& g = model.contact().geometry();
  frame.t = t;
  frame.distance = d.speed * t;
  frame.centre = {0.0, q[0], q[1]};
  frame.roll = q[2];
  frame.yaw = q[3];
  frame.turn = q[4] - d.speed / d.rolling_radius * t;
  for (double s = g.wheel().low(); s <= g.wheel().high(); s += 1e-3)
    frame.wheel.push_back({d.wheel_distance + s, g.wheel().value(s)});
  const double ce = std::cos(d.inclination), se = std::sin(d.inclination);
  for (double u = g.rail().low(); u <= g.rail().high(); u += 1e-3) {
    const double w = g.rail().value(u, frame.distance);
    const double y = d.rail_distance + ce * u + se * w, z = ce * w - se * u;
    frame.rail_right.push_back({0.0, y, z});
    frame.rail_left.push_back({0.0, -y, z});
  }
  for (const int side : {1, -1}) {
    const std::size_t i = side > 0 ? 0 : 1;
    const WheelState w = model.wheel(side, t, q, v, lambda[static_cast<int>(i)]);
    ContactPicture& c = frame.contacts[i];
    c.side = side > 0 ? "right" : "left";
    c.point = w.point;
    c.point[2] += q[1];
    c.normal = w.normal;
    c.normal_force = w.normal_force;
    const double across = std::hypot(w.normal[1], w.normal[2]);
    for (int k = 0; k <= outline_points; ++k) {
      const double turn = 2.0 * std::numbers::pi * k / outline_points;
      const double x = w.ellipse.a * std::cos(turn), y = w.ellipse.b * std::sin(turn);
      c.ellipse.push_back({c.point[0] + x, c.point[1] + y * w.normal[2] / across,
                           c.point[2] - y * w.normal[1] / across});
    }
    c.levels = level_lines(g, w.pose, levels, level_points);
  }
  return frame;
}

std::string to_json(const std::vector<WheelsetPicture>& frames) {
  Json list = Json::array();
  for (const WheelsetPicture& f : frames) {
    Json contacts = Json::array();
    for (const ContactPicture& c : f.contacts) {
      Json levels = Json::array();
      for (const ContactPicture::Level& l : c.levels)
        levels.push_back({{"distance", drawn(l.distance)}, {"outline", points(l.outline)}});
      contacts.push_back({{"side", c.side},
                          {"point", point(c.point)},
                          {"normal", point(c.normal)},
                          {"normal_force", drawn(c.normal_force)},
                          {"ellipse", points(c.ellipse)},
                          {"levels", std::move(levels)}});
    }
    list.push_back({{"t", drawn(f.t)},
                    {"distance", drawn(f.distance)},
                    {"centre", point(f.centre)},
                    {"roll", drawn(f.roll)},
                    {"yaw", drawn(f.yaw)},
                    {"turn", drawn(f.turn)},
                    {"wheel", points(f.wheel)},
                    {"rail_right", points(f.rail_right)},
                    {"rail_left", points(f.rail_left)},
                    {"contacts", std::move(contacts)}});
  }
  return json::line({{"version", 1}, {"frames", std::move(list)}}) + "\n";
}

}  // namespace daedalus
