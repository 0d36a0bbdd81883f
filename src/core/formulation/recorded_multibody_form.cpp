// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include <daedalus/lie/s3.hpp>

#include "formulation/default_names.hpp"
#include "formulation/recorded_form.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

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
    RecordedNumbers R(at(nq_ * nv_));
    if (p_.kinematics) {
      if (const Eval e = p_.kinematics(a, R.data(), nq_, nv_); e != Eval::ok) return e;
    } else {
      RecordedNumbers unit(at(nv_));
      for (int j = 0; j < nv_; ++j) {
        unit[at(j)] = 1.0;
        rate_of(p_.space, q, unit.data(), &R[at(j * nq_)]);
        unit[at(j)] = 0.0;
      }
    }
    for (int i = 0; i < nq_; ++i) {
      Recorded sum = rate[i];
      for (int j = 0; j < nv_; ++j) sum -= R[at(i + j * nq_)] * v[j];
      r[i] = sum;
    }
    Recorded *balance = r + nq_, *row_c = balance + nv_, *row_s = row_c + nc_,
             *row_lambda = row_s + ns_, *row_mu = row_lambda + nl_;
    if (const Eval e = inertia(a, rate + nq_, balance); e != Eval::ok) return e;
    if (p_.force) {
      RecordedNumbers f(at(nv_));
      if (const Eval e = value_or_tangent(p_.force, a, f.data(), nv_); e != Eval::ok) return e;
      for (int j = 0; j < nv_; ++j) balance[j] -= f[at(j)];
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
      RecordedNumbers outputs(row_lambda, row_lambda + ng), weights(lambda, lambda + ng),
          inputs(q, q + nq_);
      outputs.insert(outputs.end(), row_s, row_s + nmu_);
      weights.insert(weights.end(), mu, mu + nmu_);
      inputs.insert(inputs.end(), s, s + nmu_);
      const RecordedNumbers gradient = recording.gradient(outputs, weights, inputs);
      for (int j = 0; j < nv_; ++j)
        for (int i = 0; i < nq_; ++i) balance[j] += R[at(i + j * nq_)] * gradient[at(i)];
      for (int k = 0; k < nmu_; ++k) row_mu[k] = gradient[at(nq_ + k)];
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
    RecordedNumbers in{a.t};
    for (std::size_t k = 0; k < a.x.size(); ++k) in.insert(in.end(), a.x[k], a.x[k] + a.n[k]);
    std::vector<Dual4> point, value(at(rows));
    for (const Recorded& x : in) point.emplace_back(value_of(x));
    // Directions of Dual4.
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
        if (first == 0) out[i] = value[at(i)].v;
        for (std::size_t k = 0; k < count; ++k)
          if (const double slope = value[at(i)].d[k]; slope != 0.0)
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
      RecordedNumbers M(at(entries));
      if (const Eval e = p_.mass(a, M.data(), entries, 1); e != Eval::ok) return e;
      int first = 0, entry = 0;
      for (const int b : p_.mass_blocks) {
        for (int j = 0; j < b; ++j)
          for (int i = 0; i < b; ++i)
            balance[first + i] += M[at(entry++)] * acceleration[first + j];
        first += b;
      }
    } else if (p_.mass) {
      RecordedNumbers M(at(nv_ * nv_));
      if (const Eval e = p_.mass(a, M.data(), nv_, nv_); e != Eval::ok) return e;
      for (int j = 0; j < nv_; ++j)
        for (int i = 0; i < nv_; ++i) balance[i] += M[at(i + j * nv_)] * acceleration[j];
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
    RecordedNumbers A(at(count * nv_));
    std::fill(row, row + count, Recorded(0.0));
    if (const Eval e = p_.nonholonomic_matrix(a, A.data(), count, nv_); e != Eval::ok) return e;
    if (p_.nonholonomic_offset)
      if (const Eval e = p_.nonholonomic_offset(a, row, count); e != Eval::ok) return e;
    for (int j = 0; j < nv_; ++j)
      for (int k = 0; k < count; ++k) {
        row[k] += A[at(k + j * count)] * v[j];
        balance[j] += A[at(k + j * count)] * lambda[k];
      }
    return Eval::ok;
  }

  const MultibodyProblem& p_;
  ParameterSet parameters_;
  int nq_, nv_, nc_, ns_, nl_, nmu_;
};

}  // namespace

std::unique_ptr<RecordedForm> recorded_multibody_form(const MultibodyProblem& problem,
                                                      Modes modes) {
  return std::make_unique<MultibodyForm3>(problem, modes);
}

}  // namespace daedalus
