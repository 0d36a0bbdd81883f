// SPDX-License-Identifier: BSD-3-Clause
// One callable of a problem. A plain callable gives values; one wrapped in daedalus::autodiff() is
// also instantiated for dual numbers and recorded numbers, and for truncated Taylor series where
// its place asks for them, so that all derivatives the library needs are exact.
//
// Every callable has two accepted signatures:
//   short form   f(t, y, ..., out)       the arguments most models need, in the order of its slot;
//   point form   f(x, out)               x.t, x.y, ..., x.p (parameters), x.modes: everything,
//   named.
// It returns nothing or an Eval.
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <daedalus/dual.hpp>
#include <daedalus/recorded.hpp>
#include <daedalus/taylor.hpp>
#include <daedalus/types.hpp>

namespace daedalus {

// Raw arguments of any callable over the scalar S; which vector is which is the slot's business.
template <class S>
struct Arguments {
  S t{};
  std::array<const S*, 5> x{};
  std::array<int, 5> n{};
  const S* p = nullptr;
  int parameter_count = 0;
  const double* modes = nullptr;
  int mode_count = 0;

  VectorView<S> vector(int k) const {
    const auto i = static_cast<std::size_t>(k);
    return {x[i], n[i]};
  }
};

// Point form of first-order problems; z and yp are empty where the problem form has none.
template <class S>
struct StatePoint {
  S t;
  VectorView<S> y, z, yp, p;
  VectorView<double> modes;
  explicit StatePoint(const Arguments<S>& a)
      : t(a.t),
        y(a.vector(0)),
        z(a.vector(1)),
        yp(a.vector(2)),
        p(a.p, a.parameter_count),
        modes(a.modes, a.mode_count) {}
};

// Point form of multibody problems; lambda, c and s are empty where the problem has none.
template <class S>
struct MultibodyPoint {
  S t;
  VectorView<S> q, v, lambda, c, s, p;
  VectorView<double> modes;
  explicit MultibodyPoint(const Arguments<S>& a)
      : t(a.t),
        q(a.vector(0)),
        v(a.vector(1)),
        lambda(a.vector(2)),
        c(a.vector(3)),
        s(a.vector(4)),
        p(a.p, a.parameter_count),
        modes(a.modes, a.mode_count) {}
};

// Slots: what a callable of that place receives. A Form lists the vectors of a short signature.
namespace slot {

// Which numbers the library asks a callable of this place for; each kind takes time to compile.
enum class Numbers {
  values,       // double: a Jacobian that is given
  derivatives,  // and Dual4, Recorded
  rates,        // and Taylor2Dual: derivatives of a rate of change along a curve
  curvature     // and Taylor2: second derivatives along curves, in every step
};
template <int... I>
struct Form {};
template <class... F>
struct Forms {};

struct State {
  static constexpr Numbers numbers = Numbers::derivatives;
  template <class S>
  using Point = StatePoint<S>;
  enum : int { y = 0, z = 1, yp = 2 };
};
struct Multibody {
  static constexpr Numbers numbers = Numbers::derivatives;
  template <class S>
  using Point = MultibodyPoint<S>;
  enum : int { q = 0, v = 1, lambda = 2, c = 3, s = 4 };
};

struct Start : State {  // start values as a function of x.p and x.modes: point form (x, out) only
  using Accepted = Forms<>;
  static constexpr bool matrix = false;
};
struct StateVector : State {  // (t, y, out)
  using Accepted = Forms<Form<y>>;
  static constexpr bool matrix = false;
};
struct RightHandSide : StateVector {  // the same of f in M(t, y) y' = f(t, y)
  static constexpr Numbers numbers = Numbers::rates;
};
struct StateMatrix : State {  // (t, y, M)
  using Accepted = Forms<Form<y>>;
  static constexpr bool matrix = true;
};
struct Residual : State {  // (t, y, yp, r)
  using Accepted = Forms<Form<y, yp>>;
  static constexpr bool matrix = false;
};
struct StateJacobian : StateMatrix {  // (t, y, J)
  static constexpr Numbers numbers = Numbers::values;
};
struct ResidualMatrix : State {  // (t, y, yp, J)
  static constexpr Numbers numbers = Numbers::values;
  using Accepted = Forms<Form<y, yp>>;
  static constexpr bool matrix = true;
};
struct Coupled : State {  // (t, y, z, out)
  using Accepted = Forms<Form<y, z>>;
  static constexpr bool matrix = false;
};
struct CoupledConstraint : Coupled {  // (t, y, z, out)
  static constexpr Numbers numbers = Numbers::rates;
};
struct CoupledMatrix : State {  // (t, y, z, J)
  static constexpr Numbers numbers = Numbers::values;
  using Accepted = Forms<Form<y, z>>;
  static constexpr bool matrix = true;
};

struct Position : Multibody {  // (t, q, out) or, with contact coordinates, (t, q, s, out)
  static constexpr Numbers numbers = Numbers::curvature;
  using Accepted = Forms<Form<q>, Form<q, s>>;
  static constexpr bool matrix = false;
};
struct PositionMatrix : Multibody {  // (t, q, M) or (t, q, s, M)
  using Accepted = Forms<Form<q>, Form<q, s>>;
  static constexpr bool matrix = true;
};
struct PositionRate : Position {  // the same of g_t
  static constexpr Numbers numbers = Numbers::derivatives;
};
struct KinematicMatrix : PositionMatrix {  // of T and A, which are differentiated along curves
  static constexpr Numbers numbers = Numbers::curvature;
};
struct Force : Multibody {  // (t, q, v, f) or, with friction, (t, q, v, lambda, f)
  using Accepted = Forms<Form<q, v>, Form<q, v, lambda>>;
  static constexpr bool matrix = false;
};
struct VelocityTerm : Multibody {  // (t, q, v, out)
  using Accepted = Forms<Form<q, v>>;
  static constexpr bool matrix = false;
};
struct Dynamics : Multibody {  // (t, q, v, c, out) or (t, q, v, c, lambda, out)
  using Accepted = Forms<Form<q, v, c>, Form<q, v, c, lambda>>;
  static constexpr bool matrix = false;
};
}  // namespace slot

struct SparsePattern;  // of linear algebra

// Derivatives that a callable knows by itself, as models built from formulas do: structures that
// hold in all branches, and all entries by one evaluation.
class SparseDerivatives {
 public:
  virtual ~SparseDerivatives() = default;
  virtual const SparsePattern& pattern(int vector) const = 0;  // by vector number k of the slot
  // Entries in the order of the pattern.
  virtual Eval by_vector(int vector, const Arguments<double>& a, double* entries) const = 0;
  virtual Eval by_time(const Arguments<double>& a, double* column) const = 0;
};

// Marks a generic callable as differentiable: autodiff([](auto t, const auto& y, auto& f) {...}).
template <class F>
struct Differentiable {
  F f;
};
template <class F>
Differentiable<std::decay_t<F>> autodiff(F&& f) {
  return {std::forward<F>(f)};
}

namespace detail {

// Whether callables of a slot are instantiated for a number.
template <class Slot, class S>
inline constexpr bool asked_for = std::is_same_v<S, double> ||
                                  Slot::numbers >=
                                      (std::is_same_v<S, Taylor2> ? slot::Numbers::curvature
                                       : std::is_same_v<S, Taylor2Dual>
                                           ? slot::Numbers::rates
                                           : slot::Numbers::derivatives);

template <class Slot, class S>
using OutputOf = std::conditional_t<Slot::matrix, MatrixOutOf<S>, VectorOut<S>>;

template <class R>
Eval as_eval(R&& call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return Eval::ok;
  } else {
    return call();
  }
}

template <class F, class S, class O, int... I>
constexpr bool takes(slot::Form<I...>) {
  return std::is_invocable_v<const F&, const S&, decltype((void(I), VectorView<S>{nullptr, 0}))...,
                             O&>;
}
template <class F, class S, class O, class... Form>
constexpr bool takes_any(slot::Forms<Form...>) {
  return (takes<F, S, O>(Form{}) || ...);
}

template <class F, class S, class O, int... I, class... Rest>
Eval call_short(const F& f, const Arguments<S>& a, O& out, slot::Forms<slot::Form<I...>, Rest...>) {
  if constexpr (takes<F, S, O>(slot::Form<I...>{}))
    return as_eval([&] { return f(a.t, a.vector(I)..., out); });
  else
    return call_short(f, a, out, slot::Forms<Rest...>{});
}

template <class Slot, class F, class S>
Eval call(const F& f, const Arguments<S>& a, S* data, int rows, int cols) {
  using O = OutputOf<Slot, S>;
  O out = [&] {
    if constexpr (Slot::matrix)
      return O(data, rows, cols);
    else
      return O(data, rows * cols);
  }();
  using Point = typename Slot::template Point<S>;
  if constexpr (takes_any<F, S, O>(typename Slot::Accepted{})) {
    return call_short(f, a, out, typename Slot::Accepted{});
  } else {
    static_assert(std::is_invocable_v<const F&, const Point&, O&>,
                  "this callable accepts neither a short form of its slot nor (point, out)");
    return as_eval([&] { return f(Point(a), out); });
  }
}

// Whether the short form that a callable takes has vector number k.
template <class F, class O>
constexpr bool form_names(int, slot::Forms<>) {
  return false;
}
template <class F, class O, int... I, class... Rest>
constexpr bool form_names(int k, slot::Forms<slot::Form<I...>, Rest...>) {
  if constexpr (takes<F, double, O>(slot::Form<I...>{}))
    return ((I == k) || ...);
  else
    return form_names<F, O>(k, slot::Forms<Rest...>{});
}

// What stands behind a Function.
struct FunctionBody {
  virtual ~FunctionBody() = default;
  // Null: derivatives come from evaluations over dual numbers.
  virtual const SparseDerivatives* sparse_derivatives() const { return nullptr; }
  virtual bool differentiable() const = 0;
  virtual bool point_form() const = 0;
  virtual bool names_vector(int k) const = 0;
  virtual Eval call(const Arguments<double>&, double*, int rows, int cols) const = 0;
  virtual Eval call(const Arguments<Dual4>&, Dual4*, int rows, int cols) const = 0;
  virtual Eval call(const Arguments<Taylor2>&, Taylor2*, int rows, int cols) const = 0;
  virtual Eval call(const Arguments<Taylor2Dual>&, Taylor2Dual*, int rows, int cols) const = 0;
  virtual Eval call(const Arguments<Recorded>&, Recorded*, int rows, int cols) const = 0;
};

template <class Slot, class F, bool generic>
struct BodyOf final : FunctionBody {
  F f;
  explicit BodyOf(F g) : f(std::move(g)) {}
  bool differentiable() const override { return generic && asked_for<Slot, Dual4>; }
  using Out = OutputOf<Slot, double>;
  bool point_form() const override { return !takes_any<F, double, Out>(typename Slot::Accepted{}); }
  bool names_vector(int k) const override {
    return form_names<F, Out>(k, typename Slot::Accepted{});
  }
  template <class S>
  Eval invoke(const Arguments<S>& a, S* out, int rows, int cols) const {
    if constexpr (std::is_same_v<S, double> || (generic && asked_for<Slot, S>))
      return detail::call<Slot>(f, a, out, rows, cols);
    else
      throw std::logic_error("a callable was asked for numbers that it does not have");
  }
  Eval call(const Arguments<double>& a, double* o, int r, int c) const override {
    return invoke(a, o, r, c);
  }
  Eval call(const Arguments<Dual4>& a, Dual4* o, int r, int c) const override {
    return invoke(a, o, r, c);
  }
  Eval call(const Arguments<Taylor2>& a, Taylor2* o, int r, int c) const override {
    return invoke(a, o, r, c);
  }
  Eval call(const Arguments<Taylor2Dual>& a, Taylor2Dual* o, int r, int c) const override {
    return invoke(a, o, r, c);
  }
  Eval call(const Arguments<Recorded>& a, Recorded* o, int r, int c) const override {
    return invoke(a, o, r, c);
  }
};

template <class T>
inline constexpr bool is_differentiable = false;
template <class F>
inline constexpr bool is_differentiable<Differentiable<F>> = true;

}  // namespace detail

// Immutable and shared by copies; safe to call from several threads if the callable is pure.
template <class Slot>
class Function {
 public:
  Function() = default;
  template <class F>
  requires(!std::is_same_v<std::decay_t<F>, Function> &&
           !std::is_same_v<std::decay_t<F>, std::nullptr_t> &&
           !std::is_convertible_v<F, std::shared_ptr<const detail::FunctionBody>>)
      Function(F&& f) {  // NOLINT: conversion from a lambda is the point
    using D = std::decay_t<F>;
    if constexpr (detail::is_differentiable<D>) {
      using G = decltype(f.f);
      body_ =
          std::make_shared<const detail::BodyOf<Slot, std::decay_t<G>, true>>(std::forward<F>(f).f);
    } else {
      body_ = std::make_shared<const detail::BodyOf<Slot, D, false>>(std::forward<F>(f));
    }
  }
  explicit Function(std::shared_ptr<const detail::FunctionBody> body) : body_(std::move(body)) {}
  explicit operator bool() const { return body_ != nullptr; }
  const SparseDerivatives* sparse_derivatives() const {
    return body_ ? body_->sparse_derivatives() : nullptr;
  }
  bool differentiable() const { return body_ && body_->differentiable(); }
  // Whether vector number k of the slot is an argument of its short form, or may be read by its
  // point form.
  bool names_vector(int k) const { return body_ && body_->names_vector(k); }
  bool may_read(int k) const { return body_ && (body_->point_form() || body_->names_vector(k)); }

  template <class S>
  Eval operator()(const Arguments<S>& a, S* out, int rows, int cols = 1) const {
    return body_->call(a, out, rows, cols);
  }

 private:
  std::shared_ptr<const detail::FunctionBody> body_;
};

}  // namespace daedalus
