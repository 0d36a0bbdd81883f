// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_wheel_rail.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <daedalus/wheel_rail/picture.hpp>

namespace daedalus::problems::wheel_rail {
namespace {

using Vector = Eigen::Vector3d;

Eigen::Matrix3d turned(double roll, double yaw) {
  const double sa = std::sin(roll), ca = std::cos(roll);
  Eigen::Matrix3d about_x;
  about_x << 1.0, 0.0, 0.0, 0.0, ca, -sa, 0.0, sa, ca;
  return shapes::planar_rotation(yaw) * about_x;
}

// Both wheels and the axle: pairs (radius, place on the axle).
std::vector<std::array<double, 2>> outline(const Profile& wheel, double distance) {
  // Hub, web and rim are only shapes.
  const double axle = 0.08, hub = 0.13, rim = wheel.value(0.06) - 0.06;
  std::vector<std::array<double, 2>> half{{axle, distance + 0.2},       {axle, distance + 0.07},
                                          {hub, distance + 0.06},       {hub, distance + 0.02},
                                          {rim, distance - 0.01},       {rim, distance + 0.055},
                                          {rim + 0.01, distance + 0.06}};
  for (double s = 0.06; s > -0.0601; s -= s > -0.0301 ? 5e-3 : 1.5e-3)
    half.push_back({wheel.value(s), distance + s});
  for (const auto& [radius, place] : std::initializer_list<std::array<double, 2>>{
           {rim, -0.065}, {rim, -0.035}, {hub, -0.01}, {hub, -0.08}, {axle, -0.09}})
    half.push_back({radius, distance + place});
  std::vector<std::array<double, 2>> all{{0.0, distance + 0.2}};
  all.insert(all.end(), half.begin(), half.end());
  for (std::size_t i = half.size(); i-- > 0;) all.push_back({half[i][0], -half[i][1]});
  all.push_back({0.0, -distance - 0.2});
  return all;
}

// Head of the rail's profile; web and foot as those of 60E1.
std::vector<std::array<double, 2>> cross_section(const Profile& rail) {
  std::vector<std::array<double, 2>> all;
  constexpr int points = 36;
  for (int i = 0; i <= points; ++i) {
    const double v = rail.low() + (rail.high() - rail.low()) * i / points;
    all.push_back({v, rail.value(v)});
  }
  const std::array<std::array<double, 2>, 5> half{{{rail.high() + 1e-3, 0.037},
                                                   {8.5e-3, 0.048},
                                                   {8.5e-3, 0.145},
                                                   {0.075, 0.16},
                                                   {0.075, 0.172}}};
  all.insert(all.end(), half.begin(), half.end());
  for (std::size_t i = half.size(); i-- > 0;) all.push_back({-half[i][0], half[i][1]});
  return all;
}

// One wheel, and where it is drawn once more, larger: the cross section of wheel and rail as seen
// in the direction of travel, and over it the contact patch from above, its front side up.
class Enlarged {
 public:
  Enlarged(std::shared_ptr<const WheelsetModel> model, TrackAlignment track, int k, int side,
           double along, double scale, double height)
      : model_(std::move(model)), track_(std::move(track)), k_(k), side_(side), along_(along) {
    scale_ = scale;
    anchor_ = {along, side * data().rail_distance, -height};
  }

  void add_to(std::vector<Body>& bodies, const std::string& number) const {
    using namespace shapes;
    const std::string name = (side_ > 0 ? "right" : "left") + number;
    const std::string size = fmt::format(" x {:g}", scale_);
    const double line = 7e-4 * scale_;
    const auto add = [&](Body body, const char* colour) {
      body.colour = colour;
      bodies.push_back(std::move(body));
    };
    const Enlarged own = *this;
    add(sphere(name + " contact", 0.015,
               [own](const StateView& s) { return own.contact(s, false); }),
        red);
    add(curve(name + " rail" + size, line, 0.0, rail_points,
              [own](const StateView& s, Vector* p) { own.rail(s, p); }),
        grey);
    add(curve(name + " wheel" + size, line, 0.0, wheel_points,
              [own](const StateView& s, Vector* p) { own.wheel(s, p); }),
        blue);
    add(sphere(name + " contact" + size, 2.0 * line,
               [own](const StateView& s) { return own.contact(s, true); }),
        red);
    add(curve(fmt::format("{} level lines 20, 60, 100 um x {:g}", name, patch_ * scale_),
              0.35 * line, 0.0, static_cast<int>(levels.size()) * level_points,
              [own](const StateView& s, Vector* p) { own.level_lines(s, p); }),
        green);
    add(curve(fmt::format("{} ellipse x {:g}", name, patch_ * scale_), 0.6 * line, 0.0,
              ellipse_points, [own](const StateView& s, Vector* p) { own.ellipse(s, p); }),
        red);
  }

 private:
  static constexpr int rail_points = 33, wheel_points = 44, ellipse_points = 25, level_points = 25;
  static constexpr double patch_ = 2.0;  // patches once more
  static constexpr std::array<double, 3> levels{20e-6, 60e-6, 100e-6};
  static constexpr const char *red = "#c8322b", *grey = "#6b7480", *blue = "#2f6fb5",
                              *green = "#3d8f5f";

  const WheelsetData& data() const { return model_->data(); }
  const WheelRail& geometry() const { return model_->contact().geometry(); }
  double distance(const StateView& s) const { return data().speed * s.t() + along_; }

  // False beside the rail, where nothing touches.
  bool state(const StateView& s, WheelState& w) const {
    try {
      w = model_->wheel(side_, s.t() + along_ / data().speed, In(s.q().data() + 5 * k_, 5),
                        In(s.v().data() + 5 * k_, 5), s.lambda()[2 * k_ + (side_ > 0 ? 0 : 1)]);
      return true;
    } catch (const Reject&) {
      return false;
    }
  }
  // The point (v, w) of the rail's frame in the track's.
  Vector track(double v, double w, double x) const {
    const double ce = std::cos(data().inclination), se = std::sin(data().inclination);
    return {along_, side_ * (data().rail_distance + ce * v + se * w) + track_.place(x),
            ce * w - se * v};
  }
  Vector enlarged(const Vector& p) const {
    return anchor_ + scale_ * (p - Vector(along_, side_ * data().rail_distance, 0.0));
  }
  // The wheel's point nearest to the rail at the place s of its profile.
  Vector wheel_point(const WheelState& w, double s) const {
    const double v = geometry().rail_place(s, w.pose);
    return track(v, w.xi_w + geometry().zeta(s, w.pose) + geometry().rail().value(v, w.pose[3]),
                 w.pose[3]);
  }
  // Over the contact point: a place of the wheel's profile and a distance along the track.
  Vector patch_point(const WheelState& w, double s, double along) const {
    Vector p = enlarged(wheel_point(w, w.s));
    p[1] += side_ * patch_ * scale_ * (s - w.s);
    p[2] = anchor_[2] - scale_ * (0.042 + patch_ * along);
    return p;
  }

  Vector contact(const StateView& s, bool large) const {
    WheelState w;
    if (!state(s, w)) return anchor_;
    const Vector p = wheel_point(w, w.s);
    return large ? enlarged(p) : p;
  }
  void rail(const StateView& s, Vector* p) const {
    const Rail& rail = geometry().rail();
    for (int i = 0; i < rail_points; ++i) {
      const double v = rail.low() + (rail.high() - rail.low()) * i / (rail_points - 1);
      p[i] = enlarged(track(v, rail.value(v, distance(s)), distance(s)));
    }
  }
  void wheel(const StateView& s, Vector* p) const {
    WheelState w;
    const bool found = state(s, w);
    const double low = geometry().wheel().low() + 2e-3, high = 0.045;
    for (int i = 0; i < wheel_points; ++i) {
      const double at = low + (high - low) * i / (wheel_points - 1);
      p[i] = found ? enlarged(wheel_point(w, at)) : anchor_;
      if (!p[i].allFinite()) p[i] = i > 0 ? p[i - 1] : anchor_;
    }
  }
  void ellipse(const StateView& s, Vector* p) const {
    WheelState w;
    const bool found = state(s, w);
    const double across = found ? std::hypot(w.normal[1], w.normal[2]) : 1.0;
    for (int i = 0; i < ellipse_points; ++i) {
      const double turn = 2.0 * EIGEN_PI * i / (ellipse_points - 1);
      p[i] = found ? patch_point(w, w.s + w.ellipse.b * w.normal[2] / across * std::sin(turn),
                                 w.ellipse.a * std::cos(turn))
                   : anchor_;
    }
  }
  // Every line begins and ends at its outer end, from where a short piece leads to the next.
  void level_lines(const StateView& s, Vector* p) const {
    WheelState w;
    if (!state(s, w)) {
      std::fill(p, p + levels.size() * level_points, anchor_);
      return;
    }
    const WheelAngle<double> angle(w.pose, geometry().wheel().slope(w.s));
    const double middle = geometry().wheel().value(w.s) * angle.sine;
    for (const ContactPicture::Level& line :
         daedalus::level_lines(geometry(), w.pose, {levels.begin(), levels.end()}, level_points))
      for (const std::array<double, 2>& at : line.outline)
        *p++ = patch_point(w, at[1], at[0] - middle);
  }

  std::shared_ptr<const WheelsetModel> model_;
  TrackAlignment track_;
  int k_, side_;
  double along_, scale_;
  Vector anchor_;
};

}  // namespace

Scene scene(Wheel wheel, const Constants& c, bool bogie) {
  using namespace shapes;
  Constants own = c;
  own.contact = 0.0;
  const bool rigid = c.contact == 1.0;
  WheelsetModel smooth = model(wheel, own);
  // With contact coordinates the largest zeta is where they are.
  const auto single = std::make_shared<const WheelsetModel>(
      rigid ? WheelsetModel(
                  smooth.data(),
                  std::make_shared<RigidGlobal>(smooth.contact().geometry(), grid_of(wheel, own)),
                  smooth.creep(), track_of(c))
            : smooth);
  const WheelsetData d = single->data();
  const TrackAlignment track = track_of(c);
  const double wheelbase = BogieFrame{}.half_wheelbase;
  const int count = bogie ? 2 : 1;
  Scene picture;
  picture.up = {0.0, 0.0, -1.0};
  picture.view = {-1.0, 0.22, -0.25};
  for (int k = 0; k < count; ++k) {
    const double along = bogie ? (k == 0 ? wheelbase : -wheelbase) : 0.0;
    const std::string number = bogie ? " " + std::to_string(k + 1) : "";
    picture.bodies.push_back(revolved(
        "wheelset" + number, outline(single->contact().geometry().wheel(), d.wheel_distance),
        [=](const StateView& s) {
          const In q(s.q().data() + 5 * k, 5);
          const Eigen::Matrix3d axes = turned(q[2], q[3]);
          Eigen::Matrix3d frame;
          frame << axes.col(2), axes.col(0), axes.col(1);
          const double rolled = q[4] - d.speed / d.rolling_radius * s.t();
          return Pose{{along, q[0], q[1]}, frame * planar_rotation(rolled)};
        }));
  }
  for (const int side : {1, -1})
    picture.bodies.push_back(
        plate(side > 0 ? "right rail" : "left rail",
              cross_section(single->contact().geometry().rail().profile()), bogie ? 4.2 : 1.8,
              [=](const StateView& s) {
                const Eigen::Matrix3d axes = turned(-side * d.inclination, 0.0);
                Eigen::Matrix3d frame;
                frame << axes.col(1), axes.col(2), axes.col(0);
                const double y = side * d.rail_distance;
                return Pose{{0.0, y + track.place(d.speed * s.t()), 0.0}, frame};
              }));
  for (std::size_t i = picture.bodies.size() - 2; i < picture.bodies.size(); ++i)
    picture.bodies[i].colour = "#8a94a3";  // also where the track moves
  if (bogie)
    picture.bodies.push_back(
        plate("frame",
              {{1.6, 0.55},
               {1.6, 0.4},
               {0.25, 0.4},
               {0.25, -0.4},
               {1.6, -0.4},
               {1.6, -0.55},
               {-1.6, -0.55},
               {-1.6, -0.4},
               {-0.25, -0.4},
               {-0.25, 0.4},
               {-1.6, 0.4},
               {-1.6, 0.55}},
              0.12, [=](const StateView& s) {
                const In q = s.q();
                return Pose{{0.0, q[10], -1.3 * d.rolling_radius}, planar_rotation(q[11])};
              }));
  for (int k = 0; k < count; ++k)
    for (const int side : {1, -1}) {
      const double along = bogie ? (k == 0 ? wheelbase : -wheelbase) : 0.0;
      const double scale = bogie ? 7.0 : 10.0;
      const double height = 2.0 * d.rolling_radius + (!bogie ? 0.4 : k == 0 ? 1.2 : 0.7);
      Enlarged(single, track, k, side, along, scale, height)
          .add_to(picture.bodies, bogie ? " " + std::to_string(k + 1) : "");
    }
  return picture;
}

}  // namespace daedalus::problems::wheel_rail
