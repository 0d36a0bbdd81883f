// SPDX-License-Identifier: BSD-3-Clause
// The problems of a wheelset: with contact coordinates, with rigid contact, and the events of
// jumps.
#include "contact/wheel_rail_equations.hpp"

#include <daedalus/autodiff.hpp>

namespace daedalus {
namespace {

template <class S>
inline constexpr bool is_series = !std::is_same_v<S, double> && !std::is_same_v<S, Dual4>;

struct RailZeta {
  WheelRail geometry;
  template <class T, class S>
  auto operator()(const T& s, const RailPose<S>& p) const {
    return geometry.zeta(s, p);
  }
};

std::vector<std::string> with_suffix(std::vector<std::string> names, const std::string& suffix) {
  for (std::string& name : names) name += suffix;
  return names;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

// Sizes, names, mass matrix and start values, common to both kinds of contact.
static MultibodyProblem frame_of(const WheelsetModel::Equations& e, const BogieFrame* bogie,
                                 const WheelsetPosition& start, double beta_rate) {
  const WheelsetModel& model = e.model;
  const WheelsetData d = model.data();
  const int count = model.wheelsets(), n = 5 * count + (bogie ? 2 : 0);
  MultibodyProblem p;
  p.name = bogie ? "bogie" : "wheelset";
  p.space = euclidean(n);
  p.constraint_count = 2 * count;
  p.q0 = Eigen::VectorXd::Zero(n);
  p.v0 = Eigen::VectorXd::Zero(n);
  p.lambda0 = Eigen::VectorXd::Constant(2 * count, -0.5 * d.load());
  for (int k = 0; k < count; ++k) {
    const std::string suffix = bogie ? std::to_string(k + 1) : "";
    append(p.q_names, with_suffix({"y", "z", "alpha", "gamma", "beta"}, suffix));
    append(p.v_names, with_suffix({"dy", "dz", "dalpha", "dgamma", "dbeta"}, suffix));
    append(p.lambda_names, with_suffix({"lambda_right", "lambda_left"}, suffix));
    const double x = e.distance(0.0, k);
    const WheelsetPosition at = bogie ? model.on_rails(start.y, start.gamma, x) : start;
    p.q0.segment(5 * k, 4) << at.y, at.z, at.alpha, at.gamma;
    // The wheelset follows the track sideways, so that the gaps do not change.
    p.v0[5 * k] = d.speed * e.track_slope(x);
    p.v0[5 * k + 4] = beta_rate;
    for (const int size : {1, 1, 1, 2}) p.mass_blocks.push_back(size);
  }
  if (bogie) {
    append(p.q_names, {"y_frame", "gamma_frame"});
    append(p.v_names, {"dy_frame", "dgamma_frame"});
    p.q0[n - 2] = start.y;
    for (const int size : {1, 1}) p.mass_blocks.push_back(size);
  }
  const double frame_mass = bogie ? bogie->mass : 0.0, frame_inertia = bogie ? bogie->inertia : 0.0;
  p.mass = autodiff([d, count, frame_mass, frame_inertia](const auto&, const auto& q, auto& M) {
    using std::cos, std::sin;
    for (int k = 0; k < count; ++k) {
      const auto sa = sin(q[5 * k + 2]), ca = cos(q[5 * k + 2]);
      const int i = 7 * k;
      M(i, 0) = d.mass;
      M(i + 1, 0) = d.mass;
      M(i + 2, 0) = d.inertia;
      M(i + 3, 0) = d.rolling_inertia * sa * sa + d.inertia * ca * ca;
      M(i + 4, 0) = d.rolling_inertia * sa;
      M(i + 5, 0) = d.rolling_inertia * sa;
      M(i + 6, 0) = d.rolling_inertia;
    }
    if (frame_mass > 0.0) {
      M(7 * count, 0) = frame_mass;
      M(7 * count + 1, 0) = frame_inertia;
    }
  });
  return p;
}

MultibodyProblem WheelsetModel::problem(const WheelsetPosition& start, double beta_rate) const {
  const auto e = std::make_shared<const Equations>(*this);
  MultibodyProblem p = frame_of(*e, bogie_ ? &frame_ : nullptr, start, beta_rate);
  const int count = wheelsets();
  p.constraint = autodiff([e, count](const auto& t, const auto& q, auto& g) {
    using S = std::decay_t<decltype(t)>;
    for (int i = 0; i < 2 * count; ++i)
      g[i] = e->gap(e->pose<S>(i % 2 == 0 ? 1.0 : -1.0, t, q, i / 2));
  });
  p.constraint_jacobian = autodiff([e, count](const auto& t, const auto& q, auto& G) {
    using S = std::decay_t<decltype(t)>;
    for (int j = 0; j < static_cast<int>(G.cols()); ++j)
      for (int i = 0; i < 2 * count; ++i) G(i, j) = S(0.0);
    if constexpr (!is_series<S>) {
      for (int i = 0; i < 2 * count; ++i) {
        const auto w = e->pose<S>(i % 2 == 0 ? 1.0 : -1.0, t, q, i / 2);
        std::array<S, 4> f;
        e->attack(w, f);
        const auto row = w.gap_gradient(e->model.data(), {f[0], f[1], f[2]});
        for (int j = 0; j < 4; ++j) G(i, 5 * (i / 2) + j) = row[static_cast<std::size_t>(j)];
      }
      return Eval::ok;
    } else {
      return Eval::reject;  // the library asks matrices over numbers and first derivatives only
    }
  });
  if (!track_.straight() || !contact_->geometry().rail().constant())
    p.constraint_time_derivative = autodiff([e, count](const auto& t, const auto& q, auto& g_t) {
      using S = std::decay_t<decltype(t)>;
      if constexpr (!is_series<S>) {
        const double speed = e->model.data().speed;
        for (int i = 0; i < 2 * count; ++i) {
          const auto w = e->pose<S>(i % 2 == 0 ? 1.0 : -1.0, t, q, i / 2);
          std::array<S, 4> f;
          e->attack(w, f);
          const auto row = w.gap_gradient(e->model.data(), {f[0], f[1], f[2]});
          const S x = e->distance(t, i / 2);
          g_t[i] = -speed * (row[0] * e->model.track_.slope(x) + f[3]);
        }
        return Eval::ok;
      } else {
        for (int i = 0; i < 2 * count; ++i) g_t[i] = S(0.0);
        return Eval::reject;
      }
    });
  else
    p.constraint_time_derivative = autodiff([count](const auto&, const auto&, auto& g_t) {
      for (int i = 0; i < 2 * count; ++i) g_t[i] = 0.0;
    });
  p.force = autodiff([e, count](const auto& x, auto& f) {
    using S = std::decay_t<decltype(x.t)>;
    if constexpr (!is_series<S>) {
      e->template suspension<S>(x.q, x.v, f);
      for (int i = 0; i < 2 * count; ++i) {
        const auto w = e->template pose<S>(i % 2 == 0 ? 1.0 : -1.0, x.t, x.q, i / 2);
        std::array<S, 4> gradient;
        const AttackPoint<S> a = e->attack(w, gradient);
        std::array<S, 5> Q{};
        e->template add_creep<S>(w, a, x.v, 5 * (i / 2), x.lambda[i], Q, nullptr);
        for (int j = 0; j < 5; ++j)
          f[5 * (i / 2) + j] = f[5 * (i / 2) + j] + Q[static_cast<std::size_t>(j)];
      }
      return Eval::ok;
    } else {
      for (int i = 0; i < static_cast<int>(f.size()); ++i) f[i] = S(0.0);
      return Eval::reject;
    }
  });
  return p;
}

MultibodyProblem WheelsetModel::rigid_problem(const WheelsetPosition& start,
                                              const ContactGrid& grid, double beta_rate) const {
  const RigidGlobal search(contact_->geometry(), grid);
  WheelsetModel rigid = *this;
  rigid.contact_ = std::make_shared<RigidGlobal>(search);
  const WheelsetPosition at = rigid.on_rails(start.y, start.gamma);
  const auto e = std::make_shared<const Equations>(rigid);
  MultibodyProblem p = frame_of(*e, bogie_ ? &frame_ : nullptr, at, beta_rate);
  const int count = wheelsets();
  p.contact_count = 2 * count;
  p.s0.resize(2 * count);
  for (int i = 0; i < 2 * count; ++i) {
    p.s_names.push_back((i % 2 == 0 ? "s_right" : "s_left") +
                        (bogie_ ? std::to_string(i / 2 + 1) : ""));
    const In q(p.q0.data(), p.q0.size());
    p.s0[i] = search.point(e->pose<double>(i % 2 == 0 ? 1.0 : -1.0, 0.0, q, i / 2).p).s;
  }
  p.constraint = autodiff([e, count](const auto& t, const auto& q, const auto& s, auto& g) {
    using S = std::decay_t<decltype(t)>;
    for (int i = 0; i < 2 * count; ++i) {
      const auto w = e->pose<S>(i % 2 == 0 ? 1.0 : -1.0, t, q, i / 2);
      g[i] = -w.xi_w - e->model.contact().geometry().zeta(s[i], w.p);
    }
  });
  p.contact = autodiff([e, count](const auto& t, const auto& q, const auto& s, auto& h) {
    using S = std::decay_t<decltype(t)>;
    for (int i = 0; i < 2 * count; ++i) {
      const auto w = e->pose<S>(i % 2 == 0 ? 1.0 : -1.0, t, q, i / 2);
      h[i] = -e->model.contact().geometry().zeta(Dual<S, 1>::variable(s[i], 0), w.p).d[0];
    }
  });
  p.force = autodiff([e, count](const auto& x, auto& f) {
    using S = std::decay_t<decltype(x.t)>;
    if constexpr (!is_series<S>) {
      e->template suspension<S>(x.q, x.v, f);
      for (int i = 0; i < 2 * count; ++i) {
        const auto w = e->template pose<S>(i % 2 == 0 ? 1.0 : -1.0, x.t, x.q, i / 2);
        const AttackPoint<S> a = e->attack_at(w, S(x.s[i]));
        std::array<S, 5> Q{};
        e->template add_creep<S>(w, a, x.v, 5 * (i / 2), x.lambda[i], Q, nullptr);
        for (int j = 0; j < 5; ++j)
          f[5 * (i / 2) + j] = f[5 * (i / 2) + j] + Q[static_cast<std::size_t>(j)];
      }
      return Eval::ok;
    } else {
      for (int i = 0; i < static_cast<int>(f.size()); ++i) f[i] = S(0.0);
      return Eval::reject;
    }
  });
  return p;
}

std::vector<Event> WheelsetModel::jump_events(const MultibodyProblem& rigid,
                                              const ContactGrid& grid, double hysteresis) const {
  if (!(hysteresis > 0.0) || !std::isfinite(hysteresis))
    throw InvalidArgument(fmt::format(
        "wheelset: hysteresis = {}; a finite positive length in metres is allowed", hysteresis));
  const auto e = std::make_shared<const Equations>(*this);
  const auto family =
      std::make_shared<const ContactFamily<RailZeta>>(grid, 1.0, RailZeta{contact_->geometry()});
  std::vector<detail::ContactMonitor> all;
  for (int i = 0; i < 2 * wheelsets(); ++i) {
    const double side = i % 2 == 0 ? 1.0 : -1.0;
    const int k = i / 2;
    const std::string name =
        (side > 0.0 ? "right" : "left") + (wheelsets() > 1 ? std::to_string(k + 1) : "");
    all.push_back({name,
                   [e, family, side, k](double t, In q, double s, ContactSide where) {
                     return family->lead(s, e->pose<double>(side, t, q, k).p, where);
                   },
                   [e, family, side, k](double t, In q, double s, ContactSide where) {
                     return family->rival(s, e->pose<double>(side, t, q, k).p, where);
                   },
                   [e, family, side, k](double t, In q, double s) {
                     return family->settle(s, e->pose<double>(side, t, q, k).p);
                   },
                   hysteresis});
  }
  return detail::jump_events(rigid, std::move(all));
}

}  // namespace daedalus
