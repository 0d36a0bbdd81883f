// Checks the axioms a configuration space has to satisfy: x (+) 0 = x, (x (+) w) (-) x = w,
// x (+) (y (-) x) = y, (x (+) w) (+) (-w) = x, T(0) = I, T(u)^{-1} u = u, and the tangent operator
// against differences,
//   T(u)^{-1} v = d/de [((x (+) u) (+) e v) (-) x]  at e = 0,
// at |w| = 0, 1e-8, 1e-4, 0.5 and close to the radius within which (-) is unique.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <daedalus/space.hpp>

namespace daedalus::testing {

// The operations of a space as functions, so that any implementation can be checked; arrays have
// the sizes that class Space documents.
struct GroupOperations {
  std::string name{};
  int points = 0, tangents = 0;
  std::vector<double> origin{};  // any point of the space
  double radius = 1.0;           // (x (+) w) (-) x = w is promised for |w| below this
  std::function<void(const double* x, const double* w, double* out)> plus{};
  std::function<void(const double* from, const double* to, double* w)> minus{};
  std::function<void(const double* u, const double* v, double* out)> tangent_inverse{};
};
GroupOperations operations_of(const Space& space);

struct GroupAxiom {
  std::string name;    // "zero", "inverse", "difference", "opposite", "identity", "self", "tangent"
  double error = 0.0;  // largest |difference| over all points and directions
  double size = 0.0;   // |w| where it occurred
  double allowed = 0.0;
};

struct GroupReport {
  bool ok = true;
  std::vector<GroupAxiom> axioms;
  std::string text() const;  // a sentence that names the axiom violated most
};

// `tolerance` bounds the algebraic axioms; differences are good to about 1e-9, so the tangent
// operator is allowed `difference_tolerance`.
GroupReport check_group(const GroupOperations& space, double tolerance = 1e-12,
                        double difference_tolerance = 1e-7);
GroupReport check_group(const Space& space, double tolerance = 1e-12,
                        double difference_tolerance = 1e-7);

}  // namespace daedalus::testing
