// SPDX-License-Identifier: BSD-3-Clause
// The structure of a Jacobian: found by probing, full where that costs nothing, compared with
// directional derivatives along the way, and found again where a branch of a callable turned out to
// depend on more.
#include <algorithm>
#include <cmath>
#include <limits>

#include "function/pattern.hpp"
#include "kernel/scattered.hpp"
#include "kernel/want_of_memory.hpp"
#include "system/jacobian.hpp"

namespace daedalus {
namespace {

constexpr int lanes_at_once = 4;  // directions of one dual evaluation
// A full structure may cost so many evaluations over dual numbers per evaluation of a compressed
// one: it has nothing to miss.
constexpr double full_costs = 1.25;
// Beyond this size elimination without structure costs more than evaluations ever save.
constexpr int max_full = 24;
// Comparisons are made after 2, 4, 8, ... Jacobians, and then this often: at one evaluation each
// they cost less than a hundredth of a run.
constexpr long max_interval = 32;
constexpr int max_doublings = 20;  // of it, after false alarms: no run has so many steps
// After a rejected step comparisons follow after so many.
constexpr long min_interval = 4;
// Of the sum of |J_ij v_j|: rounding of derivatives, which carries cancellation inside of a
// callable, and errors of difference quotients. A false alarm costs a search of the structure.
constexpr double exact_tolerance = 1e-8, difference_tolerance = 1e-2;
// Changes of a residual below so many units of its noise are no sign of a dependence.
constexpr double max_noise = 1e3;

// +-(1 .. 2), different for neighbours and from one comparison to the next: the factors are the
// fractional parts of the multiples of the golden section, which never repeat.
double factor(long number, int column) {
  const double x = 0.61803398874989485 * static_cast<double>(column + 1 + 7919 * (number % 1024));
  const double part = x - std::floor(x);
  return (part < 0.5 ? -1.0 : 1.0) * (1.0 + part);
}

double probe_shift(double size, int column) {
  return size * (1e-3 + 1e-4 * scattered(static_cast<std::uint64_t>(column))) + 1e-6;
}

bool same(const SparsePattern& a, const SparsePattern& b) {
  return a.start == b.start && a.row == b.row;
}

// The first entry of `grown` that `known` lacks.
std::optional<std::pair<int, int>> first_new(const SparsePattern& known,
                                             const SparsePattern& grown) {
  for (int c = 0; c < grown.cols; ++c)
    for (int k = grown.start[static_cast<std::size_t>(c)];
         k < grown.start[static_cast<std::size_t>(c) + 1]; ++k)
      if (const int row = grown.row[static_cast<std::size_t>(k)]; known.find(row, c) < 0)
        return std::pair(row, c);
  return std::nullopt;
}

void add_product(const SparseValues& J, const Eigen::VectorXd& v, double* sum, double* size) {
  for (int c = 0; c < J.pattern.cols; ++c)
    for (int k = J.pattern.start[static_cast<std::size_t>(c)];
         k < J.pattern.start[static_cast<std::size_t>(c) + 1]; ++k) {
      const double term = J.values[static_cast<std::size_t>(k)] * v[c];
      const int row = J.pattern.row[static_cast<std::size_t>(k)];
      sum[row] += term;
      size[row] += std::abs(term);
    }
}

}  // namespace

void JacobianEvaluator::prepare(const State& at) {
  structured_ = true;
  growths_ = false_alarms_ = 0;
  since_check_ = checks_ = 0;
  interval_ = 2;
  if (!differences_ && map_.knows_derivatives()) return prepare_formulas();
  SparsePattern none{m_, n_, std::vector<int>(static_cast<std::size_t>(n_) + 1), {}};
  dx.pattern = none;
  if (wanted_.xd) {
    if (std::optional<SparseValues> known = map_.constant_rates()) {
      dxd = std::move(*known);
      wanted_.xd = false;
      rates_known_ = true;
    } else {
      dxd.pattern = detect(at, Part::xd);
    }
  }
  if (wanted_.x) {
    const int others = (wanted_.xd ? colour_columns(dxd.pattern).colours : 0) + (wanted_.t ? 1 : 0);
    // Where one evaluation gives all columns there is no structure to look for.
    dx.pattern = !differences_ && n_ + others <= lanes_at_once
                     ? SparsePattern::dense(m_, n_)
                     : full_if_as_cheap(detect(at, Part::x), others);
  }
  direction_x_.setZero(n_);
  direction_xd_.setZero(n_);
  product_.setZero(m_);
  size_.setZero(m_);
  plan();
}

// Small and dense systems: as many evaluations, or hardly more, and no structure to be wrong.
SparsePattern JacobianEvaluator::full_if_as_cheap(SparsePattern found, int others) const {
  const auto evaluations = [&](int lanes) {
    return differences_ ? lanes : (lanes + lanes_at_once - 1) / lanes_at_once;
  };
  const int colours = colour_columns(found).colours;
  return n_ <= max_full && evaluations(n_ + others) <= full_costs * evaluations(colours + others)
             ? SparsePattern::dense(m_, n_)
             : found;
}

// A NaN in a derivative survives multiplication by zero, so dual numbers show the structure and not
// just what happens to be non-zero at this point.
std::optional<SparsePattern> JacobianEvaluator::detect_by_nan(const State& at, Part part) {
  Failure ignored;
  allocate_duals(1);
  return detect_pattern(
      m_, n_, [&](std::span<const signed char> lane, std::span<unsigned char> hits) {
        Chunk chunk;
        for (int j = 0; j < n_; ++j)
          if (lane[static_cast<std::size_t>(j)] >= 0)
            chunk.push_back(seed_of(part, j, lane[static_cast<std::size_t>(j)]));
        place_duals(at.t, at.x.data(), at.xd.data());
        if (evaluate_duals(at.x.data(), chunk, std::numeric_limits<double>::quiet_NaN(), r_.data(),
                           ignored) != Outcome::ok) {
          hand_on_want_of_memory(ignored);
          return false;
        }
        for (std::size_t i = 0; i < static_cast<std::size_t>(m_); ++i) {
          hits[i] = 0;
          for (std::size_t k = 0; k < lanes_at_once; ++k)
            if (std::isnan(r_[i].d[k])) hits[i] = static_cast<unsigned char>(hits[i] | (1u << k));
        }
        return true;
      });
}

// A plain callable shows which rows change when columns do, at a point moved away from special
// values such as zero; side 0: at the point itself.
std::optional<SparsePattern> JacobianEvaluator::detect_by_change(const State& at, Part part,
                                                                 double side) {
  Failure ignored;
  Eigen::VectorXd nudge(n_), away = at.x, reference(m_), changed(m_);
  for (int j = 0; j < n_; ++j) nudge[j] = side * probe_shift(0.1, n_ - j);
  layout_.plus(at.x.data(), nudge.data(), away.data());
  const Eigen::VectorXd away_xd = at.xd + nudge;
  const double t = at.t + side * 1e-3 * std::max(std::abs(at.t), time_scale);
  const auto evaluate = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& xd,
                            Eigen::VectorXd& r) {
    if (guarded(ignored, at.t, [&] { return map_.value(t, x.data(), xd.data(), r.data()); }) ==
        Outcome::ok)
      return true;
    hand_on_want_of_memory(ignored);
    return false;
  };
  if (!evaluate(away, away_xd, reference) || !reference.allFinite()) return std::nullopt;
  return detect_pattern(
      m_, n_, [&](std::span<const signed char> lane, std::span<unsigned char> hits) {
        std::fill(hits.begin(), hits.end(), static_cast<unsigned char>(0));
        for (int k = 0; k < lanes_at_once; ++k) {
          if (std::find(lane.begin(), lane.end(), static_cast<signed char>(k)) == lane.end())
            continue;
          Eigen::VectorXd x = away, xd = away_xd;
          shift_.setZero();
          for (int j = 0; j < n_; ++j)
            if (lane[static_cast<std::size_t>(j)] == k) shift_[j] = probe_shift(1.0, j);
          if (part == Part::x)
            layout_.plus(away.data(), shift_.data(), x.data());
          else
            xd += shift_;
          if (!evaluate(x, xd, changed)) return false;
          for (int i = 0; i < m_; ++i)
            if (!(changed[i] == reference[i]))
              hits[static_cast<std::size_t>(i)] =
                  static_cast<unsigned char>(hits[static_cast<std::size_t>(i)] | (1u << k));
        }
        return true;
      });
}

SparsePattern JacobianEvaluator::detect(const State& at, Part part) {
  std::optional<SparsePattern> found;
  if (map_.differentiable()) {
    found = detect_by_nan(at, part);
  } else {
    // Two points, united: a factor may vanish at one of them, and plain code may branch.
    for (const double side : {1.0, -1.0, 0.0}) {
      if (side == 0.0 && !growing_) continue;
      const auto here = detect_by_change(at, part, side);
      if (!here) return SparsePattern::dense(m_, n_);
      found = found ? unite(*found, *here) : *here;
    }
  }
  return found ? *found : SparsePattern::dense(m_, n_);
}

SparsePattern JacobianEvaluator::structure_at(const State& at) {
  growing_ = true;
  SparsePattern found = detect(at, Part::x);
  growing_ = false;
  return found;
}

bool JacobianEvaluator::check_due(const Counter& counter) {
  const bool full = dx.pattern.nonzeros() == m_ * n_ || !wanted_.x;
  const bool full_rates = dxd.pattern.nonzeros() == m_ * n_ || !wanted_.xd;
  if (!structured_ || (full && full_rates)) return false;
  ++since_check_;
  long failures = 0;
  for (const Counts& c : counter.phases()) failures += c.newton_failures;
  const bool failed = failures != failures_seen_;
  failures_seen_ = failures;
  const long patience = 1L << std::min(false_alarms_, max_doublings);
  if (failed && (patience == 1 || since_check_ >= patience)) return true;
  return since_check_ >= (doubted_ ? min_interval : interval_) * patience;
}

bool JacobianEvaluator::holds(double t, const double* x, const double* xd, Counter& counter) {
  counter.now().jacobian_columns += 1;
  since_check_ = 0;
  interval_ = std::min(2 * interval_, max_interval);
  doubted_ = false;
  ++checks_;
  return differences_ ? holds_by_differences(t, x, xd) : holds_by_duals(t, x, xd);
}

void JacobianEvaluator::add_products(double* sum, double* size) const {
  std::fill(sum, sum + m_, 0.0);
  std::fill(size, size + m_, 0.0);
  if (wanted_.x) add_product(dx, direction_x_, sum, size);
  if (wanted_.xd) add_product(dxd, direction_xd_, sum, size);
}

// Directions in units of one and of the variables in turn: an entry may count in either.
bool JacobianEvaluator::holds_by_duals(double t, const double* x, const double* xd) {
  Failure ignored;
  direction_x_.setOnes();
  if (checks_ % 2 == 0) {
    layout_.magnitude(x, direction_x_.data());
    const double largest = std::max(direction_x_.maxCoeff(), std::numeric_limits<double>::min());
    for (double& size : direction_x_)
      if (size == 0.0) size = 1e-3 * largest;
  }
  const double sign = rates_known_ ? -1.0 : 1.0;
  for (int j = 0; j < n_; ++j) {
    direction_x_[j] *= wanted_.x ? factor(checks_, j) : 0.0;
    direction_xd_[j] = wanted_.xd ? factor(checks_ + 1, j) : 0.0;
  }
  place_duals(t, x, xd);
  auto* parts = reinterpret_cast<double*>(duals_.data());
  const auto seed = [&](double scale) {
    for (int j = 0; j < n_; ++j) {
      if (wanted_.x) parts[seed_of(Part::x, j, 0).pair] = scale * direction_x_[j];
      if (wanted_.xd) parts[seed_of(Part::xd, j, 0).pair] = scale * direction_xd_[j];
    }
  };
  seed(sign);
  const Outcome outcome = evaluate_duals(x, {}, 0.0, r_.data(), ignored);
  seed(0.0);
  if (outcome != Outcome::ok) return true;
  add_products(product_.data(), size_.data());
  for (int i = 0; i < m_; ++i) {
    const double along = r_[static_cast<std::size_t>(i)].d[0];
    if (std::isfinite(along) && std::abs(along - product_[i]) > exact_tolerance * size_[i])
      return false;
  }
  return true;
}

bool JacobianEvaluator::holds_by_differences(double t, const double* x, const double* xd) {
  Failure ignored;
  const double share =
      given_increment_ > 0.0 ? given_increment_ : std::sqrt(std::max(map_.noise(), 0.0));
  for (int j = 0; j < n_; ++j) {
    direction_x_[j] = wanted_.x ? share * size_x_[j] * factor(checks_, j) : 0.0;
    direction_xd_[j] = wanted_.xd ? share * size_xd_[j] * factor(checks_ + 1, j) : 0.0;
  }
  layout_.plus(x, direction_x_.data(), point_.data());
  if (layout_.euclidean())
    for (int j = 0; j < n_; ++j) direction_x_[j] = point_[j] - x[j];
  if (xd) increment_ = Eigen::Map<const Eigen::VectorXd>(xd, n_) + direction_xd_;
  const double* rates = xd ? increment_.data() : nullptr;
  const Outcome outcome =
      guarded(ignored, t, [&] { return map_.value(t, point_.data(), rates, moved_.data()); });
  if (outcome != Outcome::ok) return true;
  add_products(product_.data(), size_.data());
  for (int i = 0; i < m_; ++i) {
    const double along = moved_[i] - base_[i];
    const double noise =
        max_noise * map_.noise() * std::max(std::abs(moved_[i]), std::abs(base_[i]));
    if (std::isfinite(along) &&
        std::abs(along - product_[i]) > difference_tolerance * size_[i] + noise)
      return false;
  }
  return true;
}

// False: nothing new was found, and the product was wrong for another reason.
bool JacobianEvaluator::grow(double t, const double* x, const double* xd) {
  State at{t, Eigen::Map<const Eigen::VectorXd>(x, layout_.points()), Eigen::VectorXd::Zero(n_)};
  if (xd) at.xd = Eigen::Map<const Eigen::VectorXd>(xd, n_);
  growing_ = true;
  SparsePattern of_x = wanted_.x ? unite(dx.pattern, detect(at, Part::x)) : dx.pattern;
  SparsePattern of_xd = wanted_.xd ? unite(dxd.pattern, detect(at, Part::xd)) : dxd.pattern;
  growing_ = false;
  const auto new_x = first_new(dx.pattern, of_x), new_xd = first_new(dxd.pattern, of_xd);
  if (!new_x && !new_xd) {
    ++false_alarms_;
    return false;
  }
  first_found_ = new_x ? Entry{new_x->first, new_x->second, false}
                       : Entry{new_xd->first, new_xd->second, true};
  if (growths_++ == 0) {
    first_x_ = dx.pattern;
    first_xd_ = dxd.pattern;
  }
  // More branches may follow soon.
  interval_ = 2;
  dx.pattern = std::move(of_x);
  if (new_xd) {
    dxd.pattern = std::move(of_xd);
    dxd.values.assign(static_cast<std::size_t>(dxd.pattern.nonzeros()), 0.0);
  }
  plan();
  return true;
}

// Columns one after another, rows ascending within each: what the solvers rely on.
static bool is_sound(const SparsePattern& p) {
  if (p.start.empty()) return p.row.empty();  // there is none
  if (p.start.size() != static_cast<std::size_t>(p.cols) + 1 || p.start.front() != 0 ||
      p.start.back() != p.nonzeros())
    return false;
  for (std::size_t j = 0; j + 1 < p.start.size(); ++j) {
    if (p.start[j + 1] < p.start[j] || p.start[j + 1] > p.nonzeros()) return false;
    for (int k = p.start[j]; k < p.start[j + 1]; ++k) {
      const int row = p.row[static_cast<std::size_t>(k)];
      if (row < 0 || row >= p.rows ||
          (k > p.start[j] && row <= p.row[static_cast<std::size_t>(k) - 1]))
        return false;
    }
  }
  return true;
}

// Increments follow the largest size that a variable has had in the run.
void JacobianEvaluator::archive(Archive& a) {
  const int before = growths_;
  a(size_x_, size_xd_, dt, doubted_, growths_, false_alarms_, since_check_, interval_, checks_,
    failures_seen_, sharp_, newton_failures_, failed_in_a_row_);
  a.require(interval_ >= 0 && interval_ <= max_interval && false_alarms_ >= 0 &&
                since_check_ >= 0 && since_check_ <= max_interval << max_doublings,
            "the checks of a structure are counted otherwise");
  SparsePattern x = dx.pattern, xd = dxd.pattern;
  if (growths_ > 0)
    for (SparsePattern* p : {&x, &xd}) {
      a(p->start);
      a.grows(p->row);
      a.require(is_sound(*p), "a structure is not that of a matrix");
    }
  if (a.saving()) return;
  if (growths_ == 0 && before > 0) {
    x = first_x_;
    xd = first_xd_;
  }
  if (same(x, dx.pattern) && same(xd, dxd.pattern)) return;
  if (before == 0) {
    first_x_ = dx.pattern;
    first_xd_ = dxd.pattern;
  }
  dx.pattern = std::move(x);
  if (!same(xd, dxd.pattern)) {
    dxd.pattern = std::move(xd);
    dxd.values.assign(static_cast<std::size_t>(dxd.pattern.nonzeros()), 0.0);
  }
  plan();
}

}  // namespace daedalus
