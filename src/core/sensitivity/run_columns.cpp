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
      same_system_(multistep_method_ && formulation == request.formulation),
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
  return {};
}

void RunColumns::restart(double t) {
  t_ = t;
  past_.clear();
  past_.push_front({t, s_});
  pending_ = false;
  parts_.clear();
  shown_ = s_.topRows(rows_);
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

void RunColumns::advance(const ColumnStep& step) {
  pending_ = true;
  step_t0_ = step.from.t;
  step_h_ = step.to.t - step.from.t;
  if (lost_) return lose({});
  const auto begin = std::chrono::steady_clock::now();
  *equations_.system().modes = *run_.modes;
  const bool formula = same_system_ && static_cast<int>(past_.size()) >= step.order &&
                       past_.size() > 1 && step.order > 0;
  const Outcome o = formula ? multistep(step) : collocation(step);
  seconds_ += seconds_since(begin);
  ++steps_;
  if (o != Outcome::ok)
    return lose(fmt::format("The derivatives end at t = {:.6g}: {}{}", step.from.t, to_string(o),
                            equations_.system().failure.function
                                ? fmt::format(" in '{}'", equations_.system().failure.function)
                                : std::string()));
  for (const StepPolynomial& part : parts_)
    if (!part.values.back().allFinite() || !part.values.front().allFinite())
      return lose(
          fmt::format("The derivatives end at t = {:.6g}: a value is not finite. A callable "
                      "may have no derivative there (a root or a power at 0).",
                      step.from.t));
}

void RunColumns::lose(const std::string& why) {
  if (!lost_) warnings_.push_back(why);
  lost_ = true;
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
  // Steps of high order are long.
  const int m = step.order > 9 ? most_stages : step.order > 5 ? 5 : 3;
  const Outcome o = collocate(step_t0_, step_h_, m, 0);
  rates_ = points_.back().xd.head(rows_);
  return o;
}

Outcome RunColumns::collocate(double t0, double h, int stages_wanted, int depth) {
  for (int m = stages_wanted; m <= most_stages; m += 2) {
    StepPolynomial part;
    if (const Outcome o = stages(t0, h, m, part); o != Outcome::ok) return o;
    const double error = unresolved(part);
    if (error <= 1.0 || (m == most_stages && depth == most_halvings) || !std::isfinite(error)) {
      largest_error_ = std::max(largest_error_, error);
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

// The coefficient of the highest power falls like h^m, the error at the end like h^(2m): its
// square, in parts of the column. Errors of variables of higher index fall like h^m themselves, and
// algebraic ones of index 1 follow from the rest: their values at the beginning of the step do not
// count.
double RunColumns::unresolved(const StepPolynomial& part) const {
  constexpr double allowed_of_index_2 = 100.0;  // times the tolerance
  Eigen::MatrixXd top = Eigen::MatrixXd::Zero(s_.rows(), s_.cols()), inner = top, size = top;
  for (std::size_t i = 0; i < part.nodes.size(); ++i) {
    double w = 1.0;  // the last node is the beginning
    for (std::size_t j = 0; j + 1 < part.nodes.size(); ++j)
      if (j != i) w /= part.nodes[i] - part.nodes[j];
    if (i + 1 < part.nodes.size()) {
      inner += w * part.values[i];
      w /= part.nodes[i] - part.nodes.back();
    }
    top += w * part.values[i];
    size = size.cwiseMax(part.values[i].cwiseAbs());
  }
  double worst = 0.0;
  for (int j = 0; j < top.cols(); ++j) {
    double sum = 0.0;
    for (int i = 0; i < rows_; ++i) {
      if (tested_[at(i)] == 0 || size(i, j) == 0.0) continue;
      const double tolerance = options_.rtol * size(i, j) + tolerance_(i, j);
      const double e = tested_[at(i)] > 1 ? std::abs(inner(i, j)) / (allowed_of_index_2 * tolerance)
                                          : top(i, j) * top(i, j) / (size(i, j) * tolerance);
      sum += e * e;
    }
    worst = std::max(worst, std::sqrt(sum / std::max(rows_, 1)));
  }
  return worst;
}

// Variables that the equations differentiate, and those of higher index.
void RunColumns::choose_tested(const State& s) {
  tested_.assign(at(equations_.size()), 0);
  const bool known = equations_.linearise(s.t, s.x, s.xd) == Outcome::ok;
  const Pencil& pencil = equations_.pencil();
  const SparsePattern& e = pencil.pattern_e();
  for (const LayoutBlock& b : equations_.layout().blocks())
    for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i) {
      bool differentiated = !known;
      for (int k = e.start[at(i)]; k < e.start[at(i) + 1]; ++k)
        differentiated = differentiated || pencil.e()[at(k)] != 0.0;
      tested_[at(i)] = b.index > 1 && b.cls != VariableClass::v ? b.index : differentiated ? 1 : 0;
    }
}

void RunColumns::commit() {
  if (!pending_) return;
  pending_ = false;
  t_ = step_t0_ + step_h_;
  s_ = parts_.back().values.front();
  past_.push_front({t_, s_});
  if (past_.size() > max_past) past_.pop_back();
  shown_ = s_.topRows(rows_);
}

}  // namespace daedalus
