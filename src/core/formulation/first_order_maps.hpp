// SPDX-License-Identifier: BSD-3-Clause
// The maps of implicit, mass-matrix and semi-explicit problems. Each owns its share of the problem.
#pragma once

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include <daedalus/problem.hpp>

#include "formulation/map_of.hpp"
#include "formulation/parameters.hpp"
#include "formulation/stacked_derivatives.hpp"
#include "kernel/at.hpp"

namespace daedalus {

inline SparseValues compressed(const SparseMatrix& m) {
  if (!m.isCompressed()) {
    SparseMatrix without_gaps = m;
    without_gaps.makeCompressed();
    return compressed(without_gaps);
  }
  SparseValues v{{static_cast<int>(m.rows()), static_cast<int>(m.cols()), {}, {}}, {}};
  v.pattern.start.assign(m.outerIndexPtr(), m.outerIndexPtr() + m.cols() + 1);
  v.pattern.row.assign(m.innerIndexPtr(), m.innerIndexPtr() + m.nonZeros());
  v.values.assign(m.valuePtr(), m.valuePtr() + m.nonZeros());
  return v;
}

// Of one callable by up to two vectors and time; null: not wanted.
inline Eval derivatives_of(const SparseDerivatives& known, const Arguments<double>& a, double* by_a,
                           int vector_a, double* by_b, int vector_b, double* by_t) {
  if (by_a)
    if (const Eval e = known.by_vector(vector_a, a, by_a); e != Eval::ok) return e;
  if (by_b)
    if (const Eval e = known.by_vector(vector_b, a, by_b); e != Eval::ok) return e;
  return by_t ? known.by_time(a, by_t) : Eval::ok;
}

// F(t, y, d').
class ImplicitMap final : public MapOf<ImplicitMap> {
 public:
  ImplicitMap(std::shared_ptr<const ImplicitProblem> p, Modes modes)
      : p_(std::move(p)), parameters_(p_->parameters, std::move(modes)) {}
  template <class S>
  Eval eval(const S& t, const S* x, const S* xd, S* r) {
    const int n = rows();
    const int nd = p_->leading_count > 0 ? p_->leading_count : n;
    return piece_("residual", r, n, [&] {
      return p_->residual(state_arguments<S>(parameters_, t, x, n, nullptr, 0, xd, nd), r, n);
    });
  }
  bool differentiable() const override { return p_->residual.differentiable(); }
  int rows() const override { return static_cast<int>(p_->y0.size()); }
  bool knows_derivatives() const override {
    return p_->leading_count == 0 && p_->residual.sparse_derivatives();
  }
  SparsePattern known_pattern(bool by_rate) const override {
    return p_->residual.sparse_derivatives()->pattern(by_rate ? slot::State::yp : slot::State::y);
  }
  Eval known_derivatives(double t, const double* x, const double* xd, double* dx, double* dxd,
                         double* dt) override {
    const int n = rows();
    return derivatives_of(*p_->residual.sparse_derivatives(),
                          state_arguments<double>(parameters_, t, x, n, nullptr, 0, xd, n), dx,
                          slot::State::y, dxd, slot::State::yp, dt);
  }

 private:
  std::shared_ptr<const ImplicitProblem> p_;
  ParameterSet parameters_;
};

// d(t, y) of a properly stated leading term.
class LeadingMap final : public MapOf<LeadingMap> {
 public:
  LeadingMap(std::shared_ptr<const ImplicitProblem> p, Modes modes)
      : p_(std::move(p)), parameters_(p_->parameters, std::move(modes)) {}
  template <class S>
  Eval eval(const S& t, const S* x, const S*, S* r) {
    return piece_("leading", r, p_->leading_count, [&] {
      return p_->leading(state_arguments<S>(parameters_, t, x, static_cast<int>(p_->y0.size())), r,
                         p_->leading_count);
    });
  }
  bool differentiable() const override { return p_->leading.differentiable(); }
  int rows() const override { return p_->leading_count; }

 private:
  std::shared_ptr<const ImplicitProblem> p_;
  ParameterSet parameters_;
};

// An implicit ODE with w = y' as algebraic variables: y' = w, 0 = F(t, y, w); F_y' regular.
class ImplicitRatesMap final : public MapOf<ImplicitRatesMap> {
 public:
  ImplicitRatesMap(std::shared_ptr<const ImplicitProblem> p, Modes modes)
      : p_(std::move(p)), parameters_(p_->parameters, std::move(modes)) {}
  template <class S>
  Eval eval(const S& t, const S* x, const S*, S* r) {
    const int n = static_cast<int>(p_->y0.size());
    for (int i = 0; i < n; ++i) r[i] = x[n + i];
    return piece_("residual", r + n, n, [&] {
      return p_->residual(state_arguments<S>(parameters_, t, x, n, nullptr, 0, x + n, n), r + n, n);
    });
  }
  bool differentiable() const override { return p_->residual.differentiable(); }
  int rows() const override { return 2 * static_cast<int>(p_->y0.size()); }

 private:
  std::shared_ptr<const ImplicitProblem> p_;
  ParameterSet parameters_;
};

// f(t, y) alone (linear view, constant M, or without y'), or M y' - f (residual view).
class MassMap final : public MapOf<MassMap> {
 public:
  MassMap(std::shared_ptr<const MassMatrixProblem> p, Modes modes, bool residual)
      : p_(std::move(p)), parameters_(p_->parameters, std::move(modes)), residual_(residual) {
    if (residual && p_->mass)
      std::apply([&](auto&... m) { (m.resize(at(rows() * rows())), ...); }, matrix_);
  }
  template <class S>
  Eval eval(const S& t, const S* x, const S* xd, S* r) {
    const int n = rows();
    const Arguments<S> a = state_arguments<S>(parameters_, t, x, n);
    if (const Eval e = piece_("rhs", r, n, [&] { return p_->rhs(a, r, n); });
        e != Eval::ok || !residual_ || !xd)
      return e;
    if (p_->mass) {
      auto& M = std::get<std::vector<S>>(matrix_);
      if (const Eval e =
              piece_("mass", M.data(), n * n, [&] { return p_->mass(a, M.data(), n, n); });
          e != Eval::ok)
        return e;
      for (int i = 0; i < n; ++i) {
        S sum = -r[i];
        for (int j = 0; j < n; ++j) sum = sum + M[at(i + j * n)] * xd[j];
        r[i] = sum;
      }
      return Eval::ok;
    }
    if (p_->mass_matrix.size() == 0) {
      for (int i = 0; i < n; ++i) r[i] = xd[i] - r[i];
      return Eval::ok;
    }
    for (int i = 0; i < n; ++i) r[i] = -r[i];
    for (int j = 0; j < n; ++j)
      for (SparseMatrix::InnerIterator e(p_->mass_matrix, j); e; ++e)
        r[e.row()] = r[e.row()] + e.value() * xd[j];
    return Eval::ok;
  }
  bool differentiable() const override {
    return p_->rhs.differentiable() && (!residual_ || !p_->mass || p_->mass.differentiable());
  }
  int rows() const override { return static_cast<int>(p_->y0.size()); }
  std::optional<SparseValues> constant_rates() const override {
    if (!residual_ || p_->mass) return std::nullopt;
    if (p_->mass_matrix.size() == 0) return leading_ones(rows(), rows());
    return compressed(p_->mass_matrix);
  }
  bool knows_derivatives() const override {
    return p_->rhs.sparse_derivatives() && (!residual_ || !p_->mass);
  }
  SparsePattern known_pattern(bool) const override {
    return p_->rhs.sparse_derivatives()->pattern(slot::State::y);
  }
  Eval known_derivatives(double t, const double* x, const double*, double* dx, double*,
                         double* dt) override {
    const SparseDerivatives& known = *p_->rhs.sparse_derivatives();
    const Eval e = derivatives_of(known, state_arguments<double>(parameters_, t, x, rows()), dx,
                                  slot::State::y, nullptr, 0, dt);
    if (!residual_) return e;
    const int count = known.pattern(slot::State::y).nonzeros();
    for (int k = 0; dx && k < count; ++k) dx[k] = -dx[k];
    for (int k = 0; dt && k < rows(); ++k) dt[k] = -dt[k];
    return e;
  }

 private:
  std::shared_ptr<const MassMatrixProblem> p_;
  ParameterSet parameters_;
  bool residual_;
  std::tuple<std::vector<double>, std::vector<Dual4>> matrix_;
};

// A number that moves along a line: over doubles one direction of a dual number, which is the rate.
template <class S>
using LineOf = std::conditional_t<std::is_same_v<S, double>, Dual4, Taylor2Dual>;
inline void put_on_line(Dual4& x, double value, double rate) {
  x.v = value;
  x.d[0] = rate;
}
inline void put_on_line(Taylor2Dual& x, const Dual4& value, const Dual4& rate) {
  x.c[0] = value;
  x.c[1] = rate;
}
inline double slope_on_line(const Dual4& x) { return x.d[0]; }
inline const Dual4& slope_on_line(const Taylor2Dual& x) { return x.c[1]; }

// M(t, y) y' = f(t, y) with M changing and some zero rows, made linear by w = y':
//   y' = w,   0 = M_i(t, y) w - f_i   (rows with M_i != 0),   0 = d/dt f_i along (1, w)   (others).
// The second kind keeps f_i = 0 only as an invariant, which the projection stage restores. Index 1
// whenever the original is. d/dt f_i is the first Taylor coefficient along the curve y + e w.
class ChangingMassMap final : public MapOf<ChangingMassMap> {
 public:
  ChangingMassMap(std::shared_ptr<const MassMatrixProblem> p, Modes modes,
                  std::vector<bool> algebraic)
      : p_(std::move(p)),
        parameters_(p_->parameters, std::move(modes)),
        algebraic_(std::move(algebraic)),
        any_algebraic_(std::find(algebraic_.begin(), algebraic_.end(), true) != algebraic_.end()) {
    const int n = static_cast<int>(p_->y0.size());
    std::apply([&](auto&... m) { (m.resize(at(n * n + n)), ...); }, work_);
    std::apply([&](auto&... s) { (s.resize(at(2 * n)), ...); }, series_);
  }
  template <class S>
  Eval eval(const S& t, const S* x, const S*, S* r) {
    const int n = static_cast<int>(p_->y0.size());
    auto& work = std::get<std::vector<S>>(work_);
    S* M = work.data();
    S* f = M + n * n;
    const Arguments<S> a = state_arguments<S>(parameters_, t, x, n);
    if (const Eval e = piece_("mass", M, n * n, [&] { return p_->mass(a, M, n, n); });
        e != Eval::ok)
      return e;
    if (const Eval e = piece_("rhs", f, n, [&] { return p_->rhs(a, f, n); }); e != Eval::ok)
      return e;
    const S* w = x + n;
    using Line = LineOf<S>;
    auto& series = std::get<std::vector<Line>>(series_);
    for (int i = 0; i < n; ++i) {
      r[i] = w[i];
      put_on_line(series[at(i)], x[i], w[i]);
    }
    Line* rates = series.data() + n;
    if (any_algebraic_) {
      // Written in place: a copy right after the parts were stored would wait for all of them.
      auto b = state_arguments<Line>(parameters_, Line(), series.data(), n);
      put_on_line(b.t, t, S(1.0));
      if (const Eval e = p_->rhs(b, rates, n); e != Eval::ok) return e;
    }
    for (int i = 0; i < n; ++i) {
      if (algebraic_[at(i)]) {
        r[n + i] = slope_on_line(rates[i]);
        continue;
      }
      S sum = -f[i];
      for (int j = 0; j < n; ++j) sum = sum + M[i + j * n] * w[j];
      r[n + i] = sum;
    }
    return Eval::ok;
  }
  bool differentiable() const override {
    return p_->mass.differentiable() && p_->rhs.differentiable();
  }
  int rows() const override { return 2 * static_cast<int>(p_->y0.size()); }

 private:
  std::shared_ptr<const MassMatrixProblem> p_;
  ParameterSet parameters_;
  std::vector<bool> algebraic_;
  bool any_algebraic_;
  std::tuple<std::vector<double>, std::vector<Dual4>> work_;
  // The line through x in the direction w, and f along it.
  std::tuple<std::vector<Dual4>, std::vector<Taylor2Dual>> series_;
};

// (f, g) (linear view, or without y'), or (y' - f, -g) (residual view).
class SemiExplicitMap final : public MapOf<SemiExplicitMap> {
 public:
  SemiExplicitMap(std::shared_ptr<const SemiExplicitProblem> p, Modes modes, bool residual)
      : p_(std::move(p)), parameters_(p_->parameters, std::move(modes)), residual_(residual) {}
  template <class S>
  Eval eval(const S& t, const S* x, const S* xd, S* r) {
    const int ny = static_cast<int>(p_->y0.size()), nz = static_cast<int>(p_->z0.size());
    const Arguments<S> a = state_arguments<S>(parameters_, t, x, ny, x + ny, nz);
    if (const Eval e = piece_("f", r, ny, [&] { return p_->f(a, r, ny); }); e != Eval::ok) return e;
    if (nz > 0)
      if (const Eval e = piece_("g", r + ny, nz, [&] { return p_->g(a, r + ny, nz); });
          e != Eval::ok)
        return e;
    if (!residual_ || !xd) return Eval::ok;
    for (int i = 0; i < ny; ++i) r[i] = xd[i] - r[i];
    for (int i = ny; i < ny + nz; ++i) r[i] = -r[i];
    return Eval::ok;
  }
  bool differentiable() const override {
    return p_->f.differentiable() && (!p_->g || p_->g.differentiable());
  }
  int rows() const override { return static_cast<int>(p_->y0.size() + p_->z0.size()); }
  std::optional<SparseValues> constant_rates() const override {
    if (!residual_) return std::nullopt;
    return leading_ones(rows(), static_cast<int>(p_->y0.size()));
  }
  bool knows_derivatives() const override {
    return p_->f.sparse_derivatives() && (!p_->g || p_->g.sparse_derivatives());
  }
  SparsePattern known_pattern(bool) const override { return stacked().pattern; }
  Eval known_derivatives(double t, const double* x, const double*, double* dx, double*,
                         double* dt) override {
    const int ny = static_cast<int>(p_->y0.size()), nz = static_cast<int>(p_->z0.size());
    const Arguments<double> a = state_arguments<double>(parameters_, t, x, ny, x + ny, nz);
    if (stack_.pattern.cols == 0) stack_ = stacked();
    for (const StackedDerivatives::Part& part : stack_.parts) {
      if (!dx) break;
      if (const Eval e = part.known->by_vector(part.vector, a, stack_.scratch.data());
          e != Eval::ok)
        return e;
      for (std::size_t k = 0; k < part.place.size(); ++k)
        dx[part.place[k]] = residual_ ? -stack_.scratch[k] : stack_.scratch[k];
    }
    if (!dt) return Eval::ok;
    if (const Eval e = p_->f.sparse_derivatives()->by_time(a, dt); e != Eval::ok || nz == 0)
      return e;
    return p_->g.sparse_derivatives()->by_time(a, dt + ny);
  }

 private:
  StackedDerivatives stacked() const {
    const int ny = static_cast<int>(p_->y0.size());
    std::vector<StackedDerivatives::Part> parts;
    for (const SparseDerivatives* known :
         {p_->f.sparse_derivatives(), p_->g ? p_->g.sparse_derivatives() : nullptr})
      for (const int vector : {int{slot::State::y}, int{slot::State::z}})
        if (known && (vector == slot::State::y || p_->z0.size() > 0))
          parts.push_back({known,
                           vector,
                           known == p_->f.sparse_derivatives() ? 0 : ny,
                           vector == slot::State::y ? 0 : ny,
                           {}});
    return stack(std::move(parts), rows());
  }

  std::shared_ptr<const SemiExplicitProblem> p_;
  ParameterSet parameters_;
  bool residual_;
  StackedDerivatives stack_;
};

}  // namespace daedalus
