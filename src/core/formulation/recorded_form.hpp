// SPDX-License-Identifier: BSD-3-Clause
// One problem form as F(t, x, x') = 0 over recorded numbers (recorded_equations.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <daedalus/problem.hpp>

#include "formulation/parameters.hpp"
#include "function/recording.hpp"

namespace daedalus {

using RecordedNumbers = std::vector<Recorded>;

// F over recorded numbers, and how its leading term is made if it is stated.
class RecordedForm {
 public:
  virtual ~RecordedForm() = default;
  virtual int size() const = 0;
  virtual int rates() const { return size(); }  // how many derivatives F sees: d' or x'
  virtual Eval residual(Recording& recording, const Recorded& t, const Recorded* x,
                        const Recorded* rate, Recorded* r) = 0;
  virtual bool states_leading_term() const { return false; }
  virtual Eval leading(const Recorded&, const Recorded*, Recorded*) { return Eval::ok; }
  virtual int redundant() const { return 0; }
  std::vector<std::string> variables, equations;
};

// `plain` gets the name of the first callable that gives values only, if there is one.
std::unique_ptr<RecordedForm> recorded_form(const Problem& problem, Modes modes,
                                            std::string& plain);
std::unique_ptr<RecordedForm> recorded_multibody_form(const MultibodyProblem& problem, Modes modes);

}  // namespace daedalus
