#include <daedalus/testing/group.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <daedalus/types.hpp>

namespace daedalus::testing {
namespace {

using Vector = Eigen::VectorXd;

constexpr unsigned seed = 20240229;
constexpr int directions = 6;
// Central differences: truncation eps^2 and cancellation 1e-16 / eps balance near 1e-5.
constexpr double difference_step = 1e-5;

class Checker {
 public:
  Checker(const GroupOperations& space, double tolerance, double difference_tolerance)
      : space_(space), engine_(seed) {
    for (const char* name : {"zero", "inverse", "difference", "opposite", "identity", "self"})
      report_.axioms.push_back({name, 0.0, 0.0, tolerance});
    report_.axioms.push_back({"tangent", 0.0, 0.0, difference_tolerance});
  }

  GroupReport run() {
    const Vector origin = Eigen::Map<const Vector>(space_.origin.data(), space_.points);
    const Vector none = Vector::Zero(space_.tangents);
    for (int k = 0; k < directions; ++k) {
      const Vector x = plus(origin, direction(0.7 * space_.radius));
      note("zero", distance(plus(x, none), x), 0.0);
      const Vector v = direction(1.0);
      note("identity", distance(tangent_inverse(none, v), v), 0.0);
      for (const double size : {0.0, 1e-8, 1e-4, 0.5, 0.987 * space_.radius})
        if (size < space_.radius) at(x, size);
    }
    for (const GroupAxiom& a : report_.axioms) report_.ok = report_.ok && a.error <= a.allowed;
    return report_;
  }

 private:
  void at(const Vector& x, double size) {
    const Vector w = direction(size), v = direction(1.0);
    const Vector y = plus(x, w);
    note("inverse", distance(minus(x, y), w), size);
    note("difference", distance(plus(x, minus(x, y)), y), size);
    note("opposite", distance(plus(y, -w), x), size);
    note("self", distance(tangent_inverse(w, w), w), size);
    const Vector ahead = minus(x, plus(y, difference_step * v));
    const Vector behind = minus(x, plus(y, -difference_step * v));
    note("tangent", distance(tangent_inverse(w, v), (ahead - behind) / (2.0 * difference_step)),
         size);
  }

  Vector direction(double length) {
    std::normal_distribution<double> normal;
    Vector w(space_.tangents);
    for (double& e : w) e = normal(engine_);
    return w.size() > 0 ? Vector(length * w.normalized()) : w;
  }
  Vector plus(const Vector& x, const Vector& w) const {
    Vector out(space_.points);
    space_.plus(x.data(), w.data(), out.data());
    return out;
  }
  Vector minus(const Vector& from, const Vector& to) const {
    Vector w(space_.tangents);
    space_.minus(from.data(), to.data(), w.data());
    return w;
  }
  Vector tangent_inverse(const Vector& u, const Vector& v) const {
    Vector out(space_.tangents);
    space_.tangent_inverse(u.data(), v.data(), out.data());
    return out;
  }
  // A value that is not finite counts as infinitely wrong.
  static double distance(const Vector& a, const Vector& b) {
    const double d = a.size() > 0 ? (a - b).cwiseAbs().maxCoeff() : 0.0;
    return a.allFinite() && std::isfinite(d) ? d : std::numeric_limits<double>::infinity();
  }
  void note(std::string_view name, double error, double size) {
    for (GroupAxiom& a : report_.axioms)
      if (a.name == name && error > a.error) a.error = error, a.size = size;
  }

  const GroupOperations& space_;
  std::mt19937 engine_;
  GroupReport report_;
};

}  // namespace

GroupOperations operations_of(const Space& space) {
  GroupOperations o;
  o.name = space.name();
  o.points = space.points();
  o.tangents = space.tangents();
  o.origin.assign(static_cast<std::size_t>(o.points), 0.0);
  for (const Space::Block& b : space.blocks())
    if (b.kind == SpaceKind::so3)
      for (int i = 0; i < b.count; ++i)
        for (int k = 0; k < 3; ++k)
          o.origin[static_cast<std::size_t>(b.point + so3::points * i + 4 * k)] = 1.0;
  o.radius = EIGEN_PI;
  o.plus = [space](const double* x, const double* w, double* out) { space.plus(x, w, out); };
  o.minus = [space](const double* a, const double* b, double* w) { space.minus(a, b, w); };
  o.tangent_inverse = [space](const double* u, const double* v, double* out) {
    space.tangent_inverse(u, v, out);
  };
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
  return fmt::format("{}: axiom '{}' has error {:.3g} at |w| = {:g}, allowed {:.3g}.",
                     ok ? "All axioms hold" : "The space is wrong", worst->name, worst->error,
                     worst->size, worst->allowed);
}

}  // namespace daedalus::testing
