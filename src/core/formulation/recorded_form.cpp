// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/recorded_form.hpp"

#include <fmt/format.h>

#include "formulation/default_names.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

class ImplicitForm final : public RecordedForm {
 public:
  ImplicitForm(const ImplicitProblem& p, Modes modes) : p_(p), parameters_(p.parameters, modes) {
    variables = default_names(p.variables, "y", size());
    equations = default_names(p.equations, "equation ", size());
  }
  int size() const override { return static_cast<int>(p_.y0.size()); }
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
  int size() const override { return static_cast<int>(p_.y0.size()); }
  Eval residual(Recording&, const Recorded& t, const Recorded* x, const Recorded* rate,
                Recorded* r) override {
    const int n = size();
    const Arguments<Recorded> a = state_arguments(parameters_, t, x, n);
    if (const Eval e = p_.rhs(a, r, n); e != Eval::ok) return e;
    for (int i = 0; i < n; ++i) r[i] = -r[i];
    if (p_.mass) {
      RecordedNumbers M(at(n * n));
      if (const Eval e = p_.mass(a, M.data(), n, n); e != Eval::ok) return e;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) r[i] += M[at(i + j * n)] * rate[j];
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
      : p_(p),
        parameters_(p.parameters, modes),
        ny_(static_cast<int>(p.y0.size())),
        nz_(static_cast<int>(p.z0.size())) {
    variables = default_names(p.y_names, "y", ny_);
    equations = p.equations;
    for (int i = static_cast<int>(equations.size()); i < ny_ + nz_; ++i)
      equations.push_back(i < ny_ ? "rate of " + variables[at(i)]
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

std::unique_ptr<RecordedForm> recorded_form(const Problem& problem, Modes modes,
                                            std::string& plain) {
  if (const auto* i = std::get_if<ImplicitProblem>(&problem)) {
    plain = plain_callable(std::pair{"residual", &i->residual}, std::pair{"leading", &i->leading});
    return std::make_unique<ImplicitForm>(*i, modes);
  }
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) {
    plain = plain_callable(std::pair{"rhs", &m->rhs}, std::pair{"mass", &m->mass});
    return std::make_unique<MassForm>(*m, modes);
  }
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem)) {
    plain = plain_callable(std::pair{"f", &e->f}, std::pair{"g", &e->g});
    return std::make_unique<SemiExplicitForm>(*e, modes);
  }
  const auto& b = std::get<MultibodyProblem>(problem);
  plain =
      plain_callable(std::pair{"mass", &b.mass}, std::pair{"force", &b.force},
                     std::pair{"constraint", &b.constraint}, std::pair{"kinematics", &b.kinematics},
                     std::pair{"nonholonomic_matrix", &b.nonholonomic_matrix},
                     std::pair{"nonholonomic_offset", &b.nonholonomic_offset},
                     std::pair{"dynamics", &b.dynamics}, std::pair{"contact", &b.contact});
  return recorded_multibody_form(b, modes);
}

}  // namespace daedalus
