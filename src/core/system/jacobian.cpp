// SPDX-License-Identifier: BSD-3-Clause
#include "system/jacobian.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace daedalus {
namespace {
// Of Dual4.
constexpr int directions = 4;
// Derivatives come first in a dual number.
constexpr int numbers = sizeof(Dual4) / sizeof(double);

// Results of so many rows are kept, or else of four directions: with all of them a large system of
// many colours would need more memory than its Jacobian.
constexpr std::size_t max_kept = std::size_t{1} << 16;
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
      differences_(differences || !(map.differentiable() || map.knows_derivatives())),
      given_increment_(increment),
      n_(layout.tangents()),
      m_(map.rows()) {
  dt.setZero(m_);
  for (Eigen::VectorXd* v : {&base_, &moved_, &sum_}) v->resize(m_);
  for (Eigen::VectorXd* v : {&shift_, &increment_, &size_x_, &size_xd_}) v->resize(n_);
  point_.resize(layout.points());
  // With formulas nothing is shifted: of large systems memory that nobody writes to costs nothing.
  if (map.knows_derivatives() && !differences) return;
  for (Eigen::VectorXd* v :
       {&base_, &moved_, &sum_, &shift_, &increment_, &point_, &size_x_, &size_xd_})
    v->setZero();
}

void JacobianEvaluator::allocate_duals(std::size_t chunks) {
  const int tangents = layout_.euclidean() ? n_ : 2 * n_;
  duals_.assign(static_cast<std::size_t>(1 + layout_.points() + tangents), Dual4());
  r_.resize(std::max(r_.size(), chunks * static_cast<std::size_t>(m_)));
}

void JacobianEvaluator::assume_dense() {
  dx.pattern = SparsePattern::dense(m_, n_);
  dxd.pattern = SparsePattern::dense(m_, n_);
  plan();
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
  const std::size_t at_once = std::clamp(max_kept / static_cast<std::size_t>(std::max(m_, 1)),
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
  watch_failures(counter.now().newton_failures);
  Outcome outcome = run(t, x, xd, failure);
  if (outcome == Outcome::ok && check_due(counter) && !holds(t, x, xd, counter) && grow(t, x, xd)) {
    counter.now().jacobian_columns += static_cast<long>(lanes_.size());
    outcome = run(t, x, xd, failure);
  }
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
