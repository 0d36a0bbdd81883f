// SPDX-License-Identifier: BSD-3-Clause
// Index reduction of A(tau) x' + B(tau) x + r(tau) = 0, matrices as power series in tau: rows that
// are free of x' are found, differentiated and put back until A is regular (Gear 1988; the
// derivative array of Campbell 1987 row by row). The number of rounds is the differentiation index;
// the rows found on the way are the constraints of x(0), hidden ones included.
//
// One round: W^T A(0) = 0, with unit entries of W at the rows to be replaced, gives rows
//   W^T A - Z A_rest = 0   with a series Z, Z(0) = 0,
// if the rank of A is constant. Rank decisions concern matrices of the size of the system.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "linalg/matrix_chain.hpp"

namespace daedalus {

struct SeriesSystem {
  const std::vector<Eigen::MatrixXd>& A;
  const std::vector<Eigen::MatrixXd>& B;
  const std::vector<Eigen::VectorXd>& r;
};

struct IndexReduction {
  struct Constraint {
    int round = 0;  // found in this round, from 0: so often its equations were differentiated
    int row = 0;    // that it replaces
    Eigen::VectorXd gradient;  // gradient^T x(0) + value = 0
    double value = 0.0;
    double size = 0.0;       // of the terms in value
    Eigen::MatrixXd origin;  // column d: the coefficients of the d-th derivatives of the equations
  };
  // Rounds until A is regular; -1: not within the order of the series, or singular.
  int index = -1;
  // Some constraints depend on each other: equations are redundant or contradictory, and some
  // variables are not determined. Then `dependence` combines the constraints to 0^T x + value = 0.
  bool singular = false;
  std::vector<Eigen::VectorXd> dependence;
  std::vector<RankDecision> ranks;       // of A in every round
  std::vector<Eigen::MatrixXd> kernels;  // of A in every round: rates that are not determined yet
  std::vector<Constraint> constraints;
  double remainder = 0.0;  // of W^T A - Z A_rest, relative: not zero where ranks change
  // The last system, with A regular, up to order `order`.
  std::vector<Eigen::MatrixXd> A, B;
  std::vector<Eigen::VectorXd> r;

  Eigen::MatrixXd gradients() const;
  Eigen::VectorXd values() const;
  // x as a series from x(0): column k of the result is x_k, as many as are known.
  Eigen::MatrixXd solution(const Eigen::VectorXd& x0) const;
};

// Without `trace` the origins of the constraints are not followed, and left empty.
IndexReduction reduce_index(const SeriesSystem& system, int max_rounds,
                            const ChainSettings& settings = {}, bool trace = true);

}  // namespace daedalus
