// SPDX-License-Identifier: BSD-3-Clause
// The states of a run in bounded memory. The run is cut into segments of so many steps; what a
// resumed run needs is kept at the beginning of each, and the pieces of as many segments as the
// memory holds. Those of the others are computed again, to the same bits, when they are asked for.
#pragma once

#include <memory>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

#include "estimation/state_history.hpp"

namespace daedalus {

class Run;

class ReplayedHistory final : public StateHistory {
 public:
  // Makes the run. Throws GradientFailure where `memory` bytes do not hold what is kept.
  ReplayedHistory(std::shared_ptr<const Problem> problem, Interval interval, Options options,
                  std::size_t memory);
  const Solution& run() const { return run_; }  // without its pieces
  long recomputed_steps() const { return recomputed_; }
  std::size_t max_bytes() const { return max_bytes_; }

  const Layout& layout() override;
  void each_piece(const std::function<void(const Interpolant&)>& visit) override;

 private:
  struct Segment {
    double to = 0.0;
    long steps = 0;
    std::vector<char> beginning{};  // of the run between two steps
    std::vector<Interpolant> pieces{};
    std::size_t bytes = 0;  // of the pieces, when they are there
  };

  Solution run_forwards();
  void keep(Segment segment);
  void join_segments();
  void make_room(std::size_t bytes, std::size_t near);  // forgets segments far from this one
  const std::vector<Interpolant>& pieces(std::size_t k);
  void replay(Segment& segment);
  const Interpolant& piece(double inside) override;

  std::shared_ptr<const Problem> problem_;
  Interval interval_;
  Options options_;
  std::size_t memory_, bytes_ = 0, max_bytes_ = 0, beginnings_ = 0;
  long steps_, recomputed_ = 0;  // steps of a segment
  std::vector<Segment> segments_;
  Solution run_;
};

}  // namespace daedalus
