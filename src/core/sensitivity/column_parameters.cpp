// SPDX-License-Identifier: BSD-3-Clause
// F_p of the equations of the columns. A parameter stands in few equations as a rule: the structure
// is found by probing and parameters that share no equation are differentiated by at once
// (Curtis, Powell, Reid 1974). A branch of a callable may bring a parameter into another equation,
// so that a derivative in a direction of all of them is compared with the entries in every call.
#include <algorithm>
#include <cmath>
#include <limits>

#include "function/colouring.hpp"
#include "function/pattern.hpp"
#include "kernel/at.hpp"
#include "kernel/want_of_memory.hpp"
#include "sensitivity/column_equations.hpp"

namespace daedalus {
namespace {

// A point over dual numbers that moves in no direction may be evaluated over doubles. Here the
// parameters move: a derivative of t far below round-off says so, and changes nothing.
constexpr double moves = 1e-290, nothing = 1e-250;

constexpr std::size_t lanes = 4;  // of a dual number

// Sums of entries and a directional derivative agree to round-off, and what is far below any
// quantity is no entry that is missing.
constexpr double agree = 1e-9, far_below = 1e-200;

}  // namespace

Outcome ColumnEquations::by_parameters(double t, const Eigen::VectorXd& x,
                                       const Eigen::VectorXd& xd) {
  if (asked_.parameters.empty()) {
    if (F_p_.pattern.start.empty()) F_p_ = {SparsePattern{size(), 0, {0}, {}}, {}};
    return Outcome::ok;
  }
  const Outcome o = differentiable_ ? by_duals(t, x, xd) : by_differences(t, x, xd);
  if (o != Outcome::ok) hand_on_want_of_memory(system_->failure);  // else shorter steps are tried
  return o;
}

Outcome ColumnEquations::dual(double t, const std::vector<Seed>& seeds) {
  Dual4 time(t);
  time.d.fill(moves);
  seeds_->mark(seeds);
  ++evaluations_;
  const Outcome o = guarded(system_->failure, t,
                            [&] { return map_->dual(time, x_.data(), xd_.data(), r_.data()); });
  seeds_->clear();
  return o;
}

// Derivatives by constants inside callables are differences: every row may have one.
SparsePattern ColumnEquations::find_structure(double t) {
  const int count = static_cast<int>(asked_.parameters.size());
  const auto probe = [&](std::span<const signed char> lane, std::span<unsigned char> hits) {
    std::vector<Seed> seeds;
    for (int k = 0; k < count; ++k)
      if (const signed char l = lane[at(k)]; l >= 0) {
        if (asked_.parameters[at(k)].input >= 0)
          seeds.push_back({k, at(l), std::numeric_limits<double>::quiet_NaN()});
        else
          for (unsigned char& row : hits) row = static_cast<unsigned char>(row | 1u << at(l));
      }
    if (dual(t, seeds) != Outcome::ok) return false;
    for (int i = 0; i < size(); ++i)
      for (std::size_t l = 0; l < lanes; ++l)
        if (std::isnan(r_[at(i)].d[l]))
          hits[at(i)] = static_cast<unsigned char>(hits[at(i)] | 1u << l);
    return true;
  };
  const std::optional<SparsePattern> found = detect_pattern(size(), count, probe);
  return found ? *found : SparsePattern::dense(size(), count);
}

void ColumnEquations::follow(const SparsePattern& structure) {
  F_p_.pattern = structure;
  F_p_.values.assign(at(structure.nonzeros()), 0.0);
  weight_.assign(at(structure.nonzeros()), 0.0);
  sum_.setZero(structure.rows);
  size_.setZero(structure.rows);
}

void ColumnEquations::plan(const SparsePattern& structure) {
  follow(structure);
  const Colouring colouring = colour_columns(structure);
  // The lane behind the last colour is that of the comparison.
  chunks_.assign(at(colouring.colours) / lanes + 1, {});
  check_lane_ = at(colouring.colours) % lanes;
  double share = 0.0;
  of_inputs_.assign(at(structure.rows), 0);
  inputs_ = 0;
  for (int k = 0; k < structure.cols; ++k) {
    const AskedParameter& a = asked_.parameters[at(k)];
    share = std::fmod(share + 0.6180339887498949, 1.0);  // the golden section: no two are alike
    if (a.input >= 0) {
      const double weight = a.typical * (0.5 + share);
      chunks_.back().seeds.push_back({k, check_lane_, weight});
      std::fill_n(weight_.begin() + structure.start[at(k)],
                  structure.start[at(k) + 1] - structure.start[at(k)], weight);
      for (int e = structure.start[at(k)]; e < structure.start[at(k) + 1]; ++e)
        ++of_inputs_[at(structure.row[at(e)])];
      ++inputs_;
    }
    const int colour = colouring.colour[at(k)];
    if (colour < 0) continue;
    Chunk& chunk = chunks_[at(colour) / lanes];
    const std::size_t lane = at(colour) % lanes;
    chunk.seeds.push_back({k, lane});
    for (int e = structure.start[at(k)]; e < structure.start[at(k) + 1]; ++e)
      chunk.sources.push_back({structure.row[at(e)], lane, e});
  }
  full_ = std::all_of(of_inputs_.begin(), of_inputs_.end(), [&](int n) { return n == inputs_; });
  if (!full_) return;
  // Nothing can be missing.
  std::erase_if(chunks_.back().seeds, [&](const Seed& s) { return s.lane == check_lane_; });
  if (chunks_.back().seeds.empty()) chunks_.pop_back();
}

Outcome ColumnEquations::by_duals(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& xd) {
  // They move in no direction, now and before.
  for (int i = 0; i < x.size(); ++i) x_[at(i)].v = x[i];
  for (int i = 0; i < xd.size(); ++i) xd_[at(i)].v = xd[i];
  if (F_p_.pattern.start.empty()) plan(find_structure(t));
  for (;;) {
    for (const Chunk& chunk : chunks_) {
      if (const Outcome o = dual(t, chunk.seeds); o != Outcome::ok) return o;
      for (const Source& s : chunk.sources) {
        const double d = r_[at(s.row)].d[s.lane];
        F_p_.values[at(s.place)] = std::abs(d) < nothing ? 0.0 : d;
      }
    }
    if (full_) return Outcome::ok;
    const std::optional<SparsePattern> more = missing(t);
    if (!more) return Outcome::ok;
    plan(*more);
  }
}

// After the last evaluation: the structure with what the entries lack here; nothing: they are all
// there.
std::optional<SparsePattern> ColumnEquations::missing(double t) {
  const SparsePattern& known = F_p_.pattern;
  sum_.setZero();
  size_.setZero();
  for (std::size_t e = 0; e < weight_.size(); ++e) {
    const double part = F_p_.values[e] * weight_[e];
    sum_[known.row[e]] += part;
    size_[known.row[e]] += std::abs(part);
  }
  const auto lacks = [&](int i) {  // not: NaN
    const double error = std::abs(r_[at(i)].d[check_lane_] - sum_[i]);
    return error > far_below && error > agree * size_[i] && of_inputs_[at(i)] < inputs_;
  };
  bool any = false;
  for (int i = 0; i < size(); ++i) any = any || lacks(i);
  if (!any) return std::nullopt;
  std::vector<bool> lacking;
  for (int i = 0; i < size(); ++i) lacking.push_back(lacks(i));
  const SparsePattern united = unite(known, find_structure(t));
  if (united.nonzeros() > known.nonzeros()) return united;
  // Probing does not show it: any parameter may stand in these rows.
  SparsePattern full{size(), known.cols, {0}, {}};
  for (int k = 0; k < known.cols; ++k) {
    for (int i = 0; i < size(); ++i)
      if (lacking[at(i)] || known.find(i, k) >= 0) full.row.push_back(i);
    full.start.push_back(full.nonzeros());
  }
  return full;
}

Outcome ColumnEquations::by_differences(double t, const Eigen::VectorXd& x,
                                        const Eigen::VectorXd& xd) {
  const int count = static_cast<int>(asked_.parameters.size());
  if (F_p_.pattern.start.empty()) follow(SparsePattern::dense(size(), count));
  for (int k = 0; k < count; ++k) {
    const AskedParameter& a = asked_.parameters[at(k)];
    const auto residual = [&](bool up, Eigen::VectorXd& r) {
      ++evaluations_;
      if (a.input < 0)
        return near_[at(k)][up ? 0 : 1]->residual_view()->residual(t, x.data(), xd.data(),
                                                                   r.data());
      seeds_->shift(a.input, up ? a.upper : a.lower);
      const Outcome o = view_->residual(t, x.data(), xd.data(), r.data());
      seeds_->shift(a.input, a.value);
      return o;
    };
    if (const Outcome o = residual(true, upper_); o != Outcome::ok) return o;
    if (const Outcome o = residual(false, lower_); o != Outcome::ok) return o;
    for (int i = 0; i < size(); ++i)
      F_p_.values[at(k * size() + i)] = (upper_[i] - lower_[i]) / a.width();
  }
  return Outcome::ok;
}

}  // namespace daedalus
