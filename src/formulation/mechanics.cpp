#include "formulation/mechanics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace daedalus {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Central differences: the cube root of the unit round-off balances truncation and cancellation of
// a first derivative, the fourth root that of a second one.
const double central_step = std::cbrt(std::numeric_limits<double>::epsilon());
const double second_step = std::sqrt(std::sqrt(std::numeric_limits<double>::epsilon()));

// Gaussian elimination with pivoting by value, n small; A (column-major) and b are overwritten.
template <class S>
bool eliminate(int n, S* A, S* b) {
  using std::abs;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(value_of(A[i + k * n])) > std::abs(value_of(A[pivot + k * n]))) pivot = i;
    if (!(std::abs(value_of(A[pivot + k * n])) > 0.0)) return false;
    if (pivot != k) {
      for (int j = k; j < n; ++j) std::swap(A[k + j * n], A[pivot + j * n]);
      std::swap(b[k], b[pivot]);
    }
    for (int i = k + 1; i < n; ++i) {
      const S factor = A[i + k * n] / A[k + k * n];
      for (int j = k + 1; j < n; ++j) A[i + j * n] = A[i + j * n] - factor * A[k + j * n];
      b[i] = b[i] - factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) b[k] = b[k] - A[k + j * n] * b[j];
    b[k] = b[k] / A[k + k * n];
  }
  return true;
}

}  // namespace

Mechanics::Mechanics(std::shared_ptr<const MultibodyProblem> owned, Modes modes)
    : owned_(std::move(owned)),
      problem_(*owned_),
      parameters_(problem_.parameters, std::move(modes)) {
  const MultibodyProblem& problem = problem_;
  sizes_.positions = problem.space.points();
  sizes_.tangents = problem.space.tangents();
  sizes_.velocities = problem.velocities();
  sizes_.holonomic = problem.constraint_count;
  sizes_.nonholonomic = problem.nonholonomic_count;
  sizes_.dynamic = problem.dynamic_count;
  sizes_.contact = problem.contact_count;
  const auto differentiable_or_absent = [](const auto& f) { return !f || f.differentiable(); };
  smooth_ = differentiable_or_absent(problem.constraint) &&
            differentiable_or_absent(problem.contact) &&
            differentiable_or_absent(problem.kinematics);
  const int rows = std::max({sizes_.holonomic, sizes_.contact, sizes_.nonholonomic, 1});
  const int square = std::max({sizes_.tangents, sizes_.velocities, sizes_.multipliers(), 1});
  std::apply(
      [&](auto&... c) {
        const auto reserve = [&](auto& curve) {
          curve.q.resize(at(sizes_.positions));
          curve.w.resize(at(sizes_.tangents));
          curve.s.resize(at(sizes_.contact));
          curve.out.resize(at(rows));
          curve.matrix.resize(
              at(std::max(square * sizes_.velocities, sizes_.positions + sizes_.contact)));
          curve.rate.resize(at(sizes_.tangents));
          curve.direction.resize(at(sizes_.velocities));
          curve.h_s.resize(at(sizes_.contact * sizes_.contact));
          curve.rhs.resize(at(sizes_.contact));
        };
        (reserve(c), ...);
      },
      curves_);
  const auto grow = [&](auto& sets, int n) {
    std::apply([&](auto&... v) { (v.resize(at(n)), ...); }, sets);
  };
  grow(matrix_, square * square);
  grow(vector_, square);
  grow(scaled_, square * square);
  for (Scratch& scratch : scratch_) {
    scratch.rate.resize(at(sizes_.tangents));
    scratch.shift.resize(at(sizes_.tangents));
    scratch.moved.resize(at(sizes_.positions));
    scratch.matrix.resize(at(sizes_.multipliers() * sizes_.velocities));
    for (auto* v : {&scratch.plus, &scratch.minus, &scratch.offset})
      v->resize(at(sizes_.multipliers()));
  }
}

bool Mechanics::differentiable(int level) const {
  const auto good = [](const auto& f) { return !f || f.differentiable(); };
  const MultibodyProblem& p = problem_;
  const bool pieces = good(p.mass) && good(p.force) && good(p.kinematics) && good(p.dynamics) &&
                      good(p.contact) && good(p.nonholonomic_matrix) && good(p.nonholonomic_offset);
  const bool has_g = p.constraint_count > 0;
  const bool given_matrix = p.constraint_jacobian && p.contact_count == 0;
  const bool matrix = !has_g || (given_matrix ? p.constraint_jacobian.differentiable() : smooth_);
  if (level >= 3) return pieces && matrix && good(p.constraint);
  const bool given_offset = p.constraint_time_derivative && p.contact_count == 0;
  const bool offset =
      !has_g || (given_offset ? p.constraint_time_derivative.differentiable() : smooth_);
  if (level == 2) return pieces && matrix && offset;
  const bool given_curvature = p.acceleration_term && p.contact_count == 0;
  const bool curvature =
      !has_g || (given_curvature ? p.acceleration_term.differentiable() : smooth_);
  return pieces && matrix && curvature;
}

double Mechanics::noise(int level) const {
  constexpr double round_off = 2.2e-16;
  if (sizes_.holonomic == 0 || smooth_) return round_off;
  const bool given_matrix = static_cast<bool>(problem_.constraint_jacobian);
  const bool given_curvature = static_cast<bool>(problem_.acceleration_term);
  if (level == 1 && !given_curvature) return given_matrix ? 1e-11 : 1e-8;
  return given_matrix ? round_off : 1e-11;
}

template <class S>
Arguments<S> Mechanics::arguments(const PointOf<S>& p) const {
  Arguments<S> a;
  a.t = p.t;
  a.x = {p.q, p.v, p.lambda, p.c, p.s};
  a.n = {sizes_.positions, p.v ? sizes_.velocities : 0, p.lambda ? sizes_.multipliers() : 0,
         p.c ? sizes_.dynamic : 0, p.s ? sizes_.contact : 0};
  parameters_.apply(a);
  return a;
}

template <class S>
Arguments<Taylor<S, 2>> Mechanics::arguments(const Curve<S>& c) const {
  Arguments<Series<S>> a;
  a.t = c.t;
  a.x = {c.q.data(), nullptr, nullptr, nullptr, c.s.data()};
  a.n = {sizes_.positions, 0, 0, 0, sizes_.contact};
  parameters_.apply(a);
  return a;
}

template <class S>
Eval Mechanics::along(const char* name, const Function<slot::Position>& f, int rows, Curve<S>& c) {
  return piece_(name, c.out.data(), rows, [&] { return f(arguments(c), c.out.data(), rows); });
}

template <class S>
Eval Mechanics::lay_curve(const PointOf<S>& p, const S* w, double tau, bool second, Curve<S>& c) {
  const auto series = [](const S& value, const S& slope) {
    Series<S> x;
    x.c[0] = value;
    x.c[1] = slope;
    return x;
  };
  c.t = series(p.t, S(tau));
  if (Eval e = kinematic_product(p, w, c.rate.data()); e != Eval::ok) return e;
  for (int i = 0; i < sizes_.positions; ++i) c.q[at(i)] = Series<S>(p.q[i]);
  for (int i = 0; i < sizes_.tangents; ++i) c.w[at(i)] = series(S(0.0), c.rate[at(i)]);
  problem_.space.plus(c.q.data(), c.w.data(), c.q.data());
  for (int i = 0; i < sizes_.contact; ++i) c.s[at(i)] = Series<S>(p.s[i]);
  if (second && problem_.kinematics) {
    // q'' = (dT/dt) v along the curve, v held.
    if (Eval e = piece_("kinematics", c.matrix.data(), sizes_.tangents * sizes_.velocities,
                        [&] {
                          return problem_.kinematics(arguments(c), c.matrix.data(), sizes_.tangents,
                                                     sizes_.velocities);
                        });
        e != Eval::ok)
      return e;
    for (int i = 0; i < sizes_.tangents; ++i) {
      S sum(0.0);
      for (int j = 0; j < sizes_.velocities; ++j)
        sum = sum + c.matrix[at(i + j * sizes_.tangents)].c[1] * w[j];
      c.q[at(i)].c[2] = 0.5 * sum;
    }
  }
  for (int order = 1; order <= (second ? 2 : 1) && sizes_.contact > 0; ++order) {
    if (Eval e = contact_matrix(p, c.h_s.data()); e != Eval::ok) return e;
    if (Eval e = along("contact", problem_.contact, sizes_.contact, c); e != Eval::ok) return e;
    for (int i = 0; i < sizes_.contact; ++i) c.rhs[at(i)] = -c.out[at(i)].c[at(order)];
    if (!eliminate(sizes_.contact, c.h_s.data(), c.rhs.data())) return Eval::reject;
    for (int i = 0; i < sizes_.contact; ++i) c.s[at(i)].c[at(order)] = c.rhs[at(i)];
  }
  return Eval::ok;
}

template <class S>
Eval Mechanics::kinematic_product(const PointOf<S>& p, const S* w, S* out) {
  if (!problem_.kinematics) {
    std::copy(w, w + sizes_.velocities, out);
    return Eval::ok;
  }
  auto& T = std::get<std::vector<S>>(matrix_);
  const auto call = [&] {
    return problem_.kinematics(arguments(p), T.data(), sizes_.tangents, sizes_.velocities);
  };
  if (Eval e = piece_("kinematics", T.data(), sizes_.tangents * sizes_.velocities, call);
      e != Eval::ok)
    return e;
  for (int i = 0; i < sizes_.tangents; ++i) {
    S sum(0.0);
    for (int j = 0; j < sizes_.velocities; ++j) sum = sum + T[at(i + j * sizes_.tangents)] * w[j];
    out[i] = sum;
  }
  return Eval::ok;
}

template <class S>
Eval Mechanics::mass(const PointOf<S>& p, S* M) {
  const int n = sizes_.velocities;
  if (problem_.mass)
    return piece_("mass", M, n * n, [&] { return problem_.mass(arguments(p), M, n, n); });
  for (int i = 0; i < n * n; ++i) M[i] = S(i % (n + 1) == 0 ? 1.0 : 0.0);
  return Eval::ok;
}

template <class S>
Eval Mechanics::force(const PointOf<S>& p, S* f) {
  return piece_("force", f, sizes_.velocities,
                [&] { return problem_.force(arguments(p), f, sizes_.velocities); });
}

template <class S>
Eval Mechanics::constraint(const PointOf<S>& p, S* g) {
  if (sizes_.holonomic == 0) return Eval::ok;
  return piece_("constraint", g, sizes_.holonomic,
                [&] { return problem_.constraint(arguments(p), g, sizes_.holonomic); });
}

template <class S>
Eval Mechanics::constraint_matrix(const PointOf<S>& p, S* G) {
  const int rows = sizes_.multipliers(), n = sizes_.velocities, ng = sizes_.holonomic;
  if (sizes_.nonholonomic > 0) {
    auto& A = std::get<std::vector<S>>(matrix_);
    const auto call = [&] {
      return problem_.nonholonomic_matrix(arguments(p), A.data(), sizes_.nonholonomic, n);
    };
    if (Eval e = piece_("nonholonomic_matrix", A.data(), sizes_.nonholonomic * n, call);
        e != Eval::ok)
      return e;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < sizes_.nonholonomic; ++i)
        G[ng + i + j * rows] = A[at(i + j * sizes_.nonholonomic)];
  }
  if (ng == 0) return Eval::ok;
  if (problem_.constraint_jacobian && sizes_.contact == 0) {
    const bool direct = ng == rows && !problem_.kinematics;
    S* given = direct ? G : std::get<std::vector<S>>(scaled_).data();
    const auto call = [&] {
      return problem_.constraint_jacobian(arguments(p), given, ng, sizes_.tangents);
    };
    if (Eval e = piece_("constraint_jacobian", given, ng * sizes_.tangents, call);
        e != Eval::ok || direct)
      return e;
    auto& unit = std::get<Curve<S>>(curves_).direction;
    auto& column = std::get<Curve<S>>(curves_).rate;
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) unit[at(k)] = S(k == j ? 1.0 : 0.0);
      if (Eval e = kinematic_product(p, unit.data(), column.data()); e != Eval::ok) return e;
      for (int i = 0; i < ng; ++i) {
        S sum(0.0);
        for (int k = 0; k < sizes_.tangents; ++k) sum = sum + given[i + k * ng] * column[at(k)];
        G[i + j * rows] = sum;
      }
    }
    return Eval::ok;
  }
  auto& c = std::get<Curve<S>>(curves_);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) c.direction[at(k)] = S(k == j ? 1.0 : 0.0);
    if constexpr (std::is_same_v<S, double>) {
      if (!smooth_) {
        auto& first = std::get<std::vector<double>>(vector_);
        if (Eval e = differences(p, c.direction.data(), 0.0, first.data(), nullptr); e != Eval::ok)
          return e;
        for (int i = 0; i < ng; ++i) G[i + j * rows] = first[at(i)];
        continue;
      }
    }
    if (Eval e = lay_curve(p, c.direction.data(), 0.0, false, c); e != Eval::ok) return e;
    if (Eval e = along("constraint", problem_.constraint, ng, c); e != Eval::ok) return e;
    for (int i = 0; i < ng; ++i) G[i + j * rows] = c.out[at(i)].c[1];
  }
  return Eval::ok;
}

template <class S>
Eval Mechanics::velocity_offset(const PointOf<S>& p, S* out) {
  const int ng = sizes_.holonomic;
  if (sizes_.nonholonomic > 0) {
    if (problem_.nonholonomic_offset) {
      const auto call = [&] {
        return problem_.nonholonomic_offset(arguments(p), out + ng, sizes_.nonholonomic);
      };
      if (Eval e = piece_("nonholonomic_offset", out + ng, sizes_.nonholonomic, call);
          e != Eval::ok)
        return e;
    } else {
      std::fill(out + ng, out + sizes_.multipliers(), S(0.0));
    }
  }
  if (ng == 0) return Eval::ok;
  if (problem_.constraint_time_derivative && sizes_.contact == 0) {
    return piece_("constraint_time_derivative", out, ng,
                  [&] { return problem_.constraint_time_derivative(arguments(p), out, ng); });
  }
  auto& c = std::get<Curve<S>>(curves_);
  std::fill(c.direction.begin(), c.direction.end(), S(0.0));
  if constexpr (std::is_same_v<S, double>)
    if (!smooth_) return differences(p, c.direction.data(), 1.0, out, nullptr);
  if (Eval e = lay_curve(p, c.direction.data(), 1.0, false, c); e != Eval::ok) return e;
  if (Eval e = along("constraint", problem_.constraint, ng, c); e != Eval::ok) return e;
  for (int i = 0; i < ng; ++i) out[i] = c.out[at(i)].c[1];
  return Eval::ok;
}

template <class S>
Eval Mechanics::acceleration_term(const PointOf<S>& p, S* out) {
  const int ng = sizes_.holonomic, na = sizes_.nonholonomic, n = sizes_.velocities;
  auto& c = std::get<Curve<S>>(curves_);
  if (na > 0) {
    const bool smooth_rows =
        problem_.nonholonomic_matrix.differentiable() &&
        (!problem_.nonholonomic_offset || problem_.nonholonomic_offset.differentiable());
    if (!smooth_rows) {
      if constexpr (std::is_same_v<S, double>) {
        if (Eval e = nonholonomic_rate(p, out + ng); e != Eval::ok) return e;
      }
    } else {
      if (Eval e = lay_curve(p, p.v, 1.0, false, c); e != Eval::ok) return e;
      const auto call = [&] {
        return problem_.nonholonomic_matrix(arguments(c), c.matrix.data(), na, n);
      };
      if (Eval e = piece_("nonholonomic_matrix", c.matrix.data(), na * n, call); e != Eval::ok)
        return e;
      for (int i = 0; i < na; ++i) {
        S sum(0.0);
        for (int j = 0; j < n; ++j) sum = sum + c.matrix[at(i + j * na)].c[1] * p.v[j];
        out[ng + i] = sum;
      }
      if (problem_.nonholonomic_offset) {
        if (Eval e = along("nonholonomic_offset", problem_.nonholonomic_offset, na, c);
            e != Eval::ok)
          return e;
        for (int i = 0; i < na; ++i) out[ng + i] = out[ng + i] + c.out[at(i)].c[1];
      }
    }
  }
  if (ng == 0) return Eval::ok;
  if (problem_.acceleration_term && sizes_.contact == 0) {
    return piece_("acceleration_term", out, ng,
                  [&] { return problem_.acceleration_term(arguments(p), out, ng); });
  }
  if constexpr (std::is_same_v<S, double>)
    if (!smooth_) return differences(p, p.v, 1.0, nullptr, out);
  if (Eval e = lay_curve(p, p.v, 1.0, true, c); e != Eval::ok) return e;
  if (Eval e = along("constraint", problem_.constraint, ng, c); e != Eval::ok) return e;
  for (int i = 0; i < ng; ++i) out[i] = 2.0 * c.out[at(i)].c[2];
  return Eval::ok;
}

template <class S>
Eval Mechanics::rate(const PointOf<S>& p, S* q_rate) {
  return kinematic_product(p, p.v, q_rate);
}

template <class S>
Eval Mechanics::dynamics(const PointOf<S>& p, S* c_rate) {
  if (sizes_.dynamic == 0) return Eval::ok;
  return piece_("dynamics", c_rate, sizes_.dynamic,
                [&] { return problem_.dynamics(arguments(p), c_rate, sizes_.dynamic); });
}

template <class S>
Eval Mechanics::contact(const PointOf<S>& p, S* h) {
  if (sizes_.contact == 0) return Eval::ok;
  return piece_("contact", h, sizes_.contact,
                [&] { return problem_.contact(arguments(p), h, sizes_.contact); });
}

template <class S>
Eval Mechanics::contact_matrix(const PointOf<S>& p, S* h_s) {
  auto& c = std::get<Curve<S>>(curves_);
  const int n = sizes_.contact;
  // q and t stand still here; the curve that is being laid keeps its own values of them.
  std::vector<Series<S>>& q = c.matrix;
  for (int i = 0; i < sizes_.positions; ++i) q[at(i)] = Series<S>(p.q[i]);
  Arguments<Series<S>> a = arguments(c);
  a.t = Series<S>(p.t);
  a.x[0] = q.data();
  Series<S>* s = q.data() + sizes_.positions;
  a.x[4] = s;
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) {
      s[i] = Series<S>(p.s[i]);
      s[i].c[1] = S(i == k ? 1.0 : 0.0);
    }
    if (Eval e = piece_("contact", c.out.data(), n,
                        [&] { return problem_.contact(a, c.out.data(), n); });
        e != Eval::ok)
      return e;
    for (int i = 0; i < n; ++i) h_s[i + k * n] = c.out[at(i)].c[1];
  }
  return Eval::ok;
}

Eval Mechanics::differences(const PointOf<double>& p, const double* w, double tau, double* first,
                            double* second) {
  const int ng = sizes_.holonomic;
  // The second difference evaluates G and g_t, which may themselves be first differences.
  Scratch& scratch = scratch_[second ? 1 : 0];
  std::vector<double>&rate = scratch.rate, &shift = scratch.shift, &moved = scratch.moved,
  &G = scratch.matrix, &plus = scratch.plus, &minus = scratch.minus, &offset = scratch.offset;
  if (Eval e = kinematic_product(p, w, rate.data()); e != Eval::ok) return e;
  double size_q = 1.0, size_w = 0.0;
  for (int i = 0; i < sizes_.positions; ++i) size_q = std::max(size_q, std::abs(p.q[i]));
  for (double r : rate) size_w = std::max(size_w, std::abs(r));
  const bool twice = second && !problem_.constraint_jacobian && !problem_.kinematics;
  const double eps = (twice ? second_step : central_step) * size_q / std::max({size_w, tau, 1e-30});
  // Second derivatives: second differences of g, or differences of the velocity level G v + g_t
  // where G is given.
  const auto level = [&](double e, std::vector<double>& out) {
    for (int i = 0; i < sizes_.tangents; ++i) shift[at(i)] = e * rate[at(i)];
    problem_.space.plus(p.q, shift.data(), moved.data());
    PointOf<double> there = p;
    there.t = p.t + e * tau;
    there.q = moved.data();
    if (!second || twice) return constraint(there, out.data());
    if (Eval r = constraint_matrix(there, G.data()); r != Eval::ok) return r;
    if (Eval r = velocity_offset(there, offset.data()); r != Eval::ok) return r;
    for (int i = 0; i < ng; ++i) {
      double sum = offset[at(i)];
      for (int j = 0; j < sizes_.velocities; ++j) sum += G[at(i + j * sizes_.multipliers())] * w[j];
      out[at(i)] = sum;
    }
    return Eval::ok;
  };
  if (Eval e = level(eps, plus); e != Eval::ok) return e;
  if (Eval e = level(-eps, minus); e != Eval::ok) return e;
  if (twice) {
    if (Eval e = constraint(p, offset.data()); e != Eval::ok) return e;
    for (int i = 0; i < ng; ++i)
      second[i] = (plus[at(i)] - 2.0 * offset[at(i)] + minus[at(i)]) / (eps * eps);
    return Eval::ok;
  }
  double* out = second ? second : first;
  for (int i = 0; i < ng; ++i) out[i] = (plus[at(i)] - minus[at(i)]) / (2.0 * eps);
  return Eval::ok;
}

Eval Mechanics::nonholonomic_rate(const PointOf<double>& p, double* out) {
  const int na = sizes_.nonholonomic, n = sizes_.velocities;
  std::vector<double>&rate = scratch_[0].rate, &shift = scratch_[0].shift,
  &moved = scratch_[0].moved, &A = scratch_[0].matrix, &a = scratch_[0].offset;
  std::fill(a.begin(), a.end(), 0.0);
  if (Eval e = kinematic_product(p, p.v, rate.data()); e != Eval::ok) return e;
  double size = 1.0, speed = 1.0;
  for (int i = 0; i < sizes_.positions; ++i) size = std::max(size, std::abs(p.q[i]));
  for (double r : rate) speed = std::max(speed, std::abs(r));
  const double eps = central_step * size / speed;
  std::fill(out, out + na, 0.0);
  for (const double sign : {1.0, -1.0}) {
    for (int i = 0; i < sizes_.tangents; ++i) shift[at(i)] = sign * eps * rate[at(i)];
    problem_.space.plus(p.q, shift.data(), moved.data());
    PointOf<double> there = p;
    there.t = p.t + sign * eps;
    there.q = moved.data();
    const auto matrix = [&] {
      return problem_.nonholonomic_matrix(arguments(there), A.data(), na, n);
    };
    if (Eval e = piece_("nonholonomic_matrix", A.data(), na * n, matrix); e != Eval::ok) return e;
    const auto offset = [&] {
      return problem_.nonholonomic_offset(arguments(there), a.data(), na);
    };
    if (problem_.nonholonomic_offset)
      if (Eval e = piece_("nonholonomic_offset", a.data(), na, offset); e != Eval::ok) return e;
    for (int i = 0; i < na; ++i) {
      double sum = a[at(i)];
      for (int j = 0; j < n; ++j) sum += A[at(i + j * na)] * p.v[j];
      out[i] += sign * sum / (2.0 * eps);
    }
  }
  return Eval::ok;
}

#define DAEDALUS_INSTANTIATE(S)                                         \
  template Eval Mechanics::mass<S>(const PointOf<S>&, S*);              \
  template Eval Mechanics::force<S>(const PointOf<S>&, S*);             \
  template Eval Mechanics::constraint<S>(const PointOf<S>&, S*);        \
  template Eval Mechanics::constraint_matrix<S>(const PointOf<S>&, S*); \
  template Eval Mechanics::velocity_offset<S>(const PointOf<S>&, S*);   \
  template Eval Mechanics::acceleration_term<S>(const PointOf<S>&, S*); \
  template Eval Mechanics::rate<S>(const PointOf<S>&, S*);              \
  template Eval Mechanics::dynamics<S>(const PointOf<S>&, S*);          \
  template Eval Mechanics::contact<S>(const PointOf<S>&, S*);           \
  template Eval Mechanics::contact_matrix<S>(const PointOf<S>&, S*);
DAEDALUS_INSTANTIATE(double)
DAEDALUS_INSTANTIATE(Dual4)
#undef DAEDALUS_INSTANTIATE

}  // namespace daedalus
