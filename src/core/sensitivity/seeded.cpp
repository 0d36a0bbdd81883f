// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivity/seeded.hpp"

#include <algorithm>

#include "kernel/at.hpp"

namespace daedalus {
namespace {

template <class Slot>
using Near = std::array<Function<Slot>, 2>;  // for the upper and the lower value

template <class S>
inline constexpr bool carries = std::is_same_v<S, Dual4> || std::is_same_v<S, Taylor2Dual>;

inline void add_slope(Dual4& out, const double& plus, const double& minus, std::size_t lane,
                      double width) {
  out.d[lane] += (plus - minus) / width;
}
inline void add_slope(Taylor2Dual& out, const Taylor2Dual& plus, const Taylor2Dual& minus,
                      std::size_t lane, double width) {
  for (std::size_t k = 0; k < out.c.size(); ++k)
    out.c[k].d[lane] += (plus.c[k].v - minus.c[k].v) / width;
}

template <class Slot>
struct SeededBody final : detail::FunctionBody {
  Function<Slot> inner;
  std::shared_ptr<const Seeds> seeds;
  std::vector<Near<Slot>> near;  // per parameter asked for; empty functions: an input

  const SparseDerivatives* sparse_derivatives() const override {
    return inner.sparse_derivatives();
  }
  bool differentiable() const override { return inner.differentiable(); }
  bool point_form() const override { return inner.may_read(0) && !inner.names_vector(0); }
  bool names_vector(int k) const override { return inner.names_vector(k); }

  // The arguments over the number that differences are taken of.
  static const Arguments<Taylor2Dual>& plain(const Arguments<Taylor2Dual>& a,
                                             std::vector<Taylor2Dual>&) {
    return a;
  }
  static Arguments<double> plain(const Arguments<Dual4>& a, std::vector<double>& room) {
    Arguments<double> b;
    b.t = a.t.v;
    b.n = a.n;
    b.modes = a.modes;
    b.mode_count = a.mode_count;
    std::size_t size = 0;
    for (const int n : a.n) size += at(n);
    room.resize(size);
    double* to = room.data();
    for (std::size_t k = 0; k < a.x.size(); ++k) {
      b.x[k] = to;
      for (int i = 0; i < a.n[k]; ++i) *to++ = a.x[k][i].v;
    }
    return b;
  }
  template <class S>
  Eval add_rebuilt(const Arguments<S>& a, S* out, int rows, int cols) const {
    using Plain = std::conditional_t<std::is_same_v<S, Dual4>, double, S>;
    std::vector<Plain> room, upper(at(rows * cols)), lower(at(rows * cols));
    Arguments<Plain> b = plain(a, room);
    b.p = seeds->of<Plain>().data();
    b.parameter_count = static_cast<int>(seeds->of<Plain>().size());
    for (const auto& [k, lane, slope] : seeds->moving()) {
      if (!near[at(k)][0]) continue;
      if (const Eval e = near[at(k)][0](b, upper.data(), rows, cols); e != Eval::ok) return e;
      if (const Eval e = near[at(k)][1](b, lower.data(), rows, cols); e != Eval::ok) return e;
      for (std::size_t i = 0; i < upper.size(); ++i)
        add_slope(out[i], upper[i], lower[i], lane, seeds->width(k) / slope);
    }
    return Eval::ok;
  }
  template <class S>
  Eval invoke(Arguments<S> a, S* out, int rows, int cols) const {
    a.p = seeds->of<S>().data();
    a.parameter_count = static_cast<int>(seeds->of<S>().size());
    const Eval e = inner(a, out, rows, cols);
    if constexpr (carries<S>)
      if (e == Eval::ok && seeds->rebuilt()) return add_rebuilt(a, out, rows, cols);
    return e;
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

// A constant mass matrix that parameters change, as the callable it stands for.
template <class Slot>
Function<Slot> mass_callable(const SparseMatrix& m) {
  const auto dense = std::make_shared<const Eigen::MatrixXd>(m);
  return Function<Slot>(autodiff([dense](const auto&, auto& M) {
    for (Eigen::Index j = 0; j < dense->cols(); ++j)
      for (Eigen::Index i = 0; i < dense->rows(); ++i) M(i, j) = (*dense)(i, j);
  }));
}

auto members(const ImplicitProblem&) {
  return std::tuple(&ImplicitProblem::residual, &ImplicitProblem::leading);
}
auto members(const MassMatrixProblem&) {
  return std::tuple(&MassMatrixProblem::rhs, &MassMatrixProblem::mass);
}
auto members(const SemiExplicitProblem&) {
  return std::tuple(&SemiExplicitProblem::f, &SemiExplicitProblem::g);
}
auto members(const MultibodyProblem&) {
  using M = MultibodyProblem;
  return std::tuple(&M::mass, &M::force, &M::constraint, &M::constraint_jacobian,
                    &M::constraint_time_derivative, &M::acceleration_term, &M::kinematics,
                    &M::nonholonomic_matrix, &M::nonholonomic_offset, &M::dynamics, &M::contact);
}

template <class P, class Slot>
void decorate(P& p, const std::vector<const std::array<P, 2>*>& near, Function<Slot> P::*member,
              const std::shared_ptr<Seeds>& seeds) {
  if (!(p.*member)) return;
  auto body = std::make_shared<SeededBody<Slot>>();
  body->inner = p.*member;
  body->seeds = seeds;
  for (const std::array<P, 2>* pair : near)
    body->near.push_back(pair ? Near<Slot>{(*pair)[0].*member, (*pair)[1].*member} : Near<Slot>{});
  p.*member = Function<Slot>(std::shared_ptr<const detail::FunctionBody>(std::move(body)));
}

template <class P, class Slot>
void free_mass_matrix(P& p, std::vector<std::array<P, 2>>& near, Function<Slot> P::*mass) {
  if (p.mass_matrix.size() == 0) return;
  const Eigen::MatrixXd here(p.mass_matrix);
  const auto differs = [&](const P& n) { return Eigen::MatrixXd(n.mass_matrix) != here; };
  const bool changes = std::any_of(near.begin(), near.end(), [&](const auto& pair) {
    return differs(pair[0]) || differs(pair[1]);
  });
  if (!changes) return;
  const auto free = [&](P& q) {
    q.*mass = mass_callable<Slot>(q.mass_matrix);
    q.mass_matrix = SparseMatrix();
  };
  free(p);
  for (auto& pair : near) free(pair[0]), free(pair[1]);
}

}  // namespace

Seeds::Seeds(const std::vector<Parameter>& inputs, const std::vector<AskedParameter>& asked) {
  for (const AskedParameter& a : asked) {
    input_.push_back(a.input);
    width_.push_back(a.width());
  }
  std::apply(
      [&](auto&... set) {
        const auto fill = [&](auto& values) {
          for (const Parameter& p : inputs) values.emplace_back(p.value);
        };
        (fill(set), ...);
      },
      sets_);
}

void Seeds::shift(int input, double value) {
  std::get<std::vector<double>>(sets_)[at(input)] = value;
}

const std::vector<Seed> Seeds::still;

void Seeds::put(bool moves) {
  auto& dual = std::get<std::vector<Dual4>>(sets_);
  for (const auto& [k, lane, slope] : *moving_)
    if (input_[at(k)] >= 0) dual[at(input_[at(k)])].d[lane] = moves ? slope : 0.0;
  series_follow_ = false;
}

void Seeds::follow() const {
  if (series_follow_) return;
  const auto& dual = std::get<std::vector<Dual4>>(sets_);
  auto& series = std::get<std::vector<Taylor2Dual>>(sets_);
  for (std::size_t i = 0; i < dual.size(); ++i) series[i].c[0].d = dual[i].d;
  series_follow_ = true;
}

void Seeds::mark(const std::vector<Seed>& moving) {
  clear();
  moving_ = &moving;
  put(true);
  rebuilt_ = std::any_of(moving.begin(), moving.end(),
                         [&](const Seed& s) { return input_[at(s.asked)] < 0; });
}

void Seeds::clear() {
  put(false);
  moving_ = &still;
  rebuilt_ = false;
}

std::shared_ptr<const Problem> seeded(const Problem& problem,
                                      const std::vector<AskedParameter>& asked,
                                      const std::shared_ptr<Seeds>& seeds) {
  Problem copy = problem;
  std::visit(
      [&](auto& p) {
        using P = std::decay_t<decltype(p)>;
        std::vector<std::array<P, 2>> built;
        built.reserve(asked.size());
        std::vector<const std::array<P, 2>*> near;
        for (const AskedParameter& a : asked)
          if (a.input < 0) built.push_back({std::get<P>(*a.plus), std::get<P>(*a.minus)});
        if constexpr (std::is_same_v<P, MassMatrixProblem> || std::is_same_v<P, MultibodyProblem>)
          free_mass_matrix(p, built, &P::mass);
        std::size_t next = 0;
        for (const AskedParameter& a : asked)
          near.push_back(a.input < 0 ? &built[next++] : nullptr);
        std::apply([&](auto... m) { (decorate(p, near, m, seeds), ...); }, members(p));
      },
      copy);
  return std::make_shared<const Problem>(std::move(copy));
}

std::vector<std::string> plain_callables(const Problem& problem) {
  std::vector<std::string> names;
  const auto look = [&](const auto& p, const std::vector<const char*>& all) {
    std::size_t k = 0;
    std::apply(
        [&](auto... m) {
          const auto one = [&](const auto& callable) {
            if (callable && !callable.differentiable()) names.emplace_back(all[k]);
            ++k;
          };
          (one(p.*m), ...);
        },
        members(p));
  };
  struct {
    const decltype(look)& to;
    void operator()(const ImplicitProblem& p) const { to(p, {"residual", "leading"}); }
    void operator()(const MassMatrixProblem& p) const { to(p, {"rhs", "mass"}); }
    void operator()(const SemiExplicitProblem& p) const { to(p, {"f", "g"}); }
    void operator()(const MultibodyProblem& p) const {
      to(p, {"mass", "force", "constraint", "constraint_jacobian", "constraint_time_derivative",
             "acceleration_term", "kinematics", "nonholonomic_matrix", "nonholonomic_offset",
             "dynamics", "contact"});
    }
  } const visitor{look};
  std::visit(visitor, problem);
  return names;
}

}  // namespace daedalus
