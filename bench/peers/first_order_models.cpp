// SPDX-License-Identifier: BSD-3-Clause
// Models of the equations as they stand: F(t, x, x') = 0 from the callables or from a formulation.
#include <algorithm>

#include <daedalus/problem.hpp>

#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "peers/model.hpp"
#include "peers/peer_residual.hpp"
#include "start/consistent.hpp"

namespace daedalus::peers {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Answer answer_of(Eval e) { return e == Eval::ok ? fine : recoverable; }
Answer answer_of(Outcome o) {
  return o == Outcome::ok ? fine : o == Outcome::callback_failed ? fatal : recoverable;
}

// A lowered system with a consistent start; null: none.
std::unique_ptr<System> start(const std::shared_ptr<const Problem>& problem,
                              const std::string& formulation, double t0, State& state,
                              View view = View::residual) {
  std::unique_ptr<System> system = lower(problem, formulation, view, {}, t0);
  state = model_start(*system, *problem, t0);
  system->prepare(state);
  StartRequest request = initial_equations(problem, *system);
  // Scales of a tolerance tighter than any that is run: peers must not start with a worse state.
  request.weight = Eigen::VectorXd::Constant(state.xd.size(), 1e-10);
  State given = state;
  if (make_consistent(*system, state, request).status == Status::success) return system;
  // As our own runs would at the tolerances of the catalogue's start values.
  state = given;
  request.weight *= 1e7;
  if (make_consistent(*system, state, request).status == Status::success) return system;
  return nullptr;
}

class DirectModel final : public Model {
 public:
  DirectModel(const problems::Entry& entry, const Problem& problem, const State& start)
      : equations_(problem, entry.t0) {
    x0 = start.x.head(equations_.size());
    xd0 = start.xd.head(equations_.size());
    names = equations_.names();
    pattern = equations_.pattern();
    columns = equations_.columns();
    dense_.resize(at(size() * size()));
    zero_.assign(at(size()), 0.0);
    Eigen::MatrixXd J(size(), size()), E(size(), size());
    equations_.matrix(entry.t0, 0.0, x0.data(), xd0.data(), J.data());
    equations_.matrix(entry.t0, 1.0, x0.data(), xd0.data(), E.data());
    E -= J;
    for (int c = 0; c < size(); ++c) algebraic.push_back(E.col(c).isZero(0.0));
    ode = index_of(problem) == 0 && equations_.constant_mass();
    linear = equations_.constant_mass();
    if (linear && !E.isIdentity(0.0)) mass = E;
  }
  void to_model(double, const double* x, double* y) override { std::copy_n(x, size(), y); }

 private:
  Answer do_residual(double t, const double* x, const double* xd, double* r) override {
    return answer_of(equations_.residual(t, x, xd, r));
  }
  Answer do_matrix(double t, double alpha, const double* x, const double* xd,
                   double* values) override {
    if (const Eval e = equations_.matrix(t, alpha, x, xd, dense_.data()); e != Eval::ok)
      return recoverable;
    for (int c = 0; c < size(); ++c)
      for (int k = pattern.start[at(c)]; k < pattern.start[at(c) + 1]; ++k)
        values[k] = dense_[at(c * size() + pattern.row[at(k)])];
    return fine;
  }
  Answer do_rates(double t, const double* x, double* f) override {
    const Answer answer = answer_of(equations_.residual(t, x, zero_.data(), f));
    for (int i = 0; i < size(); ++i) f[i] = -f[i];
    return answer;
  }

  PeerResidual equations_;
  std::vector<double> dense_, zero_;
};

class SystemModel final : public Model {
 public:
  SystemModel(std::unique_ptr<System> system, std::string form, const State& start)
      : system_(std::move(system)), view_(*system_->residual_view()), state_(start) {
    formulation = std::move(form);
    x0 = start.x;
    xd0 = start.xd;
    names = system_->variables->names;
    view_.linearise(start.t, x0.data(), xd0.data());
    const Pencil& pencil = view_.residual_pencil();
    pattern = unite(pencil.pattern_e(), pencil.pattern_j(), &map_e_, &map_j_);
    columns = size();
    for (int c = 0; c < size(); ++c)
      algebraic.push_back(pencil.pattern_e().start[at(c)] == pencil.pattern_e().start[at(c) + 1]);
  }
  void to_model(double t, const double* x, double* y) override {
    state_.t = t;
    std::copy_n(x, size(), state_.x.data());
    system_->to_model(state_, y);
  }

 private:
  Answer do_residual(double t, const double* x, const double* xd, double* r) override {
    return answer_of(view_.residual(t, x, xd, r));
  }
  Answer do_matrix(double t, double alpha, const double* x, const double* xd,
                   double* values) override {
    if (const Outcome o = view_.linearise(t, x, xd); o != Outcome::ok) return answer_of(o);
    const Pencil& pencil = view_.residual_pencil();
    std::fill_n(values, pattern.nonzeros(), 0.0);
    for (std::size_t k = 0; k < map_e_.size(); ++k) values[map_e_[k]] += alpha * pencil.e()[k];
    for (std::size_t k = 0; k < map_j_.size(); ++k) values[map_j_[k]] += pencil.j()[k];
    return fine;
  }

  std::unique_ptr<System> system_;
  ResidualView& view_;
  State state_;
  std::vector<int> map_e_, map_j_;
};

// M x' = f(t, x), in which codes for such systems are given multibody problems.
class LinearModel final : public Model {
 public:
  LinearModel(std::unique_ptr<System> system, std::string form, const State& start)
      : system_(std::move(system)), view_(*system_->linear_view()), state_(start) {
    formulation = std::move(form) + "-linear";
    x0 = start.x;
    xd0 = start.xd;
    names = system_->variables->names;
    linear = true;
    const int n = size();
    view_.linearise(start.t, x0.data());
    mass.setZero(n, n);
    view_.linear_pencil().dense_e(mass);
    pattern = SparsePattern::dense(n, n);
    columns = n;
    for (int c = 0; c < n; ++c) algebraic.push_back(mass.col(c).isZero(0.0));
  }
  void to_model(double t, const double* x, double* y) override {
    state_.t = t;
    std::copy_n(x, size(), state_.x.data());
    system_->to_model(state_, y);
  }

 private:
  Answer do_rates(double t, const double* x, double* f) override {
    return answer_of(view_.rhs(t, x, f));
  }
  Answer do_residual(double t, const double* x, const double* xd, double* r) override {
    const Answer answer = do_rates(t, x, r);
    for (int i = 0; i < size(); ++i) r[i] = -r[i];
    view_.add_mass_times(1.0, xd, r);
    return answer;
  }
  Answer do_matrix(double t, double alpha, const double* x, const double*,
                   double* values) override {
    if (const Outcome o = view_.linearise(t, x); o != Outcome::ok) return answer_of(o);
    view_.linear_pencil().dense_j(J_);
    Eigen::Map<Eigen::MatrixXd>(values, size(), size()) = alpha * mass - J_;
    return fine;
  }

  std::unique_ptr<System> system_;
  LinearView& view_;
  State state_;
  Eigen::MatrixXd J_;
};

}  // namespace

std::unique_ptr<Model> linear_model(const problems::Entry& entry, const Problem& problem,
                                    const std::string& formulation) {
  if (!fit(problem, formulation, View::linear).possible) return nullptr;
  State state;
  const auto owned = std::make_shared<const Problem>(problem);
  std::unique_ptr<System> system = start(owned, formulation, entry.t0, state, View::linear);
  if (!system || !system->layout.euclidean()) return nullptr;
  return std::make_unique<LinearModel>(std::move(system), formulation, state);
}

std::unique_ptr<Model> direct_model(const problems::Entry& entry, const Problem& problem) {
  if (!PeerResidual::accepts(problem, 2)) return nullptr;
  State state;
  if (!start(std::make_shared<const Problem>(problem), "", entry.t0, state)) return nullptr;
  return std::make_unique<DirectModel>(entry, problem, state);
}

std::unique_ptr<Model> system_model(const problems::Entry& entry, const Problem& problem,
                                    const std::string& formulation) {
  State state;
  const auto owned = std::make_shared<const Problem>(problem);
  if (!fit(problem, formulation, View::residual).possible) return nullptr;
  std::unique_ptr<System> system = start(owned, formulation, entry.t0, state);
  if (!system || !system->layout.euclidean() || system->model_system() ||
      system->residual_view()->states_leading_term())
    return nullptr;
  return std::make_unique<SystemModel>(std::move(system), formulation, state);
}

}  // namespace daedalus::peers
