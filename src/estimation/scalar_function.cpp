// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/scalar_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/at.hpp"

namespace daedalus {
int vector_of(VariableClass cls) {
  switch (cls) {
    case VariableClass::z:
    case VariableClass::v:
      return 1;
    case VariableClass::lambda:
      return 2;
    case VariableClass::c:
      return 3;
    case VariableClass::s:
      return 4;
    default:
      return 0;
  }
}

ScalarFunction::ScalarFunction(const std::string& name, const Function<slot::Functional>& f,
                               const Problem& problem, const Layout& model, const Asked& asked)
    : name_(name), f_(f), model_(model) {
  for (const LayoutBlock& b : model_.blocks()) {
    auto& [first, count] = vectors_[at(vector_of(b.cls))];
    if (count == 0) first = b.point;
    count = b.point + b.space.points() - first;
  }
  for (const Parameter& p : inputs_of(problem)) {
    p_.push_back(p.value);
    size_.push_back(p.typical > 0.0 ? p.typical : p.value != 0.0 ? std::abs(p.value) : 1.0);
  }
  for (const AskedParameter& a : asked.parameters) inputs_.push_back(a.input);
}

template <class S>
S ScalarFunction::call(const S& t, const S* y, const S* p) const {
  Arguments<S> a;
  a.t = t;
  for (std::size_t k = 0; k < vectors_.size(); ++k) {
    a.x[k] = y + vectors_[k].first;
    a.n[k] = vectors_[k].second;
  }
  a.p = p;
  a.parameter_count = static_cast<int>(p_.size());
  S out = S(std::numeric_limits<double>::quiet_NaN());
  if (f_(a, &out, 1) != Eval::ok)
    throw GradientFailure(fmt::format("the functional '{}' rejects the state", name_));
  return out;
}

double ScalarFunction::value(double t, const Eigen::VectorXd& y) const {
  return call<double>(t, y.data(), p_.data());
}

void ScalarFunction::look(double t, const Eigen::VectorXd& y) {
  if (!f_) return;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  tangents_.clear();
  parameters_.clear();
  Eigen::VectorXd changed = y;
  for (const LayoutBlock& b : model_.blocks()) {
    const bool plain = b.space.is_euclidean();
    for (int i = 0; i < b.space.tangents(); ++i) {
      // On a group all directions belong together.
      const auto part =
          plain ? changed.segment(b.point + i, 1) : changed.segment(b.point, b.space.points());
      const Eigen::VectorXd before = part;
      changed.segment(plain ? b.point + i : b.point, part.size()).setConstant(nan);
      if (!std::isfinite(call<double>(t, changed.data(), p_.data())))
        tangents_.push_back(b.tangent + i);
      changed.segment(plain ? b.point + i : b.point, before.size()) = before;
    }
  }
  std::vector<double> p = p_;
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    if (inputs_[k] < 0) continue;
    double& entry = p[at(inputs_[k])];
    const double before = std::exchange(entry, nan);
    if (!std::isfinite(call<double>(t, y.data(), p.data())))
      parameters_.push_back(static_cast<int>(k));
    entry = before;
  }
}

bool ScalarFunction::reads(int tangent) const {
  return std::binary_search(tangents_.begin(), tangents_.end(), tangent);
}

double ScalarFunction::by_differences(double t, const Eigen::VectorXd& y, int tangent) const {
  Eigen::VectorXd w = Eigen::VectorXd::Zero(model_.tangents()), up = y, down = y;
  Eigen::VectorXd size(model_.tangents());
  model_.magnitude(y.data(), size.data());
  const double d = central_increment * std::max(size[tangent], 1e-3);
  w[tangent] = d;
  model_.plus(y.data(), w.data(), up.data());
  w[tangent] = -d;
  model_.plus(y.data(), w.data(), down.data());
  return (value(t, up) - value(t, down)) / (2.0 * d);
}

void ScalarFunction::by_state(double t, const Eigen::VectorXd& y, Eigen::VectorXd& out) const {
  out.setZero();
  if (!f_) return;
  if (!differentiable()) {
    for (const int k : tangents_) out[k] = by_differences(t, y, k);
    return;
  }
  std::vector<Dual4> base(y.data(), y.data() + y.size()),
      point = base, w(at(model_.tangents()), Dual4(0.0)), p(p_.begin(), p_.end());
  const bool plain = model_.euclidean();
  for (std::size_t first = 0; first < tangents_.size(); first += 4) {
    const std::size_t last = std::min(first + 4, tangents_.size());
    const auto seed = [&](double d) {
      for (std::size_t k = first; k < last; ++k)
        (plain ? point : w)[at(tangents_[k])].d[k - first] = d;
    };
    seed(1.0);
    if (!plain) model_.plus(base.data(), w.data(), point.data());
    const Dual4 J = call<Dual4>(Dual4(t), point.data(), p.data());
    for (std::size_t k = first; k < last; ++k) out[tangents_[k]] = J.d[k - first];
    seed(0.0);
  }
}

void ScalarFunction::add_by_parameters(double factor, double t, const Eigen::VectorXd& y,
                                       Eigen::Ref<Eigen::VectorXd> out) const {
  if (!f_ || parameters_.empty()) return;
  if (!differentiable()) {
    std::vector<double> p = p_;
    for (const int k : parameters_) {
      const std::size_t i = at(inputs_[at(k)]);
      const double d = central_increment * size_[i];
      p[i] = p_[i] + d;
      const double up = call<double>(t, y.data(), p.data());
      p[i] = p_[i] - d;
      out[k] += factor * (up - call<double>(t, y.data(), p.data())) / (2.0 * d);
      p[i] = p_[i];
    }
    return;
  }
  std::vector<Dual4> point(y.data(), y.data() + y.size()), p(p_.begin(), p_.end());
  for (std::size_t first = 0; first < parameters_.size(); first += 4) {
    const std::size_t last = std::min(first + 4, parameters_.size());
    const auto seed = [&](double d) {
      for (std::size_t k = first; k < last; ++k)
        p[at(inputs_[at(parameters_[k])])].d[k - first] = d;
    };
    seed(1.0);
    const Dual4 J = call<Dual4>(Dual4(t), point.data(), p.data());
    for (std::size_t k = first; k < last; ++k) out[parameters_[k]] += factor * J.d[k - first];
    seed(0.0);
  }
}

}  // namespace daedalus
