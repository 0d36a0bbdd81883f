// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/replayed_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/stepper/archive.hpp>

#include "estimation/scalar_function.hpp"
#include "kernel/quiet_denormals.hpp"
#include "solve/integrator_impl.hpp"

namespace daedalus {
namespace {

// Pieces of a segment at first: short, since a long run joins segments, and what is not used of
// the memory is lost. Two segments are in use at a time, so joined ones may take a quarter of it.
constexpr std::size_t first_share = 16;
constexpr std::size_t largest_share = 4;
constexpr std::size_t min_steps = 4;  // below that a segment begins about as often as it steps

std::size_t bytes_of(const std::vector<Interpolant>& pieces) {
  std::size_t sum = 0;
  for (const Interpolant& p : pieces)
    sum +=
        sizeof(Interpolant) + sizeof(double) * static_cast<std::size_t>(p.base.size() + p.c.size());
  return sum;
}

// Bytes of the dense output of a step, about: powers of the interpolant, with its base.
std::size_t bytes_per_step(std::size_t variables) {
  constexpr std::size_t powers = 8;  // more than the formulas in common use have
  return sizeof(Interpolant) + powers * variables * sizeof(double);
}

void only_pieces(Run& run) {
  run.loop().keep_interpolants();
  run.loop().recorder().configure(false, {});
}

}  // namespace

ReplayedHistory::ReplayedHistory(std::shared_ptr<const Problem> problem, Interval interval,
                                 Options options, std::size_t memory)
    : problem_(std::move(problem)),
      interval_(interval),
      options_(std::move(options)),
      memory_(memory),
      steps_(0),
      run_(run_forwards()) {
  options_.progress = {};
  options_.sink = {};
  const SolutionData& d = run_.data();
  ends_ = {d.start_time, d.end_time, d.statistics.last_step, d.start, d.end};
  whole();
}

Solution ReplayedHistory::run_forwards() {
  options_.output = Output::dense;
  check_end(interval_.to);
  check_times(interval_, options_);
  const QuietDenormals quiet;
  const auto clock = std::chrono::steady_clock::now();
  Run run(*problem_, options_, interval_.from);
  only_pieces(run);
  Status status = run.start(interval_.to);
  if (run.remembers())
    throw InvalidArgument(
        "the gradient: the model takes values of the past (delay), and derivatives by them are not "
        "computed; compare runs with other values");
  const auto variables = static_cast<std::size_t>(run.loop().system().variables->size());
  steps_ =
      static_cast<long>(std::max(min_steps, memory_ / first_share / bytes_per_step(variables)));
  while (status == Status::success && run.loop().t() != interval_.to) {
    Segment segment;
    Archive archive;
    run.archive(archive, interval_.to);
    segment.beginning = archive.bytes();
    for (; segment.steps < steps_ && status == Status::success && run.loop().t() != interval_.to;
         ++segment.steps)
      status = run.step(interval_.to).status;
    segment.to = run.loop().t();
    segment.pieces = run.loop().take_interpolants();
    keep(std::move(segment));
  }
  run.run(interval_.to);  // what an analysis adds at the end
  return Solution(run.result(seconds_since(clock)));
}

void ReplayedHistory::keep(Segment segment) {
  segment.bytes = bytes_of(segment.pieces);
  beginnings_ += segment.beginning.size();
  bytes_ += segment.beginning.size();
  make_room(segment.bytes, segments_.size());
  bytes_ += segment.bytes;
  segments_.push_back(std::move(segment));
  max_bytes_ = std::max(max_bytes_, bytes_);
  if (beginnings_ > memory_ / 2) join_segments();
  if (bytes_ <= memory_) return;
  throw GradientFailure(fmt::format(
      "What is kept of the run forwards takes more than the {} bytes of `memory` at t = {:.6g}; "
      "allow more, or use the way `forward`.",
      memory_, segments_.back().to));
}

// Every other beginning goes, and segments are twice as long from now on: of a run of N steps
// the memory holds beginnings and pieces of about sqrt(N) steps each.
void ReplayedHistory::join_segments() {
  std::size_t longest = 0;
  for (const Segment& s : segments_) longest = std::max(longest, s.bytes);
  if (segments_.size() < 2 || 2 * longest > memory_ / largest_share) return;
  std::vector<Segment> joined;
  for (std::size_t k = 0; k < segments_.size(); ++k) {
    Segment& one = segments_[k];
    if (k % 2 == 0) {
      joined.push_back(std::move(one));
      continue;
    }
    Segment& before = joined.back();
    bytes_ -= one.beginning.size();
    beginnings_ -= one.beginning.size();
    if (before.pieces.empty() != one.pieces.empty()) {
      bytes_ -= before.pieces.empty() ? one.bytes : before.bytes;
      before.pieces.clear();
    } else {
      before.pieces.insert(before.pieces.end(), one.pieces.begin(), one.pieces.end());
    }
    before.bytes += one.bytes;
    before.steps += one.steps;
    before.to = one.to;
  }
  segments_ = std::move(joined);
  steps_ *= 2;
}

void ReplayedHistory::make_room(std::size_t bytes, std::size_t near) {
  while (bytes_ + bytes > memory_) {
    Segment* farthest = nullptr;
    std::size_t distance = 0;
    for (std::size_t k = 0; k < segments_.size(); ++k) {
      const std::size_t here = k > near ? k - near : near - k;
      if (segments_[k].pieces.empty() || here < distance) continue;
      farthest = &segments_[k];
      distance = here;
    }
    if (!farthest) return;
    bytes_ -= farthest->bytes;
    farthest->pieces = {};
  }
}

const std::vector<Interpolant>& ReplayedHistory::pieces(std::size_t k) {
  Segment& segment = segments_[k];
  if (segment.pieces.empty()) {
    make_room(segment.bytes, k);
    replay(segment);
    bytes_ += segment.bytes;
    max_bytes_ = std::max(max_bytes_, bytes_);
  }
  return segment.pieces;
}

void ReplayedHistory::replay(Segment& segment) {
  const QuietDenormals quiet;
  Run run(*problem_, options_, interval_.from);
  only_pieces(run);
  Status status = run.start(interval_.to);
  if (status == Status::success) {
    Archive archive{std::vector<char>(segment.beginning)};
    run.archive(archive, interval_.to);
    for (long i = 0; i < segment.steps && status == Status::success; ++i) {
      status = run.step(interval_.to).status;
      ++recomputed_;
    }
  }
  if (status == Status::cancelled)
    throw GradientFailure(
        fmt::format("The run was cancelled at t = {:.6g}, as it was computed "
                    "again for the run backwards.",
                    run.loop().t()));
  if (run.loop().t() != segment.to)
    throw GradientFailure(
        fmt::format("The run forwards was computed again and had other steps near t = {:.6g}: its "
                    "functions have to give equal values for equal arguments.",
                    run.loop().t()));
  segment.pieces = run.loop().take_interpolants();
}

const Layout& ReplayedHistory::layout() { return run_.data().layout; }

void ReplayedHistory::each_piece(const std::function<void(const Interpolant&)>& visit) {
  for (std::size_t k = 0; k < segments_.size(); ++k)
    for (const Interpolant& p : pieces(k)) visit(p);
}

const Interpolant& ReplayedHistory::piece(double inside) {
  const auto it = std::partition_point(segments_.begin(), segments_.end(), [&](const Segment& s) {
    return sign() * s.to < sign() * inside;
  });
  const auto k = static_cast<std::size_t>(it - segments_.begin());
  return piece_of(pieces(std::min(k, segments_.size() - 1)), inside, sign());
}

}  // namespace daedalus
