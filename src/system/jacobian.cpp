#include "system/jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "function/pattern.hpp"

namespace daedalus {
namespace {
// A variable that has been zero so far has no size of its own; its shift must still be seen beside
// the other variables of its block.
constexpr double no_size = 1e-10, share_of_block = 1e-3;
}  // namespace

JacobianEvaluator::JacobianEvaluator(VectorMap& map, const Layout& layout, Wanted wanted,
                                     bool differences, double increment)
    : map_(map),
      layout_(layout),
      wanted_(wanted),
      differences_(differences || !map.differentiable()),
      given_increment_(increment),
      n_(layout.tangents()),
      m_(map.rows()) {
  const auto n = static_cast<std::size_t>(n_);
  dt.setZero(m_);
  base_.setZero(m_);
  moved_.setZero(m_);
  shift_.setZero(n_);
  increment_.setZero(n_);
  point_.setZero(layout.points());
  size_x_.setZero(n_);
  size_xd_.setZero(n_);
  if (!differences_) {
    x_.resize(static_cast<std::size_t>(layout.points()));
    w_.resize(n);
    xd_.resize(n);
    r_.resize(static_cast<std::size_t>(m_));
  }
}

void JacobianEvaluator::assume_dense() {
  dx.pattern = SparsePattern::dense(m_, n_);
  dxd.pattern = SparsePattern::dense(m_, n_);
  plan();
}

void JacobianEvaluator::prepare(const State& at) {
  dx.pattern = wanted_.x
                   ? detect(at, Part::x)
                   : SparsePattern{m_, n_, std::vector<int>(static_cast<std::size_t>(n_) + 1), {}};
  if (wanted_.xd) {
    if (std::optional<SparseValues> known = map_.constant_rates()) {
      dxd = std::move(*known);
      wanted_.xd = false;
    } else {
      dxd.pattern = detect(at, Part::xd);
    }
  }
  plan();
}

SparsePattern JacobianEvaluator::detect(const State& at, Part part) {
  Failure ignored;
  // A NaN in a derivative survives multiplication by zero, so dual numbers show the structure and
  // not just what happens to be non-zero at this point.
  const auto by_nan = [&](std::span<const signed char> lane, std::span<unsigned char> hits) {
    Chunk chunk;
    for (int j = 0; j < n_; ++j)
      if (lane[static_cast<std::size_t>(j)] >= 0)
        (part == Part::x ? chunk.seeds_x : chunk.seeds_xd)
            .emplace_back(j, lane[static_cast<std::size_t>(j)]);
    place_duals(at.x.data(), at.xd.data());
    if (evaluate_duals(at.t, at.x.data(), chunk, std::numeric_limits<double>::quiet_NaN(),
                       ignored) != Outcome::ok)
      return false;
    for (std::size_t i = 0; i < r_.size(); ++i) {
      hits[i] = 0;
      for (std::size_t k = 0; k < 4; ++k)
        if (std::isnan(r_[i].d[k])) hits[i] = static_cast<unsigned char>(hits[i] | (1u << k));
    }
    return true;
  };
  // A plain callable shows which rows change when columns do, at a point moved away from special
  // values such as zero.
  double away_t = at.t;
  Eigen::VectorXd away = at.x, moved_xd = at.xd, reference(m_), changed(m_);
  const auto moved = [&](double size, int j) {
    return size * (1e-3 + 1e-4 * std::fmod(0.6180339887 * (j + 1), 1.0)) + 1e-6;
  };
  const auto by_change = [&](std::span<const signed char> lane, std::span<unsigned char> hits) {
    std::fill(hits.begin(), hits.end(), static_cast<unsigned char>(0));
    for (int k = 0; k < 4; ++k) {
      if (std::find(lane.begin(), lane.end(), static_cast<signed char>(k)) == lane.end()) continue;
      Eigen::VectorXd x = away, xd = moved_xd;
      shift_.setZero();
      for (int j = 0; j < n_; ++j)
        if (lane[static_cast<std::size_t>(j)] == k) shift_[j] = moved(1.0, j);
      if (part == Part::x)
        layout_.plus(away.data(), shift_.data(), x.data());
      else
        xd += shift_;
      const Outcome o = guarded(
          ignored, at.t, [&] { return map_.value(away_t, x.data(), xd.data(), changed.data()); });
      if (o != Outcome::ok) return false;
      for (int i = 0; i < m_; ++i)
        if (!(changed[i] == reference[i]))
          hits[static_cast<std::size_t>(i)] =
              static_cast<unsigned char>(hits[static_cast<std::size_t>(i)] | (1u << k));
    }
    return true;
  };
  std::optional<SparsePattern> found;
  if (map_.differentiable()) {
    if (x_.empty()) {
      x_.resize(static_cast<std::size_t>(layout_.points()));
      w_.resize(static_cast<std::size_t>(n_));
      xd_.resize(static_cast<std::size_t>(n_));
      r_.resize(static_cast<std::size_t>(m_));
    }
    found = detect_pattern(m_, n_, by_nan);
  } else {
    // Two points, united: a factor may vanish at one of them, and plain code may branch.
    for (const double side : {1.0, -1.0}) {
      Eigen::VectorXd nudge(n_);
      for (int j = 0; j < n_; ++j) nudge[j] = side * moved(0.1, n_ - j);
      layout_.plus(at.x.data(), nudge.data(), away.data());
      moved_xd = at.xd + nudge;
      away_t = at.t + side * 1e-3 * std::max(std::abs(at.t), time_scale);
      const bool valid =
          guarded(ignored, at.t,
                  [&] {
                    return map_.value(away_t, away.data(), moved_xd.data(), reference.data());
                  }) == Outcome::ok &&
          reference.allFinite();
      const auto here = valid ? detect_pattern(m_, n_, by_change) : std::nullopt;
      if (!here) return SparsePattern::dense(m_, n_);
      found = found ? unite(*found, *here) : *here;
    }
  }
  return found ? *found : SparsePattern::dense(m_, n_);
}

void JacobianEvaluator::plan() {
  dx.values.assign(static_cast<std::size_t>(dx.pattern.nonzeros()), 0.0);
  colour_x_ = colour_columns(dx.pattern);
  lanes_.clear();
  dxd.values.resize(static_cast<std::size_t>(dxd.pattern.nonzeros()), 0.0);
  if (wanted_.x)
    for (int c = 0; c < colour_x_.colours; ++c) lanes_.push_back({Part::x, c});
  if (wanted_.xd) {
    colour_xd_ = colour_columns(dxd.pattern);
    for (int c = 0; c < colour_xd_.colours; ++c) lanes_.push_back({Part::xd, c});
  }
  if (wanted_.t) lanes_.push_back({Part::t, 0});

  chunks_.clear();
  for (std::size_t first = 0; first < lanes_.size(); first += 4) {
    Chunk chunk;
    const auto list = [&](Part part) -> std::vector<Extraction>& {
      return chunk.extract[static_cast<std::size_t>(part)];
    };
    for (std::size_t k = first; k < std::min(first + 4, lanes_.size()); ++k) {
      const int lane = static_cast<int>(k - first);
      if (lanes_[k].part == Part::t) {
        chunk.time_lane = lane;
        for (int i = 0; i < m_; ++i) list(Part::t).push_back({i, lane, i});
        continue;
      }
      const bool of_x = lanes_[k].part == Part::x;
      const SparsePattern& pattern = of_x ? dx.pattern : dxd.pattern;
      const Colouring& colouring = of_x ? colour_x_ : colour_xd_;
      for (int j = 0; j < n_; ++j) {
        if (colouring.colour[static_cast<std::size_t>(j)] != lanes_[k].colour) continue;
        (of_x ? chunk.seeds_x : chunk.seeds_xd).emplace_back(j, lane);
        for (int e = pattern.start[static_cast<std::size_t>(j)];
             e < pattern.start[static_cast<std::size_t>(j) + 1]; ++e)
          list(lanes_[k].part).push_back({pattern.row[static_cast<std::size_t>(e)], lane, e});
      }
    }
    chunks_.push_back(std::move(chunk));
  }
}

void JacobianEvaluator::place_duals(const double* x, const double* xd) {
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = Dual4(x[i]);
  for (std::size_t j = 0; j < xd_.size(); ++j) xd_[j] = Dual4(xd ? xd[j] : 0.0);
}

void JacobianEvaluator::mark(const Chunk& chunk, double seed) {
  const auto put = [seed](std::vector<Dual4>& list, const std::vector<std::pair<int, int>>& seeds) {
    for (const auto& [column, lane] : seeds)
      list[static_cast<std::size_t>(column)].d[static_cast<std::size_t>(lane)] = seed;
  };
  put(layout_.euclidean() ? x_ : w_, chunk.seeds_x);
  put(xd_, chunk.seeds_xd);
}

Outcome JacobianEvaluator::evaluate_duals(double t, const double* x, const Chunk& chunk,
                                          double seed, Failure& failure) {
  mark(chunk, seed);
  if (!layout_.euclidean()) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = Dual4(x[i]);
    layout_.plus(x_.data(), w_.data(), x_.data());
  }
  Dual4 time(t);
  if (chunk.time_lane >= 0) time.d[static_cast<std::size_t>(chunk.time_lane)] = seed;
  const Outcome outcome =
      guarded(failure, t, [&] { return map_.dual(time, x_.data(), xd_.data(), r_.data()); });
  if (outcome != Outcome::ok) failure.function = map_.running();
  mark(chunk, 0.0);
  return outcome;
}

Outcome JacobianEvaluator::by_duals(double t, const double* x, const double* xd, Failure& failure) {
  place_duals(x, xd);
  const auto take = [this](const std::vector<Extraction>& list, double* to) {
    for (const Extraction& e : list)
      to[e.position] = r_[static_cast<std::size_t>(e.row)].d[static_cast<std::size_t>(e.lane)];
  };
  for (const Chunk& chunk : chunks_) {
    const Outcome outcome = evaluate_duals(t, x, chunk, 1.0, failure);
    if (outcome != Outcome::ok) return outcome;
    take(chunk.extract[static_cast<std::size_t>(Part::x)], dx.values.data());
    take(chunk.extract[static_cast<std::size_t>(Part::xd)], dxd.values.data());
    take(chunk.extract[static_cast<std::size_t>(Part::t)], dt.data());
  }
  return Outcome::ok;
}

// Largest magnitude seen of each variable, or a share of its block's.
void JacobianEvaluator::update_sizes() {
  size_x_ = size_x_.cwiseMax(increment_);
  for (const LayoutBlock& b : layout_.blocks()) {
    auto block = size_x_.segment(b.tangent, b.space.tangents());
    const double largest = std::max(block.maxCoeff(), share_of_block);
    for (double& size : block)
      if (size < no_size * largest) size = share_of_block * largest;
  }
}

Outcome JacobianEvaluator::by_differences(double t, const double* x, const double* xd,
                                          Failure& failure) {
  const auto call = [&](double at, const double* y, const double* yd, Eigen::VectorXd& r) {
    const Outcome o = guarded(failure, at, [&] { return map_.value(at, y, yd, r.data()); });
    if (o != Outcome::ok) failure.function = map_.running();
    return o;
  };
  // The difference of two values carries their noise over the shift, the quotient the shift itself.
  const bool given = given_increment_ > 0.0;
  const double share = given ? given_increment_ : std::sqrt(map_.noise());
  layout_.magnitude(x, increment_.data());
  if (given)
    size_x_ = increment_.cwiseMax(1.0);
  else
    update_sizes();
  if (xd)
    for (int j = 0; j < n_; ++j) size_xd_[j] = std::max({size_xd_[j], std::abs(xd[j]), 1e-6});
  if (const Outcome o = call(t, x, xd, base_); o != Outcome::ok) return o;
  for (const Chunk& chunk : chunks_) {
    for (int lane = 0; lane < 4; ++lane) {
      shift_.setZero();
      bool of_x = false, of_xd = false;
      for (const auto& [column, k] : chunk.seeds_x)
        if (k == lane) shift_[column] = share * size_x_[column], of_x = true;
      for (const auto& [column, k] : chunk.seeds_xd)
        if (k == lane) shift_[column] = share * size_xd_[column], of_xd = true;
      const bool of_t = lane == chunk.time_lane;
      const double tau = share * std::max(std::abs(t), given ? 1.0 : time_scale);
      Outcome o = Outcome::ok;
      if (of_x) {
        layout_.plus(x, shift_.data(), point_.data());
        if (layout_.euclidean())
          for (int j = 0; j < n_; ++j) shift_[j] = point_[j] - x[j];
        o = call(t, point_.data(), xd, moved_);
      } else if (of_xd) {
        for (int j = 0; j < n_; ++j) increment_[j] = xd[j] + shift_[j];
        for (int j = 0; j < n_; ++j) shift_[j] = increment_[j] - xd[j];
        o = call(t, x, increment_.data(), moved_);
      } else if (of_t) {
        o = call(t + tau, x, xd, moved_);
      } else {
        continue;
      }
      if (o != Outcome::ok) return o;
      const Part part = of_x ? Part::x : of_xd ? Part::xd : Part::t;
      for (const Extraction& e : chunk.extract[static_cast<std::size_t>(part)]) {
        if (e.lane != lane) continue;
        const double change = moved_[e.row] - base_[e.row];
        if (part == Part::t) {
          dt[e.position] = change / tau;
          continue;
        }
        SparseValues& target = part == Part::x ? dx : dxd;
        const auto& s = target.pattern.start;
        const int column =
            static_cast<int>(std::upper_bound(s.begin(), s.end(), e.position) - s.begin() - 1);
        target.values[static_cast<std::size_t>(e.position)] = change / shift_[column];
      }
    }
  }
  return Outcome::ok;
}

Outcome JacobianEvaluator::evaluate(double t, const double* x, const double* xd, Counter& counter,
                                    Failure& failure) {
  counter.now().jacobian_evaluations += 1;
  counter.now().jacobian_columns += static_cast<long>(lanes_.size());
  const Outcome outcome =
      differences_ ? by_differences(t, x, xd, failure) : by_duals(t, x, xd, failure);
  if (outcome != Outcome::ok) return outcome;
  const auto check = [&](const double* values, int count, const SparsePattern* pattern) {
    const int bad = first_not_finite(values, count);
    if (bad < 0) return true;
    // Once more, piece by piece, for the name of the callable.
    Failure ignored;
    map_.search(true);
    differences_ ? by_differences(t, x, xd, ignored) : by_duals(t, x, xd, ignored);
    map_.search(false);
    failure = {map_.running(), pattern ? pattern->row[static_cast<std::size_t>(bad)] : bad, t, {}};
    return false;
  };
  const bool finite =
      (!wanted_.x || check(dx.values.data(), dx.pattern.nonzeros(), &dx.pattern)) &&
      (!wanted_.xd || check(dxd.values.data(), dxd.pattern.nonzeros(), &dxd.pattern)) &&
      (!wanted_.t || check(dt.data(), m_, nullptr));
  return finite ? Outcome::ok : Outcome::not_finite;
}

}  // namespace daedalus
