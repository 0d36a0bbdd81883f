// SPDX-License-Identifier: BSD-3-Clause
// Direct evaluation of catalogue problems: residuals of all equations, constraint matrices, and the
// saddle-point system, without any part of the solver.
#pragma once

#include <Eigen/Core>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <catalogue/catalogue.hpp>

#include "linalg/decompositions.hpp"

namespace daedalus::catalogue_test {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// All model variables in the order of their names, and the values of one slot's arguments.
struct Variables {
  std::vector<std::string> names;
  Vector start;
};

inline void append(Variables& all, const std::vector<std::string>& names, const Vector& start) {
  all.names.insert(all.names.end(), names.begin(), names.end());
  const Eigen::Index before = all.start.size();
  all.start.conservativeResize(before + start.size());
  all.start.tail(start.size()) = start;
}

inline Variables variables_of(const Problem& problem) {
  Variables all;
  if (const auto* p = std::get_if<ImplicitProblem>(&problem)) append(all, p->variables, p->y0);
  if (const auto* p = std::get_if<MassMatrixProblem>(&problem)) append(all, p->variables, p->y0);
  if (const auto* p = std::get_if<SemiExplicitProblem>(&problem)) {
    append(all, p->y_names, p->y0);
    append(all, p->z_names, p->z0);
  }
  if (const auto* p = std::get_if<MultibodyProblem>(&problem)) {
    append(all, p->q_names, p->q0);
    append(all, p->v_names, p->v0);
    append(all, p->c_names, p->c0);
    append(all, p->s_names, p->s0);
    append(all, p->lambda_names, p->lambda0);
  }
  return all;
}

template <class S>
Arguments<S> arguments(const S& t, const S* x0, int n0, const S* x1 = nullptr, int n1 = 0) {
  Arguments<S> a;
  a.t = t;
  a.x[0] = x0;
  a.n[0] = n0;
  a.x[1] = x1;
  a.n[1] = n1;
  return a;
}

// The values of a problem's parameters, which outlive the arguments they are given to.
template <class S, class P>
std::vector<S> parameter_values(const P& problem) {
  std::vector<S> values;
  for (const Parameter& p : problem.parameters) values.push_back(S(p.value));
  return values;
}
template <class S>
Arguments<S> with(Arguments<S> a, const std::vector<S>& parameters) {
  a.p = parameters.data();
  a.parameter_count = static_cast<int>(parameters.size());
  return a;
}

template <class Slot>
Vector evaluate(const Function<Slot>& function, const Arguments<double>& a, int rows) {
  Vector out = Vector::Constant(rows, std::numeric_limits<double>::quiet_NaN());
  if (function(a, out.data(), rows) == Eval::reject)
    out.setConstant(std::numeric_limits<double>::quiet_NaN());
  return out;
}

template <class Slot>
Matrix evaluate(const Function<Slot>& function, const Arguments<double>& a, int rows, int cols) {
  Matrix out = Matrix::Constant(rows, cols, std::numeric_limits<double>::quiet_NaN());
  if (function(a, out.data(), rows, cols) == Eval::reject)
    out.setConstant(std::numeric_limits<double>::quiet_NaN());
  return out;
}

// M(t, y); the identity where the problem gives none.
inline Matrix mass_matrix(const MassMatrixProblem& p, double t, const Vector& y) {
  const int n = static_cast<int>(y.size());
  if (p.mass_matrix.size() > 0) return Matrix(p.mass_matrix);
  if (!p.mass) return Matrix::Identity(n, n);
  return evaluate(p.mass, arguments(t, y.data(), n), n, n);
}

// M(t, q) from the constant matrix, the blocks, or the full matrix.
inline Matrix mass_matrix(const MultibodyProblem& p, double t, const Vector& q) {
  const int n = static_cast<int>(p.v0.size());  // on a group fewer than entries of q
  if (p.mass_matrix.size() > 0) return Matrix(p.mass_matrix);
  const auto a = arguments(t, q.data(), static_cast<int>(q.size()));
  if (p.mass_blocks.empty()) return evaluate(p.mass, a, n, n);
  int entries = 0;
  for (const int size : p.mass_blocks) entries += size * size;
  const Vector blocks = evaluate(p.mass, a, entries);
  Matrix M = Matrix::Zero(n, n);
  int place = 0, read = 0;
  for (const int size : p.mass_blocks) {
    M.block(place, place, size, size) = Eigen::Map<const Matrix>(blocks.data() + read, size, size);
    place += size;
    read += size * size;
  }
  return M;
}

// Arguments of a callable of position: q, and s where the problem has contact coordinates.
template <class S>
Arguments<S> position(const S& t, const std::vector<S>& q, const std::vector<S>& s) {
  Arguments<S> a = arguments(t, q.data(), static_cast<int>(q.size()));
  a.x[4] = s.data();
  a.n[4] = static_cast<int>(s.size());
  return a;
}
inline Arguments<double> position(double t, const Vector& q, const Vector& s) {
  Arguments<double> a = arguments(t, q.data(), static_cast<int>(q.size()));
  a.x[4] = s.data();
  a.n[4] = static_cast<int>(s.size());
  return a;
}

// Columns of the partial derivatives by q, then those by s, by dual numbers.
inline Matrix differentiated(const Function<slot::Position>& function, int rows, double t,
                             const Vector& q, const Vector& s) {
  Matrix J(rows, q.size() + s.size());
  std::vector<Dual4> x(q.data(), q.data() + q.size()), y(s.data(), s.data() + s.size()),
      out(static_cast<std::size_t>(rows));
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    Dual4& moved =
        j < q.size() ? x[static_cast<std::size_t>(j)] : y[static_cast<std::size_t>(j - q.size())];
    moved.d[0] = 1.0;
    (void)function(position(Dual4(t), x, y), out.data(), rows);
    moved.d[0] = 0.0;
    for (int i = 0; i < rows; ++i) J(i, j) = out[static_cast<std::size_t>(i)].d[0];
  }
  return J;
}

// dg/dq by dual numbers, whatever the problem gives; with contact coordinates
// g_q - g_s h_s^{-1} h_q.
inline Matrix differentiated_constraint(const MultibodyProblem& p, double t, const Vector& q,
                                        const Vector& s = Vector()) {
  const Matrix g = differentiated(p.constraint, p.constraint_count, t, q, s);
  if (p.contact_count == 0) return g;
  const Matrix h = differentiated(p.contact, p.contact_count, t, q, s);
  return g.leftCols(q.size()) -
         g.rightCols(s.size()) *
             PivotedLu(h.rightCols(s.size())).solve_columns(h.leftCols(q.size()));
}

// Holonomic rows above nonholonomic ones.
inline Matrix constraint_matrix(const MultibodyProblem& p, double t, const Vector& q,
                                const Vector& s = Vector()) {
  const int n = static_cast<int>(q.size());
  const auto a = arguments(t, q.data(), n);
  Matrix G(p.multipliers(), n);
  if (p.constraint_count > 0)
    G.topRows(p.constraint_count) = p.constraint_jacobian && p.contact_count == 0
                                        ? evaluate(p.constraint_jacobian, a, p.constraint_count, n)
                                        : differentiated_constraint(p, t, q, s);
  if (p.nonholonomic_count > 0)
    G.bottomRows(p.nonholonomic_count) =
        evaluate(p.nonholonomic_matrix, a, p.nonholonomic_count, n);
  return G;
}

// g(t, q, s), then A v + a.
inline Vector position_constraints(const MultibodyProblem& p, double t, const Vector& q,
                                   const Vector& v, const Vector& s = Vector()) {
  const int n = static_cast<int>(q.size());
  const auto a = position(t, q, s);
  Vector r(p.multipliers());
  if (p.constraint_count > 0)
    r.head(p.constraint_count) = evaluate(p.constraint, a, p.constraint_count);
  if (p.nonholonomic_count > 0)
    r.tail(p.nonholonomic_count) = evaluate(p.nonholonomic_matrix, a, p.nonholonomic_count, n) * v +
                                   evaluate(p.nonholonomic_offset, a, p.nonholonomic_count);
  return r;
}

// g along q(t + tau) = q + tau v: coefficient 1 is G v + g_t, twice coefficient 2 the acceleration
// term.
inline Vector along(const MultibodyProblem& p, double t, const Vector& q, const Vector& v,
                    std::size_t coefficient) {
  const auto n = static_cast<std::size_t>(q.size());
  const int m = p.constraint_count;
  std::vector<Taylor2> x(n), g(static_cast<std::size_t>(m));
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    x[i] = Taylor2({q[k], v[k], 0.0});
  }
  (void)p.constraint(arguments(Taylor2({t, 1.0, 0.0}), x.data(), static_cast<int>(n)), g.data(), m);
  Vector r(m);
  for (int i = 0; i < m; ++i) r[i] = g[static_cast<std::size_t>(i)].c[coefficient];
  return r;
}

// G v + g_t of the holonomic rows; contact models must not depend on time.
inline Vector velocity_constraints(const MultibodyProblem& p, double t, const Vector& q,
                                   const Vector& v, const Vector& s = Vector()) {
  if (p.contact_count > 0) return constraint_matrix(p, t, q, s).topRows(p.constraint_count) * v;
  if (!p.constraint_time_derivative) return along(p, t, q, v, 1);
  const int n = static_cast<int>(q.size());
  const auto a = arguments(t, q.data(), n);
  return constraint_matrix(p, t, q).topRows(p.constraint_count) * v +
         evaluate(p.constraint_time_derivative, a, p.constraint_count);
}

// Left-hand side minus right-hand side of every equation.
inline Vector residual(const Problem& problem, double t, const Vector& x, const Vector& xp) {
  const auto parameters =
      std::visit([](const auto& p) { return parameter_values<double>(p); }, problem);
  if (const auto* p = std::get_if<ImplicitProblem>(&problem)) {
    auto a = with(arguments(t, x.data(), static_cast<int>(x.size())), parameters);
    a.x[2] = xp.data();
    a.n[2] = static_cast<int>(xp.size());
    return evaluate(p->residual, a, static_cast<int>(x.size()));
  }
  if (const auto* p = std::get_if<MassMatrixProblem>(&problem)) {
    const int n = static_cast<int>(x.size());
    return mass_matrix(*p, t, x) * xp -
           evaluate(p->rhs, with(arguments(t, x.data(), n), parameters), n);
  }
  if (const auto* p = std::get_if<SemiExplicitProblem>(&problem)) {
    const int n = static_cast<int>(p->y0.size()), m = static_cast<int>(p->z0.size());
    const auto a = with(arguments(t, x.data(), n, x.data() + n, m), parameters);
    Vector r(n + m);
    r.head(n) = xp.head(n) - evaluate(p->f, a, n);
    r.tail(m) = evaluate(p->g, a, m);
    return r;
  }
  const auto& p = std::get<MultibodyProblem>(problem);
  const int n = static_cast<int>(p.q0.size()), m = p.multipliers(), contacts = p.contact_count,
            dynamic = p.dynamic_count;
  const Vector q = x.head(n), v = x.segment(n, n), c = x.segment(2 * n, dynamic),
               s = x.segment(2 * n + dynamic, contacts), lambda = x.tail(m);
  auto a = with(position(t, q, s), parameters);
  a.x[1] = v.data();
  a.n[1] = n;
  a.x[2] = lambda.data();
  a.n[2] = m;
  a.x[3] = c.data();
  a.n[3] = dynamic;
  Vector r(2 * n + dynamic + contacts + m);
  r.head(n) = xp.head(n) - v;
  r.segment(n, n) = mass_matrix(p, t, q) * xp.segment(n, n) - evaluate(p.force, a, n) +
                    constraint_matrix(p, t, q, s).transpose() * lambda;
  if (dynamic > 0)
    r.segment(2 * n, dynamic) = xp.segment(2 * n, dynamic) - evaluate(p.dynamics, a, dynamic);
  if (contacts > 0) r.segment(2 * n + dynamic, contacts) = evaluate(p.contact, a, contacts);
  r.tail(m) = position_constraints(p, t, q, v, s);
  return r;
}

// (v', lambda) from M v' + G^T lambda = f, G v' = -k, holonomic problems.
struct Motion {
  Vector acceleration, lambda;
};
inline Motion motion(const MultibodyProblem& p, double t, const Vector& q, const Vector& v) {
  const int n = static_cast<int>(q.size()), m = p.constraint_count;
  const auto a = arguments(t, q.data(), n, v.data(), n);
  const Matrix G = constraint_matrix(p, t, q);
  Matrix saddle = Matrix::Zero(n + m, n + m);
  saddle << mass_matrix(p, t, q), G.transpose(), G, Matrix::Zero(m, m);
  const Vector term = p.acceleration_term ? evaluate(p.acceleration_term, a, m)
                                          : Vector(2.0 * along(p, t, q, v, 2));
  Vector right(n + m);
  right << evaluate(p.force, a, n), -term;
  Vector solution = least_squares(saddle, right);
  solution += least_squares(saddle, right - saddle * solution);
  return {solution.head(n), solution.tail(m)};
}

// Values by name in the order of the problem's variables.
inline Vector ordered(const std::vector<std::pair<std::string, double>>& values,
                      const std::vector<std::string>& names) {
  Vector x = Vector::Constant(static_cast<Eigen::Index>(names.size()),
                              std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const auto& [name, value] : values)
      if (name == names[i]) x[static_cast<Eigen::Index>(i)] = value;
  return x;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  Vector vector(Eigen::Index n) {
    return Vector::NullaryExpr(n, [this](Eigen::Index) { return uniform_(engine_); });
  }
  double number() { return uniform_(engine_); }

 private:
  std::mt19937 engine_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

}  // namespace daedalus::catalogue_test
