// SPDX-License-Identifier: BSD-3-Clause
// Linear partial differential-algebraic equation,
//   u_t - v_xx/4 + rho v = f^u,  -u_xx/4 + v_xx/4 + v = f^v,  u = v = 0 at x = 0 and x = pi,
// by central differences on n inner points (Arnold 1998, (2.94), (2.96)). With rho = -2 the family
// over all grids has uniform perturbation index 2, though each of its members has index 1: the
// second Fourier mode of the grid satisfies U_2' = -alpha U_2 + ..., alpha = 3/dx^2 + O(1).
//
// The right-hand sides are those of U = exp(-t) s_1 + sin(t) s_2, V = cos(t) s_1 + cos(2 t) s_2
// with the grid functions s_i = sin(i x), eigenvectors of the difference quotient: the solution of
// the semi-discrete system is known, and errors are those of the integration in time alone.
#include <numbers>

#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace pde_1d_example {
namespace {

struct Constants {
  double n = 50.0, rho = -2.0;
};
constexpr std::array<Field<Constants>, 2> fields{{{"n", &Constants::n}, {"rho", &Constants::rho}}};

class Rod {
 public:
  explicit Rod(const Constants& c)
      : n_(arnold::whole("pde-1d", "n", c.n, 2, 10000000)), rho_(c.rho) {
    constexpr double pi = std::numbers::pi;
    const double dx = pi / (n_ + 1.0);
    scale_ = 0.25 / (dx * dx);
    for (int i = 0; i < 2; ++i) {
      const double sine = std::sin((i + 1) * dx / 2.0);
      quarter_[i] = 4.0 * scale_ * sine * sine;
      for (int k = 0; k < n_; ++k) shape_[i].push_back(std::sin((i + 1) * dx * (k + 1)));
    }
  }

  int size() const { return n_; }
  template <class S>
  std::array<S, 2> u(const S& t) const {
    using std::exp, std::sin;
    return {S(exp(-t)), S(sin(t))};
  }
  template <class S>
  std::array<S, 2> v(const S& t) const {
    using std::cos;
    return {S(cos(t)), S(cos(2.0 * t))};
  }
  Eigen::VectorXd grid(const std::array<double, 2>& amplitude) const {
    Eigen::VectorXd r(n_);
    for (int k = 0; k < n_; ++k) r[k] = amplitude[0] * shape(0, k) + amplitude[1] * shape(1, k);
    return r;
  }

  template <class T, class V, class Rates>
  void rates(const T& t, const V& z, Rates& f) const {
    using std::cos, std::exp;
    const std::array<T, 2> b = v<T>(t);
    const T first = (rho_ + quarter_[0]) * b[0] - exp(-t);
    const T second = (rho_ + quarter_[1]) * b[1] + cos(t);
    for (int k = 0; k < n_; ++k)
      f[k] = diffusion(z, k) - rho_ * z[k] + first * shape(0, k) + second * shape(1, k);
  }
  template <class T, class U, class V, class Rows>
  void balance(const T& t, const U& y, const V& z, Rows& g) const {
    const std::array<T, 2> a = u<T>(t), b = v<T>(t);
    const T first = quarter_[0] * a[0] + (1.0 - quarter_[0]) * b[0];
    const T second = quarter_[1] * a[1] + (1.0 - quarter_[1]) * b[1];
    for (int k = 0; k < n_; ++k)
      g[k] = diffusion(z, k) - diffusion(y, k) + z[k] - first * shape(0, k) - second * shape(1, k);
  }

 private:
  double shape(int mode, int k) const {
    return shape_[static_cast<std::size_t>(mode)][static_cast<std::size_t>(k)];
  }
  template <class X>
  auto diffusion(const X& x, int k) const {
    using S = std::decay_t<decltype(x[k])>;
    S sum = -2.0 * x[k];
    if (k > 0) sum = sum + x[k - 1];
    if (k + 1 < n_) sum = sum + x[k + 1];
    return S(scale_ * sum);
  }

  int n_;
  double rho_, scale_ = 0.0;         // scale = 1/(4 dx^2)
  std::array<double, 2> quarter_{};  // Lambda_i^2 / 4
  std::array<std::vector<double>, 2> shape_;
};

Problem build(const Values& values) {
  const auto rod = std::make_shared<const Rod>(read(fields, values));
  const int n = rod->size();
  return SemiExplicitProblem{
      .name = "pde-1d",
      .f = autodiff(
          [rod](const auto& t, const auto&, const auto& v, auto& f) { rod->rates(t, v, f); }),
      .g = autodiff([rod](const auto& t, const auto& u, const auto& v, auto& g) {
        rod->balance(t, u, v, g);
      }),
      .y0 = rod->grid(rod->u(0.0)),
      .z0 = rod->grid(rod->v(0.0)),
      .y_names = numbered("u", n),
      .z_names = numbered("v", n),
      .equations = joined({numbered("rate of u", n), numbered("algebraic ", n)})};
}

}  // namespace
}  // namespace pde_1d_example

const Entry& pde_1d() {
  static const Entry entry = [] {
    using namespace pde_1d_example;
    Entry e = arnold::entry("pde-1d", "Partial differential-algebraic equation on n grid points",
                            "semi-explicit", 1, 1.0,
                            "(2.94), (2.96) with rho = -2; right-hand sides for a known solution");
    e.stiff = true;
    e.suites = {"scaling"};
    e.equations =
        "dx = pi/(n+1), (A w)_i = (w_(i-1) - 2 w_i + w_(i+1)) / dx^2, w_0 = w_(n+1) = 0\n"
        "u' = A v/4 - rho v + f^u\n"
        "0 = -A u/4 + A v/4 + v - f^v\n"
        "u_i = exp(-t) sin(x_i) + sin(t) sin(2 x_i), v_i = cos(t) sin(x_i) + cos(2 t) sin(2 x_i)";
    e.parameters = defaults(fields);
    e.build = build;
    e.exact = [](double t, const Values& values) {
      const Rod rod(read(fields, values));
      std::vector<std::pair<std::string, double>> x;
      const Eigen::VectorXd u = rod.grid(rod.u(t)), v = rod.grid(rod.v(t));
      for (int k = 0; k < rod.size(); ++k) x.emplace_back("u" + std::to_string(k + 1), u[k]);
      for (int k = 0; k < rod.size(); ++k) x.emplace_back("v" + std::to_string(k + 1), v[k]);
      return x;
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
