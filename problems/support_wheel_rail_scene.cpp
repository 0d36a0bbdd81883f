#include <problems/support_wheel_rail.hpp>

#include <cmath>

namespace daedalus::problems::wheel_rail {
namespace {

constexpr double magnified = 10.0;

Eigen::Matrix3d turned(double roll, double yaw) {
  const double sa = std::sin(roll), ca = std::cos(roll);
  Eigen::Matrix3d about_x;
  about_x << 1.0, 0.0, 0.0, 0.0, ca, -sa, 0.0, sa, ca;
  return shapes::planar_rotation(yaw) * about_x;
}

// Place of wheelset k, without its rolling.
struct Place {
  Eigen::Vector3d centre;
  Eigen::Matrix3d axes;
};
Place place_of(const StateView& s, int k, double along, double radius) {
  const In q = s.q();
  const int i = 5 * k;
  return {{along, magnified * q[i], -radius + magnified * (q[i + 1] + radius)},
          turned(magnified * q[i + 2], magnified * q[i + 3])};
}

// Both wheels and the axle: pairs (radius, place on the axle).
std::vector<std::array<double, 2>> outline(const Profile& wheel, double distance) {
  const double axle = 0.08, step = 2.5e-3;
  std::vector<std::array<double, 2>> half{{axle, distance + 0.2}, {axle, distance + 0.06}};
  for (double s = 0.06; s > -0.0601; s -= step) half.push_back({wheel.value(s), distance + s});
  half.push_back({axle, distance - 0.07});
  std::vector<std::array<double, 2>> all{{0.0, distance + 0.2}};
  all.insert(all.end(), half.begin(), half.end());
  for (std::size_t i = half.size(); i-- > 0;) all.push_back({half[i][0], -half[i][1]});
  all.push_back({0.0, -distance - 0.2});
  return all;
}

}  // namespace

Scene scene(Wheel wheel, const Constants& c, bool bogie) {
  using namespace shapes;
  Constants own = c;
  own.contact = 0.0;
  const auto single = std::make_shared<const WheelsetModel>(model(wheel, own));
  const WheelsetData d = single->data();
  const double wheelbase = BogieFrame{}.half_wheelbase;
  const int count = bogie ? 2 : 1;
  const bool given = c.contact == 1.0;  // contact coordinates are variables
  Scene picture;
  picture.up = {0.0, 0.0, -1.0};
  picture.view = {-1.0, 0.8, -0.6};
  for (int k = 0; k < count; ++k) {
    const double along = bogie ? (k == 0 ? wheelbase : -wheelbase) : 0.0;
    const std::string number = bogie ? " " + std::to_string(k + 1) : "";
    picture.bodies.push_back(revolved(
        "wheelset" + number + " (movements magnified 10 times)",
        outline(single->contact().geometry().wheel(), d.wheel_distance), [=](const StateView& s) {
          const Place p = place_of(s, k, along, d.rolling_radius);
          Eigen::Matrix3d frame;
          frame << p.axes.col(2), p.axes.col(0), p.axes.col(1);
          const double rolled = s.q()[5 * k + 4] - d.speed / d.rolling_radius * s.t();
          return Pose{p.centre, frame * planar_rotation(rolled)};
        }));
    for (const int side : {1, -1})
      picture.bodies.push_back(sphere(
          (side > 0 ? "right contact" : "left contact") + number, 0.015, [=](const StateView& s) {
            const Place p = place_of(s, k, along, d.rolling_radius);
            double at = 0.0;
            try {
              if (given)
                at = s.s()[2 * k + (side > 0 ? 0 : 1)];
              else
                at = single
                         ->wheel(side, s.t() + along / d.speed, In(s.q().data() + 5 * k, 5),
                                 In(s.v().data() + 5 * k, 5), -1e4)
                         .s;
            } catch (const Reject&) {  // beside the rail nothing touches: the tread's middle
            }
            const double radius = single->contact().geometry().wheel().value(at);
            return Eigen::Vector3d(p.centre + side * (d.wheel_distance + at) * p.axes.col(1) +
                                   radius * p.axes.col(2));
          }));
  }
  const TrackAlignment track = track_of(c);
  for (const double side : {1.0, -1.0})
    picture.bodies.push_back(box(side > 0.0 ? "right rail" : "left rail",
                                 {bogie ? 5.0 : 2.5, 0.07, 0.07}, [=](const StateView& s) {
                                   const double moved = magnified * track.place(d.speed * s.t());
                                   return Pose{{0.0, side * d.rail_distance + moved, 0.035},
                                               turned(-side * d.inclination, 0.0)};
                                 }));
  if (bogie)
    picture.bodies.push_back(box("frame", {3.2, 1.2, 0.08}, [=](const StateView& s) {
      const In q = s.q();
      return Pose{{0.0, magnified * q[10], -1.3 * d.rolling_radius},
                  planar_rotation(magnified * q[11])};
    }));
  return picture;
}

}  // namespace daedalus::problems::wheel_rail
