// SPDX-License-Identifier: BSD-3-Clause
// From raw estimates to tests: the only place that knows rtol and atol.
//   scale_i = atol_i + rtol * max(|x_i| before, |x_i| after),  error of an index-k variable times
//   |h|^(k-1) (Hairer, Wanner II, section VII.7: h^(k-1) e is what enters the lower-index ones),
//   plus what of it the equations carry on (nonlinear/carried_error.hpp).
// With a matrix C the test looks at C e over the scale of C x (Tischendorf 1992, section 4.3:
// C = P, or I without the part that index 2 differentiates). Where variables are mixtures of
// components of several indices, which parts D1 and D2 of an error have index 2 and 3 is a matter
// of directions, and the test looks at C e + |h| D1 e + h^2 D2 e over the scale of x.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <daedalus/options.hpp>

#include <daedalus/stepper.hpp>
#include <daedalus/stepper/archive.hpp>
#include <daedalus/stepper/layout.hpp>
#include "nonlinear/iteration_weights.hpp"

namespace daedalus {

// Passed when value <= 1. `power`: value falls like h^power.
struct ErrorTest {
  int order = 0;
  double value = 0.0, power = 1.0;
  int worst = -1;  // tangent coordinate that contributes most
};

// larger_part: max(atol, rtol times the running maximum) instead of a sum.
enum class ScaleRule { both_ends, new_end, running_maximum, larger_part };

// What part of the error is tested, by structure.
struct TestedPart {
  Eigen::MatrixXd matrix{};  // C; empty: all variables
  // D1, D2: given with C where directions tell the index. Tested, or left out as C leaves them.
  Eigen::MatrixXd once{}, twice{};
  bool graded = false;
  std::vector<int> index{};  // per tangent coordinate; empty: those of the layout
};

struct MeasureOptions {
  double rtol = 1e-6;
  Eigen::VectorXd atol;  // per tangent coordinate
  ErrorNorm norm = ErrorNorm::rms;
  ScaleRule scale = ScaleRule::both_ends;
  bool split = false;  // differential and algebraic variables tested apart
  bool index_weights = true;
};

class Measure {
 public:
  Measure(MeasureOptions options, const Layout& layout);
  // Once the structure is known; before the first step.
  void test_only(TestedPart part);
  void set_index_weights(bool on) { options_.index_weights = on; }
  // Records the state at the beginning of a step; returns the scale there that a Newton correction
  // is to be compared with.
  const Eigen::VectorXd& begin(const State& s, double h);
  std::span<const ErrorTest> measure(std::span<const Estimate> estimates, const State& trial,
                                     double h);
  // What a vector of this size would give in the place of an estimate, after measure().
  double value_of(Estimate estimate, std::span<const double> size, double h);
  // The last tests, as if they had just been passed, or with so much to spare.
  std::span<const ErrorTest> passed(std::size_t count, double value = 1.0) {
    for (ErrorTest& t : tests_) t.value = std::min(t.value, value);
    return {tests_.data(), count};
  }
  // The last tests, none below what is found for its order.
  template <class ErrorOfOrder>
  std::span<const ErrorTest> raised(std::size_t count, const ErrorOfOrder& found) {
    for (ErrorTest& t : std::span(tests_.data(), count))
      t.value = std::max(t.value, found(t.order));
    return {tests_.data(), count};
  }
  const Eigen::VectorXd& scale() const { return scale_; }  // without index weights
  // An error as its index lets it count: times |h|^(k-1), by direction where that is known.
  void weigh(Eigen::VectorXd& error, double h);
  double norm(const double* tangent) const;  // of any tangent vector, tested part
  int max_index() const { return weights_.max_index(); }
  // Stated or found.
  bool has_higher_index() const { return once_.size() > 0 || weights_.max_index() > 1; }
  // By a matrix: index 2 was found, whatever is stated.
  bool tests_a_part() const { return matrix_.size() > 0; }
  void archive(Archive& a);

 private:
  // Classes of variables times estimates per step, with room to spare.
  static constexpr int max_tests = 16;
  double size_of(int i, bool projected) const;
  double scale_of(int i, bool projected) const;
  double ratio_of(const Estimate& e, int i, bool projected, double h, double stretch,
                  bool first_order) const;
  void project(const Estimate& e, double h, double stretch);
  // Coordinates that are tested together.
  struct Group {
    double value = 0.0, power = 1e9, worst_value = -1.0;
    long members = 0;
    int worst = -1;
  };
  void collect(const Estimate& e, double h, std::array<Group, 2>& groups);
  void reduce(std::span<Group> groups);
  double value_of(const Group& g) const;

  MeasureOptions options_;
  const Layout& layout_;
  IterationWeights weights_;
  Eigen::MatrixXd matrix_, once_, twice_;
  bool graded_ = false;
  std::vector<char> used_;  // rows of the matrix that are not zero
  Eigen::VectorXd running_, before_, after_, scale_, weight_;
  Eigen::VectorXd tested_, tested_before_, tested_after_, parts_;
  double min_atol_ = 0.0;
  std::array<ErrorTest, max_tests> tests_{};
};

}  // namespace daedalus
