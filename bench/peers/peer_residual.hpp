// SPDX-License-Identifier: BSD-3-Clause
// A catalogue problem as other solvers want it: F(t, y, y') = 0 with the exact matrix
// F_y + alpha F_y'. The callables are called directly, without the library's own lowering, so that
// a peer pays for nothing but the model.
#pragma once

#include <Eigen/Core>
#include <string>
#include <tuple>
#include <vector>

#include <daedalus/problem.hpp>

#include "linalg/sparse_pattern.hpp"

namespace daedalus::peers {

class PeerResidual {
 public:
  // False for what peers do not take: multibody problems, leading terms, a higher index, and
  // callables without exact derivatives.
  static bool accepts(const Problem& problem, int max_index = 1);
  // Throws InvalidArgument unless the problem is accepted (with any index).
  PeerResidual(const Problem& problem, double t0);

  int size() const { return n_; }
  int columns() const { return columns_; }  // directional derivatives per matrix
  const Eigen::VectorXd& y0() const { return y0_; }
  const std::vector<std::string>& names() const { return names_; }
  const SparsePattern& pattern() const { return pattern_; }  // of F_y + alpha F_y'
  bool constant_mass() const { return constant_mass_; }      // F = M y' - f

  // y' at the start: the given one with the smallest correction d that solves F_y' d = -F and, for
  // the combinations of equations that are free of y', F_y (y' + d) = -F_t.
  Eigen::VectorXd consistent_rates(double t) const;

  Eval residual(double t, const double* y, const double* yp, double* r) const;
  // Column-major n x n; entries outside the structure are set to zero. Columns that share no row
  // are differentiated together, four directions at once; a constant mass matrix is not
  // differentiated at all.
  Eval matrix(double t, double alpha, const double* y, const double* yp, double* out) const;

 private:
  template <class S>
  Eval evaluate(const S& t, const S* y, const S* yp, S* r) const;
  template <class S>
  Arguments<S> arguments(const S& t, const S* y, const S* yp) const;
  void find_structure(double t);

  struct Seed {
    int column, lane;
  };
  struct Entry {
    int row, lane, position;
  };
  struct Chunk {
    std::vector<Seed> seeds;
    std::vector<Entry> entries;
  };
  struct MassEntry {
    int row, column, position;
    double value;
  };

  Problem problem_;
  SparsePattern pattern_;
  int columns_ = 0;
  int n_ = 0, first_part_ = 0;  // first_part_: y of a semi-explicit problem
  bool constant_mass_ = false;
  Eigen::VectorXd y0_, yp0_;
  std::vector<std::string> names_;
  std::vector<Chunk> chunks_;
  std::vector<MassEntry> mass_;
  std::vector<double> modes_;
  std::tuple<std::vector<double>, std::vector<Dual4>> parameters_;
  mutable std::tuple<std::vector<double>, std::vector<Dual4>> mass_values_;
  mutable std::vector<Dual4> y_, yp_, r_;
};

}  // namespace daedalus::peers
