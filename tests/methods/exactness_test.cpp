// Every method integrates polynomials up to its order exactly and misses the next one: the second
// half is what shows that the first can fail.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/autodiff.hpp>

#include "methods/models.hpp"

namespace daedalus::methods_test {
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

// The same polynomial t^degree three times: by quadrature, y' = p'(t); as the last of a chain
// x_k' = k x_(k-1), x_0' = 0, which sees the stability function; and with both at once, y' =
// x_(d-1) plus p'(t). Some methods are more accurate than their order on one of them.
Problem polynomials(int degree) {
  Eigen::VectorXd start(degree + 3);
  for (int k = 0; k <= degree; ++k) start[k] = power(interval.from, k);
  start[degree + 1] = start[degree];
  start[degree + 2] = 2.0 * start[degree];
  return MassMatrixProblem{.name = "polynomials",
                           .rhs = autodiff([degree](const auto& t, const auto& x, auto& f) {
                             f[0] = 0.0 * x[0];
                             for (int k = 1; k <= degree; ++k) f[k] = double(k) * x[k - 1];
                             f[degree + 1] = double(degree) * power(t, degree - 1);
                             f[degree + 2] = f[degree] + f[degree + 1];
                           }),
                           .y0 = start,
                           .index = 0};
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

struct Polynomial {
  const Method* method;
  std::string formulation;  // empty: the first-order problem
  double error(int degree, VariableClass cls) const {
    const bool multibody = !formulation.empty();
    const Options o{.method = method->name,
                    .formulation = multibody ? formulation : "auto",
                    .projection = ProjectionWhen::none,
                    .rtol = 1e-9,
                    .atol = 1e-9,
                    .output = Output::end,
                    .fixed_step = 0.25};
    const Solution s = solve(multibody ? plane(degree) : polynomials(degree), interval, o);
    EXPECT_EQ(s.status(), Status::success) << s.message();
    EXPECT_EQ(s.end_time(), interval.to);
    const double t = interval.to;
    if (!multibody) {
      const Eigen::VectorXd y = s.end().y();
      double worst = std::abs(y[degree + 2] - 2.0 * power(t, degree));
      worst = std::max(worst, std::abs(y[degree + 1] - power(t, degree)));
      for (int k = 0; k <= degree; ++k) worst = std::max(worst, std::abs(y[k] - power(t, k)));
      return worst;
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
    for (const std::string& f : fitting_formulations(plane(1), *m, fixed)) list.push_back({m, f});
  }
  return list;
}

class Exactness : public ::testing::TestWithParam<Polynomial> {};

TEST_P(Exactness, UpToTheOrder) {
  const Polynomial& p = GetParam();
  for (int degree = 1; degree <= p.method->order; ++degree) {
    EXPECT_LT(p.error(degree, VariableClass::q), round_off) << "degree " << degree;
    EXPECT_LT(p.error(degree, VariableClass::v), round_off) << "degree " << degree;
  }
}

TEST_P(Exactness, NotBeyond) {
  const Polynomial& p = GetParam();
  EXPECT_GT(p.error(p.method->order + 1, VariableClass::q), visible);
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
}  // namespace daedalus::methods_test
