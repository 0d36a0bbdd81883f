// SPDX-License-Identifier: BSD-3-Clause
// Every method integrates polynomials up to its order exactly and misses the next one: the second
// half is what shows that the first can fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <daedalus/autodiff.hpp>

#include "methods/exceptions.hpp"
#include "methods/models.hpp"

namespace daedalus::methods_test::exactness_test {
namespace {

constexpr double round_off = 1e-11;  // some steps, coefficients up to 40, values near 1
constexpr double visible = 1e-6;     // four steps of the length 1/4 leave more than this
constexpr Interval interval{0.2, 1.2};

double power(double t, int n) { return std::pow(t, n); }
template <class S>
S power(const S& t, int n) {
  S result = S(1.0);
  for (int i = 0; i < n; ++i) result = result * t;
  return result;
}

// The polynomial t^degree in many ways, all from x_k = t^k: by quadrature, y' = p'(t); as the last
// of a chain x_k' = k x_(k-1), x_0' = 0, which sees the stability function; as products of two
// members of the chain, which nonlinear trees see; and through algebraic variables, 0 = z_k -
// x_1^k, with products of these and members of the chain. A method is often more accurate than its
// order in one of these ways, hardly in all.
struct Polynomials {
  int degree, chain, products;
  explicit Polynomials(int d) : degree(d), chain(d + 1), products(2 * d) {}
  int differential() const { return chain + 1 + products; }
  int algebraic() const { return std::max(degree - 1, 1); }  // z_2 ... z_d, or z_2 alone
  template <class T, class Y, class Z, class F>
  void f(const T& t, const Y& x, const Z& z, F& out) const {
    out[0] = 0.0 * x[0];
    for (int k = 1; k <= degree; ++k) out[k] = double(k) * x[k - 1];
    out[chain] = double(degree) * power(t, degree - 1) + 0.0 * x[0];
    for (int i = 0; i < degree; ++i) {
      const int j = degree - 1 - i;
      out[chain + 1 + 2 * i] = double(degree) * x[i] * x[j];
      if (j >= 2)
        out[chain + 2 + 2 * i] = double(degree) * x[i] * z[j - 2];
      else
        out[chain + 2 + 2 * i] = double(degree) * x[i] * x[j];
    }
  }
  template <class Y, class Z, class G>
  void g(const Y& x, const Z& z, G& out) const {
    for (int k = 0; k < algebraic(); ++k) out[k] = z[k] - power(x[1], k + 2);
  }
  Eigen::VectorXd y(double t) const {
    Eigen::VectorXd v = Eigen::VectorXd::Constant(differential(), power(t, degree));
    for (int k = 0; k <= degree; ++k) v[k] = power(t, k);
    return v;
  }
  Eigen::VectorXd z(double t) const {
    Eigen::VectorXd v(algebraic());
    for (int k = 0; k < algebraic(); ++k) v[k] = power(t, k + 2);
    return v;
  }
};

Problem polynomials(int degree) {
  const Polynomials p(degree);
  return SemiExplicitProblem{
      .name = "polynomials",
      .f = autodiff([p](const auto& t, const auto& x, const auto& z, auto& f) { p.f(t, x, z, f); }),
      .g = autodiff([p](const auto&, const auto& x, const auto& z, auto& g) { p.g(x, z, g); }),
      .y0 = p.y(interval.from),
      .z0 = p.z(interval.from)};
}

// A particle of mass 2 on the plane n q = 0, pushed along it by the second derivative of t^degree
// and against it by a force that is no polynomial: q = e t^degree with e in the plane.
Problem plane(int degree) {
  const Eigen::Vector3d along(1.0, -2.0, 0.5);  // perpendicular to n = (1, 1, 2)
  return MultibodyProblem{
      .name = "plane",
      .space = euclidean(3),
      .constraint_count = 1,
      .mass = autodiff([](const auto&, const auto&, auto& M) {
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) M(i, j) = i == j ? 2.0 : 0.0;
      }),
      .force = autodiff([degree, along](const auto& t, const auto&, const auto&, auto& f) {
        using std::cos;
        const double factor = 2.0 * degree * (degree - 1);
        const auto push = degree < 2 ? 0.0 * t : factor * power(t, degree - 2);
        const auto press = 3.0 + cos(5.0 * t);
        f[0] = along[0] * push + press;
        f[1] = along[1] * push + press;
        f[2] = along[2] * push + 2.0 * press;
      }),
      .constraint =
          autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[0] + q[1] + 2.0 * q[2]; }),
      .q0 = along * power(interval.from, degree),
      .v0 = along * (degree * power(interval.from, degree - 1))};
}

// The same motion without the plane, for methods that take no constraints.
Problem free_particle(int degree) {
  MultibodyProblem p = std::get<MultibodyProblem>(plane(degree));
  const Eigen::Vector3d along(1.0, -2.0, 0.5);
  p.constraint_count = 0;
  p.constraint = {};
  p.force = autodiff([degree, along](const auto& t, const auto&, const auto&, auto& f) {
    const double factor = 2.0 * degree * (degree - 1);
    for (int i = 0; i < 3; ++i)
      f[i] = degree < 2 ? 0.0 * t : along[i] * factor * power(t, degree - 2);
  });
  return p;
}

struct Polynomial {
  const Method* method;
  std::string formulation;  // empty: the first-order problem
  std::vector<VariableClass> classes() const {
    if (formulation.empty()) return {VariableClass::y, VariableClass::z};
    return {VariableClass::q, VariableClass::v};
  }
  double error(int degree, VariableClass cls) const {
    // One step from exact values on the first-order problem: order p says y exact to degree p and z
    // to degree p - 1 in that step, and the inexact z of degree p would spoil the next one.
    const bool multibody = !formulation.empty();
    Options o{.method = method->name,
              .formulation = multibody ? formulation : "auto",
              .projection = ProjectionWhen::none,
              .rtol = 1e-9,
              .atol = 1e-9,
              .output = Output::end,
              .fixed_step = multibody ? 0.25 : 0.5};
    Interval whole = multibody ? interval : Interval{interval.from, interval.from + 0.5};
    if (multistep(*method)) {
      // As many exact values as the order needs, and ten steps of its own.
      o.fixed_step = (interval.to - interval.from) / (method->order + 10);
      whole = interval;
      o.known = [&](double at, Out y) {
        if (multibody) {
          const Eigen::Vector3d e(1.0, -2.0, 0.5);
          y.setZero();
          y.head(3) = e * power(at, degree);
          y.segment(3, 3) = e * (degree * power(at, degree - 1));
          // n M q'' + n n^T lambda = n f with n = (1, 1, 2): the push lies in the plane.
          if (y.size() > 6) y[6] = 3.0 + std::cos(5.0 * at);
          return true;
        }
        const Polynomials p(degree);
        y << p.y(at), p.z(at);
        return true;
      };
    }
    const Solution s = solve(!multibody               ? polynomials(degree)
                             : method->max_index == 0 ? free_particle(degree)
                                                      : plane(degree),
                             whole, o);
    EXPECT_EQ(s.status(), Status::success) << s.message();
    EXPECT_EQ(s.end_time(), whole.to);
    const double t = whole.to;
    if (!multibody) {
      const Polynomials p(degree);
      const Eigen::VectorXd exact = cls == VariableClass::z ? p.z(t) : p.y(t);
      const int count = cls == VariableClass::z ? std::max(degree - 2, 0) : p.differential();
      if (count == 0) return 0.0;
      return (s.end().of(cls == VariableClass::z ? cls : VariableClass::y) - exact)
          .head(count)
          .cwiseAbs()
          .maxCoeff();
    }
    const Eigen::Vector3d along(1.0, -2.0, 0.5);
    const double size = cls == VariableClass::q ? power(t, degree) : degree * power(t, degree - 1);
    return (s.end().of(cls) - along * size).norm();
  }
};
std::string label(const Polynomial& p) {
  return methods_test::label(p.method->name + "_" +
                             (p.formulation.empty() ? "first_order" : p.formulation));
}
void PrintTo(const Polynomial& p, std::ostream* out) { *out << label(p); }
struct ByName {
  template <class Info>
  std::string operator()(const Info& test) const {
    return label(test.param);
  }
};

std::vector<Polynomial> cases() {
  std::vector<Polynomial> list;
  const Options fixed{.fixed_step = 1.0};
  for (const Method* m : all_methods()) {
    for (const std::string& f : fitting_formulations(polynomials(1), *m, fixed))
      list.push_back({m, f});
    for (const std::string& f :
         fitting_formulations(m->max_index == 0 ? free_particle(1) : plane(1), *m, fixed))
      list.push_back({m, f});
  }
  return list;
}

class Exactness : public ::testing::TestWithParam<Polynomial> {};

TEST_P(Exactness, UpToTheOrder) {
  const Polynomial& p = GetParam();
  for (int degree = 1; degree <= p.method->order; ++degree)
    for (const VariableClass cls : p.classes())
      EXPECT_LT(p.error(degree, cls), round_off) << "degree " << degree;
}

// Of q, v and y the degree p + 1, or of z the degree p: the problem of degree p + 1 compares z up
// to z_p, and on the plane the velocity has one degree less than the position.
TEST_P(Exactness, NotBeyond) {
  const Polynomial& p = GetParam();
  double largest = 0.0;
  for (const VariableClass cls : p.classes())
    for (int more = 1; more <= 2; ++more)
      if (more == 1 || cls == VariableClass::v)
        largest = std::max(largest, p.error(p.method->order + more, cls));
  // Of an order above 7 the same four steps leave less, and more than round-off all the same.
  EXPECT_EQ(largest <= (p.method->order > 7 ? 1e3 * round_off : visible),
            excepted("Exactness", p.method->name, p.formulation.empty() ? "" : p.formulation))
      << "error " << largest;
}

INSTANTIATE_TEST_SUITE_P(Methods, Exactness, ::testing::ValuesIn(cases()), ByName{});

TEST(Exactness, CoversEveryMethod) {
  for (const Method* m : all_methods()) {
    bool found = false;
    for (const Polynomial& p : cases()) found = found || p.method == m;
    EXPECT_TRUE(found) << m->name;
  }
}

}  // namespace
}  // namespace daedalus::methods_test::exactness_test
