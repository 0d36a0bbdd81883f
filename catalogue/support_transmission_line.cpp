// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <catalogue/line_cell.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems::line_circuit {
namespace {

constexpr std::array<Field<Constants>, 9> line_fields{{{"n", &Constants::n},
                                                       {"L", &Constants::L},
                                                       {"C", &Constants::C},
                                                       {"R", &Constants::R},
                                                       {"G", &Constants::G},
                                                       {"G3", &Constants::G3},
                                                       {"leak", &Constants::leak},
                                                       {"r_source", &Constants::r_source},
                                                       {"r_load", &Constants::r_load}}};

void check(const char* name, const Constants& c, int index) {
  need(c.n >= 1.0 && c.n <= 1e7 && c.n == std::floor(c.n), name, "n", c.n,
       "an integer from 1 to 10000000");
  need(index != 1 || c.leak > 0.0, name, "leak", c.leak, "a positive number");
  for (const auto& [parameter, value] :
       {std::pair{"L", c.L}, {"C", c.C}, {"r_source", c.r_source}, {"r_load", c.r_load}})
    need(value > 0.0, name, parameter, value, "a positive number");
  for (const auto& [parameter, value] : {std::pair{"R", c.R}, {"G", c.G}, {"G3", c.G3}})
    need(value >= 0.0, name, parameter, value, "a number that is not negative");
}

}  // namespace

std::vector<std::string> variables(int n) {
  return joined({numbered("a", n), numbered("u", n), numbered("b", n), numbered("w", n)});
}

Reference reference(std::initializer_list<double> values) {
  return {2.0,
          named(variables(10), values),
          {},
          15,
          "without junctions as an ordinary differential equation, extrapolated classical "
          "Runge-Kutta and 3/8 rule in long double, which agree to 3e-18"};
}

Problem build(const char* name, const Constants& c) {
  const int n = static_cast<int>(c.n);
  const double d = 1.0 / c.n;
  SparseMatrix mass(4 * n, 4 * n);
  mass.reserve(Eigen::VectorXi::Constant(4 * n, 1));
  for (int k = 0; k < 3 * n; ++k) mass.insert(k, k) = k / n == 1 ? c.C * d : 0.5 * c.L * d;
  mass.makeCompressed();
  std::vector<int> index;
  if (c.leak == 0.0) {
    index.assign(static_cast<std::size_t>(4 * n), 1);
    std::fill(index.begin() + 3 * n, index.end() - 1, 2);
  }
  return MassMatrixProblem{
      .name = name,
      .mass_matrix = mass,
      .rhs = autodiff([c, n, d](const auto& t, const auto& y, auto& f) {
        using S = std::decay_t<decltype(y[0])>;
        const int u = n, b = 2 * n, w = 3 * n;
        for (int k = 0; k < n; ++k) {
          const Cell<S> x{y[k], y[u + k], y[b + k], y[w + k]};
          const S before = k == 0 ? S(source(t)) : S(y[w + k - 1]);
          const S after = k + 1 < n ? S(y[k + 1]) : S(0.0);
          const Cell<S> r = cell_equations(c, d, k == 0, k + 1 == n, x, before, after);
          f[k] = r.a;
          f[u + k] = r.u;
          f[b + k] = r.b;
          f[w + k] = r.w;
        }
      }),
      .variable_index = index,
      .y0 = Eigen::VectorXd::Zero(4 * n),
      .index = c.leak == 0.0 && n > 1 ? 2 : 1,
      .variables = variables(n),
      .equations = joined({numbered("coil into node ", n), numbered("node ", n),
                           numbered("coil out of node ", n), numbered("junction ", n)})};
}

Entry entry(const char* name, int index) {
  Entry e;
  e.name = name;
  e.form = "mass-matrix";
  e.index = index;
  e.t0 = 0.0;
  e.t_end = 2.0;
  e.stiff = true;
  e.source =
      "T sections of a lossy line as in textbooks, with a varistor; Tischendorf: Topological index "
      "calculation of differential-algebraic equations in circuit simulation, Surv. Math. Ind. 8 "
      "(1999), for the index";
  e.suites = {"scaling"};
  e.equations =
      "d = 1/n, w_0 = sin^2(pi t) - r_source a_1\n"
      "(L d/2) a_k' = w_(k-1) - (R d/2) a_k - u_k\n"
      "C d u_k' = a_k - b_k - d (G u_k + G3 u_k^3)\n"
      "(L d/2) b_k' = u_k - (R d/2) b_k - w_k\n";
  e.equations +=
      index == 1 ? "0 = b_k - a_(k+1) - d leak w_k, k < n\n" : "0 = b_k - a_(k+1), k < n\n";
  e.equations += "0 = b_n - w_n / r_load";
  e.parameters = defaults(line_fields);
  e.units = units(
      {{"H/m", "L"}, {"F/m", "C"}, {"Ohm/m", "R"}, {"S/m", "G leak"}, {"Ohm", "r_source r_load"}});
  if (index == 2) {
    std::erase_if(e.parameters, [](const Parameter& p) { return p.name == "leak"; });
    e.units.erase("leak");
  }
  e.build = [name, index](const Values& values) {
    return build(name, constants(name, values, index));
  };
  return e;
}

Constants constants(const char* name, const Values& values, int index) {
  Constants c = read(line_fields, values);
  if (index == 2) c.leak = 0.0;
  check(name, c, index);
  return c;
}

}  // namespace daedalus::problems::line_circuit
