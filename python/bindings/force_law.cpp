// SPDX-License-Identifier: BSD-3-Clause
#include "force_law.hpp"

#include <array>

#include "traced_law.hpp"

namespace daedalus::python {
namespace {

constexpr int per_marker = 18;

struct FormulaForce {
  TracedLaw law;
  template <class S>
  static void put(const MarkerState<S>& m, S* x) {
    for (int i = 0; i < 3; ++i) {
      x[i] = m.position[i];
      x[3 + i] = m.velocity[i];
      x[6 + i] = m.angular_velocity[i];
      for (int j = 0; j < 3; ++j) x[9 + 3 * i + j] = m.rotation(i, j);
    }
  }
  template <class S>
  Load<S> operator()(const S& t, const MarkerState<S>& a, const MarkerState<S>& b) const {
    std::array<S, 2 * per_marker> x;
    put(a, x.data());
    put(b, x.data() + per_marker);
    std::array<S, 6> out;
    law(t, x.data(), out.data());
    return {{out[0], out[1], out[2]}, {out[3], out[4], out[5]}};
  }
};

}  // namespace

std::shared_ptr<const ForceLaw> force_law(const py::function& law) {
  return std::make_shared<const ForceLawOf<FormulaForce>>(
      FormulaForce{TracedLaw(law, 2 * per_marker, 6)});
}

}  // namespace daedalus::python
