// SPDX-License-Identifier: BSD-3-Clause
// The tractability matrix chain of a linear(ised) DAE A x' + B x = q at one point:
//   Q onto ker A, P = I - Q,   A1 = A + B Q,   Q1 onto ker A1 along S1 = {z : B P z in im A1},
//   P1 = I - Q1,   A2 = A1 + B P Q1.
// Index 0: A regular; 1: A1 regular; 2: A2 regular (Griepentrog, Maerz 1986; Tischendorf 1992,
// section 2.1). By Lemma 2.1 there any projector onto ker A1 serves for the decision, and the one
// along S1 is Q1~ (A1 + B P Q1~)^{-1} B P.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace daedalus {

struct ChainSettings {
  // tau in A / tau: without it the sizes of A and B cannot be compared. 0: from the matrices.
  double typical_step = 0.0;
  // Singular values below this part of the largest count as zero, after equilibration.
  double tolerance = 1e-11;
  // Rows and columns are divided by their largest entries before each decision. Without it the
  // decisions depend on units.
  bool equilibrate = true;
  // P of the user (idempotent, A (I - P) = 0). Empty: the orthogonal projector.
  Eigen::MatrixXd projector{};
};

// A rank with what speaks for it: singular values on both sides of the cut, as parts of the
// largest.
struct RankDecision {
  int rank = 0, size = 0;
  double kept = 0.0;     // smallest that counts; 0: none
  double dropped = 0.0;  // largest that does not; 0: none, or exactly zero

  bool full() const { return rank == size; }
  // kept / dropped, at most 1e16: double precision cannot tell larger gaps apart.
  double gap() const;
};

// What a variable is, read from the rows of Q and of T.
enum class ComponentKind { differential, algebraic_index1, algebraic_index2 };

struct MatrixChain {
  // 0, 1, 2; 3: three or more, or singular (see regular_pencil); -1: the matrices are not finite.
  int index = -1;
  bool regular_pencil = false;  // det(lambda A + B) is not zero identically
  double typical_step = 1.0;    // tau in use
  RankDecision a, a1, a2;       // a1 and a2 as far as the chain got
  int degrees_of_freedom = -1;  // rank P P1: free initial values; -1: index above 2

  // All projectors act on the variables as they are given, without equilibration and with tau = 1.
  Eigen::MatrixXd Q, P;    // onto and along ker A; orthogonal unless P is the user's
  Eigen::MatrixXd Q1, P1;  // canonical; index 0 and 1: 0 and I; above 2: empty
  Eigen::MatrixXd A1, A2;  // A2: index 2 only, otherwise A1
  Eigen::MatrixXd T;       // onto N with S = {z : B z in im A} intersected, T = Q T = T Q; above 2:
                           // empty
  Eigen::MatrixXd kernel;  // orthonormal columns that span N = ker A
  Eigen::MatrixXd common;  // orthonormal columns that span N and S intersected: im Q Q1 (index 2)

  // Largest residuals of identities that hold for index 2 and the canonical Q1, measured in the
  // equilibrated variables.
  struct Residuals {
    double idempotent = 0.0;  // Q1^2 = Q1
    double admissible = 0.0;  // Q1 Q = 0
    double kernel = 0.0;      // A1 Q1 = 0
    double leading = 0.0;     // A2^{-1} A = P1 P
    double coupling = 0.0;    // Q1 A2^{-1} B = Q1
    double largest() const;
  } residuals;

  // Per variable; exact when `aligned`, else the strongest kind that takes part in it: then only
  // the matrices tell the components apart.
  std::vector<ComponentKind> kinds;
  bool aligned = false;  // Q and T are diagonal matrices of zeros and ones
};

// Square matrices of equal size; throws InvalidArgument for others, and for a given projector that
// is none.
MatrixChain matrix_chain(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                         const ChainSettings& settings = {});

// Rank, and kernels of M mapped back to its own rows and columns. Orthonormal when asked for.
struct Kernels {
  RankDecision decision;
  Eigen::MatrixXd right, left;  // columns with M right = 0 and M^T left = 0
};
Kernels kernels_of(const Eigen::MatrixXd& M, const ChainSettings& settings = {});

}  // namespace daedalus
