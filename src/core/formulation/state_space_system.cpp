// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/state_space_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "formulation/default_names.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

// tan of the angle at which a chart is given up: at 27 degrees the coordinates are stretched by
// 1.12, and no derivative of the map has grown much.
constexpr double max_tilt = 0.5;
// Values that multistep methods keep; more of them would be converted in work space of their own.
constexpr int usual_past = 16;

SparseMatrix unit_matrix(int n) {
  SparseMatrix m(n, n);
  m.setIdentity();
  return m;
}

Layout chart_layout(const MultibodyProblem& p) {
  Layout l;
  const int d_q = p.space.tangents() - p.constraint_count, d_v = p.velocities() - p.multipliers();
  l.add(VariableClass::q, 1, euclidean(d_q), default_names({}, "xi", d_q));
  l.add(VariableClass::v, 1, euclidean(d_v), default_names({}, "u", d_v));
  l.add(VariableClass::c, 1, euclidean(p.dynamic_count),
        default_names(p.c_names, "c", p.dynamic_count));
  return l;
}

}  // namespace

std::string StateSpaceSystem::obstacle(const MultibodyProblem& p) {
  if (!p.space.is_euclidean())
    return fmt::format(
        "the formulation 'state-space' needs a Euclidean space, not {}: its charts are linear "
        "subspaces",
        p.space.name());
  if (p.kinematics)
    return "the formulation 'state-space' needs q' = v; with kinematics q' = T v the constraints "
           "are known along velocities only";
  if (p.velocities() <= p.multipliers())
    return fmt::format(
        "the formulation 'state-space' has no coordinates left: {} constraints for {} velocities",
        p.multipliers(), p.velocities());
  return {};
}

std::unique_ptr<StateSpaceSystem> StateSpaceSystem::make(
    std::shared_ptr<const MultibodyProblem> problem, View view, LoweringOptions options) {
  LoweringOptions inner = options;
  // The pieces are solved with dense factors of G N anyway.
  auto bodies = MultibodySystem::make(problem, *multibody_form("index1"), View::mechanical, inner);
  auto modes = bodies->modes;
  auto mechanics = std::make_unique<Mechanics>(problem, modes);
  auto map = std::make_unique<StateSpaceMap>(*bodies, *mechanics, view == View::residual);
  Layout layout = chart_layout(*problem);
  std::unique_ptr<StateSpaceSystem> system;
  if (view == View::linear) {
    SparseMatrix mass = unit_matrix(layout.tangents());
    system.reset(new StateSpaceSystem(std::move(bodies), std::move(mechanics), std::move(map),
                                      std::move(layout), std::move(mass), options));
  } else {
    system.reset(new StateSpaceSystem(std::move(bodies), std::move(mechanics), std::move(map),
                                      std::move(layout), view, options));
  }
  system->modes = std::move(modes);
  system->describe(*problem);
  return system;
}

StateSpaceSystem::StateSpaceSystem(std::unique_ptr<MultibodySystem> bodies,
                                   std::unique_ptr<Mechanics> mechanics,
                                   std::unique_ptr<StateSpaceMap> state_space, Layout layout_in,
                                   SparseMatrix mass, LoweringOptions options)
    : FirstOrderSystem(std::move(layout_in), std::move(state_space), std::move(mass), options),
      view_(View::linear),
      bodies_(std::move(bodies)),
      mechanics_(std::move(mechanics)),
      map_(static_cast<StateSpaceMap*>(&map())) {}

StateSpaceSystem::StateSpaceSystem(std::unique_ptr<MultibodySystem> bodies,
                                   std::unique_ptr<Mechanics> mechanics,
                                   std::unique_ptr<StateSpaceMap> state_space, Layout layout_in,
                                   View view, LoweringOptions options)
    : FirstOrderSystem(std::move(layout_in), std::move(state_space), options),
      view_(view),
      bodies_(std::move(bodies)),
      mechanics_(std::move(mechanics)),
      map_(static_cast<StateSpaceMap*>(&map())) {}

void StateSpaceSystem::describe(const MultibodyProblem& p) {
  variables = bodies_->variables;
  map_->count_into(counter);
  sizes_.positions = sizes_.tangents = map_->positions();
  sizes_.velocities = map_->velocities();
  sizes_.dynamic = p.dynamic_count;
  for (const std::string& name : layout.names()) equations.push_back("rate of " + name);
  given_.setZero(variables->size());
  int first = 0;
  const auto put = [&](const Eigen::VectorXd& part, int size) {
    if (part.size() > 0) given_.segment(first, size) = part;
    first += size;
  };
  put(p.q0, p.space.points());
  put(p.v0, p.velocities());
  put(p.c0, p.dynamic_count);
  put(p.s0, p.contact_count);
  past_.setZero(bodies_->layout.points(), usual_past + 1);
  model_.x.setZero(bodies_->layout.points());
  model_.xd.setZero(bodies_->layout.tangents());
}

std::string_view StateSpaceSystem::linear_solver() const {
  return view_ == View::mechanical ? bodies_->linear_solver() : FirstOrderSystem::linear_solver();
}

void StateSpaceSystem::prepare(const State& at) {
  if (!map_->laid()) return bodies_->prepare(at);
  if (view_ != View::mechanical) FirstOrderSystem::prepare(at);
}

Outcome StateSpaceSystem::solve(double t, const double* x) const {
  return map_->solve(t, x, x + sizes_.positions, x + sizes_.positions + sizes_.velocities);
}

Outcome StateSpaceSystem::solve(const MechanicalPoint& p) {
  const Outcome o = map_->solve(p.t, p.q, p.v, p.c);
  if (o == Outcome::ok) return o;
  troubled_ = troubled_ || o == Outcome::newton_failed;
  failure = bodies_->failure;
  failure.equation = -1;
  return o;
}

void StateSpaceSystem::copy_model(double* y) const {
  const StateSpaceMap::Point& p = map_->point();
  for (const Eigen::VectorXd* part : {&p.q, &p.v})
    y = std::copy(part->data(), part->data() + part->size(), y);
  y = std::copy(p.x.data() + p.x.size() - sizes_.dynamic, p.x.data() + p.x.size(), y);
  for (const Eigen::VectorXd* part : {&p.s, &p.lambda})
    y = std::copy(part->data(), part->data() + part->size(), y);
}

void StateSpaceSystem::to_model(const State& s, double* y) const {
  const int n = variables->size();
  if (!map_->laid())
    std::copy(given_.data(), given_.data() + n, y);
  else if (solve(s.t, s.x.data()) == Outcome::ok)
    copy_model(y);
  else
    std::fill(y, y + n, std::numeric_limits<double>::quiet_NaN());
}

void StateSpaceSystem::from_model(double t, const double* y, State& s) const {
  s.t = t;
  s.x.resize(layout.points());
  s.xd.resize(layout.tangents());
  const MechanicalSizes& n = bodies_->sizes();
  double* x = s.x.data();
  map_->to_chart(y, y + n.positions, x, x + sizes_.positions);
  const double* c = y + n.positions + n.velocities;
  std::copy(c, c + n.dynamic, x + sizes_.positions + sizes_.velocities);
}

// The image of the polynomial at equidistant points, one degree higher: the order of the
// interpolant is kept, and between these points the constraints hold as well as it is accurate.
void StateSpaceSystem::to_model(const Interpolant& full, Interpolant& model) const {
  const Layout l = model_layout();
  const int m = full.degree + 1;
  State s;
  s.x.setZero(layout.points());
  Eigen::VectorXd w(layout.tangents()), y(l.points());
  Eigen::MatrixXd powers(m, m), values(m, l.tangents());
  model.t0 = full.t0;
  model.h = full.h;
  model.degree = m;
  model.base.setZero(l.points());
  for (int i = 0; i <= m; ++i) {
    const double theta = static_cast<double>(i) / m;
    s.t = full.t0 + theta * full.h;
    full.evaluate(layout, s.t, w, s.x.data());
    to_model(s, i == 0 ? model.base.data() : y.data());
    if (i == 0) continue;
    values.row(i - 1) = (y - model.base).transpose();
    for (int j = 0; j < m; ++j) powers(i - 1, j) = j == 0 ? theta : powers(i - 1, j - 1) * theta;
  }
  model.c.setZero(l.tangents(), m + 1);
  model.c.rightCols(m) = PivotedLu(powers).solve_columns(values).transpose();
}

System::ConstraintResidual StateSpaceSystem::constraint_residual(const State& s) {
  if (!map_->laid() || solve(s.t, s.x.data()) != Outcome::ok) return System::constraint_residual(s);
  model_.t = s.t;
  copy_model(model_.x.data());
  const ConstraintResidual r = bodies_->constraint_residual(model_);
  take_counts();
  return r;
}

System::Drift StateSpaceSystem::drift(const State& s) {
  if (!map_->laid() || solve(s.t, s.x.data()) != Outcome::ok) return System::drift(s);
  model_.t = s.t;
  copy_model(model_.x.data());
  const Drift d = bodies_->drift(model_);
  take_counts();
  return d;
}

void StateSpaceSystem::take_counts() {
  counter.now() += bodies_->counter.now();
  bodies_->counter.now() = {};
}

Outcome StateSpaceSystem::rates_at(State& s) {
  if (const Outcome o = solve(point(s.t, s.x.data())); o != Outcome::ok) return o;
  s.xd = map_->point().rates;
  return Outcome::ok;
}

// After an event the chart at hand is kept if it is good: so is what refers to it.
Outcome StateSpaceSystem::enter(const State& model, State& s) {
  take_counts();
  for (const std::string& w : bodies_->warnings)
    if (std::find(warnings.begin(), warnings.end(), w) == warnings.end()) warnings.push_back(w);
  map_->forget();
  if (map_->laid()) {
    from_model(model.t, model.x.data(), s);
    if (rates_at(s) == Outcome::ok && !chart_degraded(s)) {
      // The same xi may belong to another branch of the manifold.
      const auto q = model.x.head(bodies_->sizes().positions);
      const double away = (map_->point().q - q).cwiseAbs().maxCoeff();
      if (away <= 1e-8 * (1.0 + q.cwiseAbs().maxCoeff())) return Outcome::ok;
    }
  }
  if (const Outcome o = lay_at(bodies_->point(model.t, model.x.data())); o != Outcome::ok) return o;
  from_model(model.t, model.x.data(), s);
  return rates_at(s);
}

Outcome StateSpaceSystem::lay_at(const MechanicalPoint& p) {
  const Outcome o = map_->lay(p);
  if (o != Outcome::ok) {
    failure = bodies_->failure;
    failure.equation = -1;
    return o;
  }
  troubled_ = false;
  ++charts_;
  return o;
}

bool StateSpaceSystem::chart_degraded(const State& s) {
  if (bodies_->sizes().multipliers() == 0) return false;
  if (solve(point(s.t, s.x.data())) != Outcome::ok) return false;
  const double tilt = map_->tilt();
  map_->start_from_here();
  // Near its centre a chart is as good as a new one would be.
  return tilt > max_tilt || (troubled_ && tilt > 0.1 * max_tilt);
}

Outcome StateSpaceSystem::change_chart(State& s, std::span<State> past, int& kept) {
  const auto count = static_cast<Eigen::Index>(past.size());
  const auto state = [&](Eigen::Index k) -> State& {
    return k == 0 ? s : past[static_cast<std::size_t>(k - 1)];
  };
  if (past_.cols() < count + 1) past_.resize(bodies_->layout.points(), count + 1);
  kept = 0;
  for (Eigen::Index k = 0; k <= count; ++k) {
    const Outcome o = solve(point(state(k).t, state(k).x.data()));
    if (o != Outcome::ok && k == 0) return o;
    if (o != Outcome::ok) break;
    copy_model(past_.col(k).data());
    kept = static_cast<int>(k);
  }
  if (const Outcome o = lay_at(bodies_->point(s.t, past_.col(0).data())); o != Outcome::ok)
    return o;
  for (int k = 1; k <= kept; ++k) {
    from_model(state(k).t, past_.col(k).data(), state(k));
    if (rates_at(state(k)) != Outcome::ok) kept = k - 1;
  }
  troubled_ = false;
  from_model(s.t, past_.col(0).data(), s);
  return rates_at(s);
}

Outcome StateSpaceSystem::rhs(double t, const double* x, double* r) {
  return part(point(t, x), 0, layout.tangents(), r);
}

Outcome StateSpaceSystem::residual(double t, const double* x, const double* dd, double* r) {
  counter.now().residual_evaluations += 1;
  if (const Outcome o = solve(point(t, x)); o != Outcome::ok) return o;
  const Eigen::VectorXd& rates = map_->point().rates;
  const double* defect = defect_rows();
  for (int i = 0; i < rates.size(); ++i) r[i] = dd[i] - rates[i] + (defect ? defect[i] : 0.0);
  return Outcome::ok;
}

MechanicalPoint StateSpaceSystem::point(double t, const double* x) const {
  const double *v = x + sizes_.positions, *end = v + sizes_.velocities;
  return {t, x, v, end, end + sizes_.dynamic, end + sizes_.dynamic};
}

PieceMatrix StateSpaceSystem::make_mass() const {
  PieceMatrix M =
      PieceMatrix::blocks(std::vector<int>(static_cast<std::size_t>(sizes_.velocities), 1));
  std::fill(M.values().begin(), M.values().end(), 1.0);
  return M;
}

std::unique_ptr<SaddleSolver> StateSpaceSystem::make_saddle_solver() const {
  return daedalus::make_saddle_solver(LinearAlgebra::range_space, make_mass(),
                                      make_constraint_matrix());
}

Outcome StateSpaceSystem::mass(const MechanicalPoint&, PieceMatrix& M) {
  std::fill(M.values().begin(), M.values().end(), 1.0);
  return Outcome::ok;
}

Outcome StateSpaceSystem::part(const MechanicalPoint& p, int first, int count, double* out) {
  if (const Outcome o = solve(p); o != Outcome::ok) return o;
  const double* rates = map_->point().rates.data() + first;
  const double* defect = defect_rows();
  for (int i = 0; i < count; ++i) out[i] = rates[i] - (defect ? defect[first + i] : 0.0);
  return Outcome::ok;
}

Outcome StateSpaceSystem::force(const MechanicalPoint& p, double* f) {
  return part(p, sizes_.positions, sizes_.velocities, f);
}

Outcome StateSpaceSystem::rate(const MechanicalPoint& p, double* q_rate) {
  return part(p, 0, sizes_.positions, q_rate);
}

Outcome StateSpaceSystem::dynamics(const MechanicalPoint& p, double* c_rate) {
  return part(p, sizes_.positions + sizes_.velocities, sizes_.dynamic, c_rate);
}

}  // namespace daedalus
