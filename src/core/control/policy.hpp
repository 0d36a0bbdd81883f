// SPDX-License-Identifier: BSD-3-Clause
// What belongs to a step-size control besides its formula: which errors are tested and how, how a
// run meets its end, and when it gives up. The loop asks; it knows no control by name. Historical
// controls are objects beside the standard one (policy_historical.cpp).
#pragma once

#include <array>

#include "control/controller.hpp"

namespace daedalus {

struct ControlPolicy {
  std::string_view name, help;
  Control decide;
  double shrink, grow;  // bounds of the ratio of consecutive steps

  ControlPolicy(std::string_view name_, std::string_view help_, Control decide_, double shrink_,
                double grow_)
      : name(name_), help(help_), decide(decide_), shrink(shrink_), grow(grow_) {}
  virtual ~ControlPolicy() = default;

  // Norm and scale of the error test.
  virtual void shape(MeasureOptions&) const {}
  // What ErrorPolicy::automatic means.
  virtual ErrorPolicy error_policy() const { return ErrorPolicy::automatic; }
  virtual bool grows_after_rejection() const { return false; }
  // Halving so often in a row cannot be the error test of a smooth solution.
  virtual int max_rejections() const { return 60; }
  // Whether algebraic variables may be solved for again when shorter steps do not help.
  virtual bool repairs() const { return true; }
  // Whether a step is also tested inside (integrate/between_steps.hpp).
  virtual bool tests_inside() const { return true; }
  // Steps below this are round-off of t.
  virtual double min_step(double length, double t) const;
  virtual double max_step(double /*length*/) const { return 0.0; }  // 0: none
  // By this share a step may be stretched to end the run.
  virtual double stretch() const { return 0.01; }
  // A step cut short by the end or an event says nothing against the step size in use.
  virtual bool keeps_step_when_cut() const { return true; }
};

std::span<const ControlPolicy* const> all_controls();
const ControlPolicy* find_control(std::string_view name);
// The one that Options::control names; "auto": the method's own.
const ControlPolicy& control_of(const Options& options, const Method& method);

// Steinebach (1988), section 7.1, and DAE2SOL (Tischendorf 1992, section 4.3) in four settings.
std::array<const ControlPolicy*, 5> historical_controls();

}  // namespace daedalus
