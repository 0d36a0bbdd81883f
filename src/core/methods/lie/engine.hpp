// SPDX-License-Identifier: BSD-3-Clause
// What the multistep methods on configuration spaces share: the past, start values, Newton's
// method, interpolant and archive (Wieloch 2022, chapters 3 and 5).
//
// The first values come from Options::known where it gives them, otherwise from the flow of the
// underlying ordinary differential equation. They are laid on a grid of the step that is asked for,
// all at once, so that dense output has its order from the first step on.
#pragma once

#include <memory>
#include <vector>

#include <daedalus/stepper.hpp>
#include "nonlinear/group_flow.hpp"
#include "nonlinear/group_newton.hpp"
#include "nonlinear/normal_space.hpp"
#include "system/mechanical_view.hpp"
#include "system/system.hpp"

namespace daedalus::lie_methods {

// BDF of order 7 and higher are unstable.
constexpr int max_steps = 6;

struct Common {
  int values = 1;        // past values that the method needs before it can step by itself
  int kept = 1;          // past values kept
  int interpolated = 1;  // degree of the interpolant
  bool renormalise = false;
  GroupNewtonSettings newton{};
};

class Engine : public Stepper {
 public:
  Engine(System& system, const Common& common);

  Outcome start(const Start& s) override;
  Attempt attempt(const StepRequest& r) override;
  State& trial() override { return trial_; }
  Outcome interpolant(Interpolant& out) override;
  void commit(bool amended) override;
  int interpolant_degree() const override { return common_.interpolated; }
  void archive(Archive& a) override;

 protected:
  struct Entry {
    double t = 0.0;
    Eigen::VectorXd x;          // as reported
    Eigen::VectorXd velocity;   // as the formulas use it
    Eigen::VectorXd rate;       // of v and c
    Eigen::VectorXd increment;  // of q, from the entry before
  };

  // One step from the entries; fills trial_ (x and the rates of v and c), increment_ and velocity_.
  virtual Outcome step(const StepRequest& r, Attempt& a) = 0;
  // Past values without which the method cannot do what is asked for.
  virtual int values_needed(const StepRequest&) const { return common_.values; }
  // Past values that serve a step of this size; below those needed it is a start step.
  virtual int values_usable(const StepRequest&) const { return count_; }
  virtual void begun() {}      // the entry at 0 is the start
  virtual void committed() {}  // the entry at 0 is new

  const Entry& past(int j) const { return past_[static_cast<std::size_t>(j)]; }
  Entry& past(int j) { return past_[static_cast<std::size_t>(j)]; }
  int count() const { return count_; }
  auto dynamic(const Eigen::VectorXd& x) const { return x.segment(positions_ + nv_, nr_ - nv_); }
  // nodes: 1, 0, theta of past(1), ...; `values` past ones.
  void lay_nodes(const StepRequest& r, int values, double* nodes) const;
  // First guesses of w, v and the algebraic variables by extrapolation.
  void predict(const StepRequest& r, int values);
  GroupNewton::Result solve(const StepRequest& r, KinematicRelation& relation, const double* base,
                            double sigma);
  // Position constraints determine lambda: v carries errors normal to the constraints.
  bool index3() const { return index3_; }

  System& system_;
  MechanicalView& bodies_;
  const Space& space_;
  Common common_;
  int nq_, nv_, nr_, positions_;  // nr_: velocities and dynamic variables
  bool index3_;
  GroupNewton newton_;
  GroupFlow flow_;
  NormalSpace normal_;
  State trial_;
  Eigen::VectorXd increment_, velocity_, known_rate_;
  // Values ahead of the start, of this step; [0] is the entry they were computed from.
  std::vector<State> block_;
  int block_count_ = 0, block_at_ = 0;
  bool starting_ = false;  // the step in progress is one of the first values
  double block_h_ = 0.0;

 private:
  Outcome start_step(const StepRequest& r, Attempt& a);
  Outcome lay_block(const StepRequest& r);
  bool finite();

  std::vector<Entry> past_;
  int count_ = 0;
  const Trajectory* known_ = nullptr;
  State scratch_;
};

}  // namespace daedalus::lie_methods
