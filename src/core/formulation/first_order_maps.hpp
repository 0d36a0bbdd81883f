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
#include "function/series_callable.hpp"
#include "kernel/at.hpp"

namespace daedalus {

inline SparseValues compressed(SparseMatrix m) {
  m.makeCompressed();
  SparseValues v{{static_cast<int>(m.rows()), static_cast<int>(m.cols()), {}, {}}, {}};
  v.pattern.start.assign(m.outerIndexPtr(), m.outerIndexPtr() + m.cols() + 1);
  v.pattern.row.assign(m.innerIndexPtr(), m.innerIndexPtr() + m.nonZeros());
  v.values.assign(m.valuePtr(), m.valuePtr() + m.nonZeros());
  return v;
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
// A callable on such lines.
class OnLine {
 public:
  template <class Slot>
  Eval operator()(const Function<Slot>& f, const Arguments<Dual4>& a, Dual4* out, int rows) {
    return f(a, out, rows);
  }
  template <class Slot>
  Eval operator()(const Function<Slot>& f, const Arguments<Taylor2Dual>& a, Taylor2Dual* out,
                  int rows) {
    return series_(f, a, out, rows);
  }

 private:
  SeriesCallable series_;
};
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
      if (const Eval e = on_line_(p_->rhs, b, rates, n); e != Eval::ok) return e;
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
  OnLine on_line_;
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

 private:
  std::shared_ptr<const SemiExplicitProblem> p_;
  ParameterSet parameters_;
  bool residual_;
};

}  // namespace daedalus
