// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/recorded_equations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <daedalus/lie/s3.hpp>

#include "formulation/default_names.hpp"
#include "formulation/recorded_curve.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Numbers = std::vector<Recorded>;

std::size_t place(int i) { return static_cast<std::size_t>(i); }
int length(const VectorXd& x) { return static_cast<int>(x.size()); }

// F over recorded numbers, and how its leading term is made if it is stated.
class RecordedForm {
 public:
  virtual ~RecordedForm() = default;
  virtual int size() const = 0;
  virtual int rates() const { return size(); }  // how many derivatives F sees: d' or x'
  virtual Eval residual(Recording& recording, const Recorded& t, const Recorded* x,
                        const Recorded* rate, Recorded* r) = 0;
  virtual bool states_leading_term() const { return false; }
  virtual Eval leading(const Recorded&, const Recorded*, Recorded*) { return Eval::ok; }
  virtual int redundant() const { return 0; }
  std::vector<std::string> variables, equations;
};

class ImplicitForm final : public RecordedForm {
 public:
  ImplicitForm(const ImplicitProblem& p, Modes modes) : p_(p), parameters_(p.parameters, modes) {
    variables = default_names(p.variables, "y", size());
    equations = default_names(p.equations, "equation ", size());
  }
  int size() const override { return length(p_.y0); }
  int rates() const override { return states_leading_term() ? p_.leading_count : size(); }
  bool states_leading_term() const override { return p_.leading_count > 0; }
  Eval residual(Recording&, const Recorded& t, const Recorded* x, const Recorded* rate,
                Recorded* r) override {
    return p_.residual(state_arguments(parameters_, t, x, size(), x, 0, rate, rates()), r, size());
  }
  Eval leading(const Recorded& t, const Recorded* x, Recorded* d) override {
    return p_.leading(state_arguments(parameters_, t, x, size()), d, p_.leading_count);
  }

 private:
  const ImplicitProblem& p_;
  ParameterSet parameters_;
};

class MassForm final : public RecordedForm {
 public:
  MassForm(const MassMatrixProblem& p, Modes modes) : p_(p), parameters_(p.parameters, modes) {
    variables = default_names(p.variables, "y", size());
    equations = default_names(p.equations, "equation ", size());
  }
  int size() const override { return length(p_.y0); }
  Eval residual(Recording&, const Recorded& t, const Recorded* x, const Recorded* rate,
                Recorded* r) override {
    const int n = size();
    const Arguments<Recorded> a = state_arguments(parameters_, t, x, n);
    if (const Eval e = p_.rhs(a, r, n); e != Eval::ok) return e;
    for (int i = 0; i < n; ++i) r[i] = -r[i];
    if (p_.mass) {
      Numbers M(place(n * n));
      if (const Eval e = p_.mass(a, M.data(), n, n); e != Eval::ok) return e;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) r[i] += M[place(i + j * n)] * rate[j];
    } else if (p_.mass_matrix.size() > 0) {
      for (int j = 0; j < n; ++j)
        for (SparseMatrix::InnerIterator e(p_.mass_matrix, j); e; ++e)
          r[e.row()] += e.value() * rate[j];
    } else {
      for (int i = 0; i < n; ++i) r[i] += rate[i];
    }
    return Eval::ok;
  }

 private:
  const MassMatrixProblem& p_;
  ParameterSet parameters_;
};

class SemiExplicitForm final : public RecordedForm {
 public:
  SemiExplicitForm(const SemiExplicitProblem& p, Modes modes)
      : p_(p), parameters_(p.parameters, modes), ny_(length(p.y0)), nz_(length(p.z0)) {
    variables = default_names(p.y_names, "y", ny_);
    equations = p.equations;
    for (int i = static_cast<int>(equations.size()); i < ny_ + nz_; ++i)
      equations.push_back(i < ny_ ? "rate of " + variables[place(i)]
                                  : fmt::format("algebraic equation {}", i - ny_ + 1));
    for (const std::string& name : default_names(p.z_names, "z", nz_)) variables.push_back(name);
  }
  int size() const override { return ny_ + nz_; }
  Eval residual(Recording&, const Recorded& t, const Recorded* x, const Recorded* rate,
                Recorded* r) override {
    const Arguments<Recorded> a = state_arguments(parameters_, t, x, ny_, x + ny_, nz_);
    if (const Eval e = p_.f(a, r, ny_); e != Eval::ok) return e;
    for (int i = 0; i < ny_; ++i) r[i] = rate[i] - r[i];
    return nz_ > 0 ? p_.g(a, r + ny_, nz_) : Eval::ok;
  }

 private:
  const SemiExplicitProblem& p_;
  ParameterSet parameters_;
  int ny_, nz_;
};

// q' of a point with velocity v, per element of a space.
void rate_of(const Space& space, const Recorded* q, const Recorded* v, Recorded* out) {
  using Vector = so3::Vector<Recorded>;
  using Rotation = so3::Matrix<Recorded>;
  using Quaternion = s3::Quaternion<Recorded>;
  const auto turn = [](const Recorded* R, const Recorded* w, Recorded* to) {
    Eigen::Map<Rotation> target(to);
    target = Eigen::Map<const Rotation>(R) * so3::hat<Recorded>(Eigen::Map<const Vector>(w));
  };
  const auto spin = [](const Recorded* p, const Recorded* w, Recorded* to) {
    const Quaternion half(0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]);
    Eigen::Map<Quaternion> target(to);
    target = s3::compose<Recorded>(Eigen::Map<const Quaternion>(p), half);
  };
  space.for_each_element([&](const Space::Element& e) {
    const Recorded *from = q + e.point, *by = v + e.tangent;
    Recorded* to = out + e.point;
    switch (e.kind) {
      case SpaceKind::euclidean:
        std::copy(by, by + e.points, to);
        break;
      case SpaceKind::so3:
        turn(from, by, to);
        break;
      case SpaceKind::s3:
        spin(from, by, to);
        break;
      case SpaceKind::se3: {
        Eigen::Map<Vector> target(to);
        target = Eigen::Map<const Rotation>(from + 3) * Eigen::Map<const Vector>(by);
        turn(from + 3, by + 3, to + 3);
        break;
      }
      case SpaceKind::s3_semidirect: {
        Eigen::Map<Vector> target(to);
        target = s3::rotate<Recorded>(Eigen::Map<const Quaternion>(from + 3),
                                      Vector(by[0], by[1], by[2]));
        spin(from + 3, by + 3, to + 3);
        break;
      }
    }
  });
}

class MultibodyForm3 final : public RecordedForm {
 public:
  MultibodyForm3(const MultibodyProblem& p, Modes modes)
      : p_(p),
        parameters_(p.parameters, modes),
        nq_(p.space.points()),
        nv_(p.velocities()),
        nc_(p.dynamic_count),
        ns_(p.contact_count),
        nl_(p.multipliers()),
        nmu_(p.constraint_count > 0 ? p.contact_count : 0) {
    const auto add = [](std::vector<std::string>& list, const std::string& prefix,
                        const std::vector<std::string>& names) {
      for (const std::string& name : names) list.push_back(prefix + name);
    };
    const auto q = default_names(p.q_names, "q", nq_), v = default_names(p.v_names, "v", nv_),
               c = default_names(p.c_names, "c", nc_), s = default_names(p.s_names, "s", ns_);
    add(variables, "", q), add(variables, "", v), add(variables, "", c), add(variables, "", s);
    add(variables, "", default_names(p.lambda_names, "lambda", nl_));
    add(variables, "contact force of ", nmu_ > 0 ? s : std::vector<std::string>{});
    add(equations, "kinematics of ", q), add(equations, "balance of ", v);
    add(equations, "dynamics of ", c), add(equations, "contact condition of ", s);
    for (int k = 0; k < nl_; ++k)
      equations.push_back(k < p.constraint_count ? fmt::format("constraint {}", k + 1)
                                                 : fmt::format("nonholonomic constraint {}",
                                                               k - p.constraint_count + 1));
    add(equations, "contact force of ", nmu_ > 0 ? s : std::vector<std::string>{});
  }
  int size() const override { return nq_ + nv_ + nc_ + ns_ + nl_ + nmu_; }
  int redundant() const override { return nq_ - p_.space.tangents(); }

  Eval residual(Recording& recording, const Recorded& t, const Recorded* x, const Recorded* rate,
                Recorded* r) override {
    const Recorded *q = x, *v = q + nq_, *c = v + nv_, *s = c + nc_, *lambda = s + ns_,
                   *mu = lambda + nl_;
    Arguments<Recorded> a;
    a.t = t;
    a.x = {q, v, lambda, c, s};
    a.n = {nq_, nv_, nl_, nc_, ns_};
    parameters_.apply(a);
    // Columns of R, and q' - R v.
    Numbers R(place(nq_ * nv_));
    if (p_.kinematics) {
      if (const Eval e = p_.kinematics(a, R.data(), nq_, nv_); e != Eval::ok) return e;
    } else {
      Numbers unit(place(nv_));
      for (int j = 0; j < nv_; ++j) {
        unit[place(j)] = 1.0;
        rate_of(p_.space, q, unit.data(), &R[place(j * nq_)]);
        unit[place(j)] = 0.0;
      }
    }
    for (int i = 0; i < nq_; ++i) {
      Recorded sum = rate[i];
      for (int j = 0; j < nv_; ++j) sum -= R[place(i + j * nq_)] * v[j];
      r[i] = sum;
    }
    Recorded *balance = r + nq_, *row_c = balance + nv_, *row_s = row_c + nc_,
             *row_lambda = row_s + ns_, *row_mu = row_lambda + nl_;
    if (const Eval e = inertia(a, rate + nq_, balance); e != Eval::ok) return e;
    if (p_.force) {
      Numbers f(place(nv_));
      if (const Eval e = value_or_tangent(p_.force, a, f.data(), nv_); e != Eval::ok) return e;
      for (int j = 0; j < nv_; ++j) balance[j] -= f[place(j)];
    }
    if (nc_ > 0) {
      if (const Eval e = value_or_tangent(p_.dynamics, a, row_c, nc_); e != Eval::ok) return e;
      for (int i = 0; i < nc_; ++i) row_c[i] = rate[nq_ + nv_ + i] - row_c[i];
    }
    if (ns_ > 0)
      if (const Eval e = p_.contact(a, row_s, ns_); e != Eval::ok) return e;
    const int ng = p_.constraint_count;
    if (ng > 0) {
      if (const Eval e = p_.constraint(a, row_lambda, ng); e != Eval::ok) return e;
      Numbers outputs(row_lambda, row_lambda + ng), weights(lambda, lambda + ng),
          inputs(q, q + nq_);
      outputs.insert(outputs.end(), row_s, row_s + nmu_);
      weights.insert(weights.end(), mu, mu + nmu_);
      inputs.insert(inputs.end(), s, s + nmu_);
      const Numbers gradient = recording.gradient(outputs, weights, inputs);
      for (int j = 0; j < nv_; ++j)
        for (int i = 0; i < nq_; ++i) balance[j] += R[place(i + j * nq_)] * gradient[place(i)];
      for (int k = 0; k < nmu_; ++k) row_mu[k] = gradient[place(nq_ + k)];
    }
    return nonholonomic(a, v, lambda + ng, balance, row_lambda + ng);
  }

 private:
  // Forces that are given over first derivatives alone (contact tables, creep laws) reject recorded
  // numbers: their tangent at the point stands for them. M, G and the derivatives of f by lambda
  // decide the index, and x' except lambda' is that of the full equations.
  template <class F>
  Eval value_or_tangent(const F& f, const Arguments<Recorded>& a, Recorded* out, int rows) {
    if (const Eval e = f(a, out, rows); e != Eval::reject) return e;
    Numbers in{a.t};
    for (std::size_t k = 0; k < a.x.size(); ++k) in.insert(in.end(), a.x[k], a.x[k] + a.n[k]);
    std::vector<Dual4> point, value(place(rows));
    for (const Recorded& x : in) point.emplace_back(value_of(x));
    constexpr std::size_t width = 4;
    for (std::size_t first = 0; first < in.size(); first += width) {
      const std::size_t count = std::min(width, in.size() - first);
      for (std::size_t k = 0; k < count; ++k)
        point[first + k] = Dual4::variable(in[first + k].v, static_cast<int>(k));
      Arguments<Dual4> d;
      d.t = point[0];
      d.n = a.n;
      for (std::size_t k = 0, from = 1; k < a.x.size(); from += static_cast<std::size_t>(a.n[k++]))
        d.x[k] = point.data() + from;
      parameters_.apply(d);
      if (const Eval e = f(d, value.data(), rows); e != Eval::ok) return e;
      for (int i = 0; i < rows; ++i) {
        if (first == 0) out[i] = value[place(i)].v;
        for (std::size_t k = 0; k < count; ++k)
          if (const double slope = value[place(i)].d[k]; slope != 0.0)
            out[i] += slope * (in[first + k] - in[first + k].v);
      }
      for (std::size_t k = 0; k < count; ++k) point[first + k] = Dual4(in[first + k].v);
    }
    return Eval::ok;
  }

  Eval inertia(const Arguments<Recorded>& a, const Recorded* acceleration, Recorded* balance) {
    std::fill(balance, balance + nv_, Recorded(0.0));
    if (p_.mass && !p_.mass_blocks.empty()) {
      int entries = 0;
      for (const int b : p_.mass_blocks) entries += b * b;
      Numbers M(place(entries));
      if (const Eval e = p_.mass(a, M.data(), entries, 1); e != Eval::ok) return e;
      int first = 0, entry = 0;
      for (const int b : p_.mass_blocks) {
        for (int j = 0; j < b; ++j)
          for (int i = 0; i < b; ++i)
            balance[first + i] += M[place(entry++)] * acceleration[first + j];
        first += b;
      }
    } else if (p_.mass) {
      Numbers M(place(nv_ * nv_));
      if (const Eval e = p_.mass(a, M.data(), nv_, nv_); e != Eval::ok) return e;
      for (int j = 0; j < nv_; ++j)
        for (int i = 0; i < nv_; ++i) balance[i] += M[place(i + j * nv_)] * acceleration[j];
    } else if (p_.mass_matrix.size() > 0) {
      for (int j = 0; j < nv_; ++j)
        for (SparseMatrix::InnerIterator e(p_.mass_matrix, j); e; ++e)
          balance[e.row()] += e.value() * acceleration[j];
    } else {
      std::copy(acceleration, acceleration + nv_, balance);
    }
    return Eval::ok;
  }

  Eval nonholonomic(const Arguments<Recorded>& a, const Recorded* v, const Recorded* lambda,
                    Recorded* balance, Recorded* row) {
    const int count = p_.nonholonomic_count;
    if (count == 0) return Eval::ok;
    Numbers A(place(count * nv_));
    std::fill(row, row + count, Recorded(0.0));
    if (const Eval e = p_.nonholonomic_matrix(a, A.data(), count, nv_); e != Eval::ok) return e;
    if (p_.nonholonomic_offset)
      if (const Eval e = p_.nonholonomic_offset(a, row, count); e != Eval::ok) return e;
    for (int j = 0; j < nv_; ++j)
      for (int k = 0; k < count; ++k) {
        row[k] += A[place(k + j * count)] * v[j];
        balance[j] += A[place(k + j * count)] * lambda[k];
      }
    return Eval::ok;
  }

  const MultibodyProblem& p_;
  ParameterSet parameters_;
  int nq_, nv_, nc_, ns_, nl_, nmu_;
};

class RecordedEquations final : public EquationSeries {
 public:
  RecordedEquations(std::shared_ptr<const Problem> problem, std::unique_ptr<RecordedForm> form)
      : problem_(std::move(problem)),
        form_(std::move(form)),
        residual_(form_->size(), form_->size(), form_->rates()),
        leading_(form_->rates(), form_->size(), 0) {}
  int size() const override { return form_->size(); }
  const std::vector<std::string>& variables() const override { return form_->variables; }
  const std::vector<std::string>& equations() const override { return form_->equations; }
  int redundant_coordinates() const override { return form_->redundant(); }

  Outcome evaluate(double t, const MatrixXd& jet, int order, LinearSeries& out) override {
    const int n = size(), m = form_->rates();
    MatrixXd rate(m, order + 1);
    std::vector<MatrixXd> D;  // d_x as a series
    if (form_->states_leading_term()) {
      MatrixXd d;
      if (const Outcome o = leading_series(t, jet, order, d, D); o != Outcome::ok) return o;
      for (int k = 0; k <= order; ++k) rate.col(k) = (k + 1) * d.col(k + 1);
    } else {
      for (int k = 0; k <= order; ++k) rate.col(k) = (k + 1) * jet.col(k + 1);
    }
    const auto call = [&](Recording& recording, const Recorded& time, const Recorded* x,
                          const Recorded* xd, Recorded* r) {
      return guarded(failure_, t, [&] { return form_->residual(recording, time, x, xd, r); });
    };
    if (const Outcome o = residual_.evaluate(call, t, jet, rate, order); o != Outcome::ok) return o;
    out.r.assign(place(order + 1), VectorXd::Zero(n));
    out.A.assign(place(order + 1), MatrixXd::Zero(n, m));
    out.B.assign(place(order + 1), MatrixXd::Zero(n, n));
    for (int i = 0; i < n; ++i) {
      if (!residual_.finite(i, order)) return Outcome::not_finite;
      for (int k = 0; k <= order; ++k) out.r[place(k)][i] = residual_.coefficient(i, k);
      residual_.derivatives(i, order, [&](int j, int k, double value) {
        if (j < n)
          out.B[place(k)](i, j) = value;
        else
          out.A[place(k)](i, j - n) = value;
      });
    }
    if (form_->states_leading_term()) compose(D, order, out);
    for (int k = 0; k <= order; ++k)
      if (!out.A[place(k)].allFinite() || !out.B[place(k)].allFinite()) return Outcome::not_finite;
    return Outcome::ok;
  }

  int rates() const override { return form_->rates(); }

  // At a point of its own, along the branches taken there.
  Outcome dependences(const Point& at, Dependences& out) override {
    const int n = size(), m = rates();
    RecordedCurve here(n, n, m);
    const auto call = [&](Recording& recording, const Recorded& time, const Recorded* x,
                          const Recorded* xd, Recorded* r) {
      return guarded(failure_, at.t, [&] { return form_->residual(recording, time, x, xd, r); });
    };
    if (const Outcome o = here.evaluate(call, at.t, at.x, at.rate, 0); o != Outcome::ok) return o;
    for (int i = 0; i < n; ++i)
      here.derivatives(i, 0, [&](int j, int, double) {
        if (j < n)
          out.of_x.insert({i, j});
        else if (j < n + m)
          out.of_rate.insert({i, j - n});
      });
    here.for_each_comparison([&](double difference, const VectorXd& gradient) {
      add_other_side(at, difference, gradient, out);
    });
    return Outcome::ok;
  }

 private:
  // The nearest point, to first order, where the difference has the other sign and is as large, but
  // not too small to be seen.
  void add_other_side(const Point& at, double difference, const VectorXd& gradient,
                      Dependences& out) const {
    constexpr double visible = 1e-6;
    const int n = size(), m = rates();
    const double square = gradient.squaredNorm();
    if (!(square > 0.0) || !std::isfinite(square) || !std::isfinite(difference)) return;
    const double wanted =
        difference - (difference < 0.0 ? -1.0 : 1.0) *
                         (std::abs(difference) + visible * std::max(1.0, std::sqrt(square)));
    const VectorXd move = (wanted - difference) / square * gradient;
    out.other_sides.push_back(
        {at.t + move[n + m], at.x + move.head(n), at.rate + move.segment(n, m)});
    // Where they are equal, the other answer lies on both sides.
    if (difference == 0.0)
      out.other_sides.push_back(
          {at.t - move[n + m], at.x - move.head(n), at.rate - move.segment(n, m)});
  }

  // d(t, x) and d_x along the curve, one order further than F.
  Outcome leading_series(double t, const MatrixXd& jet, int order, MatrixXd& d,
                         std::vector<MatrixXd>& D) {
    const int n = size(), m = form_->rates();
    const auto call = [&](Recording&, const Recorded& time, const Recorded* x, const Recorded*,
                          Recorded* value) {
      return guarded(failure_, t, [&] { return form_->leading(time, x, value); });
    };
    if (const Outcome o = leading_.evaluate(call, t, jet, {}, order + 1); o != Outcome::ok)
      return o;
    d.resize(m, order + 2);
    D.assign(place(order + 2), MatrixXd::Zero(m, n));
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k <= order + 1; ++k) d(i, k) = leading_.coefficient(i, k);
      leading_.derivatives(i, order + 1,
                           [&](int j, int k, double entry) { D[place(k)](i, j) = entry; });
    }
    return d.allFinite() ? Outcome::ok : Outcome::not_finite;
  }

  // d' = d_t + d_x x': F_x' = F_d' d_x and F_x + F_d' (d_x)'.
  static void compose(const std::vector<MatrixXd>& D, int order, LinearSeries& out) {
    std::vector<MatrixXd> A;
    for (int k = 0; k <= order; ++k) {
      MatrixXd sum = MatrixXd::Zero(out.A[0].rows(), D[0].cols());
      for (int j = 0; j <= k; ++j) {
        sum += out.A[place(j)] * D[place(k - j)];
        out.B[place(k)] += (k - j + 1) * out.A[place(j)] * D[place(k - j + 1)];
      }
      A.push_back(std::move(sum));
    }
    out.A = std::move(A);
  }

  std::shared_ptr<const Problem> problem_;
  std::unique_ptr<RecordedForm> form_;
  RecordedCurve residual_, leading_;
  Failure failure_;
};

// Name of the first callable that gives values only.
template <class... Part>
std::string plain_callable(const Part&... part) {
  std::string name;
  const auto look = [&](const char* which, const auto& f) {
    if (name.empty() && f && !f.differentiable()) name = which;
  };
  (look(part.first, *part.second), ...);
  return name;
}

}  // namespace

std::unique_ptr<EquationSeries> recorded_equations(std::shared_ptr<const Problem> problem,
                                                   Modes modes, std::string* why) {
  std::string plain;
  std::unique_ptr<RecordedForm> form;
  if (const auto* i = std::get_if<ImplicitProblem>(problem.get())) {
    plain = plain_callable(std::pair{"residual", &i->residual}, std::pair{"leading", &i->leading});
    form = std::make_unique<ImplicitForm>(*i, modes);
  } else if (const auto* m = std::get_if<MassMatrixProblem>(problem.get())) {
    plain = plain_callable(std::pair{"rhs", &m->rhs}, std::pair{"mass", &m->mass});
    form = std::make_unique<MassForm>(*m, modes);
  } else if (const auto* e = std::get_if<SemiExplicitProblem>(problem.get())) {
    plain = plain_callable(std::pair{"f", &e->f}, std::pair{"g", &e->g});
    form = std::make_unique<SemiExplicitForm>(*e, modes);
  } else {
    const auto& b = std::get<MultibodyProblem>(*problem);
    plain = plain_callable(std::pair{"mass", &b.mass}, std::pair{"force", &b.force},
                           std::pair{"constraint", &b.constraint},
                           std::pair{"kinematics", &b.kinematics},
                           std::pair{"nonholonomic_matrix", &b.nonholonomic_matrix},
                           std::pair{"nonholonomic_offset", &b.nonholonomic_offset},
                           std::pair{"dynamics", &b.dynamics}, std::pair{"contact", &b.contact});
    form = std::make_unique<MultibodyForm3>(b, modes);
  }
  if (why) *why = plain;
  if (!plain.empty()) return nullptr;
  return std::make_unique<RecordedEquations>(std::move(problem), std::move(form));
}

}  // namespace daedalus
