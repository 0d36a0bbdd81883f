// SPDX-License-Identifier: BSD-3-Clause
// Random mechanisms without damping: energy and constraints at position and velocity level are
// known to stay as they are. Plane: bars (x, y, phi) and pins, open chains and closed loops. Space:
// point masses in chains, trees and triangles of rods.
#include <cmath>
#include <memory>

#include "soak/case.hpp"

namespace daedalus::soak {
namespace {

constexpr double gravity = 9.81;

struct Bars {
  std::vector<double> length, mass;
  bool closed = false;
  Eigen::Vector2d end = Eigen::Vector2d::Zero();  // where a closed loop is fixed
  int count() const { return static_cast<int>(length.size()); }
  int pins() const { return count() + (closed ? 1 : 0); }
  double half(int i) const { return 0.5 * length[static_cast<std::size_t>(i)]; }

  // Pin k joins the end of bar k - 1 (or the ground) to the beginning of bar k (or the ground).
  template <class S, class Q>
  void pin(int k, const Q& q, S& x, S& y) const {
    using std::cos, std::sin;
    x = y = S(0.0);
    if (k > 0) {
      const int i = k - 1;
      x += q[3 * i] + half(i) * cos(q[3 * i + 2]);
      y += q[3 * i + 1] + half(i) * sin(q[3 * i + 2]);
    }
    if (k < count()) {
      x -= q[3 * k] - half(k) * cos(q[3 * k + 2]);
      y -= q[3 * k + 1] - half(k) * sin(q[3 * k + 2]);
    } else {
      x -= end[0];
      y -= end[1];
    }
  }
  double pin_speed(int k, const In& q, const In& v) const {
    double x = 0.0, y = 0.0;
    const auto add = [&](int i, double sign, double side) {
      x += sign * (v[3 * i] - side * half(i) * std::sin(q[3 * i + 2]) * v[3 * i + 2]);
      y += sign * (v[3 * i + 1] + side * half(i) * std::cos(q[3 * i + 2]) * v[3 * i + 2]);
    };
    if (k > 0) add(k - 1, 1.0, 1.0);
    if (k < count()) add(k, -1.0, -1.0);
    return std::hypot(x, y);
  }
  double inertia(int i) const {
    const auto k = static_cast<std::size_t>(i);
    return mass[k] * length[k] * length[k] / 12.0;
  }
  double energy(const In& q, const In& v) const {
    double sum = 0.0;
    for (int i = 0; i < count(); ++i) {
      const double m = mass[static_cast<std::size_t>(i)];
      sum += 0.5 * m * v.segment(3 * i, 2).squaredNorm() + m * gravity * q[3 * i + 1] +
             0.5 * inertia(i) * v[3 * i + 2] * v[3 * i + 2];
    }
    return sum;
  }
};

struct Rods {
  struct Rod {
    int from, to;  // -1: the ground, at the origin
    double length;
  };
  std::vector<double> mass;
  std::vector<Rod> rods;
  template <class S, class Q>
  S square(const Rod& r, const Q& q) const {
    S sum = 0.0;
    for (int k = 0; k < 3; ++k) {
      S d = q[3 * r.to + k];
      if (r.from >= 0) d -= q[3 * r.from + k];
      sum += d * d;
    }
    return sum;
  }
  double speed(const Rod& r, const In& q, const In& v) const {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
      sum += (q[3 * r.to + k] - (r.from >= 0 ? q[3 * r.from + k] : 0.0)) *
             (v[3 * r.to + k] - (r.from >= 0 ? v[3 * r.from + k] : 0.0));
    return sum;
  }
  double energy(const In& q, const In& v) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(3 * i);
      sum += mass[i] * (0.5 * v.segment(k, 3).squaredNorm() + gravity * q[k + 2]);
    }
    return sum;
  }
};

// Energies move between kinetic and potential: scale of an error of one tolerance.
template <class Model>
void add_conserved(Case& c, std::shared_ptr<const Model> model, double scale) {
  c.conserved.push_back(
      {"energy", [model](const StateView& s) { return model->energy(s.q(), s.v()); }, scale, 1});
}

}  // namespace

Case draw_plane_linkage(Random& random) {
  auto bars = std::make_shared<Bars>();
  const bool closed = bars->closed = random.chance(0.4);
  const int n = closed ? random.integer(3, 4) : random.integer(1, 3);
  Eigen::VectorXd q(3 * n), v = Eigen::VectorXd::Zero(3 * n);
  Eigen::Vector2d at = Eigen::Vector2d::Zero(), speed = Eigen::Vector2d::Zero();
  double scale = 0.0;
  // Bars of a loop turn step by step, so that it encloses an area.
  double angle = random.uniform(0.3, 1.2);
  for (int i = 0; i < n; ++i) {
    const double length = random.uniform(0.4, 1.2), mass = random.log_uniform(0.3, 3.0);
    bars->length.push_back(length);
    bars->mass.push_back(mass);
    angle = closed ? angle - random.uniform(0.5, 1.1) : random.uniform(-3.1, 3.1);
    const double rate = closed ? 0.0 : random.uniform(-2.0, 2.0);
    const Eigen::Vector2d along(std::cos(angle), std::sin(angle)), across(-along[1], along[0]);
    q.segment(3 * i, 3) << at + 0.5 * length * along, angle;
    v.segment(3 * i, 3) << speed + 0.5 * length * rate * across, rate;
    at += length * along;
    speed += length * rate * across;
    scale += mass * (gravity + 5.0);
  }
  bars->end = at;
  Case c;
  c.index = 3;
  c.t1 = random.uniform(0.4, 1.5);
  MultibodyProblem p{.name = "bars"};
  p.space = euclidean(3 * n);
  p.constraint_count = 2 * bars->pins();
  Eigen::VectorXd diagonal(3 * n);
  for (int i = 0; i < n; ++i)
    diagonal.segment(3 * i, 3) << bars->mass[static_cast<std::size_t>(i)],
        bars->mass[static_cast<std::size_t>(i)], bars->inertia(i);
  p.mass_matrix = Eigen::MatrixXd(diagonal.asDiagonal()).sparseView();
  p.force = autodiff([bars](auto, const auto&, const auto&, auto& f) {
    for (int i = 0; i < bars->count(); ++i) {
      f[3 * i] = 0.0, f[3 * i + 2] = 0.0;
      f[3 * i + 1] = -gravity * bars->mass[static_cast<std::size_t>(i)];
    }
  });
  p.constraint = autodiff([bars](auto, const auto& x, auto& g) {
    using S = std::decay_t<decltype(g[0])>;
    for (int k = 0; k < bars->pins(); ++k) {
      S a, b;
      bars->template pin<S>(k, x, a, b);
      g[2 * k] = a, g[2 * k + 1] = b;
    }
  });
  p.q0 = q;
  p.v0 = v;
  c.problem = p;
  add_conserved<Bars>(c, bars, scale);
  for (int k = 0; k < bars->pins(); ++k) {
    c.conserved.push_back({"pin " + std::to_string(k),
                           [bars, k](const StateView& s) {
                             double x = 0.0, y = 0.0;
                             bars->pin<double>(k, s.q(), x, y);
                             return std::hypot(x, y);
                           },
                           1.0, 1});
    c.conserved.push_back(
        {"speed at pin " + std::to_string(k),
         [bars, k](const StateView& s) { return bars->pin_speed(k, s.q(), s.v()); }, 3.0, 1});
  }
  c.description = std::to_string(n) + " bars" + (closed ? ", closed" : "");
  return c;
}

Case draw_space_linkage(Random& random) {
  auto rods = std::make_shared<Rods>();
  const int n = random.integer(1, 4);
  Eigen::VectorXd q(3 * n), v = Eigen::VectorXd::Zero(3 * n);
  double scale = 0.0;
  const auto place = [&q](int i) {
    return i < 0 ? Eigen::Vector3d::Zero().eval() : Eigen::Vector3d(q.segment(3 * i, 3));
  };
  for (int i = 0; i < n; ++i) {
    const int from = random.integer(-1, i - 1);
    Eigen::Vector3d direction(random.normal(), random.normal(), random.normal() - 0.5);
    direction.normalize();
    const double length = random.uniform(0.4, 1.2);
    q.segment(3 * i, 3) = place(from) + length * direction;
    rods->mass.push_back(random.log_uniform(0.3, 3.0));
    rods->rods.push_back({from, i, length * length});
    scale += rods->mass.back() * (gravity + 5.0);
  }
  // A rod between two masses that no other joins closes a triangle; at rest it is consistent.
  const bool triangle = n >= 2 && random.chance(0.3);
  if (triangle) {
    const int to = n - 1;
    const int from = rods->rods.back().from == 0 ? -1 : 0;
    const bool two = rods->rods[0].from == -1;
    if (two && from != rods->rods.back().from)
      rods->rods.push_back({from, to, (place(to) - place(from)).squaredNorm()});
  } else {
    const Eigen::Vector3d spin(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5),
                               random.uniform(-1.5, 1.5));
    for (int i = 0; i < n; ++i) v.segment(3 * i, 3) = spin.cross(place(i));
  }
  Case c;
  c.index = 3;
  c.t1 = random.uniform(0.4, 1.5);
  MultibodyProblem p{.name = "rods"};
  p.space = euclidean(3 * n);
  p.constraint_count = static_cast<int>(rods->rods.size());
  Eigen::VectorXd diagonal(3 * n);
  for (int i = 0; i < n; ++i)
    diagonal.segment(3 * i, 3).setConstant(rods->mass[static_cast<std::size_t>(i)]);
  p.mass_matrix = Eigen::MatrixXd(diagonal.asDiagonal()).sparseView();
  p.force = autodiff([rods](auto, const auto&, const auto&, auto& f) {
    for (std::size_t i = 0; i < rods->mass.size(); ++i) {
      const auto k = static_cast<int>(3 * i);
      f[k] = 0.0, f[k + 1] = 0.0;
      f[k + 2] = -gravity * rods->mass[i];
    }
  });
  p.constraint = autodiff([rods](auto, const auto& x, auto& g) {
    using S = std::decay_t<decltype(g[0])>;
    int k = 0;
    for (const Rods::Rod& r : rods->rods)
      g[k++] = 0.5 * (rods->template square<S>(r, x) - r.length);
  });
  p.q0 = q;
  p.v0 = v;
  c.problem = p;
  add_conserved<Rods>(c, rods, scale);
  for (std::size_t k = 0; k < rods->rods.size(); ++k) {
    c.conserved.push_back(
        {"rod " + std::to_string(k),
         [rods, k](const StateView& s) { return rods->square<double>(rods->rods[k], s.q()); }, 2.0,
         1});
    c.conserved.push_back(
        {"stretching of rod " + std::to_string(k),
         [rods, k](const StateView& s) { return rods->speed(rods->rods[k], s.q(), s.v()); }, 5.0,
         1});
  }
  c.description = std::to_string(n) + " masses, " + std::to_string(rods->rods.size()) + " rods";
  return c;
}

}  // namespace daedalus::soak
