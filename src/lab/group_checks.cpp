// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/testing/group.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <daedalus/types.hpp>

namespace daedalus::testing {
namespace {

using Eigen::VectorXd;

constexpr unsigned seed = 20240229;  // fixed, so that a failure is found again
constexpr int directions = 6;        // random ones per check: none of them is special
// Central differences: truncation eps^2 and cancellation 1e-16 / eps balance near 1e-5.
constexpr double difference_step = 1e-5;
// Of the series in hat(w); 4^60 / 60! is far below rounding.
constexpr int series_terms = 60;

class Checker {
 public:
  Checker(const GroupOperations& space, double tolerance, double difference_tolerance)
      : space_(space),
        tolerance_(tolerance),
        difference_tolerance_(difference_tolerance),
        engine_(seed),
        origin_(Eigen::Map<const VectorXd>(space.origin.data(), space.points)),
        pieces_(space.pieces) {
    if (pieces_.empty() && space.tangents > 0) pieces_ = {space.tangents};
  }

  GroupReport run() {
    for (const char* name : {"zero", "inverse", "difference", "opposite", "identity", "self"})
      note(name, 0.0, 0.0);
    const VectorXd none = VectorXd::Zero(space_.tangents);
    for (int k = 0; k < directions; ++k) {
      const VectorXd x = plus(origin_, direction(0.7 * space_.radius));
      note("zero", distance(plus(x, none), x), 0.0);
      const VectorXd v = direction(1.0);
      note("identity", distance(tangent_inverse(none, v), v), 0.0);
      for (const double size : {0.0, 1e-8, 1e-4, 0.5, 0.987 * space_.radius}) {
        if (size >= space_.radius) continue;
        const VectorXd w = direction(size);
        differences(x, w, size);
        group(x, w, size);
        algebra(w, size);
        adjoints(x, w, size);
        tangents(w, size);
        slopes(w, size);
      }
    }
    for (const GroupAxiom& a : report_.axioms) report_.ok = report_.ok && a.error <= a.allowed;
    return report_;
  }

 private:
  void differences(const VectorXd& x, const VectorXd& w, double size) {
    const VectorXd v = direction(1.0), y = plus(x, w);
    note("inverse", distance(minus(x, y), w), size);
    note("difference", distance(plus(x, minus(x, y)), y), size);
    note("opposite", distance(plus(y, -w), x), size);
    note("self", distance(tangent_inverse(w, w), w), size);
    const VectorXd ahead = minus(x, plus(y, difference_step * v));
    const VectorXd behind = minus(x, plus(y, -difference_step * v));
    note_difference("tangent", tangent_inverse(w, v), ahead, behind, size);
  }

  void group(const VectorXd& x, const VectorXd& w, double size) {
    const VectorXd y = plus(origin_, direction(0.4 * space_.radius)), z = plus(origin_, w);
    if (space_.compose) {
      note("associativity", distance(compose(compose(x, y), z), compose(x, compose(y, z))), size);
      note("neutral", std::max(distance(compose(origin_, z), z), distance(compose(z, origin_), z)),
           size);
    }
    if (space_.compose && space_.inverse) {
      const VectorXd back = one(space_.inverse, z, space_.points);
      note("group inverse",
           std::max(distance(compose(back, z), origin_), distance(compose(z, back), origin_)),
           size);
    }
    if (space_.compose && space_.exp) {
      note("exponential", distance(plus(x, w), compose(x, exp(w))), size);
      note("one-parameter", distance(compose(exp(0.3 * w), exp(0.7 * w)), exp(w)), size);
    }
    if (space_.exp && space_.log)
      note("logarithm", distance(one(space_.log, exp(w), space_.tangents), w), size);
  }

  void algebra(const VectorXd& w, double size) {
    if (!space_.bracket) return;
    const VectorXd a = direction(1.0), b = direction(1.0);
    note("antisymmetry", distance(bracket(w, a), -bracket(a, w)), size);
    const VectorXd sum = bracket(w, bracket(a, b)) + bracket(a, bracket(b, w));
    note("jacobi", distance(sum, -bracket(b, bracket(w, a))), size);
  }

  void adjoints(const VectorXd& x, const VectorXd& w, double size) {
    if (!space_.adjoint || !space_.exp) return;
    const VectorXd v = direction(1.0), z = exp(w);
    if (space_.compose && space_.inverse) {
      const VectorXd there = compose(compose(x, z), one(space_.inverse, x, space_.points));
      note("adjoint", distance(there, exp(adjoint(x, w))), size);
      note("adjoint", distance(adjoint(compose(x, z), v), adjoint(x, adjoint(z, v))), size);
    }
    if (space_.bracket) note("adjoint series", distance(adjoint(z, v), series(w, v, 1.0, 0)), size);
  }

  void tangents(const VectorXd& w, double size) {
    if (!space_.tangent) return;
    const VectorXd v = direction(1.0), u = tangent(w, v);
    note("tangent pair", distance(tangent_inverse(w, u), v), size);
    if (space_.bracket) note("tangent series", distance(u, series(w, v, -1.0, 1)), size);
    if (space_.adjoint && space_.exp)
      note("tangent opposite", distance(tangent(-w, v), adjoint(exp(w), u)), size);
    if (space_.exp) {
      const VectorXd here = exp(w);
      note_difference("tangent rate", u, minus(here, exp(w + difference_step * v)),
                      minus(here, exp(w - difference_step * v)), size);
    }
  }

  void slopes(const VectorXd& w, double size) {
    const VectorXd a = direction(1.0), b = direction(1.0), step = difference_step * b;
    if (space_.tangent && space_.tangent_derivative) {
      const VectorXd ba = slope(space_.tangent_derivative, w, a, b);
      note_difference("tangent slope", ba, tangent(w + step, a), tangent(w - step, a), size);
      if (space_.bracket)
        note("structure",
             distance(ba - slope(space_.tangent_derivative, w, b, a),
                      bracket(tangent(w, a), tangent(w, b))),
             size);
    }
    if (space_.tangent_inverse_derivative)
      note_difference("tangent inverse slope", slope(space_.tangent_inverse_derivative, w, a, b),
                      tangent_inverse(w + step, a), tangent_inverse(w - step, a), size);
  }

  // sum_i (sign hat(w))^i v / (i + shift)!.
  VectorXd series(const VectorXd& w, const VectorXd& v, double sign, int shift) const {
    VectorXd term = v, sum = v;
    for (int i = 1; i < series_terms; ++i) {
      term = bracket(w, term) * (sign / (i + shift));
      sum += term;
    }
    return sum;
  }
  VectorXd direction(double length) {
    std::normal_distribution<double> normal;
    VectorXd w(space_.tangents);
    for (double& e : w) e = normal(engine_);
    int at = 0;
    for (const int size : pieces_) {
      w.segment(at, size) *= length / w.segment(at, size).norm();
      at += size;
    }
    return w;
  }
  template <class Operation>
  static VectorXd one(const Operation& f, const VectorXd& a, int size) {
    VectorXd out(size);
    f(a.data(), out.data());
    return out;
  }
  static VectorXd two(const GroupOperations::Operation& f, const VectorXd& a, const VectorXd& b,
                      int size) {
    VectorXd out(size);
    f(a.data(), b.data(), out.data());
    return out;
  }
  VectorXd slope(const GroupOperations::Derivative& f, const VectorXd& w, const VectorXd& a,
                 const VectorXd& b) const {
    VectorXd out(space_.tangents);
    f(w.data(), a.data(), b.data(), out.data());
    return out;
  }
  VectorXd plus(const VectorXd& x, const VectorXd& w) const {
    return two(space_.plus, x, w, space_.points);
  }
  VectorXd minus(const VectorXd& from, const VectorXd& to) const {
    return two(space_.minus, from, to, space_.tangents);
  }
  VectorXd tangent_inverse(const VectorXd& u, const VectorXd& v) const {
    return two(space_.tangent_inverse, u, v, space_.tangents);
  }
  VectorXd tangent(const VectorXd& u, const VectorXd& v) const {
    return two(space_.tangent, u, v, space_.tangents);
  }
  VectorXd compose(const VectorXd& x, const VectorXd& y) const {
    return two(space_.compose, x, y, space_.points);
  }
  VectorXd exp(const VectorXd& w) const { return one(space_.exp, w, space_.points); }
  VectorXd bracket(const VectorXd& a, const VectorXd& b) const {
    return two(space_.bracket, a, b, space_.tangents);
  }
  VectorXd adjoint(const VectorXd& x, const VectorXd& v) const {
    return two(space_.adjoint, x, v, space_.tangents);
  }

  // A value that is not finite counts as infinitely wrong.
  static double distance(const VectorXd& a, const VectorXd& b) {
    const double d = a.size() > 0 ? (a - b).cwiseAbs().maxCoeff() : 0.0;
    return a.allFinite() && std::isfinite(d) ? d : std::numeric_limits<double>::infinity();
  }
  void note(const char* name, double error, double size) { note(name, error, size, tolerance_); }
  void note_difference(const char* name, const VectorXd& given, const VectorXd& ahead,
                       const VectorXd& behind, double size) {
    note(name, distance(given, (ahead - behind) / (2.0 * difference_step)), size,
         difference_tolerance_);
  }
  void note(const char* name, double error, double size, double allowed) {
    for (GroupAxiom& a : report_.axioms)
      if (a.name == name) {
        if (error > a.error) a.error = error, a.size = size;
        return;
      }
    report_.axioms.push_back({name, error, size, allowed});
  }

  const GroupOperations& space_;
  double tolerance_, difference_tolerance_;
  std::mt19937 engine_;
  VectorXd origin_;
  std::vector<int> pieces_;
  GroupReport report_;
};

// out = D b, element by element, with the matrix D that `derivative` makes of w and a.
template <class MatrixOf>
GroupOperations::Derivative by_elements(const Space& space, MatrixOf derivative) {
  return [space, derivative](const double* w, const double* a, const double* b, double* out) {
    lie::Matrix D;
    space.for_each_element([&](const Space::Element& e) {
      Eigen::Map<VectorXd> to(out + e.tangent, e.tangents);
      to.setZero();
      if (e.kind == SpaceKind::euclidean) return;
      derivative(e.kind, w + e.tangent, a + e.tangent, D);
      to = D * Eigen::Map<const VectorXd>(b + e.tangent, e.tangents);
    });
  };
}

}  // namespace

GroupOperations operations_of(const Space& space) {
  GroupOperations o;
  o.name = space.name();
  o.points = space.points();
  o.tangents = space.tangents();
  o.origin.resize(static_cast<std::size_t>(o.points));
  space.identity(o.origin.data());
  o.radius = EIGEN_PI;
  space.for_each_element([&](const Space::Element& e) {
    if (e.kind == SpaceKind::euclidean)
      o.pieces.push_back(e.tangents);
    else
      o.pieces.insert(o.pieces.end(), static_cast<std::size_t>(e.tangents / 3), 3);
  });
  using Const = const double*;
  o.plus = [space](Const x, Const w, double* out) { space.plus(x, w, out); };
  o.minus = [space](Const a, Const b, double* w) { space.minus(a, b, w); };
  o.tangent_inverse = [space](Const u, Const v, double* out) { space.tangent_inverse(u, v, out); };
  o.compose = [space](Const x, Const y, double* out) { space.compose(x, y, out); };
  o.inverse = [space](Const x, double* out) { space.inverse(x, out); };
  o.exp = [space](Const w, double* x) { space.exp(w, x); };
  o.log = [space](Const x, double* w) { space.log(x, w); };
  o.bracket = [space](Const a, Const b, double* out) { space.bracket(a, b, out); };
  o.adjoint = [space](Const x, Const v, double* out) { space.adjoint(x, v, out); };
  o.tangent = [space](Const u, Const v, double* out) { space.tangent(u, v, out); };
  o.tangent_derivative = by_elements(space, &lie::tangent_derivative);
  o.tangent_inverse_derivative = by_elements(space, &lie::tangent_inverse_derivative);
  return o;
}

GroupReport check_group(const GroupOperations& space, double tolerance,
                        double difference_tolerance) {
  if (!space.plus || !space.minus || !space.tangent_inverse)
    throw InvalidArgument(
        fmt::format("space '{}': give plus, minus and tangent_inverse", space.name));
  if (static_cast<int>(space.origin.size()) != space.points)
    throw InvalidArgument(fmt::format("space '{}', origin: has {} entries, expected {} (points)",
                                      space.name, space.origin.size(), space.points));
  int covered = 0;
  for (const int size : space.pieces) {
    if (size <= 0)
      throw InvalidArgument(
          fmt::format("space '{}', pieces: {} is not positive", space.name, size));
    covered += size;
  }
  if (!space.pieces.empty() && covered != space.tangents)
    throw InvalidArgument(fmt::format("space '{}', pieces: sum up to {}, expected {} (tangents)",
                                      space.name, covered, space.tangents));
  if (!(space.radius > 0.0))
    throw InvalidArgument(
        fmt::format("space '{}', radius: {} is not positive", space.name, space.radius));
  return Checker(space, tolerance, difference_tolerance).run();
}

GroupReport check_group(const Space& space, double tolerance, double difference_tolerance) {
  return check_group(operations_of(space), tolerance, difference_tolerance);
}

std::string GroupReport::text() const {
  const auto excess = [](const GroupAxiom& a) { return a.error / a.allowed; };
  const auto worst = std::max_element(
      axioms.begin(), axioms.end(),
      [&](const GroupAxiom& a, const GroupAxiom& b) { return excess(a) < excess(b); });
  if (worst == axioms.end()) return "No axiom was checked.";
  std::string others;
  for (const GroupAxiom& a : axioms)
    if (&a != &*worst && a.error > a.allowed)
      others += (others.empty() ? "'" : ", '") + a.name + "'";
  return fmt::format("{}: axiom '{}' has error {:.3g} at |w| = {:g}, allowed {:.3g}.{}",
                     ok ? "All axioms hold" : "The space is wrong", worst->name, worst->error,
                     worst->size, worst->allowed,
                     others.empty() ? "" : " Also violated: " + others + ".");
}

}  // namespace daedalus::testing
