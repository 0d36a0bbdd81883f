// SPDX-License-Identifier: BSD-3-Clause
// Index-2 system with an index-1 equation, s = 0, beside the constraint y1 + y2 + s^2 = 0; its only
// solution is zero. reduced = 1: the constraint is replaced by its derivative, 0 = 2 z (index 1),
// and added as further constraint gamma = y1 + y2 + s^2 for overdetermined formulations. Extended
// with a multiplier without regard for s, 0 = F + gamma_x^T eta, 0 = gamma, the system has a second
// solution: y1 = y2 = -t/2, s = sqrt(t), z = 0, eta = 1/2.
#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace arnold_example_19 {
namespace {

struct Constants {
  double reduced = 0.0;
};
constexpr std::array<Field<Constants>, 1> fields{{{"reduced", &Constants::reduced}}};

Problem build(const Values& values) {
  const bool reduced =
      arnold::whole("arnold-19", "reduced", read(fields, values).reduced, 0, 1) == 1;
  ImplicitProblem p{
      .name = "arnold-19",
      .residual = autodiff([reduced](const auto&, const auto& x, const auto& xp, auto& r) {
        r[0] = xp[0] - x[3];
        r[1] = xp[1] - x[3];
        r[2] = -x[2];
        if (reduced)
          r[3] = 2.0 * x[3];
        else
          r[3] = x[0] + x[1] + x[2] * x[2];
      }),
      .variable_index = {1, 1, 1, 2},
      .y0 = vector({0.0, 0.0, 0.0, 0.0}),
      .yp0 = vector({0.0, 0.0, 0.0, 0.0}),
      .index = 2,
      .variables = {"y1", "y2", "s", "z"},
      .equations = {"differential 1", "differential 2", "side condition", "constraint"}};
  if (!reduced) return p;
  p.variable_index = {1, 1, 1, 1};
  p.index = 1;
  p.extra_count = 1;
  p.extra_constraints = autodiff(
      [](const auto&, const auto& x, auto& gamma) { gamma[0] = x[0] + x[1] + x[2] * x[2]; });
  p.side_equations = {2};
  p.side_variables = {2};
  return p;
}

}  // namespace
}  // namespace arnold_example_19

const Entry& arnold_19() {
  static const Entry entry = [] {
    using namespace arnold_example_19;
    Entry e = arnold::entry("arnold-19", "Index-2 system whose extension has a second solution",
                            "implicit", 2, 1.0, "Example 19");
    e.equations =
        "0 = y1' - z\n"
        "0 = y2' - z\n"
        "0 = -s\n"
        "0 = y1 + y2 + s^2, or with reduced = 1: 0 = 2 z";
    e.parameters = defaults(fields);
    e.build = build;
    arnold::stays(e, {"y1", "y2", "s", "z"}, {0.0, 0.0, 0.0, 0.0});
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
