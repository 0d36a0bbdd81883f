// SPDX-License-Identifier: BSD-3-Clause
// Linear partial differential equation with an algebraic one,
//   u_t = v_xx/4 - rho v,  0 = -u_xx/4 + v_xx/4 + v,  u = v = 0 at x = 0 and x = L,
// by central differences on N inner points, A = tridiag(1, -2, 1)/dx^2, dx = L/(N + 1). Along the
// grid function sin(i pi x/L), A has the eigenvalue -Lambda_i^2, Lambda_i = 2 sin(i pi/(2N +
// 2))/dx, and the system is U_i' = -alpha_i U_i with
//   alpha_i = -(Lambda_i^2/4) (rho + Lambda_i^2/4) / (1 - Lambda_i^2/4).
// Index 1 as long as no Lambda_i is 2. L = pi puts the continuous second mode there, and finer
// grids come closer: alpha_2 = -3/dx^2 for rho = 0 (perturbations explode), +3/dx^2 for rho = -2.
// The start is the first mode, with `second` times the second one added.
#include <numbers>

#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace arnold_example_16 {
namespace {

constexpr double pi = std::numbers::pi;

struct Constants {
  double N = 6.0, rho = 0.0, L = pi, second = 0.0;
};
constexpr std::array<Field<Constants>, 4> fields{{{"N", &Constants::N},
                                                  {"rho", &Constants::rho},
                                                  {"L", &Constants::L},
                                                  {"second", &Constants::second}}};

struct Grid {
  int n = 0;
  double rho = 0.0, length = 0.0, second = 0.0, scale = 0.0;  // scale = 1/(4 dx^2)

  explicit Grid(const Constants& c)
      : n(arnold::whole("arnold-16", "N", c.N, 1, 1000000)),
        rho(c.rho),
        length(c.L),
        second(c.second) {
    if (!(length > 0.0))
      throw InvalidArgument(fmt::format(
          "problem 'arnold-16': parameter 'L' is {}, allowed: a positive number", length));
    scale = 0.25 * (n + 1.0) * (n + 1.0) / (length * length);
    for (int i = 1; i <= n; ++i)
      if (std::abs(1.0 - quarter(i)) < 1e-12)
        throw InvalidArgument(
            fmt::format("problem 'arnold-16': with L = {} and N = {} mode {} has index 2; allowed: "
                        "2 (N + 1) sin({} pi/(2 N + 2)) is not 2 L",
                        length, n, i, i));
  }

  double quarter(int i) const {  // Lambda_i^2 / 4
    const double sine = std::sin(i * pi / (2.0 * n + 2.0));
    return 4.0 * scale * sine * sine;
  }
  double alpha(int i) const {
    const double w = quarter(i);
    return -w * (rho + w) / (1.0 - w);
  }
  // Amplitude of the mode i at time t, as long as it is one of the grid.
  double u(int i, double t) const {
    if (i > n || i > 2) return 0.0;
    return (i == 1 ? 1.0 : second) * std::exp(-alpha(i) * t);
  }
  double v(int i, double t) const { return -quarter(i) / (1.0 - quarter(i)) * u(i, t); }
  double shape(int i, int point) const { return std::sin(i * pi * (point + 1.0) / (n + 1.0)); }

  Eigen::VectorXd U(double t) const {
    Eigen::VectorXd r(n);
    for (int k = 0; k < n; ++k) r[k] = u(1, t) * shape(1, k) + u(2, t) * shape(2, k);
    return r;
  }
  Eigen::VectorXd V(double t) const {
    Eigen::VectorXd r(n);
    for (int k = 0; k < n; ++k) r[k] = v(1, t) * shape(1, k) + v(2, t) * shape(2, k);
    return r;
  }

  // Entry k of A x / 4.
  template <class X>
  auto diffusion(const X& x, int k) const {
    using S = std::decay_t<decltype(x[k])>;
    S sum = -2.0 * x[k];
    if (k > 0) sum = sum + x[k - 1];
    if (k + 1 < n) sum = sum + x[k + 1];
    return S(scale * sum);
  }
};

Problem build(const Values& values) {
  const Grid grid(read(fields, values));
  return SemiExplicitProblem{
      .name = "arnold-16",
      .f = autodiff([grid](const auto&, const auto&, const auto& v, auto& f) {
        for (int k = 0; k < grid.n; ++k) f[k] = grid.diffusion(v, k) - grid.rho * v[k];
      }),
      .g = autodiff([grid](const auto&, const auto& u, const auto& v, auto& g) {
        for (int k = 0; k < grid.n; ++k) g[k] = grid.diffusion(v, k) - grid.diffusion(u, k) + v[k];
      }),
      .y0 = grid.U(0.0),
      .z0 = grid.V(0.0),
      .y_names = numbered("u", grid.n),
      .z_names = numbered("v", grid.n),
      .equations = joined({numbered("rate of u", grid.n), numbered("algebraic ", grid.n)})};
}

}  // namespace
}  // namespace arnold_example_16

const Entry& arnold_16() {
  static const Entry entry = [] {
    using namespace arnold_example_16;
    Entry e = arnold::entry("arnold-16",
                            "Linear partial differential-algebraic equation on N grid points",
                            "semi-explicit", 1, 1.0,
                            "(2.94)-(2.98), Example 16; start values chosen for this catalogue");
    e.equations =
        "dx = L/(N+1), (A w)_i = (w_(i-1) - 2 w_i + w_(i+1)) / dx^2, w_0 = w_(N+1) = 0\n"
        "u' = A v/4 - rho v\n"
        "0 = -A u/4 + A v/4 + v\n"
        "start: u_i = sin(pi i/(N+1)) + second sin(2 pi i/(N+1))";
    e.parameters = defaults(fields);
    e.build = build;
    e.exact = [](double t, const Values& values) {
      const Grid grid(read(fields, values));
      const Eigen::VectorXd u = grid.U(t), v = grid.V(t);
      std::vector<std::pair<std::string, double>> x;
      for (int k = 0; k < grid.n; ++k) x.emplace_back("u" + std::to_string(k + 1), u[k]);
      for (int k = 0; k < grid.n; ++k) x.emplace_back("v" + std::to_string(k + 1), v[k]);
      return x;
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
