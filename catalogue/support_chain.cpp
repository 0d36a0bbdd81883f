// SPDX-License-Identifier: BSD-3-Clause
#include <numbers>

#include <Eigen/LU>

#include <catalogue/chain.hpp>

namespace daedalus::problems::chain {
namespace {

constexpr double pi = std::numbers::pi;

// Direction of a link at the place s in (0, 1), and its wish for a rate. An open chain hangs bent
// to one side; a closed one sags between its ends, the right one higher or lower as it comes out.
template <int D>
struct Shape {
  Eigen::Matrix<double, D, 1> direction, rate;

  Shape(bool closed, double s) {
    const double angle = closed ? 2.4 * s - 1.3 + 0.2 * std::sin(2.0 * pi * s)
                                : 0.5 - 0.5 * pi + 0.4 * std::cos(2.0 * pi * s);
    if constexpr (D == 2) {
      direction << std::cos(angle), std::sin(angle);
      rate << 2.0 * std::sin(3.0 * s), std::cos(2.0 * s);
    } else {
      const double turn = 0.6 * std::sin(pi * s) + 0.3 * s;
      direction << std::cos(angle) * std::cos(turn), std::cos(angle) * std::sin(turn),
          std::sin(angle);
      rate << std::sin(3.0 * s), 2.0 * std::cos(2.0 * s), s;
    }
  }
  Eigen::Matrix<double, D, 1> tangential(const Eigen::Matrix<double, D, 1>& w) const {
    return w - direction * direction.dot(w);
  }
};

double place(int link, int links) { return (link + 0.5) / links; }

// What all rates lose so that the end of a closed chain stays where it is.
template <int D>
Eigen::Matrix<double, D, 1> correction(bool closed, int links) {
  Eigen::Matrix<double, D, 1> sum = Eigen::Matrix<double, D, 1>::Zero();
  if (!closed) return sum;
  Eigen::Matrix<double, D, D> projectors = Eigen::Matrix<double, D, D>::Zero();
  for (int i = 0; i < links; ++i) {
    const Shape<D> shape(closed, place(i, links));
    sum += shape.tangential(shape.rate);
    projectors +=
        Eigen::Matrix<double, D, D>::Identity() - shape.direction * shape.direction.transpose();
  }
  return projectors.inverse() * sum;
}

Scene scene(const MultibodyProblem& problem, const Constants& c, int dimension) {
  using namespace shapes;
  const int n = static_cast<int>(c.n);
  const bool closed = c.closed != 0.0;
  const double link = c.length / n;
  // The second fixed point is where the last link of the start position leads.
  Eigen::Vector3d end = Eigen::Vector3d::Zero();
  if (closed) {
    const int links = n + 1;
    end.head(dimension) = problem.q0.tail(dimension);
    if (dimension == 2)
      end.head<2>() += link * Shape<2>(closed, place(n, links)).direction;
    else
      end += link * Shape<3>(closed, place(n, links)).direction;
  }
  const int points = n + 1 + (closed ? 1 : 0);
  const double bead = std::min(0.25 * link, 0.02 * c.length);
  Body body = curve("chain", 0.3 * bead, bead, points,
                    [n, dimension, closed, end](const StateView& s, Eigen::Vector3d* p) {
                      p[0].setZero();
                      for (int i = 0; i < n; ++i) {
                        p[i + 1].setZero();
                        for (int k = 0; k < dimension; ++k) p[i + 1][k] = s.q()[dimension * i + k];
                      }
                      if (closed) p[n + 1] = end;
                    });
  body.trail = !closed;
  Scene picture = planar_scene({body, sphere("support", 1.5 * bead, fixed_point(0.0, 0.0))});
  if (closed)
    picture.bodies.push_back(sphere("end", 1.5 * bead, fixed_point(end[0], end[1], end[2])));
  if (dimension == 3) {
    picture.up = Scene{}.up;
    picture.view = Scene{}.view;
  }
  return picture;
}

std::vector<std::string> coordinates(int n, int dimension) {
  std::vector<std::string> names;
  for (int i = 1; i <= n; ++i)
    for (int k = 0; k < dimension; ++k)
      names.push_back(std::string(1, "xyz"[k]) + std::to_string(i));
  return names;
}

}  // namespace

void check(const std::string& name, const Constants& c) {
  need(c.closed == 0.0 || c.closed == 1.0, name, "closed", c.closed,
       "0 (one fixed end) or 1 (two)");
  const double least = c.closed == 0.0 ? 1.0 : 2.0;
  need(c.n >= least && c.n <= 1e7 && c.n == std::floor(c.n), name, "n", c.n,
       "an integer from 1 (closed: 2) to 10000000");
  need(c.length > 0.0, name, "length", c.length, "a positive number of metres");
  need(c.mass > 0.0, name, "mass", c.mass, "a positive number of kilograms");
}

template <int D>
MultibodyProblem problem(const std::string& name, const Constants& c) {
  check(name, c);
  const bool closed = c.closed != 0.0;
  Model m;
  m.n = static_cast<int>(c.n);
  m.links = m.n + (closed ? 1 : 0);
  m.link = c.length / m.n;
  m.mass = c.mass / m.n;
  m.gravity = c.gravity;

  Eigen::VectorXd q0(D * m.n), v0(D * m.n);
  Eigen::Matrix<double, D, 1> p = Eigen::Matrix<double, D, 1>::Zero(), v = p;
  const Eigen::Matrix<double, D, 1> lost = correction<D>(closed, m.links);
  for (int i = 0; i < m.links; ++i) {
    const Shape<D> shape(closed, place(i, m.links));
    p += m.link * shape.direction;
    v += m.link * shape.tangential(shape.rate - lost);
    if (i < m.n) {
      q0.segment<D>(D * i) = p;
      v0.segment<D>(D * i) = v;
    }
  }
  for (int k = 0; k < D; ++k) m.end[static_cast<std::size_t>(k)] = p[k];

  const std::vector<std::string> q_names = coordinates(m.n, D);
  return MultibodyProblem{
      .name = name,
      .space = euclidean(D * m.n),
      .constraint_count = m.links,
      .mass_matrix = diagonal(Eigen::VectorXd::Constant(D * m.n, m.mass)),
      .force = autodiff([m](const auto&, const auto&, const auto&, auto& f) {
        for (int i = 0; i < m.n; ++i)
          for (int k = 0; k < D; ++k) f[D * i + k] = k == D - 1 ? -m.mass * m.gravity : 0.0;
      }),
      .constraint =
          autodiff([m](const auto&, const auto& q, auto& g) { chain::constraint<D>(m, q, g); }),
      .constraint_time_derivative = autodiff([m](const auto&, const auto&, auto& g_t) {
        for (int i = 0; i < m.links; ++i) g_t[i] = 0.0;
      }),
      .acceleration_term = autodiff([m](const auto&, const auto&, const auto& w, auto& k) {
        chain::acceleration_term<D>(m, w, k);
      }),
      .q0 = q0,
      .v0 = v0,
      .lambda0 = Eigen::VectorXd::Zero(m.links),
      .invariants = {{"energy", autodiff([m](const auto&, const auto& q, const auto& w, auto& e) {
                        e[0] = energy<D>(m, q, w);
                      })}},
      .q_names = q_names,
      .v_names = prefixed("d", q_names),
      .lambda_names = numbered("lambda", m.links)};
}

template MultibodyProblem problem<2>(const std::string&, const Constants&);
template MultibodyProblem problem<3>(const std::string&, const Constants&);

Entry entry(const std::string& name, int dimension) {
  Entry e;
  e.name = name;
  e.form = "multibody";
  e.index = 3;
  e.t0 = 0.0;
  e.t_end = 1.0;
  e.source =
      "point masses on rigid links, the usual model problem for closed and open chains of many "
      "bodies; shape and motion at the start chosen for this catalogue";
  e.suites = {"arnold"};
  e.equations =
      "l = length/n, m = mass/n, p0 = 0, gravity along the last axis, p_i' = v_i\n"
      "m v_i' = -m gravity e - lambda_i (p_i - p_(i-1))/l + lambda_(i+1) (p_(i+1) - p_i)/l\n"
      "0 = (|p_i - p_(i-1)|^2 - l^2)/(2 l), i = 1..n; closed = 1: also i = n+1 with p_(n+1) fixed";
  e.parameters = defaults(fields);
  e.units = units({{"m", "length"}, {"kg", "mass"}, {"m/s2", "gravity"}});
  e.build = [name, dimension](const Values& values) -> Problem {
    const Constants c = read(fields, values);
    return dimension == 2 ? problem<2>(name, c) : problem<3>(name, c);
  };
  e.scene = [name, dimension](const Values& values) {
    const Constants c = read(fields, values);
    return scene(dimension == 2 ? problem<2>(name, c) : problem<3>(name, c), c, dimension);
  };
  return e;
}

Reference reference(int dimension, std::initializer_list<double> values) {
  const std::vector<std::string> names = coordinates(10, dimension);
  return {.t = 1.0,
          .values = named(joined({names, prefixed("d", names), numbered("lambda", 10)}), values),
          .counted = joined({names, prefixed("d", names)}),
          .digits = 13,
          .source =
              "computed for this catalogue in quadruple precision by extrapolation, two step sizes "
              "agree to 17 digits; start values rounded to double move the values by 4e-15"};
}

}  // namespace daedalus::problems::chain
