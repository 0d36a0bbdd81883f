// SPDX-License-Identifier: BSD-3-Clause
// Incompressible Stokes flow on a staggered grid, index 2. See stokes.hpp.
#include <fmt/format.h>

#include <catalogue/arnold_theory.hpp>
#include <catalogue/stokes.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace pde_2d_example {
namespace {

struct Constants {
  double n = 8.0, nu = 1.0;
};
constexpr std::array<Field<Constants>, 2> fields{{{"n", &Constants::n}, {"nu", &Constants::nu}}};

stokes::Grid grid_of(const Values& values) {
  const Constants c = read(fields, values);
  if (!(c.nu > 0.0))
    throw InvalidArgument(
        fmt::format("problem 'pde-2d': parameter 'nu' is {}, allowed: a positive number", c.nu));
  return {arnold::whole("pde-2d", "n", c.n, 2, 10000), c.nu};
}

std::vector<std::string> velocity_names(const stokes::Grid& grid) {
  return joined({numbered("u", grid.across()), numbered("v", grid.across())});
}

Problem build(const Values& values) {
  const auto grid = std::make_shared<const stokes::Grid>(grid_of(values));
  return SemiExplicitProblem{
      .name = "pde-2d",
      .f = autodiff([grid](const auto& t, const auto& y, const auto& z, auto& f) {
        grid->rates(t, y, z, f);
      }),
      .g = autodiff(
          [grid](const auto&, const auto& y, const auto&, auto& g) { grid->divergence(y, g); }),
      .hessenberg_blocks = {grid->velocities()},
      .y0 = grid->velocity(0.0),
      .z0 = grid->pressure(0.0),
      .y_names = velocity_names(*grid),
      .z_names = numbered("p", grid->pressures()),
      .equations = joined({prefixed("balance of ", velocity_names(*grid)),
                           numbered("divergence in cell ", grid->pressures())})};
}

}  // namespace
}  // namespace pde_2d_example

const Entry& pde_2d() {
  static const Entry entry = [] {
    using namespace pde_2d_example;
    Entry e;
    e.name = "pde-2d";
    e.title = "Incompressible Stokes flow on a staggered grid of n x n cells";
    e.form = "semi-explicit";
    e.index = 2;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.stiff = true;
    e.source =
        "Harlow, Welch: Numerical calculation of time-dependent viscous incompressible flow of "
        "fluid with free surface, Phys. Fluids 8 (1965), for the grid; right-hand sides for a "
        "known solution";
    e.suites = {"scaling"};
    e.equations =
        "u_t = nu (u_xx + u_yy) - p_x + f^u\n"
        "v_t = nu (v_xx + v_yy) - p_y + f^v\n"
        "0 = u_x + v_y, u = v = 0 on the boundary of the unit square\n"
        "p = 0 in the last cell, whose balance follows from the others\n"
        "(u, v) = curl (cos(2 t) psi_1 + exp(-t) psi_2), p = (1 + sin(3 t)) (P - P_last)";
    e.parameters = defaults(fields);
    e.build = build;
    e.exact = [](double t, const Values& values) {
      const stokes::Grid grid = grid_of(values);
      const auto names = joined({velocity_names(grid), numbered("p", grid.pressures())});
      const Eigen::VectorXd y = grid.velocity(t), z = grid.pressure(t);
      std::vector<std::pair<std::string, double>> x;
      for (std::size_t k = 0; k < names.size(); ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        x.emplace_back(names[k], i < y.size() ? y[i] : z[i - y.size()]);
      }
      return x;
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
