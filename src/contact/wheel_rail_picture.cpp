#include <daedalus/wheel_rail/picture.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace daedalus {
namespace {

constexpr int outline_points = 48;

// Closed line where the distance of wheel and rail is `level`: for every s the two angles tau. With
// several hills it spans them all.
ContactPicture::Level level_line(const WheelRail& g, const WheelState& w, double level,
                                 double height) {
  ContactPicture::Level line{level, {}};
  std::vector<std::array<double, 2>> back;
  const double low = g.wheel().low() + 1e-3, high = g.wheel().high() - 1e-3;
  for (double s = low; s <= high; s += 0.25e-3) {
    const WheelAngle<double> angle(w.pose, g.wheel().slope(s));
    if (!angle.exists) continue;
    const double lowest = std::atan2(angle.sine, angle.cosine);
    const auto excess = [&](double tau) { return g.distance(s, tau, w.pose, height) - level; };
    if (!(excess(lowest) < 0.0)) continue;
    const auto edge = [&](double direction) {
      double inside = lowest, outside = lowest + 0.2 * direction;
      for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (inside + outside);
        (excess(middle) < 0.0 ? inside : outside) = middle;
      }
      return g.wheel().value(s) * std::sin(inside);
    };
    line.outline.push_back({edge(1.0), s});
    back.push_back({edge(-1.0), s});
  }
  line.outline.insert(line.outline.end(), back.rbegin(), back.rend());
  return line;
}

template <class Points>
std::string points(const Points& list) {
  std::string text;
  for (const auto& p : list)
    text += fmt::format("{}[{:.9g}]", text.empty() ? "" : ",", fmt::join(p, ","));
  return "[" + text + "]";
}

}  // namespace

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
    // Level lines count from the undeformed surfaces just touching.
    double least = 0.0;
    for (double s = g.wheel().low(); s <= g.wheel().high(); s += 0.1e-3)
      least = std::min(least, -w.xi_w - g.zeta(s, w.pose));
    for (const double level : levels) c.levels.push_back(level_line(g, w, level, w.xi_w + least));
  }
  return frame;
}

std::string to_json(const std::vector<WheelsetPicture>& frames) {
  std::string text = "{\"version\": 1, \"frames\": [";
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const WheelsetPicture& f = frames[i];
    text += fmt::format(
        "{}\n{{\"t\": {:.9g}, \"distance\": {:.9g}, \"centre\": [{:.9g}], \"roll\": {:.9g}, "
        "\"yaw\": "
        "{:.9g}, \"turn\": {:.9g},\n \"wheel\": {},\n \"rail_right\": {},\n \"rail_left\": {},\n "
        "\"contacts\": [",
        i == 0 ? "" : ",", f.t, f.distance, fmt::join(f.centre, ","), f.roll, f.yaw, f.turn,
        points(f.wheel), points(f.rail_right), points(f.rail_left));
    for (std::size_t k = 0; k < 2; ++k) {
      const ContactPicture& c = f.contacts[k];
      std::string levels;
      for (const ContactPicture::Level& l : c.levels)
        levels += fmt::format("{}{{\"distance\": {:.9g}, \"outline\": {}}}",
                              levels.empty() ? "" : ", ", l.distance, points(l.outline));
      text += fmt::format(
          "{}{{\"side\": \"{}\", \"point\": [{:.9g}], \"normal\": [{:.9g}], \"normal_force\": "
          "{:.9g}, "
          "\"ellipse\": {}, \"levels\": [{}]}}",
          k == 0 ? "" : ",\n  ", c.side, fmt::join(c.point, ","), fmt::join(c.normal, ","),
          c.normal_force, points(c.ellipse), levels);
    }
    text += "]}";
  }
  return text + "\n]}\n";
}

}  // namespace daedalus
