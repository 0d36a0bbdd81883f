// SPDX-License-Identifier: BSD-3-Clause
// A body that falls from rest onto the ground and loses a share of its speed in each impact:
// t_1 = sqrt(2 H/g), each flight e times as long as the one before; for e < 1 the impacts
// accumulate at t_1 (1 + e)/(1 - e). Also a ramp that is set back whenever it reaches one.
#include <cmath>

#include "soak/case.hpp"
#include "soak/signal.hpp"

namespace daedalus::soak {
namespace {

struct Fall {
  double g = 9.81, height = 1.0, restitution = 0.9;
  double first() const { return std::sqrt(2.0 * height / g); }
  double limit() const { return first() * (1.0 + restitution) / (1.0 - restitution); }
  // Height and speed at t, impacts before it into `impacts`.
  Eigen::Vector2d at(double t, std::vector<double>* impacts = nullptr) const {
    double begin = 0.0, length = first(), speed = 0.0;
    double y = height;
    while (t >= begin + length && length > 1e-12 * begin) {
      if (impacts) impacts->push_back(begin + length);
      const double before = speed - g * length;
      begin += length;
      speed = -restitution * before;
      length = 2.0 * speed / g;
      y = 0.0;
    }
    const double s = t - begin;
    return {y + speed * s - 0.5 * g * s * s, speed - g * s};
  }
  // An error d of the height at an impact of speed v moves its time by d/v and the speed behind it
  // by (1 + e) g d/v: without bound towards the limit of the impacts.
  double growth(double t) const {
    double sum = 1.0, speed = g * first(), end = first();
    for (; end < t && speed > 1e-12; speed *= restitution) {
      sum += (1.0 + restitution) * g / speed;
      end += 2.0 * restitution * speed / g;
    }
    return sum;
  }
};

Case draw_fall(Random& random, bool accumulate) {
  Fall fall;
  fall.height = random.uniform(0.5, 2.0);
  fall.restitution = accumulate ? random.uniform(0.2, 0.7) : random.uniform(0.8, 0.97);
  Case c;
  const double limit = fall.limit();
  c.t1 = accumulate ? random.uniform(1.5, 4.0) * limit
                    : std::min(0.7 * limit, random.uniform(3.0, 9.0) * fall.first());
  const int form = random.integer(0, 2);
  const double g = fall.g;
  c.index = form == 2 ? 1 : 0;
  const Eigen::Vector2d start(fall.height, 0.0);
  if (form == 0) {
    MultibodyProblem p{.name = "fall"};
    p.space = euclidean(1);
    p.mass_matrix = Eigen::MatrixXd::Identity(1, 1).sparseView();
    p.force = autodiff([g](auto, const auto&, const auto&, auto& f) { f[0] = -g; });
    p.q0 = start.head(1);
    p.v0 = start.tail(1);
    c.problem = p;
  } else if (form == 1) {
    MassMatrixProblem p{.name = "fall"};
    p.rhs = autodiff([g](auto, const auto& y, auto& f) { f[0] = y[1], f[1] = -g; });
    p.y0 = start;
    p.index = 0;
    c.problem = p;
  } else {  // with the specific energy as an algebraic variable
    SemiExplicitProblem p{.name = "fall"};
    p.f = autodiff([g](auto, const auto& y, const auto&, auto& f) { f[0] = y[1], f[1] = -g; });
    p.g = autodiff([g](auto, const auto& y, const auto& z, auto& r) {
      r[0] = z[0] - 0.5 * y[1] * y[1] - g * y[0];
    });
    p.y0 = start;
    p.z0 = Eigen::VectorXd::Constant(1, g * fall.height);
    c.problem = p;
  }
  // From the limit of its impacts on the body rests.
  c.solution = [fall, limit, form](double t) -> Eigen::VectorXd {
    const Eigen::Vector2d x = t < limit ? fall.at(t) : Eigen::Vector2d::Zero();
    if (form != 2) return x;
    return Eigen::Vector3d(x[0], x[1], 0.5 * x[1] * x[1] + fall.g * x[0]);
  };
  c.component_index.assign(form == 2 ? 3 : 2, 1);
  Event ground;
  ground.name = "ground";
  ground.when = [](const StateView& s) { return s.y()[0]; };
  ground.direction = Crossing::falling;
  ground.action = EventAction::handle;
  ground.handler = [e = fall.restitution](EventContext& x) {
    x.y[1] *= -e;
    if (x.y.size() > 2) x.y[2] *= e * e;
  };
  c.events.push_back(ground);
  if (accumulate) {
    c.has_to_name = ground.name;
    c.growth = [fall](double t) { return fall.growth(t); };
    fall.at(limit, &c.jumps);
    c.jumps.push_back(limit);
  } else {
    ExpectedEvents expected{ground.name, {}, 0.0};
    fall.at(c.t1, &expected.times);
    expected.slope = std::abs(fall.at(c.t1)[1]) + 0.2 * fall.g * fall.first();
    c.jumps = expected.times;
    c.expected.push_back(expected);
  }
  c.description = "restitution " + std::to_string(fall.restitution) +
                  (accumulate ? ", past the limit " + std::to_string(limit) : "") + ", form " +
                  std::to_string(form);
  return c;
}

// y' = s(t) > 0 is set back by one whenever it reaches one; z follows y.
Case draw_ramp(Random& random) {
  Signal y;
  y.constant = random.uniform(0.1, 0.5);
  y.slope = random.uniform(1.0, 3.0);
  const double w = random.uniform(0.5, 3.0);
  y.waves.push_back({0.4 * y.slope / w, w, 0.0});
  const Signal rate = y.derivative();
  Case c;
  c.t1 = random.uniform(1.0, 4.0);
  c.index = 1;
  SemiExplicitProblem p{.name = "ramp"};
  p.f = autodiff([rate](auto t, const auto&, const auto&, auto& f) { f[0] = rate.value(t); });
  p.g = autodiff([](auto, const auto& v, const auto& z, auto& g) { g[0] = z[0] - 2.0 * v[0]; });
  p.y0 = Eigen::VectorXd::Constant(1, y.constant);
  p.z0 = 2.0 * p.y0;
  c.problem = p;
  c.solution = [y](double t) -> Eigen::VectorXd {
    const double total = y.value(t);
    const double left = total - std::floor(total);
    return Eigen::Vector2d(left, 2.0 * left);
  };
  c.component_index = {1, 1};
  Event full;
  full.name = "full";
  full.when = [](const StateView& s) { return s.y()[0] - 1.0; };
  full.action = EventAction::handle;
  full.handler = [](EventContext& x) { x.y[0] -= 1.0, x.y[1] -= 2.0; };
  c.events.push_back(full);
  ExpectedEvents expected{full.name, {}, 0.6 * y.slope};
  for (double level = 1.0; level < y.value(c.t1); level += 1.0) {
    double a = c.t0, b = c.t1;
    for (int k = 0; k < 60; ++k) (y.value(0.5 * (a + b)) < level ? a : b) = 0.5 * (a + b);
    expected.times.push_back(a);
  }
  c.jumps = expected.times;
  c.expected.push_back(expected);
  c.description = "ramp";
  return c;
}

}  // namespace

Case draw_impacts(Random& random) {
  const double kind = random.uniform(0.0, 1.0);
  return kind < 0.4   ? draw_fall(random, false)
         : kind < 0.7 ? draw_fall(random, true)
                      : draw_ramp(random);
}

}  // namespace daedalus::soak
