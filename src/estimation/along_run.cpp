// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/along_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/at.hpp"

namespace daedalus {
namespace {

// Entries of E that agree to this are constant.
constexpr double same = 1e-13;

}  // namespace

AlongRun::AlongRun(const GradientRequest& request, StateHistory& states,
                   const std::vector<double>& samples)
    : request_(request),
      states_(states),
      equations_(request.problem, request.asked, request.formulation, request.lowering,
                 request.interval.from),
      grouped_(!equations_.layout().euclidean()),
      r_(equations_.size()) {
  forget();
  *equations_.system().modes = std::visit([](const auto& p) { return p.modes; }, *request.problem);
  State here;
  place(samples.front(), known_[0]);
  here.t = samples.front();
  here.x = known_[0].x;
  here.xd = known_[0].xd;
  forget();
  equations_.system().prepare(here);
  survey(samples);
}

void AlongRun::check(Outcome o, double t) {
  if (o == Outcome::ok) return;
  const char* const function = equations_.system().failure.function;
  throw GradientFailure(fmt::format("The equations cannot be linearised at t = {:.6g}: {}{}", t,
                                    to_string(o),
                                    function ? fmt::format(" in '{}'", function) : std::string()));
}

void AlongRun::follow(const ScalarFunction* phi) {
  phi_ = phi;
  forget();
}

void AlongRun::forget() {
  for (LinearPoint& p : known_) p.t = std::numeric_limits<double>::quiet_NaN();
}

void AlongRun::place(double t, LinearPoint& p) {
  states_.at(t, p.y, rates_);
  const Layout& layout = equations_.layout();
  p.t = t;
  p.x.setZero(layout.points());
  p.xd.setZero(layout.tangents());
  const auto points = std::min(p.x.size(), p.y.size()),
             tangents = std::min(p.xd.size(), rates_.size());
  p.x.head(points) = p.y.head(points);
  p.xd.head(tangents) = rates_.head(tangents);
  const LayoutBlock *a = layout.find(VariableClass::a), *v = layout.find(VariableClass::v);
  if (a && v)
    p.x.segment(a->point, a->space.points()) = p.xd.segment(v->tangent, v->space.tangents());
  // Rates and algebraic variables of the interpolant are less exact than what it was made of.
  if (surveyed_ && !constant_e_) correct(p);
}

void AlongRun::linearise(LinearPoint& p) {
  p.linearised = ++linearisations_;
  check(equations_.linearise(p.t, p.x, p.xd), p.t);
  const Pencil& pencil = equations_.pencil();
  if (pencil.structure() != structure_) {
    structure_ = pencil.structure();
    e_ = pencil.pattern_e();
    j_ = grouped_ ? SparsePattern::dense(size(), size()) : pencil.pattern_j();
    if (surveyed_) throw StructureChanged{};
  }
  p.e.assign(pencil.e().begin(), pencil.e().end());
  if (!grouped_) {
    p.j.assign(pencil.j().begin(), pencil.j().end());
    return;
  }
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(size(), size()), E = J;
  pencil.dense_j(J);
  pencil.dense_e(E);
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(size()), bracket = unit;
  for (const LayoutBlock& b : equations_.layout().blocks()) {
    if (b.space.is_euclidean()) continue;
    for (int c = b.tangent; c < b.tangent + b.space.tangents(); ++c) {
      unit[c] = 1.0;
      bracket.setZero();
      b.space.bracket(p.xd.data() + b.tangent, unit.data() + b.tangent, bracket.data() + b.tangent);
      J.col(c) += E * bracket;
      unit[c] = 0.0;
    }
  }
  p.j.assign(J.data(), J.data() + J.size());
}

void AlongRun::residual(const LinearPoint& p, Eigen::VectorXd& r) {
  r.resize(size());
  check(equations_.system().residual_view()->residual(p.t, p.x.data(), p.xd.data(), r.data()), p.t);
}

// One step of Newton's method for rates and algebraic variables, the others as they are.
void AlongRun::correct(LinearPoint& p) {
  linearise(p);
  residual(p, r_);
  if (!solve_mixed(p, false, r_)) return;
  Eigen::VectorXd move = Eigen::VectorXd::Zero(size());
  for (int i = 0; i < size(); ++i)
    if (differentiated_[at(i)])
      p.xd[i] -= r_[i];
    else
      move[i] = -r_[i];
  Eigen::VectorXd moved = p.x;
  equations_.layout().plus(p.x.data(), move.data(), moved.data());
  p.x = moved;
  const auto points = std::min(p.x.size(), p.y.size());
  p.y.head(points) = p.x.head(points);
}

const LinearPoint& AlongRun::point(double t) {
  for (const LinearPoint& p : known_)
    if (p.t == t) return p;
  LinearPoint& p = known_[next_];
  next_ = (next_ + 1) % known_.size();
  place(t, p);
  linearise(p);
  slopes_of_functional(p);
  return p;
}

void AlongRun::slopes_of_functional(LinearPoint& p) {
  p.by_state.setZero(size());
  const auto points = std::min(p.x.size(), p.y.size());
  p.y.head(points) = p.x.head(points);
  if (phi_) phi_->by_state(p.t, p.y, p.by_state);
}

void AlongRun::survey(const std::vector<double>& samples) {
  std::vector<LinearPoint> points(samples.size());
  long before = -2;  // other than any
  for (int round = 0; round < 3 && before != structure_; ++round) {
    before = structure_;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      place(samples[i], points[i]);
      linearise(points[i]);
    }
  }
  differentiated_.assign(at(size()), false);
  for (const LinearPoint& p : points)
    for (int c = 0; c < size(); ++c)
      for (int k = e_.start[at(c)]; k < e_.start[at(c) + 1]; ++k)
        if (p.e[at(k)] != 0.0) differentiated_[at(c)] = true;
  for (const LinearPoint& p : points)
    for (std::size_t k = 0; k < p.e.size(); ++k)
      if (std::abs(p.e[k] - points[0].e[k]) > same * std::abs(points[0].e[k])) constant_e_ = false;
  make(plain_, false);
  make(transposed_, true);
  surveyed_ = true;
  for (const LinearPoint& p : points) {
    Eigen::VectorXd r = Eigen::VectorXd::Ones(size());
    const bool regular = solve_mixed(p, true, r) && r.allFinite();
    const double condition = transposed_.solver->reciprocal_condition();
    structured_ = structured_ && regular && !(condition < 1e-13);
  }
}

void AlongRun::make(Mixed& mixed, bool transposed) {
  struct Entry {
    int row, column;
    bool of_e;
    int place;
  };
  std::vector<Entry> entries;
  for (int c = 0; c < size(); ++c) {
    const bool of_e = differentiated_[at(c)];
    const SparsePattern& from = of_e ? e_ : j_;
    for (int k = from.start[at(c)]; k < from.start[at(c) + 1]; ++k)
      entries.push_back(transposed ? Entry{c, from.row[at(k)], of_e, k}
                                   : Entry{from.row[at(k)], c, of_e, k});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.column, a.row) < std::pair(b.column, b.row);
  });
  SparsePattern pattern{size(), size(), {0}, {}};
  mixed.source.clear();
  std::size_t next = 0;
  for (int c = 0; c < size(); ++c) {
    for (; next < entries.size() && entries[next].column == c; ++next) {
      pattern.row.push_back(entries[next].row);
      mixed.source.emplace_back(entries[next].of_e, entries[next].place);
    }
    pattern.start.push_back(pattern.nonzeros());
  }
  mixed.values.assign(entries.size(), 0.0);
  mixed.solver = make_linear_solver(pattern, equations_.pencil().kind());
}

bool AlongRun::solve_mixed(const LinearPoint& p, bool transposed, Eigen::VectorXd& r) {
  Mixed& mixed = transposed ? transposed_ : plain_;
  for (std::size_t k = 0; k < mixed.source.size(); ++k)
    mixed.values[k] = (mixed.source[k].first ? p.e : p.j)[at(mixed.source[k].second)];
  if (!mixed.solver->factorise(mixed.values)) return false;
  mixed.solver->solve(r.data());
  return true;
}

void AlongRun::add_products(double factor, const LinearPoint& p, const Eigen::VectorXd& l,
                            Eigen::Ref<Eigen::VectorXd> out) {
  ++products_;
  check(equations_.by_parameters(p.t, p.x, p.xd), p.t);
  const auto& [pattern, values] = equations_.parameter_slopes();
  for (int k = 0; k < pattern.cols; ++k)
    for (int e = pattern.start[at(k)]; e < pattern.start[at(k) + 1]; ++e)
      out[k] += factor * values[at(e)] * l[pattern.row[at(e)]];
}

namespace {
Eigen::VectorXd times_transposed(const SparsePattern& pattern, const std::vector<double>& values,
                                 const Eigen::VectorXd& l) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(pattern.cols);
  for (int c = 0; c < pattern.cols; ++c)
    for (int k = pattern.start[at(c)]; k < pattern.start[at(c) + 1]; ++k)
      out[c] += values[at(k)] * l[pattern.row[at(k)]];
  return out;
}
}  // namespace

Eigen::VectorXd AlongRun::times_e_transposed(const LinearPoint& p, const Eigen::VectorXd& l) const {
  return times_transposed(e_, p.e, l);
}
Eigen::VectorXd AlongRun::times_j_transposed(const LinearPoint& p, const Eigen::VectorXd& l) const {
  return times_transposed(j_, p.j, l);
}

Eigen::MatrixXd AlongRun::dense(bool e, const LinearPoint& p) const {
  const SparsePattern& pattern = e ? e_ : j_;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(size(), size());
  for (int c = 0; c < size(); ++c)
    for (int k = pattern.start[at(c)]; k < pattern.start[at(c) + 1]; ++k)
      out(pattern.row[at(k)], c) = (e ? p.e : p.j)[at(k)];
  return out;
}

}  // namespace daedalus
