#include "system/jacobian.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "function/pattern.hpp"

namespace daedalus {
namespace {
// A variable that has been zero so far has no size of its own; its shift must still be seen beside
// the other variables of its block.
constexpr double no_size = 1e-10, share_of_block = 1e-3;

constexpr int directions = 4;
// Derivatives come first in a dual number.
constexpr int numbers = sizeof(Dual4) / sizeof(double);

// Results of so many rows are kept, or else of four directions: with all of them a large system of
// many colours would need more memory than its Jacobian.
constexpr std::size_t most_kept = std::size_t{1} << 16;
}  // namespace

// Copies each entry from its source and returns their sum, which is finite only if all of them are.
inline double JacobianEvaluator::take(const Dual4* r, const Entries& entries, double* to) {
  const auto* from = reinterpret_cast<const double*>(r);
  const int *source = entries.source.data(), *place = entries.place.data();
  const std::size_t count = entries.source.size();
  double sum = 0.0;
  if (!entries.place.empty()) {
    for (std::size_t k = 0; k < count; ++k) sum += to[place[k]] = from[source[k]];
    return sum;
  }
  const std::size_t fours = count & ~std::size_t{3};
  detail::Pair sums = {0.0, 0.0};
  const auto two = [&](std::size_t k) {
    const detail::Pair p = {from[source[k]], from[source[k + 1]]};
    __builtin_memcpy(to + k, &p, sizeof p);
    sums += p;
  };
  for (std::size_t k = 0; k < fours; k += 4) two(k), two(k + 2);
  for (std::size_t k = fours; k < count; ++k) {
    to[k] = from[source[k]];
    sum += to[k];
  }
  return sum + (sums[0] + sums[1]);
}

JacobianEvaluator::JacobianEvaluator(VectorMap& map, const Layout& layout, Wanted wanted,
                                     bool differences, double increment)
    : map_(map),
      layout_(layout),
      wanted_(wanted),
      differences_(differences || !map.differentiable()),
      given_increment_(increment),
      n_(layout.tangents()),
      m_(map.rows()) {
  dt.setZero(m_);
  base_.setZero(m_);
  moved_.setZero(m_);
  shift_.setZero(n_);
  increment_.setZero(n_);
  point_.setZero(layout.points());
  size_x_.setZero(n_);
  size_xd_.setZero(n_);
}

void JacobianEvaluator::allocate_duals(std::size_t chunks) {
  const int tangents = layout_.euclidean() ? n_ : 2 * n_;
  duals_.assign(static_cast<std::size_t>(1 + layout_.points() + tangents), Dual4());
  r_.resize(chunks * static_cast<std::size_t>(m_));
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
      rates_known_ = true;
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
        chunk.push_back(seed_of(part, j, lane[static_cast<std::size_t>(j)]));
    place_duals(at.t, at.x.data(), at.xd.data());
    if (evaluate_duals(at.x.data(), chunk, std::numeric_limits<double>::quiet_NaN(), r_.data(),
                       ignored) != Outcome::ok)
      return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(m_); ++i) {
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
    allocate_duals(1);
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
  if (!differences_) plan_duals();
}

void JacobianEvaluator::plan_duals() {
  const std::size_t chunks = (lanes_.size() + directions - 1) / directions;
  const std::size_t at_once = std::clamp(most_kept / static_cast<std::size_t>(std::max(m_, 1)),
                                         std::size_t{1}, std::max(chunks, std::size_t{1}));
  const bool all = chunks <= at_once;
  allocate_duals(std::min(chunks, at_once));
  batches_.assign((chunks + at_once - 1) / at_once, {});
  for (Batch& batch : batches_) {
    const std::size_t before = at_once * static_cast<std::size_t>(&batch - batches_.data());
    batch.chunks.resize(std::min(at_once, chunks - before));
    if (!all) continue;
    batch.x.source.resize(wanted_.x ? dx.values.size() : 0);
    batch.xd.source.resize(wanted_.xd ? dxd.values.size() : 0);
    batch.t.source.resize(static_cast<std::size_t>(wanted_.t ? m_ : 0));
  }
  for (std::size_t k = 0; k < lanes_.size(); ++k) {
    const Part part = lanes_[k].part;
    Batch& batch = batches_[k / directions / at_once];
    const std::size_t c = k / directions % at_once;
    const int lane = static_cast<int>(k) % directions;
    Entries& entries = part == Part::x ? batch.x : part == Part::xd ? batch.xd : batch.t;
    const auto put = [&](int entry, int row) {
      const int source = (static_cast<int>(c) * m_ + row) * numbers + lane;
      if (all) {
        entries.source[static_cast<std::size_t>(entry)] = source;
        return;
      }
      entries.source.push_back(source);
      entries.place.push_back(entry);
    };
    if (part == Part::t) {
      batch.chunks[c].push_back(seed_of(part, 0, lane));
      for (int i = 0; i < m_; ++i) put(i, i);
      continue;
    }
    const SparsePattern& pattern = part == Part::x ? dx.pattern : dxd.pattern;
    for (int j = 0; j < n_; ++j) {
      if (colouring(part).colour[static_cast<std::size_t>(j)] != lanes_[k].colour) continue;
      batch.chunks[c].push_back(seed_of(part, j, lane));
      for (int e = pattern.start[static_cast<std::size_t>(j)];
           e < pattern.start[static_cast<std::size_t>(j) + 1]; ++e)
        put(e, pattern.row[static_cast<std::size_t>(e)]);
    }
  }
}

JacobianEvaluator::Seed JacobianEvaluator::seed_of(Part part, int column, int lane) const {
  int first = part == Part::t ? 0 : 1;
  if (part == Part::xd) first += layout_.points();
  if (part == Part::x && !layout_.euclidean()) first += layout_.points() + n_;
  return {(first + column) * numbers + (lane & ~1), 2 * (lane & 1)};
}

inline void JacobianEvaluator::place_duals(double t, const double* x, const double* xd) {
  duals_.front().v = t;
  Dual4* to = duals_.data() + 1;
  const int points = layout_.points();
  for (int i = 0; i < points; ++i) to[i].v = x[i];
  if (!xd || rates_known_) return;
  to += points;
  for (int j = 0; j < n_; ++j) to[j].v = xd[j];
}

// In pairs, as they are read: a pair loaded soon after one half was stored would wait until that
// has reached the cache.
inline void JacobianEvaluator::mark(const Chunk& chunk, double seed) {
  const std::array<detail::Pair, 2> halves = {{{seed, 0.0}, {0.0, seed}}};
  const auto* from = reinterpret_cast<const double*>(halves.data());
  auto* to = reinterpret_cast<double*>(duals_.data());
  for (const Seed& s : chunk) __builtin_memcpy(to + s.pair, from + s.half, sizeof(detail::Pair));
}

inline void JacobianEvaluator::unmark(const Chunk& chunk) {
  const detail::Pair none = {0.0, 0.0};
  auto* to = reinterpret_cast<double*>(duals_.data());
  for (const Seed& s : chunk) __builtin_memcpy(to + s.pair, &none, sizeof none);
}

Outcome JacobianEvaluator::evaluate_duals(const double* x, const Chunk& chunk, double seed,
                                          Dual4* r, Failure& failure) {
  mark(chunk, seed);
  const Dual4& t = duals_.front();
  Dual4 *const point = duals_.data() + 1, *const rates = point + layout_.points();
  if (!layout_.euclidean()) {
    for (int i = 0; i < layout_.points(); ++i) point[i] = Dual4(x[i]);
    layout_.plus(point, rates + n_, point);
  }
  const Dual4* xd = rates_known_ ? nullptr : rates;
  const Outcome outcome = guarded(failure, t.v, [&] { return map_.dual(t, point, xd, r); });
  if (outcome != Outcome::ok) failure.function = map_.running();
  unmark(chunk);
  return outcome;
}

Outcome JacobianEvaluator::by_duals(double t, const double* x, const double* xd, Failure& failure) {
  place_duals(t, x, xd);
  // With f in the place of E x' - f, the derivatives of f in the opposite direction are those of F.
  const double seed = rates_known_ ? -1.0 : 1.0;
  double sum = 0.0;
  for (const Batch& batch : batches_) {
    Dual4* r = r_.data();
    for (const Chunk& chunk : batch.chunks) {
      const Outcome outcome = evaluate_duals(x, chunk, seed, r, failure);
      if (outcome != Outcome::ok) return outcome;
      r += m_;
    }
    sum += take(r_.data(), batch.x, dx.values.data());
    if (wanted_.xd) sum += take(r_.data(), batch.xd, dxd.values.data());
    if (wanted_.t) sum += take(r_.data(), batch.t, dt.data());
  }
  // A sum of finite entries may overflow.
  return std::isfinite(sum) || !first_not_finite() ? Outcome::ok : Outcome::not_finite;
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
  for (const Lane& lane : lanes_) {
    if (lane.part == Part::t) {
      const double tau = share * std::max(std::abs(t), given ? 1.0 : time_scale);
      if (const Outcome o = call(t + tau, x, xd, moved_); o != Outcome::ok) return o;
      dt = (moved_ - base_) / tau;
      continue;
    }
    const bool of_x = lane.part == Part::x;
    const std::vector<int>& colour = colouring(lane.part).colour;
    shift_.setZero();
    for (int j = 0; j < n_; ++j)
      if (colour[static_cast<std::size_t>(j)] == lane.colour)
        shift_[j] = share * (of_x ? size_x_ : size_xd_)[j];
    Outcome o = Outcome::ok;
    if (of_x) {
      layout_.plus(x, shift_.data(), point_.data());
      if (layout_.euclidean())
        for (int j = 0; j < n_; ++j) shift_[j] = point_[j] - x[j];
      o = call(t, point_.data(), xd, moved_);
    } else {
      for (int j = 0; j < n_; ++j) increment_[j] = xd[j] + shift_[j];
      for (int j = 0; j < n_; ++j) shift_[j] = increment_[j] - xd[j];
      o = call(t, x, increment_.data(), moved_);
    }
    if (o != Outcome::ok) return o;
    SparseValues& target = of_x ? dx : dxd;
    const SparsePattern& pattern = target.pattern;
    for (int j = 0; j < n_; ++j) {
      if (colour[static_cast<std::size_t>(j)] != lane.colour) continue;
      for (int e = pattern.start[static_cast<std::size_t>(j)];
           e < pattern.start[static_cast<std::size_t>(j) + 1]; ++e) {
        const int row = pattern.row[static_cast<std::size_t>(e)];
        target.values[static_cast<std::size_t>(e)] = (moved_[row] - base_[row]) / shift_[j];
      }
    }
  }
  return first_not_finite() ? Outcome::not_finite : Outcome::ok;
}

std::optional<int> JacobianEvaluator::first_not_finite() const {
  const auto row = [](const SparseValues& part) -> std::optional<int> {
    const int bad = daedalus::first_not_finite(part.values.data(), part.pattern.nonzeros());
    if (bad < 0) return std::nullopt;
    return part.pattern.row[static_cast<std::size_t>(bad)];
  };
  std::optional<int> found;
  if (wanted_.x) found = row(dx);
  if (!found && wanted_.xd) found = row(dxd);
  if (found || !wanted_.t) return found;
  const int bad = daedalus::first_not_finite(dt.data(), m_);
  return bad < 0 ? std::nullopt : std::optional(bad);
}

Outcome JacobianEvaluator::evaluate(double t, const double* x, const double* xd, Counter& counter,
                                    Failure& failure) {
  counter.now().jacobian_evaluations += 1;
  counter.now().jacobian_columns += static_cast<long>(lanes_.size());
  const Outcome outcome = run(t, x, xd, failure);
  if (outcome == Outcome::not_finite) blame(t, x, xd, failure);
  return outcome;
}

void JacobianEvaluator::blame(double t, const double* x, const double* xd, Failure& failure) {
  const int row = first_not_finite().value();
  // Once more, piece by piece, for the name of the callable.
  Failure ignored;
  map_.search(true);
  run(t, x, xd, ignored);
  map_.search(false);
  failure = {map_.running(), row, t, {}};
}

}  // namespace daedalus
