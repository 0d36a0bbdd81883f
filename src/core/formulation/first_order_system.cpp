// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/first_order_system.hpp"

#include <fmt/format.h>

#include <cmath>

#include "formulation/first_order_maps.hpp"

namespace daedalus {

FirstOrderSystem::FirstOrderSystem(Layout variables_in, std::unique_ptr<VectorMap> residual_map,
                                   LoweringOptions options, GivenJacobian given,
                                   LeadingTerm leading)
    : linear_(false),
      map_(std::move(residual_map)),
      options_(options),
      given_(std::move(given)),
      leading_(std::move(leading)),
      rows_(map_->rows()) {
  layout = std::move(variables_in);
}

FirstOrderSystem::FirstOrderSystem(Layout variables_in, std::unique_ptr<VectorMap> rhs_map,
                                   SparseMatrix mass, LoweringOptions options, GivenJacobian given)
    : linear_(true),
      map_(std::move(rhs_map)),
      mass_(std::move(mass)),
      options_(options),
      given_(std::move(given)),
      rows_(map_->rows()) {
  layout = std::move(variables_in);
  mass_.makeCompressed();
  mass_values_ = compressed(mass_);
  for (int j = 0; j < mass_values_.pattern.cols; ++j)
    for (int e = mass_values_.pattern.start[static_cast<std::size_t>(j)];
         e < mass_values_.pattern.start[static_cast<std::size_t>(j) + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      if (mass_values_.values[k] != 0.0)
        mass_entries_.push_back({mass_values_.pattern.row[k], j, mass_values_.values[k]});
    }
}

std::string_view FirstOrderSystem::linear_solver() const {
  return pencil_ ? pencil_->solver_name() : "dense";
}

std::unique_ptr<MatrixFree> FirstOrderSystem::products() {
  return std::make_unique<MatrixFree>(*map_, layout, linear_ ? &mass_entries_ : nullptr,
                                      options_.krylov, options_.differences, counter, failure);
}

void FirstOrderSystem::prepare(const State& at) {
  blame_.setZero(rows_);
  growths_ = 0;
  if (matrix_free()) {
    jacobian_ = std::make_unique<JacobianEvaluator>(
        *map_, layout, JacobianEvaluator::Wanted{.x = false, .xd = !linear_, .t = linear_},
        options_.differences, options_.difference_increment);
    jacobian_->prepare(at);
    pencil_ = std::make_unique<Pencil>(linear_ ? mass_values_.pattern : jacobian_->dxd.pattern,
                                       products(), counter);
    if (linear_) pencil_->set_e(mass_values_.values);
    return;
  }
  if (linear_) {
    jacobian_ = std::make_unique<JacobianEvaluator>(
        *map_, layout, JacobianEvaluator::Wanted{.x = !given_, .xd = false, .t = true},
        options_.differences, options_.difference_increment);
    given_ ? jacobian_->assume_dense() : jacobian_->prepare(at);
    pencil_ = std::make_unique<Pencil>(mass_values_.pattern, jacobian_->dx.pattern,
                                       options_.linear_algebra, counter);
    pencil_->set_e(mass_values_.values);
    return;
  }
  jacobian_ = std::make_unique<JacobianEvaluator>(
      *map_, layout, JacobianEvaluator::Wanted{.x = !given_, .xd = !given_, .t = false},
      options_.differences, options_.difference_increment);
  if (leading_.count > 0) {
    // F_d' is rows x count, d_x is count x n; both are small in the problems that need them.
    leading_layout_ = {};
    leading_layout_.add(VariableClass::y, 1, euclidean(leading_.count), {});
    leading_old_.setZero(leading_.count);
    leading_new_.setZero(leading_.count);
    leading_jacobian_ =
        std::make_unique<JacobianEvaluator>(*leading_.map, layout, JacobianEvaluator::Wanted{},
                                            options_.differences, options_.difference_increment);
    leading_jacobian_->assume_dense();
    jacobian_->assume_dense();
    F_dd_.setZero(rows_, layout.tangents());
    d_x_.setZero(leading_.count, layout.tangents());
    E_.setZero(rows_, layout.tangents());
  } else if (given_) {
    jacobian_->assume_dense();
  } else {
    jacobian_->prepare(at);
  }
  pencil_ = std::make_unique<Pencil>(jacobian_->dxd.pattern, jacobian_->dx.pattern,
                                     options_.linear_algebra, counter);
}

void FirstOrderSystem::follow_structure() {
  growths_ = jacobian_->growths();
  pencil_->restructure(linear_ ? mass_values_.pattern : jacobian_->dxd.pattern,
                       jacobian_->dx.pattern, options_.linear_algebra);
  if (linear_)
    pencil_->set_e(mass_values_.values);
  else
    pencil_->set_e(jacobian_->dxd.values);  // where E is constant nobody sets it again
}

void FirstOrderSystem::follow_growth(double t) {
  if (jacobian_->growths() == growths_) return;
  tell_growth(*jacobian_, 0, t);
  follow_structure();
}

void FirstOrderSystem::tell_growth(const JacobianEvaluator& jacobian, int first_row, double t) {
  if (growth_told_) return;
  growth_told_ = true;
  const JacobianEvaluator::Entry e = jacobian.first_found();
  const auto row = static_cast<std::size_t>(first_row + e.row);
  warnings.push_back(fmt::format(
      "At t = {:.6g} a branch of '{}' was taken in which equation '{}' depends on {}'{}', which it "
      "did not before; the structure of the Jacobian was found again there. This warning is given "
      "once. Further variables may follow in other branches.",
      t, jacobian.running(), row < equations.size() ? equations[row] : std::to_string(row + 1),
      e.of_rate ? "the derivative of " : "", layout.name(e.column)));
}

void FirstOrderSystem::doubt_structure(const State&) {
  if (jacobian_) jacobian_->doubt();
}

void FirstOrderSystem::archive(Archive& a) {
  map_->archive(a);
  a(growth_told_);
  if (jacobian_) {
    jacobian_->archive(a);
    if (!a.saving() && jacobian_->growths() != growths_) follow_structure();
  }
  if (leading_jacobian_) leading_jacobian_->archive(a);
  bool kept = kept_.jacobian != nullptr;
  a(kept);
  a.require(!kept || invariants != nullptr, "there are no invariants");
  if (!kept) return;
  State at = kept_.found_at;
  a(at.t, at.x, at.xd);
  a.require(at.x.size() == layout.points(), "a state has another size");
  if (!kept_.jacobian) find_kept_rows(at);
  kept_.jacobian->archive(a);
}

// Which callable gave the value that is not finite: the map is evaluated once more, piece by piece.
const char* FirstOrderSystem::blame(double t, const double* x, const double* xd) {
  Failure ignored;
  map_->search(true);
  guarded(ignored, t, [&] { return map_->value(t, x, xd, blame_.data()); });
  map_->search(false);
  return map_->running();
}

Outcome FirstOrderSystem::checked(Outcome outcome, double t, const double* x, const double* xd,
                                  const double* r) {
  if (outcome != Outcome::ok) {
    failure.function = map_->running();
    return outcome;
  }
  const int bad = first_not_finite(r, rows_);
  if (bad < 0) return Outcome::ok;
  failure = {blame(t, x, xd), bad, t, {}};
  return Outcome::not_finite;
}

Outcome FirstOrderSystem::checked_jacobian(double t, bool with_rates) {
  const auto row = [](const SparseValues& v) {
    const int bad = first_not_finite(v.values.data(), static_cast<int>(v.values.size()));
    return bad < 0 ? -1 : v.pattern.row[static_cast<std::size_t>(bad)];
  };
  int bad = row(jacobian_->dx);
  if (bad < 0 && with_rates) bad = row(jacobian_->dxd);
  if (bad < 0) return Outcome::ok;
  failure = {"jacobian", bad, t, {}};
  return Outcome::not_finite;
}

Outcome FirstOrderSystem::residual(double t, const double* x, const double* dd, double* r) {
  counter.now().residual_evaluations += 1;
  const Outcome o = guarded(failure, t, [&] { return map_->value(t, x, dd, r); });
  if (const double* defect = defect_rows(); defect && o == Outcome::ok)
    for (int i = 0; i < rows_; ++i) r[i] += defect[i];
  return checked(o, t, x, dd, r);
}

int FirstOrderSystem::differentiated_count() const {
  return leading_.count > 0 ? leading_.count : layout.tangents();
}

Outcome FirstOrderSystem::leading(double t, const double* x, double* d) {
  const Outcome o = guarded(failure, t, [&] { return leading_.map->value(t, x, nullptr, d); });
  if (o != Outcome::ok) {
    failure.function = leading_.map->running();
    return o;
  }
  const int bad = first_not_finite(d, leading_.count);
  if (bad < 0) return Outcome::ok;
  failure = {"leading", bad, t, {}};
  return Outcome::not_finite;
}

Outcome FirstOrderSystem::difference(const State& from, double t, const double* x, double h,
                                     double* dd) {
  if (leading_.count == 0) {
    layout.minus(from.x.data(), x, dd);
    for (int i = 0; i < layout.tangents(); ++i) dd[i] /= h;
    return Outcome::ok;
  }
  if (const Outcome o = leading(from.t, from.x.data(), leading_old_.data()); o != Outcome::ok)
    return o;
  if (const Outcome o = leading(t, x, leading_new_.data()); o != Outcome::ok) return o;
  for (int i = 0; i < leading_.count; ++i) dd[i] = (leading_new_[i] - leading_old_[i]) / h;
  // The residual's dual evaluation always reads as many rates as there are variables.
  for (int i = leading_.count; i < layout.tangents(); ++i) dd[i] = 0.0;
  return Outcome::ok;
}

Outcome FirstOrderSystem::refresh(const State& s) {
  const Outcome o =
      guarded(failure, s.t, [&] { return map_->refresh(s.t, s.x.data(), s.xd.data()); });
  if (o != Outcome::ok) failure.function = map_->running();
  return o;
}

Outcome FirstOrderSystem::linearise(double t, const double* x, const double* dd) {
  if (matrix_free()) {
    if (const Outcome o = jacobian_->evaluate(t, x, dd, counter, failure); o != Outcome::ok)
      return o;
    follow_growth(t);
    pencil_->set_e(jacobian_->dxd.values);
    pencil_->matrix_free()->move(t, x, dd);
    return Outcome::ok;
  }
  if (given_) {
    counter.now().jacobian_evaluations += 1;
    const Outcome o =
        guarded(failure, t, [&] { return given_(t, x, dd, jacobian_->dx, jacobian_->dxd); });
    if (o != Outcome::ok) {
      failure.function = "jacobian";
      return o;
    }
    if (const Outcome finite = checked_jacobian(t, true); finite != Outcome::ok) return finite;
  } else if (const Outcome o = jacobian_->evaluate(t, x, dd, counter, failure); o != Outcome::ok) {
    return o;
  }
  follow_growth(t);
  pencil_->set_j(jacobian_->dx.values);
  if (leading_.count == 0) {
    pencil_->set_e(jacobian_->dxd.values);
    return Outcome::ok;
  }
  if (const Outcome o = leading_jacobian_->evaluate(t, x, nullptr, counter, failure);
      o != Outcome::ok)
    return o;
  const int n = layout.tangents();
  F_dd_ = Eigen::Map<const Eigen::MatrixXd>(jacobian_->dxd.values.data(), rows_, n);
  d_x_ = Eigen::Map<const Eigen::MatrixXd>(leading_jacobian_->dx.values.data(), leading_.count, n);
  E_.noalias() = F_dd_.leftCols(leading_.count) * d_x_;
  pencil_->set_e({E_.data(), static_cast<std::size_t>(E_.size())});
  return Outcome::ok;
}

Outcome FirstOrderSystem::rhs(double t, const double* x, double* r) {
  counter.now().function_evaluations += 1;
  const Outcome o = guarded(failure, t, [&] { return map_->value(t, x, nullptr, r); });
  if (const double* defect = defect_rows(); defect && o == Outcome::ok)
    for (int i = 0; i < rows_; ++i) r[i] -= defect[i];
  return checked(o, t, x, nullptr, r);
}

void FirstOrderSystem::add_mass_times(double factor, const double* x, double* r) const {
  for (const MassEntry& e : mass_entries_) r[e.row] += e.value * (factor * x[e.column]);
}

Outcome FirstOrderSystem::linearise(double t, const double* x) {
  if (matrix_free()) {
    const Outcome o = jacobian_->evaluate(t, x, nullptr, counter, failure);
    if (o == Outcome::ok) pencil_->matrix_free()->move(t, x, nullptr);
    return o;
  }
  Outcome o = Outcome::ok;
  if (given_) {
    // The time derivative still comes from the callable itself.
    SparseValues none;
    o = jacobian_->evaluate(t, x, nullptr, counter, failure);
    if (o == Outcome::ok)
      o = guarded(failure, t, [&] { return given_(t, x, nullptr, jacobian_->dx, none); });
    if (o != Outcome::ok) failure.function = "jacobian";
    if (o == Outcome::ok) o = checked_jacobian(t, false);
  } else {
    o = jacobian_->evaluate(t, x, nullptr, counter, failure);
  }
  if (o != Outcome::ok) return o;
  follow_growth(t);
  pencil_->set_j(jacobian_->dx.values);
  return o;
}

}  // namespace daedalus
