// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/overdetermined_system.hpp"

#include <fmt/format.h>

#include "formulation/default_names.hpp"
#include "formulation/first_order_maps.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

class OverdeterminedMap final : public MapOf<OverdeterminedMap> {
 public:
  OverdeterminedMap(std::shared_ptr<const ImplicitProblem> p, Modes modes, bool corrected)
      : p_(std::move(p)),
        parameters_(p_->parameters, std::move(modes)),
        corrected_(corrected && !p_->side_equations.empty()),
        n_(static_cast<int>(p_->y0.size())),
        extra_(p_->extra_count),
        C_(extra_, n_) {
    for (auto* v : {&y4_, &yp4_, &F4_}) v->resize(at(n_));
    gamma4_.resize(at(extra_));
    const auto sides = static_cast<Eigen::Index>(p_->side_equations.size());
    h_y_.setZero(sides, n_);
    h_s_.setZero(sides, sides);
    gamma_s_.setZero(extra_, sides);
  }

  template <class S>
  Eval eval(const S& t, const S* x, const S* xd, S* r) {
    if (const Eval e = piece_("residual", r, n_,
                              [&] {
                                return p_->residual(
                                    state_arguments<S>(parameters_, t, x, n_, nullptr, 0, xd, n_),
                                    r, n_);
                              });
        e != Eval::ok)
      return e;
    if (const Eval e = piece_("extra_constraints", r + n_, extra_,
                              [&] {
                                return p_->extra_constraints(
                                    state_arguments<S>(parameters_, t, x, n_), r + n_, extra_);
                              });
        e != Eval::ok)
      return e;
    if (!frozen_ || !known_)
      if (const Eval e = couple(t, x, xd); e != Eval::ok) return e;
    const S* eta = x + n_;
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < extra_; ++k) r[i] = r[i] + C_(k, i) * eta[k];
    return Eval::ok;
  }

  bool differentiable() const override { return true; }  // fit_overdetermined asks for it
  int rows() const override { return n_ + extra_; }
  void freeze() override { frozen_ = true; }
  Eval refresh(double t, const double* x, const double* xd) override {
    return frozen_ ? couple(t, x, xd) : Eval::ok;
  }
  void archive(Archive& a) override { a(known_, C_); }

 private:
  template <class S>
  Eval couple(const S& t, const S* x, const S* xd) {
    known_ = true;
    const Dual4 time(value_of(t));
    for (int i = 0; i < n_; ++i) yp4_[at(i)] = Dual4(value_of(xd[i]));
    for (int first = 0; first < n_; first += 4) {
      const int lanes = std::min(4, n_ - first);
      for (int i = 0; i < n_; ++i) y4_[at(i)] = Dual4(value_of(x[i]));
      for (int j = 0; j < lanes; ++j) y4_[at(first + j)].d[at(j)] = 1.0;
      const auto gamma = state_arguments<Dual4>(parameters_, time, y4_.data(), n_);
      if (const Eval e =
              piece_("extra_constraints", gamma4_.data(), extra_,
                     [&] { return p_->extra_constraints(gamma, gamma4_.data(), extra_); });
          e != Eval::ok)
        return e;
      for (int j = 0; j < lanes; ++j)
        for (int k = 0; k < extra_; ++k) C_(k, first + j) = gamma4_[at(k)].d[at(j)];
      if (!corrected_) continue;
      const auto F =
          state_arguments<Dual4>(parameters_, time, y4_.data(), n_, nullptr, 0, yp4_.data(), n_);
      if (const Eval e =
              piece_("residual", F4_.data(), n_, [&] { return p_->residual(F, F4_.data(), n_); });
          e != Eval::ok)
        return e;
      for (int j = 0; j < lanes; ++j)
        for (std::size_t i = 0; i < p_->side_equations.size(); ++i)
          h_y_(static_cast<Eigen::Index>(i), first + j) = F4_[at(p_->side_equations[i])].d[at(j)];
    }
    return corrected_ ? correct() : Eval::ok;
  }

  // C := gamma_y - gamma_s h_s^{-1} h_y, and zero in the columns of s.
  Eval correct() {
    const auto sides = h_y_.rows();
    for (Eigen::Index j = 0; j < sides; ++j) {
      const int s = p_->side_variables[static_cast<std::size_t>(j)];
      h_s_.col(j) = h_y_.col(s);
      gamma_s_.col(j) = C_.col(s);
    }
    const PivotedLu lu(h_s_);
    for (int i = 0; i < n_; ++i) {
      const Eigen::VectorXd moved = lu.solve(Eigen::VectorXd(h_y_.col(i)));
      if (!moved.allFinite()) return Eval::reject;
      C_.col(i) -= gamma_s_ * moved;
    }
    for (const int s : p_->side_variables) C_.col(s).setZero();
    return Eval::ok;
  }

  std::shared_ptr<const ImplicitProblem> p_;
  ParameterSet parameters_;
  bool corrected_, frozen_ = false, known_ = false;
  int n_, extra_;
  Eigen::MatrixXd C_, h_y_, h_s_, gamma_s_;
  std::vector<Dual4> y4_, yp4_, F4_, gamma4_;
};

}  // namespace

ViewFit fit_overdetermined(const ImplicitProblem& p, std::string_view formulation, View view) {
  const auto no = [](std::string reason) { return ViewFit{false, 0, std::move(reason)}; };
  if (p.extra_count == 0)
    return no(fmt::format("formulation '{}' needs extra_constraints", formulation));
  if (view != View::residual)
    return no(fmt::format("formulation '{}' has no {} view", formulation, to_string(view)));
  if (p.leading_count > 0)
    return no(fmt::format("formulation '{}' takes no leading term", formulation));
  if (!p.residual.differentiable() || !p.extra_constraints.differentiable())
    return no(fmt::format("formulation '{}' needs differentiable callables: wrap them in autodiff",
                          formulation));
  return {true, 2, ""};
}

std::unique_ptr<System> lower_overdetermined(std::shared_ptr<const ImplicitProblem> p,
                                             std::string_view formulation,
                                             const LoweringOptions& options) {
  const int n = static_cast<int>(p->y0.size());
  auto modes = std::make_shared<std::vector<double>>(p->modes);
  Layout layout;
  layout.add(VariableClass::y, 1, euclidean(n), default_names(p->variables, "y", n));
  layout.add(VariableClass::eta, 2, euclidean(p->extra_count),
             default_names({}, "eta", p->extra_count), false);
  auto variables = std::make_shared<Variables>();
  variables->ranges.push_back({VariableClass::y, 1, 0, n});
  variables->ranges.push_back({VariableClass::eta, 2, n, p->extra_count});
  variables->names = layout.names();
  auto equations = default_names(p->equations, "equation ", n);
  for (int k = 0; k < p->extra_count; ++k)
    equations.push_back("extra constraint " + std::to_string(k + 1));
  auto system = std::make_unique<FirstOrderSystem>(
      std::move(layout),
      std::make_unique<OverdeterminedMap>(p, modes, formulation == "overdetermined"), options);
  system->modes = std::move(modes);
  system->variables = std::move(variables);
  system->equations = std::move(equations);
  return system;
}

}  // namespace daedalus
