// Planar truck over a smooth rise of the road, at rest in equilibrium before it. The road is
// infinitely often differentiable, u(t) = amplitude exp(-0.1 / t) for t > 0 and 0 before, so that
// multistep methods of any order may use the equilibrium as their past (Arnold 1998, section
// 3.3.3; the excitation used there is not published, this one stands for it).
#include <problems/truck9.hpp>

namespace daedalus::problems {
namespace {

struct Rise {
  double amplitude;

  template <class S>
  truck::Height<S> operator()(const S& t) const {
    using std::exp;
    // exp(-1000) is zero, and 0.1 / t^2 must not overflow beside it.
    if (!(t > 1e-4)) return {S(0.0), S(0.0)};
    const S u = amplitude * exp(-0.1 / t);
    return {u, u * 0.1 / (t * t)};
  }
};

Problem build(const Values& values) {
  const truck::Constants c = read(truck::fields, values);
  return truck::problem("truck9", c, Rise{c.amplitude});
}

}  // namespace

const Entry& truck9() {
  static const Entry entry = [] {
    Entry e;
    e.name = "truck9";
    e.title = "Planar truck with nine coordinates over a smooth rise";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "Eich-Soellner, Fuehrer: Numerical Methods in Multibody Dynamics (1998), section 1.3, "
        "after Simeon, Grupp, Fuehrer, Rentrop: J. Comput. Appl. Math. 50 (1994); Arnold (1998), "
        "section 3.3, with another smooth excitation";
    e.suites = {"core", "arnold"};
    e.equations = std::string(truck::equations) +
                  "road: u(t) = amplitude exp(-0.1/t) for t > 0, front u(t), rear u(t - delay)";
    e.parameters = defaults(truck::fields);
    e.build = build;
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
