// SPDX-License-Identifier: BSD-3-Clause
// pde-2d in strips of cell rows.
#include <catalogue/cut_parts.hpp>
#include <catalogue/stokes_stencil.hpp>
#include <catalogue/stokes_strip.hpp>
#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace {

using stokes::Forcing;
using stokes::Stencil;
using stokes::Strip;

struct StokesPart {
  Stencil stencil;
  Strip strip;
  std::vector<Forcing> forcing{};  // of the own velocities, by their places

  StokesPart(int n, double nu, int j0, int j1) : stencil{n, nu, 1.0 / n}, strip{n, j0, j1} {
    forcing.resize(static_cast<std::size_t>(strip.rows()));
    const auto& s = stencil;
    for (int j = j0; j < j1; ++j) {
      for (int i = 0; i + 1 < n; ++i) {
        Forcing& f = forcing[static_cast<std::size_t>(strip.u(i, j))];
        for (int mode = 0; mode < 2; ++mode) {
          const auto flow = [&](int a, int b) { return s.flow_u(mode, a, b); };
          f.flow[mode] = flow(i, j);
          f.friction[mode] = -s.diffusion_u(flow, i, j);
        }
        f.gradient = (s.pressure(i + 1, j) - s.pressure(i, j)) / s.h;
      }
      for (int i = 0; i < n && j + 1 < n; ++i) {
        Forcing& f = forcing[static_cast<std::size_t>(strip.v(i, j))];
        for (int mode = 0; mode < 2; ++mode) {
          const auto flow = [&](int a, int b) { return s.flow_v(mode, a, b); };
          f.flow[mode] = flow(i, j);
          f.friction[mode] = -s.diffusion_v(flow, i, j);
        }
        f.gradient = (s.pressure(i, j + 1) - s.pressure(i, j)) / s.h;
      }
    }
  }

  template <class T, class X, class F>
  void evaluate(const T& t, const X& x, F& f) const {
    using S = std::decay_t<decltype(x[0])>;
    const int n = strip.n;
    const auto u = [&](int i, int j) { return S(x[strip.u(i, j)]); };
    const auto v = [&](int i, int j) { return S(x[strip.v(i, j)]); };
    const auto p = [&](int i, int j) {
      return i == n - 1 && j == n - 1 ? S(0.0) : S(x[strip.p(i, j)]);
    };
    const auto a = stokes::amplitudes(t);
    const auto drive = [&](int place) { return forcing[static_cast<std::size_t>(place)].at(a); };
    for (int j = strip.j0; j < strip.j1; ++j) {
      for (int i = 0; i + 1 < n; ++i)
        f[strip.u(i, j)] = stencil.diffusion_u(u, i, j) - (p(i + 1, j) - p(i, j)) / stencil.h +
                           drive(strip.u(i, j));
      for (int i = 0; i < n && j + 1 < n; ++i)
        f[strip.v(i, j)] = stencil.diffusion_v(v, i, j) - (p(i, j + 1) - p(i, j)) / stencil.h +
                           drive(strip.v(i, j));
      for (int i = 0; i < n; ++i)
        if (i + 1 < n || j + 1 < n) f[strip.p(i, j)] = stencil.divergence(u, v, i, j);
    }
  }

  Eigen::VectorXd start() const {
    const auto a = stokes::amplitudes(0.0);
    Eigen::VectorXd x(strip.rows());
    for (int k = 0; k < x.size(); ++k) {
      const Forcing& f = forcing[static_cast<std::size_t>(k)];
      const Strip::Place at = strip.place(strip.first_of_row(strip.j0) + k);
      x[k] = at.field == 'p' ? a.pressure * stencil.pressure(at.i, at.j)
                             : a.flow[0] * f.flow[0] + a.flow[1] * f.flow[1];
    }
    return x;
  }
};

}  // namespace

DistributedProblem cut_pde_2d(const Values& values, int rank, int size) {
  const auto value = [&](const char* key, double standard) {
    const auto found = values.find(key);
    return found == values.end() ? standard : found->second;
  };
  const double cells = value("n", 8.0), nu = value("nu", 1.0);
  need(cells >= 2.0 && cells <= 1e5 && cells == std::floor(cells), "pde-2d", "n", cells,
       "an integer from 2 to 100000");
  need(nu > 0.0, "pde-2d", "nu", nu, "a positive number");
  const int n = static_cast<int>(cells);
  const auto part = std::make_shared<const StokesPart>(n, nu, first_of(n, rank, size),
                                                       first_of(n, rank + 1, size));
  const Strip& strip = part->strip;
  DistributedProblem p = staggered(strip);
  p.name = "pde-2d";
  p.rhs = autodiff([part](const auto& t, const auto& x, auto& f) { part->evaluate(t, x, f); });
  p.y0 = part->start();
  return p;
}

DistributedProblem staggered(const Strip& strip) {
  DistributedProblem p;
  p.rows = strip.rows();
  p.ghosts = strip.ghosts();
  p.index = 2;
  p.field_names = {"velocity", "pressure"};
  p.mass.resize(p.rows, p.rows);
  p.mass.reserve(Eigen::VectorXi::Constant(p.rows, 1));
  for (int k = 0; k < p.rows; ++k) {
    const bool pressure = strip.place(strip.first_of_row(strip.j0) + k).field == 'p';
    p.variable_index.push_back(pressure ? 2 : 1);
    p.field.push_back(pressure ? 1 : 0);
    if (!pressure) p.mass.insert(k, k) = 1.0;
  }
  p.mass.makeCompressed();
  p.name_of = [strip](std::int64_t number) { return strip.name(number); };
  p.equation_of = [strip](std::int64_t number) { return strip.equation(number); };
  return p;
}

}  // namespace daedalus::problems
