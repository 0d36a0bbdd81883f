// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/multibody_system.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "formulation/default_names.hpp"
#include "formulation/multibody_map.hpp"
#include "kernel/lu.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

struct Names {
  std::vector<std::string> q, v, c, s, lambda, tangent;
  explicit Names(const MultibodyProblem& p)
      : q(default_names(p.q_names, "q", p.space.points())),
        v(default_names(p.v_names, "v", p.velocities())),
        c(default_names(p.c_names, "c", p.dynamic_count)),
        s(default_names(p.s_names, "s", p.contact_count)),
        lambda(default_names(p.lambda_names, "lambda", p.multipliers())),
        tangent(p.space.points() == p.space.tangents()
                    ? q
                    : default_names({}, "rotation of q", p.space.tangents())) {}
};

std::vector<std::string> eta_names(const MultibodyProblem& p, const MultibodyForm& form) {
  return default_names({}, "eta", form.eta_count(p.constraint_count, p.multipliers()));
}

int lambda_index(const MultibodyForm& form) { return form.epsilon > 0.0 ? 1 : form.level; }

Layout make_layout(const MultibodyProblem& p, const MultibodyForm& form, bool linear) {
  const Names names(p);
  Layout l;
  l.add(VariableClass::q, 1, p.space, names.tangent);
  l.add(VariableClass::v, form.level == 3 ? 2 : 1, euclidean(p.velocities()), names.v);
  l.add(VariableClass::c, 1, euclidean(p.dynamic_count), names.c);
  l.add(VariableClass::s, 1, euclidean(p.contact_count), names.s);
  l.add(VariableClass::lambda, lambda_index(form), euclidean(p.multipliers()), names.lambda);
  // eta vanishes on the solution: its error is its value, and no one asked for it.
  const std::vector<std::string> eta = eta_names(p, form);
  if (!eta.empty())
    l.add(VariableClass::eta, 2, euclidean(static_cast<int>(eta.size())), eta, false);
  if (linear || form.separate_accelerations()) {
    // Accelerations follow from q, v and lambda by one linear system; testing them too would only
    // repeat the test of lambda.
    std::vector<std::string> a;
    for (const std::string& n : names.v) a.push_back("d(" + n + ")/dt");
    l.add(VariableClass::a, lambda_index(form), euclidean(p.velocities()), std::move(a), false);
  }
  return l;
}

SparseMatrix linear_mass(const MechanicalSizes& n, const MultibodyForm& form) {
  const int rates = n.tangents + n.velocities + n.dynamic, multiplier = rates + n.contact;
  const int size = multiplier + n.multipliers() + n.velocities;
  SparseMatrix mass(size, size);
  for (int i = 0; i < rates; ++i) mass.insert(i, i) = 1.0;
  if (form.epsilon > 0.0)
    for (int k = 0; k < n.multipliers(); ++k)
      mass.insert(multiplier + k, multiplier + k) = form.epsilon;
  mass.makeCompressed();
  return mass;
}

}  // namespace

std::unique_ptr<MultibodySystem> MultibodySystem::make(
    std::shared_ptr<const MultibodyProblem> problem, const MultibodyForm& form, View view,
    LoweringOptions options) {
  if (view != View::mechanical && (options.saddle_point == LinearAlgebra::range_space ||
                                   options.saddle_point == LinearAlgebra::null_space))
    throw InvalidArgument(fmt::format(
        "linear_algebra: {} is not allowed here; it solves [M G^T; G 0] for methods that see M, G "
        "and f one by one, and this method does not; give automatic, dense or sparse",
        to_string(options.saddle_point)));
  auto modes = std::make_shared<std::vector<double>>(problem->modes);
  auto mechanics = std::make_unique<Mechanics>(problem, modes);
  const bool linear = view == View::linear;
  Layout layout = make_layout(*problem, form, linear);
  auto map = std::make_unique<MultibodyMap>(*mechanics, form, linear);
  std::unique_ptr<MultibodySystem> system;
  if (linear) {
    SparseMatrix mass = linear_mass(mechanics->sizes(), form);
    system.reset(new MultibodySystem(std::move(mechanics), form, view, std::move(layout),
                                     std::move(map), std::move(mass), options));
  } else {
    system.reset(new MultibodySystem(std::move(mechanics), form, view, std::move(layout),
                                     std::move(map), options));
  }
  system->modes = std::move(modes);
  if (form.damped && options.formulation_options.count("alpha") == 0)
    system->warnings.push_back(
        baumgarte_warning(fmt::format("alpha = {}, beta = {}", form.alpha, form.beta)));
  return system;
}

MultibodySystem::MultibodySystem(std::unique_ptr<Mechanics> mechanics, const MultibodyForm& form,
                                 View view, Layout layout_in, std::unique_ptr<VectorMap> map,
                                 SparseMatrix mass, LoweringOptions options)
    : FirstOrderSystem(std::move(layout_in), std::move(map), std::move(mass), options),
      mechanics_(std::move(mechanics)),
      form_(form),
      view_(view),
      asked_(options.saddle_point) {
  reserve();
  describe();
}

MultibodySystem::MultibodySystem(std::unique_ptr<Mechanics> mechanics, const MultibodyForm& form,
                                 View view, Layout layout_in, std::unique_ptr<VectorMap> map,
                                 LoweringOptions options)
    : FirstOrderSystem(std::move(layout_in), std::move(map), options),
      mechanics_(std::move(mechanics)),
      form_(form),
      view_(view),
      asked_(options.saddle_point) {
  reserve();
  describe();
}

void MultibodySystem::reserve() {
  const MechanicalSizes& n = sizes();
  g_.setZero(n.multipliers());
  probe_[0].setZero(n.velocities);
  probe_[1].setZero(n.velocities);
  probe_[2].setZero(layout.points());
  position_.setZero(n.holonomic);
  move_.setZero(n.velocities + n.multipliers());
  total_.setZero(n.velocities);
  work_.setZero(std::max(n.velocities, n.tangents));
  anchor_.setZero(n.positions);
  before_.setZero(layout.points());
  reach_.setZero(2 * n.multipliers());
  g_w_.setZero(n.multipliers());
  contact_.setZero(n.contact);
  contact_matrix_.setZero(n.contact, n.contact);
  const auto size = [](int k) { return static_cast<std::size_t>(k); };
  q4_.resize(size(n.positions));
  v4_.resize(size(n.velocities));
  c4_.resize(size(n.dynamic));
  s4_.resize(size(n.contact));
  lambda4_.resize(size(n.multipliers()));
  f4_.resize(size(n.velocities));
}

void MultibodySystem::describe() {
  const MultibodyProblem& p = mechanics_->problem();
  const Names names(p);
  auto model = std::make_shared<Variables>();
  const auto add = [&](VariableClass cls, int index, const std::vector<std::string>& list) {
    if (list.empty()) return;
    model->ranges.push_back({cls, index, model->size(), static_cast<int>(list.size())});
    model->names.insert(model->names.end(), list.begin(), list.end());
  };
  add(VariableClass::q, 1, names.q);
  add(VariableClass::v, form_.level == 3 ? 2 : 1, names.v);
  add(VariableClass::c, 1, names.c);
  add(VariableClass::s, 1, names.s);
  add(VariableClass::lambda, lambda_index(form_), names.lambda);
  add(VariableClass::eta, 2, eta_names(p, form_));
  variables = model;

  for (const std::string& n : names.tangent) equations.push_back("kinematics of " + n);
  const bool linear = view_ == View::linear;
  for (const std::string& n : names.v)
    equations.push_back((linear || form_.separate_accelerations() ? "rate of " : "balance of ") +
                        n);
  for (const std::string& n : names.c) equations.push_back("dynamics of " + n);
  for (const std::string& n : names.s) equations.push_back("contact condition of " + n);
  const auto level_rows = [&](int level, int count) {
    const char* prefix[] = {"", "acceleration of ", "rate of ", ""};
    for (int k = 0; k < count; ++k)
      equations.push_back(k < p.constraint_count
                              ? prefix[level] + ("constraint " + std::to_string(k + 1))
                              : std::string(level == 1 ? "rate of " : "") +
                                    "nonholonomic constraint " +
                                    std::to_string(k - p.constraint_count + 1));
  };
  if (form_.damped || form_.epsilon > 0.0)
    for (int k = 0; k < p.multipliers(); ++k)
      equations.push_back((form_.damped ? "damped constraint " : "regularised constraint ") +
                          std::to_string(k + 1));
  else
    level_rows(form_.level, p.multipliers());
  if (form_.holds_positions) level_rows(3, p.constraint_count);
  if (form_.holds_velocities) level_rows(2, p.multipliers());
  if (linear || form_.separate_accelerations())
    for (const std::string& n : names.v) equations.push_back("balance of " + n);
}

ResidualView* MultibodySystem::residual_view() { return view_ == View::residual ? this : nullptr; }
LinearView* MultibodySystem::linear_view() { return view_ == View::linear ? this : nullptr; }

MechanicalPoint MultibodySystem::point(double t, const double* x) const {
  const MechanicalSizes& n = sizes();
  MechanicalPoint p;
  p.t = t;
  p.q = x;
  p.v = p.q + n.positions;
  p.c = p.v + n.velocities;
  p.s = p.c + n.dynamic;
  p.lambda = p.s + n.contact;
  return p;
}

void MultibodySystem::perturb(int first_row, int count, double sign, double* values) {
  if (const double* defect = defect_rows())
    for (int i = 0; i < count; ++i) values[i] += sign * defect[first_row + i];
}

Outcome MultibodySystem::evaluated(Outcome o, double t, const double* values, int count,
                                   int first_equation, int rows) {
  failure.function = mechanics_->running();
  if (o != Outcome::ok) return o;
  const int bad = first_not_finite(values, count);
  if (bad < 0) return Outcome::ok;
  failure = {mechanics_->running(), bad, t, {}};
  failure.equation = first_equation + bad % rows;
  return Outcome::not_finite;
}

Outcome MultibodySystem::mass(const MechanicalPoint& p, PieceMatrix& M) {
  counter.now().mass_evaluations += 1;
  const Outcome o =
      guarded(failure, p.t, [&] { return mechanics_->mass(plain(p), M.values().data()); });
  return evaluated(o, p.t, M.values().data(), static_cast<int>(M.values().size()), sizes().tangents,
                   sizes().velocities);
}

Outcome MultibodySystem::force(const MechanicalPoint& p, double* f) {
  counter.now().function_evaluations += 1;
  const Outcome o = guarded(failure, p.t, [&] { return mechanics_->force(plain(p), f); });
  perturb(sizes().tangents, sizes().velocities, -1.0, f);
  return evaluated(o, p.t, f, sizes().velocities, sizes().tangents, sizes().velocities);
}

Outcome MultibodySystem::force_lambda(const MechanicalPoint& p, double* f,
                                      Eigen::MatrixXd& f_lambda) {
  const int nl = sizes().multipliers(), nv = sizes().velocities;
  counter.now().jacobian_evaluations += 1;
  counter.now().jacobian_columns += nl;
  if (mechanics_->problem().force.differentiable()) {
    const auto copy = [](std::vector<Dual4>& to, const double* from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = Dual4(from[i]);
    };
    copy(q4_, p.q), copy(v4_, p.v), copy(c4_, p.c), copy(s4_, p.s);
    for (int first = 0; first < nl; first += 4) {
      copy(lambda4_, p.lambda);
      for (int k = 0; k < 4 && first + k < nl; ++k)
        lambda4_[static_cast<std::size_t>(first + k)].d[static_cast<std::size_t>(k)] = 1.0;
      const PointOf<Dual4> x{Dual4(p.t), q4_.data(), v4_.data(),
                             c4_.data(), s4_.data(), lambda4_.data()};
      const Outcome o = guarded(failure, p.t, [&] { return mechanics_->force(x, f4_.data()); });
      if (o != Outcome::ok) return evaluated(o, p.t, nullptr, 0, 0, 1);
      for (int k = 0; k < 4 && first + k < nl; ++k)
        for (int i = 0; i < nv; ++i)
          f_lambda(i, first + k) = f4_[static_cast<std::size_t>(i)].d[static_cast<std::size_t>(k)];
    }
    for (int i = 0; i < nv; ++i) f[i] = f4_[static_cast<std::size_t>(i)].v;
    perturb(sizes().tangents, nv, -1.0, f);
    if (const Outcome o = evaluated(Outcome::ok, p.t, f, nv, sizes().tangents, nv);
        o != Outcome::ok)
      return o;
    return evaluated(Outcome::ok, p.t, f_lambda.data(), nv * nl, sizes().tangents, nv);
  }
  // Forward differences of a plain force.
  Eigen::VectorXd lambda = Eigen::Map<const Eigen::VectorXd>(p.lambda, nl), f1(nv);
  const Eigen::Map<const Eigen::VectorXd> f0(f, nv);
  MechanicalPoint moved = p;
  moved.lambda = lambda.data();
  if (const Outcome o = force(moved, f); o != Outcome::ok) return o;
  for (int k = 0; k < nl; ++k) {
    const double eps = 1.5e-8 * std::max(1.0, std::abs(lambda[k]));
    lambda[k] += eps;
    if (const Outcome o = force(moved, f1.data()); o != Outcome::ok) return o;
    f_lambda.col(k) = (f1 - f0) / eps;
    lambda[k] = p.lambda[k];
  }
  return Outcome::ok;
}

Outcome MultibodySystem::constraint(const MechanicalPoint& p, double* g) {
  counter.now().constraint_evaluations += 1;
  const Outcome o = guarded(failure, p.t, [&] { return mechanics_->constraint(plain(p), g); });
  return evaluated(o, p.t, g, sizes().holonomic, multiplier_row(), sizes().holonomic);
}

Outcome MultibodySystem::constraint_matrix(const MechanicalPoint& p, PieceMatrix& G) {
  // An event may have changed the structure since G was made.
  const bool sparse = G.kind() == PieceMatrix::Kind::sparse;
  if (sparse != mechanics_->sparse_constraints() ||
      (sparse && !G.same_structure(mechanics_->constraint_structure())))
    G = make_constraint_matrix();
  counter.now().constraint_jacobian_evaluations += 1;
  const Outcome o = guarded(
      failure, p.t, [&] { return mechanics_->constraint_matrix(plain(p), G.values().data()); });
  return evaluated(o, p.t, G.values().data(), static_cast<int>(G.values().size()), multiplier_row(),
                   sizes().multipliers());
}

Outcome MultibodySystem::velocity_offset(const MechanicalPoint& p, double* out) {
  const Outcome o =
      guarded(failure, p.t, [&] { return mechanics_->velocity_offset(plain(p), out); });
  if (form_.level == 2) perturb(multiplier_row(), sizes().multipliers(), 1.0, out);
  return evaluated(o, p.t, out, sizes().multipliers(), multiplier_row(), sizes().multipliers());
}

Outcome MultibodySystem::acceleration_term(const MechanicalPoint& p, double* out) {
  counter.now().curvature_evaluations += 1;
  const Outcome o =
      guarded(failure, p.t, [&] { return mechanics_->acceleration_term(plain(p), out); });
  if (o == Outcome::ok && form_.damped)
    if (const Outcome damped = add_damping(p, out); damped != Outcome::ok) return damped;
  if (form_.level == 1) perturb(multiplier_row(), sizes().multipliers(), 1.0, out);
  return evaluated(o, p.t, out, sizes().multipliers(), multiplier_row(), sizes().multipliers());
}

// out += 2 alpha r_G + beta r_L; nonholonomic rows decay with alpha alone.
Outcome MultibodySystem::add_damping(const MechanicalPoint& p, double* out) {
  const MechanicalSizes& n = sizes();
  if (n.holonomic > 0)
    if (const Outcome o = constraint(p, position_.data()); o != Outcome::ok) return o;
  if (const Outcome o = velocity_residual(p, g_.data()); o != Outcome::ok) return o;
  for (int k = 0; k < n.multipliers(); ++k)
    out[k] += k < n.holonomic ? 2.0 * form_.alpha * g_[k] + form_.beta * position_[k]
                              : form_.alpha * g_[k];
  return Outcome::ok;
}

Outcome MultibodySystem::rate(const MechanicalPoint& p, double* q_rate) {
  const Outcome o = guarded(failure, p.t, [&] { return mechanics_->rate(plain(p), q_rate); });
  perturb(0, sizes().tangents, -1.0, q_rate);
  return evaluated(o, p.t, q_rate, sizes().tangents, 0, sizes().tangents);
}

Outcome MultibodySystem::dynamics(const MechanicalPoint& p, double* c_rate) {
  const Outcome o = guarded(failure, p.t, [&] { return mechanics_->dynamics(plain(p), c_rate); });
  perturb(sizes().tangents + sizes().velocities, sizes().dynamic, -1.0, c_rate);
  return evaluated(o, p.t, c_rate, sizes().dynamic, sizes().tangents + sizes().velocities,
                   sizes().dynamic);
}

Outcome MultibodySystem::solve_contact(double t, const double* q, double* s) {
  const int n = sizes().contact;
  if (n == 0) return Outcome::ok;
  // Contact coordinates; larger systems take a new matrix in every iteration.
  constexpr int max_on_stack = 64;
  // A matrix from this close converges nearly as fast as a new one, which costs five times as much
  // as the conditions themselves.
  constexpr double near = 1e-5;
  std::array<int, max_on_stack> permutation;
  std::array<double, max_on_stack> inverse, work;
  double size = 0.0, change = std::numeric_limits<double>::infinity();
  // h_s is small and exact; ten iterations mean the start was not near a solution.
  for (int iteration = 0; iteration < 10; ++iteration) {
    PointOf<double> p;
    p.t = t;
    p.q = q;
    p.s = s;
    const bool fresh = n > max_on_stack || !(change <= near * (1.0 + size));
    Outcome o = guarded(failure, t, [&] { return mechanics_->contact(p, contact_.data()); });
    if (o == Outcome::ok && fresh)
      o = guarded(failure, t,
                  [&] { return mechanics_->contact_matrix(p, contact_matrix_.data()); });
    if (o = evaluated(o, t, contact_.data(), n,
                      sizes().tangents + sizes().velocities + sizes().dynamic, n);
        o != Outcome::ok)
      return o;
    if (n > max_on_stack) {
      contact_ = PivotedLu(contact_matrix_).solve(contact_);
    } else {
      if (fresh &&
          kernel::lu_factorise(contact_matrix_.data(), n, permutation.data(), inverse.data()) >= 0)
        return Outcome::matrix_singular;
      kernel::lu_solve(contact_matrix_.data(), n, permutation.data(), inverse.data(),
                       contact_.data(), work.data());
    }
    size = change = 0.0;
    for (int i = 0; i < n; ++i) {
      s[i] -= contact_[i];
      size = std::max(size, std::abs(s[i]));
      change = std::max(change, std::abs(contact_[i]));
    }
    if (!std::isfinite(change)) return Outcome::matrix_singular;
    if (change <= 1e-13 * (1.0 + size)) return Outcome::ok;
  }
  return Outcome::newton_failed;
}

}  // namespace daedalus
