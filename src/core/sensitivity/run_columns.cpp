// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivity/run_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "kernel/at.hpp"
#include "kernel/radau_table.hpp"

namespace daedalus {
namespace {

constexpr int most_stages = 7;  // of the tables: order 13

constexpr int most_halvings = 5;  // of one step

// Estimates of collocation are on the safe side by far: where nothing but the finer points hangs
// on them, so many tolerances are allowed, as many as a warning about formulas allows.
constexpr double untested = 100.0;

const kernel::RadauTable<double>& radau(int stages) {
  static const kernel::RadauTable<double> three(3), five(5), seven(most_stages);
  return stages == 3 ? three : stages == 5 ? five : seven;
}

// Without what a formulation adds.
Layout visible(const Layout& all) {
  Layout model;
  for (const LayoutBlock& b : all.blocks()) {
    if (b.cls == VariableClass::eta || b.cls == VariableClass::a) break;
    const auto first = all.names().begin() + b.tangent;
    model.add(b.cls, b.index, b.space, {first, first + b.space.tangents()}, b.tested);
  }
  return model;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

RunColumns::RunColumns(const ColumnRequest& request, System& run, Asked asked,
                       const std::string& formulation)
    : run_(run),
      asked_(std::move(asked)),
      options_(request.options),
      multistep_method_(request.method.propagation == Propagation::multistep),
      frozen_(request.options.sensitivities.method == SensitivityMethod::step),
      // Tested columns are solved more exactly than a difference formula does it: it takes fewer
      // steps.
      same_system_(((multistep_method_ && !tested()) ||
                    (frozen_ && (multistep_method_ || request.method.family == "euler"))) &&
                   formulation == request.formulation),
      equations_(request.problem, asked_, formulation, request.lowering, request.t0),
      settle_(equations_, asked_, request.options, request.t0),
      model_(visible(equations_.system().model_layout())),
      rows_(model_.tangents()) {
  for (const int m : {1, 3, 5, most_stages}) systems_.try_emplace(m, equations_, asked_, m);
  const ParameterFamily* family = options_.sensitivities.family.get();
  near_events_.resize(asked_.parameters.size());
  for (std::size_t k = 0; family && family->events && k < near_events_.size(); ++k) {
    const AskedParameter& a = asked_.parameters[k];
    if (a.member < 0 || options_.events.empty()) continue;
    for (const bool up : {true, false}) {
      std::vector<double> values;
      for (const Parameter& p : family->parameters) values.push_back(p.value);
      values[at(a.member)] = up ? a.upper : a.lower;
      near_events_[k][up ? 0 : 1] = family->events(values);
    }
  }
}

State RunColumns::placed(const State& s, Eigen::VectorXd& y) {
  settle_.set_modes(*run_.modes);
  run_.to_model(s, y.data());
  State here;
  here.x.setZero(equations_.layout().points());
  here.xd.setZero(equations_.size());
  equations_.system().from_model(s.t, y.data(), here);
  equations_.system().prepare(here);
  return here;
}

std::string RunColumns::start(const State& s) {
  Eigen::VectorXd y(run_.variables->size());
  State here = placed(s, y);
  Eigen::VectorXd size(rows_);
  model_.magnitude(y.data(), size.data());
  for (AskedStart& a : asked_.start_values) {
    const int point = model_.euclidean() ? a.tangent : -1;
    a.value = point >= 0 ? y[point] : 0.0;
    a.typical = size[a.tangent] != 0.0 ? size[a.tangent] : 1.0;
  }
  const std::vector<SensitivityColumn> columns = described(asked_, true);
  tolerance_.setZero(equations_.size(), asked_.columns());
  for (int j = 0; j < tolerance_.cols(); ++j)
    for (int i = 0; i < tolerance_.rows(); ++i) {
      const Tolerance& atol = options_.atol;
      tolerance_(i, j) = atol[std::min(i, atol.size() - 1)] / columns[at(j)].typical;
    }
  // Rates at the start, for F_x' of the first look at the equations.
  if (State rates; settle_.state(0, s.t, y, false, rates).empty()) here.xd = rates.xd;
  rates_ = here.xd.head(rows_);
  if (std::string why = settle_.at_start(s.t, here, s_); !why.empty()) return why;
  equations_.system().prepare(here);
  choose_tested(here);
  restart(s.t);
  tell_differences();
  return {};
}

void RunColumns::restart(double t) {
  t_ = t;
  past_.clear();
  past_.push_front({t, s_});
  pending_ = false;
  parts_.clear();
  shown_ = s_.topRows(rows_);
  see_moved();
}

void RunColumns::see_moved() {
  moved_.resize(at(static_cast<int>(s_.cols())), 0);
  for (int j = 0; j < s_.cols(); ++j)
    moved_[at(j)] = moved_[at(j)] || !(s_.col(j).cwiseAbs().maxCoeff() == 0.0);
}

void RunColumns::place(double t, const Eigen::VectorXd& y, const Eigen::VectorXd& rates,
                       StagePoint& p) const {
  const Layout& layout = equations_.layout();
  p.t = t;
  p.x.setZero(layout.points());
  p.xd.setZero(layout.tangents());
  const auto points = std::min(p.x.size(), y.size()),
             tangents = std::min(p.xd.size(), rates.size());
  p.x.head(points) = y.head(points);  // one of both may have multipliers eta, which vanish
  p.xd.head(tangents) = rates.head(tangents);
  // Accelerations that stand by themselves.
  const LayoutBlock *a = layout.find(VariableClass::a), *v = layout.find(VariableClass::v);
  if (a && v)
    p.x.segment(a->point, a->space.points()) = p.xd.segment(v->tangent, v->space.tangents());
}

// Point and rates of the interpolant of the states, in model coordinates.
void RunColumns::on_interpolant(double t, StagePoint& p) {
  const Interpolant& piece = model_piece_;
  const double theta = (t - piece.t0) / piece.h;
  const int n = static_cast<int>(piece.c.rows());
  Eigen::VectorXd w = Eigen::VectorXd::Zero(n), slope = w, y = piece.base, rates(n);
  for (int j = piece.degree; j >= 1; --j) {
    slope = theta * slope + w;
    w = theta * w + piece.c.col(j);
  }
  slope = (theta * slope + w) / piece.h;
  w *= theta;
  model_.plus(piece.base.data(), w.data(), y.data());
  rates = slope;
  for (const LayoutBlock& b : model_.blocks())
    if (!b.space.is_euclidean())
      b.space.tangent(w.data() + b.tangent, slope.data() + b.tangent, rates.data() + b.tangent);
  place(t, y, rates, p);
}

Outcome RunColumns::advance(const ColumnStep& step) {
  pending_ = true;
  step_t0_ = step.from.t;
  step_h_ = step.to.t - step.from.t;
  step_error_ = 0.0;
  if (lost_) return lose({}), Outcome::ok;
  const auto begin = std::chrono::steady_clock::now();
  *equations_.system().modes = *run_.modes;
  step_order_ = step.order;
  by_formula_ = same_system_ && static_cast<int>(past_.size()) >= step.order &&
                (past_.size() > 1 || frozen_) && step.order > 0;
  const Outcome o = by_formula_ ? multistep(step) : collocation(step);
  seconds_ += seconds_since(begin);
  ++steps_;
  if (o != Outcome::ok) {
    const char* const callable = equations_.system().failure.function;
    why_ = fmt::format("The derivatives end at t = {:.6g}: {}{}", step.from.t, to_string(o),
                       callable ? fmt::format(" in '{}'", callable) : std::string());
    return o;
  }
  for (const StepPolynomial& part : parts_)
    if (!part.values.back().allFinite() || !part.values.front().allFinite()) {
      why_ = fmt::format(
          "The derivatives end at t = {:.6g}: a value is not finite. A callable may have no "
          "derivative there (a root or a power at 0).",
          step.from.t);
      return Outcome::not_finite;
    }
  if (by_formula_) step_error_ = multistep_error(step_order_);
  return Outcome::ok;
}

void RunColumns::lose(const std::string& why) {
  if (!lost_) warnings_.push_back(why);
  lost_ = true;
  step_error_ = 0.0;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  parts_.assign(
      1,
      {step_t0_, step_h_, {1.0, 0.0}, {Eigen::MatrixXd::Constant(s_.rows(), s_.cols(), nan), s_}});
}

Outcome RunColumns::multistep(const ColumnStep& step) {
  const int k = step.order;
  parts_.resize(1);
  StepPolynomial& part = parts_[0];
  part.t0 = step_t0_;
  part.h = step_h_;
  part.nodes.assign(1, 1.0);
  for (int j = 0; j < k; ++j) part.nodes.push_back((past_[at(j)].t - part.t0) / part.h);
  part.values.resize(at(k) + 1);
  const std::vector<double> w = part.weights(1.0, true);
  std::vector<Eigen::MatrixXd> columns{Eigen::MatrixXd::Zero(s_.rows(), s_.cols())};
  for (int j = 0; j < k; ++j) {
    part.values[at(j) + 1] = past_[at(j)].s;
    columns[0] += (w[at(j) + 1] / part.h) * past_[at(j)].s;
  }
  points_.resize(1);
  points_[0] = {step.to.t, step.to.x, step.to.xd};
  const Outcome o = systems_.at(1).solve(points_, {w[0] / part.h}, columns);
  if (!options_.events.empty() && step.inside.h != 0.0) run_.to_model(step.inside, model_piece_);
  part.values[0] = std::move(columns[0]);
  rates_ = step.to.xd.head(rows_);
  return o;
}

Outcome RunColumns::collocation(const ColumnStep& step) {
  if (step.inside.h != 0.0) {
    run_.to_model(step.inside, model_piece_);
  } else {
    Interpolant line;
    line.reserve(run_.layout, 1);
    line.make_linear(run_.layout, step.from, step.to);
    run_.to_model(line, model_piece_);
  }
  parts_.clear();
  // Steps of high order are long. The derivative of the computed step has the stages of its method.
  const int resolving = step.order > 9 ? most_stages : step.order > 5 ? 5 : 3;
  const int m = frozen_ ? (step.order + 1) / 2 : resolving;
  const Outcome o = collocate(step_t0_, step_h_, m, 0);
  rates_ = points_.back().xd.head(rows_);
  return o;
}

Outcome RunColumns::collocate(double t0, double h, int stages_wanted, int depth) {
  for (int m = stages_wanted; m <= most_stages; m += 2) {
    StepPolynomial part;
    if (const Outcome o = stages(t0, h, m, part); o != Outcome::ok) return o;
    const double error = unresolved(part);
    // Where the columns are tested the step itself becomes shorter.
    const bool last = frozen_ || tested() || (m == most_stages && depth == most_halvings);
    if (error <= untested || last || !std::isfinite(error)) {
      step_error_ = std::max(step_error_, error);
      parts_.push_back(std::move(part));
      return Outcome::ok;
    }
  }
  if (const Outcome o = collocate(t0, 0.5 * h, most_stages, depth + 1); o != Outcome::ok) return o;
  return collocate(t0 + 0.5 * h, 0.5 * h, most_stages, depth + 1);
}

Outcome RunColumns::stages(double t0, double h, int m, StepPolynomial& part) {
  const kernel::RadauTable<double>& table = radau(m);
  const Eigen::MatrixXd& from = parts_.empty() ? s_ : parts_.back().values.front();
  points_.resize(at(m));
  std::vector<double> alpha(at(m * m));
  std::vector<Eigen::MatrixXd> columns(at(m));
  for (int i = 0; i < m; ++i) {
    on_interpolant(t0 + table.c[at(i)] * h, points_[at(i)]);
    double sum = 0.0;
    for (int j = 0; j < m; ++j) {
      alpha[at(i * m + j)] = table.derivative[at(i)][at(j)] / h;
      sum += alpha[at(i * m + j)];
    }
    columns[at(i)] = -sum * from;
  }
  const Outcome o = systems_.at(m).solve(points_, alpha, columns);
  part.t0 = t0;
  part.h = h;
  for (int i = m - 1; i >= 0; --i) {  // the end of the step first, as in formulas of several steps
    part.nodes.push_back(table.c[at(i)]);
    part.values.push_back(std::move(columns[at(i)]));
  }
  part.nodes.push_back(0.0);
  part.values.push_back(from);
  return o;
}

void RunColumns::commit() {
  if (!pending_) return;
  pending_ = false;
  tell_error();
  t_ = step_t0_ + step_h_;
  s_ = parts_.back().values.front();
  past_.push_front({t_, s_});
  if (past_.size() > max_past) past_.pop_back();
  see_moved();
  shown_ = s_.topRows(rows_);
}

}  // namespace daedalus
