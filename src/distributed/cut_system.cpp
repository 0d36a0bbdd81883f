// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/cut_system.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formulation/lowered_layout.hpp"

namespace daedalus::distributed {
namespace {

std::vector<std::string> names_of(const DistributedProblem& p, std::int64_t first, bool equation) {
  const auto& given = equation && p.equation_of ? p.equation_of : p.name_of;
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(p.rows));
  for (int i = 0; i < p.rows; ++i) {
    const auto k = static_cast<std::size_t>(i);
    std::string name;
    if (given) {
      name = given(first + i);
    } else {
      const bool named =
          k < p.field.size() && static_cast<std::size_t>(p.field[k]) < p.field_names.size();
      name = fmt::format(
          "{}[{}]", named ? p.field_names[static_cast<std::size_t>(p.field[k])] : "x", first + i);
    }
    if (equation && !p.equation_of) name = "equation of " + name;
    names.push_back(std::move(name));
  }
  return names;
}

Layout layout_of(const DistributedProblem& p, MpiCommunicator& ranks, std::int64_t first) {
  Layout l = indexed_layout(p.variable_index, p.rows, names_of(p, first, false));
  // A rank without variables of the highest index decides as the others do: an empty block.
  l.blocks().push_back(
      {VariableClass::y, std::max(1, p.index), euclidean(0), true, l.points(), l.tangents()});
  l.cut_over(ranks);
  return l;
}

}  // namespace

CutSystem::CutSystem(std::shared_ptr<const DistributedProblem> problem, MpiCommunicator& ranks,
                     std::vector<std::int64_t> firsts, View view, const Options& options,
                     MakeSolver make)
    : problem_(std::move(problem)),
      ranks_(ranks),
      ghosts_(ranks.world(), firsts, problem_->ghosts),
      linear_(view == View::linear),
      constant_e_(!problem_->residual),
      differences_(options.derivatives == DerivativeSource::differences),
      increment_(options.difference_increment),
      map_(problem_, modes, view == View::residual),
      make_(std::move(make)) {
  const std::int64_t first = firsts[static_cast<std::size_t>(ranks.rank())];
  layout = layout_of(*problem_, ranks, first);
  equations = names_of(*problem_, first, true);
  variables = model_variables(layout, problem_->rows);
  if (constant_e_) mass_ = map_.mass();
  local_.add(VariableClass::y, 1, euclidean(map_.columns()), {});
  near_.x.setZero(map_.columns());
  near_.xd.setZero(map_.columns());
  ranks_.report_into(&failure);
  cut_ = {.ranks = &ranks_,
          .ghosts = &ghosts_,
          .firsts = std::move(firsts),
          .layout = &layout,
          .counter = &counter,
          .failure = &failure,
          .index = problem_->index,
          .field = problem_->field,
          .e_has_ghosts = !constant_e_,
          .krylov = options.krylov};
  for (int i = 0; i < problem_->rows; ++i) cut_.columns.push_back(first + i);
  cut_.columns.insert(cut_.columns.end(), problem_->ghosts.begin(), problem_->ghosts.end());
}

// Own values into the vectors with ghosts, which the neighbours fill.
void CutSystem::gather(const double* x, const double* xd) {
  std::copy_n(x, problem_->rows, near_.x.data());
  if (xd) std::copy_n(xd, problem_->rows, near_.xd.data());
  // With M x' = f nobody reads rates of others.
  const std::array<double*, 2> both{near_.x.data(), near_.xd.data()};
  ghosts_.exchange({both.data(), xd && !constant_e_ ? 2u : 1u});
}

Outcome CutSystem::evaluated(Outcome o, double t, const double* r, int count) {
  if (o != Outcome::ok) {
    failure.function = map_.running();
  } else if (const int bad = first_not_finite(r, count); bad >= 0) {
    failure = {map_.running(), bad, t, {}};
    o = Outcome::not_finite;
  }
  return o;
}

Outcome CutSystem::residual(double t, const double* x, const double* dd, double* r) {
  counter.now().residual_evaluations += 1;
  gather(x, dd);
  const Outcome o = evaluated(
      guarded(failure, t, [&] { return map_.value(t, near_.x.data(), near_.xd.data(), r); }), t, r,
      problem_->rows);
  if (o != Outcome::ok) {
    ranks_.postpone(o, failure);
    std::fill_n(r, problem_->rows, 0.0);
  }
  return Outcome::ok;
}

Outcome CutSystem::rhs(double t, const double* x, double* r) {
  counter.now().function_evaluations += 1;
  gather(x, nullptr);
  const Outcome o =
      evaluated(guarded(failure, t, [&] { return map_.value(t, near_.x.data(), nullptr, r); }), t,
                r, problem_->rows);
  if (o != Outcome::ok) {
    ranks_.postpone(o, failure);
    std::fill_n(r, problem_->rows, 0.0);
  }
  return Outcome::ok;
}

Outcome CutSystem::difference(const State& from, double, const double* x, double h, double* dd) {
  for (int i = 0; i < problem_->rows; ++i) dd[i] = (x[i] - from.x[i]) / h;
  return Outcome::ok;
}

void CutSystem::add_mass_times(double factor, const double* x, double* r) const {
  for (int c = 0; c < problem_->rows; ++c)
    for (int k = mass_.pattern.start[static_cast<std::size_t>(c)];
         k < mass_.pattern.start[static_cast<std::size_t>(c) + 1]; ++k)
      r[mass_.pattern.row[static_cast<std::size_t>(k)]] +=
          factor * mass_.values[static_cast<std::size_t>(k)] * x[c];
}

void CutSystem::prepare(const State& at) {
  gather(at.x.data(), at.xd.size() == problem_->rows ? at.xd.data() : nullptr);
  near_.t = at.t;
  jacobian_ = std::make_unique<JacobianEvaluator>(
      map_, local_, JacobianEvaluator::Wanted{.x = true, .xd = !linear_, .t = linear_},
      differences_, increment_);
  jacobian_->prepare(near_);
  growths_ = jacobian_->growths();
  std::unique_ptr<CutSolver> solver = make_(cut_);
  solver_ = solver.get();
  // Of the own part alone: who needs more asks the solver.
  pencil_ = std::make_unique<Pencil>(SparsePattern::identity(0), std::move(solver), counter);
  follow_structure();
}

void CutSystem::follow_structure() {
  growths_ = jacobian_->growths();
  solver_->lay(e().pattern, j().pattern);
  solver_->set_e(e().values);
}

Outcome CutSystem::linearise(double t, const double* x, const double* dd) {
  gather(x, dd);
  Outcome o =
      jacobian_->evaluate(t, near_.x.data(), dd ? near_.xd.data() : nullptr, counter, failure);
  if (o == Outcome::ok) {
    const auto not_finite = [&](const SparseValues& v) {
      const int bad = first_not_finite(v.values.data(), static_cast<int>(v.values.size()));
      if (bad >= 0) failure = {"jacobian", v.pattern.row[static_cast<std::size_t>(bad)], t, {}};
      return bad >= 0;
    };
    if (not_finite(j()) || (!constant_e_ && not_finite(e()))) o = Outcome::not_finite;
  } else {
    failure.function = map_.running();
  }
  ranks_.postpone(o, failure);
  double grown = jacobian_->growths() != growths_ ? 1.0 : 0.0;
  ranks_.reduce({}, {&grown, 1});
  if (grown != 0.0) follow_structure();
  if (const Outcome agreed = ranks_.settle(Outcome::ok); agreed != Outcome::ok) return agreed;
  if (!constant_e_) solver_->set_e(e().values);
  solver_->set_j(j().values);
  return Outcome::ok;
}

void CutSystem::archive(Archive& a) {
  if (jacobian_) jacobian_->archive(a);
  double grown = jacobian_ && jacobian_->growths() != growths_ ? 1.0 : 0.0;
  if (a.saving()) return;
  ranks_.reduce({}, {&grown, 1});
  if (grown != 0.0) follow_structure();
}

}  // namespace daedalus::distributed
