// SPDX-License-Identifier: BSD-3-Clause
// Compressed Jacobians of a VectorMap in tangent coordinates: structure found by probing, columns
// coloured, four directions per dual evaluation (or one difference per colour).
//
// A branch of a callable may depend on variables that the point of the probes did not show. So the
// product of the Jacobian with a vector is compared with a derivative in that direction from time
// to time, and where both differ the structure is found again and grows (jacobian_pattern.cpp).
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include <daedalus/stepper/archive.hpp>
#include <daedalus/stepper/layout.hpp>
#include <daedalus/stepper/outcome.hpp>
#include "function/colouring.hpp"
#include "linalg/sparse_pattern.hpp"
#include "system/counter.hpp"
#include "system/vector_map.hpp"

namespace daedalus {

class JacobianEvaluator {
 public:
  struct Wanted {
    bool x = true, xd = false, t = false;
  };
  // increment > 0: difference quotients with increment max(1, |x|); 0: by the noise of the map.
  JacobianEvaluator(VectorMap& map, const Layout& layout, Wanted wanted, bool differences,
                    double increment = 0.0);

  // Finds structure and colours near `at`; allocates everything evaluate() uses.
  void prepare(const State& at);
  Outcome evaluate(double t, const double* x, const double* xd, Counter& counter, Failure& failure);

  // The structure of dx near a point alone, as probing shows it.
  SparsePattern structure_at(const State& at);

  // Full structure: for what is not wanted here because the user gives it, and for products.
  void assume_dense();
  bool exact() const { return !differences_; }
  const char* running() const { return map_.running(); }
  void archive(Archive& a);

  // Difference quotients of fourth order with longer shifts from now on, five evaluations for two:
  // index 2 and 3 magnify errors of the Jacobian by 1/h and 1/h^2. They also begin by themselves,
  // after iterations that failed with new matrices twice in a row.
  void sharpen() { sharp_ = differences_ && given_increment_ == 0.0; }

  // The next evaluation is compared with a directional derivative: something went wrong.
  void doubt() { doubted_ = true; }
  int growths() const { return growths_; }  // how often the structure grew since prepare()
  struct Entry {
    int row, column;
    bool of_rate;
  };
  Entry first_found() const { return first_found_; }  // of the last growth

  SparseValues dx, dxd;
  Eigen::VectorXd dt;
  double time_scale = 1.0;  // size of a meaningful change of t, for difference quotients

 private:
  enum class Part { x, xd, t };
  struct Lane {
    Part part;
    int colour;
  };
  // A direction of one variable: a pair of derivatives in duals_ and the half of it (0 or 2),
  // counted in numbers.
  struct Seed {
    int pair, half;
  };
  using Chunk = std::vector<Seed>;  // what one evaluation over dual numbers differentiates by
  // Where entries of a Jacobian stand in r_, counted in numbers, and their places in the Jacobian;
  // no places: all entries in their order.
  struct Entries {
    std::vector<int> source, place;
  };
  // Chunks whose results are kept until their entries are taken from them.
  struct Batch {
    std::vector<Chunk> chunks;
    Entries x, xd, t;
  };
  static double take(const Dual4* r, const Entries& entries, double* to);
  std::optional<SparsePattern> detect_by_nan(const State& at, Part part);
  std::optional<SparsePattern> detect_by_change(const State& at, Part part, double side);
  SparsePattern detect(const State& at, Part part);
  SparsePattern full_if_as_cheap(SparsePattern found, int others) const;
  bool check_due(const Counter& counter);
  bool holds(double t, const double* x, const double* xd, Counter& counter);
  bool holds_by_duals(double t, const double* x, const double* xd);
  bool holds_by_differences(double t, const double* x, const double* xd);
  void add_products(double* sum, double* size) const;  // J v and |J| |v|, also those with x'
  bool grow(double t, const double* x, const double* xd);
  Seed seed_of(Part part, int column, int lane) const;
  const Colouring& colouring(Part part) const { return part == Part::x ? colour_x_ : colour_xd_; }
  void allocate_duals(std::size_t chunks);
  void plan();
  void plan_duals();
  Outcome run(double t, const double* x, const double* xd, Failure& failure) {
    if (known_) return by_formulas(t, x, xd, failure);
    return differences_ ? by_differences(t, x, xd, failure) : by_duals(t, x, xd, failure);
  }
  void prepare_formulas();
  Outcome by_formulas(double t, const double* x, const double* xd, Failure& failure);
  Outcome by_duals(double t, const double* x, const double* xd, Failure& failure);
  void update_sizes();
  Outcome by_differences(double t, const double* x, const double* xd, Failure& failure);
  struct Stencil;
  Outcome by_stencil(double t, const double* x, const double* xd, Failure& failure,
                     const Stencil& stencil);
  Outcome difference(double t, const double* x, const double* xd, Failure& failure,
                     const Lane& lane, const Stencil& stencil);
  void watch_failures(long failures);
  // The row of the first entry that is not finite, if there is one.
  std::optional<int> first_not_finite() const;
  void blame(double t, const double* x, const double* xd, Failure& failure);
  // The values of the point; the derivatives stay zero between evaluations.
  void place_duals(double t, const double* x, const double* xd);
  void mark(const Chunk& chunk, double seed);
  void unmark(const Chunk& chunk);
  Outcome evaluate_duals(const double* x, const Chunk& chunk, double seed, Dual4* r,
                         Failure& failure);

  VectorMap& map_;
  const Layout& layout_;
  Wanted wanted_;
  bool differences_;
  bool known_ = false;        // the map gives structure and derivatives by itself
  bool rates_known_ = false;  // F = E x' - f(t, x) with E known: f alone is differentiated
  double given_increment_;
  int n_, m_;
  Colouring colour_x_, colour_xd_;
  std::vector<Lane> lanes_;
  std::vector<Batch> batches_;
  // t, x, x' and, on a group, the tangent that moves x, one after the other.
  std::vector<Dual4> duals_;
  std::vector<Dual4> r_;  // m_ per chunk of a batch
  Eigen::VectorXd base_, moved_, shift_, point_, size_x_, size_xd_, increment_, sum_;
  bool sharp_ = false;
  long newton_failures_ = 0;
  int failed_in_a_row_ = 0;
  // Comparisons with a directional derivative.
  Eigen::VectorXd direction_x_, direction_xd_, product_, size_;
  bool structured_ = false;  // found by probing: there may be more
  bool growing_ = false;
  bool doubted_ = false;
  int growths_ = 0, false_alarms_ = 0;
  long since_check_ = 0, interval_ = 2, checks_ = 0, failures_seen_ = 0;
  Entry first_found_{-1, -1, false};
  SparsePattern first_x_, first_xd_;  // before the first growth
};

}  // namespace daedalus
