// SPDX-License-Identifier: BSD-3-Clause
// The own rows of a distributed problem as a function of own unknowns and ghosts: F(t, x, x'), or
// M x' - f (residual view), or f alone (linear view).
#pragma once

#include <memory>
#include <optional>

#include <daedalus/distributed_problem.hpp>

#include "formulation/first_order_maps.hpp"

namespace daedalus::distributed {

class CutMap final : public MapOf<CutMap> {
 public:
  CutMap(std::shared_ptr<const DistributedProblem> p, Modes modes, bool residual)
      : p_(std::move(p)), parameters_(p_->parameters, std::move(modes)), residual_(residual) {}

  template <class S>
  Eval eval(const S& t, const S* x, const S* xd, S* r) {
    const int n = rows(), all = columns();
    if (p_->residual)
      return piece_("residual", r, n, [&] {
        return p_->residual(state_arguments<S>(parameters_, t, x, all, nullptr, 0, xd, all), r, n);
      });
    if (const Eval e = piece_(
            "rhs", r, n, [&] { return p_->rhs(state_arguments<S>(parameters_, t, x, all), r, n); });
        e != Eval::ok || !residual_ || !xd)
      return e;
    for (int i = 0; i < n; ++i) r[i] = p_->mass.size() == 0 ? S(xd[i] - r[i]) : S(-r[i]);
    for (int j = 0; j < p_->mass.outerSize(); ++j)
      for (SparseMatrix::InnerIterator e(p_->mass, j); e; ++e)
        r[e.row()] = r[e.row()] + e.value() * xd[j];
    return Eval::ok;
  }
  bool differentiable() const override {
    return p_->residual ? p_->residual.differentiable() : p_->rhs.differentiable();
  }
  int rows() const override { return p_->rows; }
  int columns() const { return p_->rows + static_cast<int>(p_->ghosts.size()); }
  // M, with a column of zeros for every ghost.
  SparseValues mass() const {
    SparseValues m = p_->mass.size() == 0 ? leading_ones(rows(), rows()) : compressed(p_->mass);
    m.pattern.cols = columns();
    m.pattern.start.resize(static_cast<std::size_t>(columns()) + 1, m.pattern.nonzeros());
    return m;
  }
  std::optional<SparseValues> constant_rates() const override {
    return residual_ && !p_->residual ? std::optional(mass()) : std::nullopt;
  }

 private:
  std::shared_ptr<const DistributedProblem> p_;
  ParameterSet parameters_;
  bool residual_;
};

}  // namespace daedalus::distributed
