// SPDX-License-Identifier: BSD-3-Clause
// The pieces of a multibody system, evaluated one by one so that a method pays only for what it
// uses. Matrices are in tangent coordinates, in the structure that make_mass() and
// make_constraint_matrix() give; rows of G are the holonomic constraints followed by the
// nonholonomic ones.
#pragma once

#include <Eigen/Core>
#include <memory>

#include <daedalus/space.hpp>

#include <daedalus/stepper/outcome.hpp>
#include "linalg/piece_matrix.hpp"
#include "linalg/saddle_solver.hpp"

namespace daedalus {

struct MechanicalSizes {
  int positions = 0;  // point coordinates of q
  int tangents = 0;   // tangent coordinates of q
  int velocities = 0;
  int holonomic = 0, nonholonomic = 0;
  int dynamic = 0, contact = 0;
  int multipliers() const { return holonomic + nonholonomic; }
};

// Pointers into one state (q, v, c, s, lambda).
struct MechanicalPoint {
  double t = 0.0;
  const double *q = nullptr, *v = nullptr, *c = nullptr, *s = nullptr, *lambda = nullptr;
};

// A factorised matrix [M A^T; B 0] together with its M.
struct StageMatrix {
  std::unique_ptr<SaddleSolver> solver;
  PieceMatrix mass;
};

class MechanicalView {
 public:
  virtual ~MechanicalView() = default;
  virtual const MechanicalSizes& sizes() const = 0;
  virtual const Space& space() const = 0;
  virtual MechanicalPoint point(double t, const double* x) const = 0;
  virtual bool force_depends_on_lambda() const = 0;
  virtual bool mass_is_constant() const = 0;

  // Storage in the structure of this system, known after System::prepare.
  virtual PieceMatrix make_mass() const = 0;
  virtual PieceMatrix make_constraint_matrix() const = 0;
  // A solver for these structures, of the kind that Options::linear_algebra asks for.
  virtual std::unique_ptr<SaddleSolver> make_saddle_solver() const = 0;
  // The matrix of the stage solved last. The projection that follows the same attempt works with it
  // instead of a factorisation of its own; it is forgotten with its owner and with the attempt.
  virtual void lend(const std::shared_ptr<StageMatrix>& stage) = 0;

  virtual Outcome mass(const MechanicalPoint& p, PieceMatrix& M) = 0;
  virtual Outcome force(const MechanicalPoint& p, double* f) = 0;
  virtual Outcome force_lambda(const MechanicalPoint& p, double* f, Eigen::MatrixXd& f_lambda) = 0;
  virtual Outcome constraint(const MechanicalPoint& p, double* g) = 0;  // holonomic
  virtual Outcome constraint_matrix(const MechanicalPoint& p, PieceMatrix& G) = 0;
  virtual Outcome velocity_offset(const MechanicalPoint& p, double* out) = 0;    // g_t, a
  virtual Outcome acceleration_term(const MechanicalPoint& p, double* out) = 0;  // all rows
  virtual Outcome rate(const MechanicalPoint& p, double* q_rate) = 0;            // T v
  virtual Outcome dynamics(const MechanicalPoint& p, double* c_rate) = 0;
  // Moves q and then v of a state, coordinates x, onto g = 0 and G v + g_t = 0 to round-off by the
  // smallest change in the norm of the kinetic energy (Arnold 1998, (3.86), (3.87)), whichever of
  // them the formulation holds by itself; s follows. For start values.
  virtual Outcome meet_constraints(double t, Eigen::VectorXd& x) {
    static_cast<void>(t), static_cast<void>(x);
    return Outcome::ok;
  }
  // Solves h(t, q, s) = 0 for s by Newton's method from the given s.
  virtual Outcome solve_contact(double t, const double* q, double* s) = 0;
};

}  // namespace daedalus
