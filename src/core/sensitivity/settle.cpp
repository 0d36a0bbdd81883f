// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivity/settle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "kernel/at.hpp"
#include "linalg/linear_solver.hpp"

namespace daedalus {
namespace {
// The states are quotients' numerators: they are asked for as exactly as Newton's method gives
// them, relative to their size.
constexpr double tight = 1e-11;
// A derivative of what the solver changed in given values, relative to 1 / typical(p).
constexpr double notable = 1e-3;
}  // namespace

void difference(const Layout& layout, const State& here, const State& upper, const State& lower,
                double width, Eigen::Ref<Eigen::VectorXd> out) {
  Eigen::VectorXd up(layout.tangents()), down(layout.tangents());
  layout.minus(here.x.data(), upper.x.data(), up.data());
  layout.minus(here.x.data(), lower.x.data(), down.data());
  out = (up - down) / width;
}

Settle::Settle(ColumnEquations& equations, const Asked& asked, const Options& options, double t0)
    : equations_(equations),
      asked_(asked),
      options_(options),
      t0_(t0),
      strategy_(options.start),
      mechanical_(equations.system().mechanical_view() != nullptr),
      owned_(std::make_shared<const Problem>(equations.problem())),
      near_(2 * asked.parameters.size()) {}

std::shared_ptr<const Problem> Settle::problem(int near) const {
  if (near == 0) return owned_;
  const AskedParameter& a = asked_.parameters[at((near - 1) / 2)];
  const bool up = near % 2 == 1;
  if (a.plus) return up ? a.plus : a.minus;
  Problem moved = *owned_;
  set_parameter(moved, a.name, up ? a.upper : a.lower);
  return std::make_shared<const Problem>(std::move(moved));
}

System& Settle::system(int near) {
  if (near == 0) return equations_.system();
  auto& made = near_[at(near - 1)];
  if (!made)
    made =
        lower(problem(near), equations_.formulation(), View::residual, equations_.lowering(), t0_);
  if (!modes_.empty()) *made->modes = modes_;
  return *made;
}

void Settle::set_modes(const std::vector<double>& modes) {
  modes_ = modes;
  *equations_.system().modes = modes;
}

Eigen::VectorXd Settle::given(int near, double t0) {
  System& s = system(near);
  Eigen::VectorXd y(s.variables->size());
  s.to_model(model_start(s, *problem(near), t0), y.data());
  return y;
}

std::string Settle::state(int near, double t, const Eigen::VectorXd& y, bool begin, State& out) {
  System& where = system(near);
  StartRequest request;
  if (begin) request = initial_equations(problem(near), where);
  if (begin)
    for (const std::string& name : options_.fixed)
      request.fixed.push_back(where.variables->find(name));
  // In first-order forms automatic takes all values as given; here the algebraic ones follow.
  const bool completes = mechanical_ && !(begin && strategy_ == StartStrategy::solve);
  request.strategy = completes ? StartStrategy::automatic : StartStrategy::solve;
  if (begin && strategy_ == StartStrategy::given) request.strategy = StartStrategy::given;
  State given;
  given.x.setZero(where.layout.points());
  given.xd.setZero(where.layout.tangents());
  where.from_model(t, y.data(), given);
  request.weight.setConstant(where.layout.tangents(), 1.0);
  where.layout.magnitude(given.x.data(), request.weight.data());
  for (double& w : request.weight) w = tight * std::max(w, 1.0);
  where.prepare(given);
  out = given;
  StartReport report = make_consistent(where, out, request);
  if (report.status == Status::success) return {};
  if (completes && !begin) {  // a handler that leaves the rest to the equations
    out = given;
    request.strategy = StartStrategy::solve;
    report = make_consistent(where, out, request);
  }
  return report.status == Status::success ? std::string() : report.message;
}

// The strategy `automatic` keeps what is given: where the equations would move it with the
// parameter, the question has no answer.
std::string Settle::moved(const State& here, const State& upper, const State& lower,
                          const Eigen::VectorXd& y_upper, const Eigen::VectorXd& y_lower,
                          double width, const std::string& name) const {
  if (strategy_ != StartStrategy::automatic || mechanical_ || !equations_.layout().euclidean())
    return {};
  if (equations_.linearise(here.t, here.x, here.xd) != Outcome::ok) return {};
  const Pencil& pencil = equations_.pencil();
  const SparsePattern& e = pencil.pattern_e();
  for (int c = 0; c < std::min<int>(e.cols, static_cast<int>(y_upper.size())); ++c) {
    bool differentiated = false;
    for (int k = e.start[at(c)]; k < e.start[at(c) + 1]; ++k)
      differentiated = differentiated || pencil.e()[at(k)] != 0.0;
    const double change = ((upper.x[c] - y_upper[c]) - (lower.x[c] - y_lower[c])) / width;
    if (!differentiated || std::abs(change) * width < notable * central_increment * 2.0 *
                                                          std::max(std::abs(here.x[c]), 1e-3))
      continue;
    return fmt::format(
        "The start value of '{}' does not follow '{}' as the equations do (they move it by {:.3g} "
        "per unit): give `start` as a function of the parameters, or use StartStrategy::solve.",
        equations_.layout().name(c), name, change);
  }
  return {};
}

std::string Settle::quotient(double t0, const State& here, int near_upper, int near_lower,
                             const Eigen::VectorXd& y_upper, const Eigen::VectorXd& y_lower,
                             double width, const std::string& name,
                             Eigen::Ref<Eigen::VectorXd> out) {
  State upper, lower;
  for (const bool up : {true, false}) {
    const std::string why =
        state(up ? near_upper : near_lower, t0, up ? y_upper : y_lower, true, up ? upper : lower);
    if (!why.empty())
      return fmt::format(
          "The derivative of the start values with respect to '{}' does not exist: they do not "
          "follow it as the equations do. Give `start` as a function of the parameters, or use "
          "StartStrategy::solve. ({})",
          name, why);
  }
  difference(equations_.layout(), here, upper, lower, width, out);
  return moved(here, upper, lower, y_upper, y_lower, width, name);
}

bool Settle::by_linear_equations(const State& here, Eigen::MatrixXd& base) {
  constexpr double regular =
      1e-12;  // pivots below that may be round-off: no structure of variables
  const int n = equations_.size();
  const bool plain =
      std::visit([](const auto& p) { return p.initial_equation_count == 0; }, *owned_);
  if (mechanical_ || !plain || strategy_ != StartStrategy::automatic || !options_.fixed.empty() ||
      index_of(*owned_) > 1 || !equations_.layout().euclidean())
    return false;
  if (equations_.layout().points() != given_start(*owned_).size()) return false;
  if (equations_.linearise(here.t, here.x, here.xd) != Outcome::ok ||
      equations_.by_parameters(here.t, here.x, here.xd) != Outcome::ok)
    return false;
  Pencil& pencil = equations_.pencil();
  const SparsePattern &e = pencil.pattern_e(), &j = pencil.pattern_j();
  SparsePattern mixed{n, n, {0}, {}};
  std::vector<double> values;
  std::vector<bool> differentiated(at(n), false);
  for (int c = 0; c < n; ++c) {
    for (int k = e.start[at(c)]; k < e.start[at(c) + 1]; ++k)
      if (pencil.e()[at(k)] != 0.0) differentiated[at(c)] = true;
    const SparsePattern& from = differentiated[at(c)] ? e : j;
    for (int k = from.start[at(c)]; k < from.start[at(c) + 1]; ++k) {
      mixed.row.push_back(from.row[at(k)]);
      values.push_back((differentiated[at(c)] ? pencil.e() : pencil.j())[at(k)]);
    }
    mixed.start.push_back(mixed.nonzeros());
  }
  const auto solver = make_linear_solver(mixed, pencil.kind());
  if (!solver->factorise(values) || !(solver->reciprocal_condition() > regular)) return false;
  // What is given moves with the parameters, and is a column itself.
  for (std::size_t k = 0; k < asked_.parameters.size(); ++k)
    if (const AskedParameter& a = asked_.parameters[k]; a.plus)
      base.col(static_cast<int>(k)) = (given_start(*a.plus) - given_start(*a.minus)) / a.width();
  int column = static_cast<int>(asked_.parameters.size());
  for (const AskedStart& s : asked_.start_values) base(s.tangent, column++) = 1.0;
  Eigen::MatrixXd rest = Eigen::MatrixXd::Zero(n, base.cols());  // -(F_p + J s)
  const auto& [p, slopes] = equations_.parameter_slopes();
  for (int q = 0; q < p.cols; ++q)
    for (int k = p.start[at(q)]; k < p.start[at(q) + 1]; ++k)
      rest(p.row[at(k)], q) -= slopes[at(k)];
  for (int c = 0; c < n; ++c)
    for (int k = j.start[at(c)]; differentiated[at(c)] && k < j.start[at(c) + 1]; ++k)
      rest.row(j.row[at(k)]) -= pencil.j()[at(k)] * base.row(c);
  solver->solve_columns(rest.data(), n, static_cast<int>(rest.cols()));
  for (int c = 0; c < n; ++c)
    if (!differentiated[at(c)]) base.row(c) = rest.row(c);
  return base.allFinite();
}

std::string Settle::at_start(double t0, const State& here, Eigen::MatrixXd& columns) {
  Eigen::MatrixXd base = Eigen::MatrixXd::Zero(equations_.size(), asked_.base());
  if (by_linear_equations(here, base)) return columns = asked_.combined(base), std::string();
  int column = 0;
  for (std::size_t k = 0; k < asked_.parameters.size(); ++k, ++column) {
    const AskedParameter& a = asked_.parameters[k];
    const int up = 2 * static_cast<int>(k) + 1;
    if (std::string why = quotient(t0, here, up, up + 1, given(up, t0), given(up + 1, t0),
                                   a.width(), a.name, base.col(column));
        !why.empty())
      return why;
  }
  System& own = equations_.system();
  const Layout model = own.model_layout();
  const Eigen::VectorXd y = given(0, t0);
  Eigen::VectorXd size(model.tangents()), shift = Eigen::VectorXd::Zero(model.tangents());
  model.magnitude(y.data(), size.data());
  for (const AskedStart& s : asked_.start_values) {
    const double d = central_increment * std::max(size[s.tangent], s.typical);
    Eigen::VectorXd up = y, down = y;
    shift[s.tangent] = d;
    model.plus(y.data(), shift.data(), up.data());
    shift[s.tangent] = -d;
    model.plus(y.data(), shift.data(), down.data());
    shift[s.tangent] = 0.0;
    if (std::string why =
            quotient(t0, here, 0, 0, up, down, 2.0 * d, "start of " + s.name, base.col(column));
        !why.empty())
      return why;
    ++column;
  }
  columns = asked_.combined(base);
  return {};
}

}  // namespace daedalus
