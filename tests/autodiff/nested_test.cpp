// SPDX-License-Identifier: BSD-3-Clause
// Series over Dual against hand-derived mixed derivatives, the NaN property on which sparsity
// detection rests, and matrix expressions over all three scalars.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <Eigen/Core>
#include <Eigen/Geometry>

#include "daedalus/taylor.hpp"

namespace daedalus {
namespace {

// Unlike fmax this does not overlook a NaN.
double larger(double worst, double error) {
  return std::isnan(error) ? INFINITY : std::fmax(worst, error);
}

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

// ---- f(x, y, z) = exp(sin(x y)) / (1 + z^2) along a curve ----

template <class T>
T composite(const T& x, const T& y, const T& z) {
  using std::exp, std::sin;
  return exp(sin(x * y)) / (1 + z * z);
}

using Real = long double;
using Point = Eigen::Matrix<Real, 3, 1>;
using Hessian = Eigen::Matrix<Real, 3, 3>;

Real value(const Point& p) { return composite<Real>(p[0], p[1], p[2]); }
Point gradient(const Point& p) {
  const Real c = std::cos(p[0] * p[1]), q = -2 * p[2] / (1 + p[2] * p[2]);
  return Point(p[1] * c, p[0] * c, q) * value(p);
}
Hessian hessian(const Point& p) {
  const Real x = p[0], y = p[1], z = p[2], n = 1 + z * z;
  const Real c = std::cos(x * y), curve = c * c - std::sin(x * y), q = -2 * z / n;
  Hessian h;
  h(0, 0) = y * y * curve;
  h(1, 1) = x * x * curve;
  h(0, 1) = h(1, 0) = c + x * y * curve;
  h(0, 2) = h(2, 0) = y * c * q;
  h(1, 2) = h(2, 1) = x * c * q;
  h(2, 2) = (6 * z * z - 2) / (n * n);
  return h * value(p);
}
// Second coefficient along p + w tau + a tau^2.
Real second_coefficient(const Point& p, const Point& w, const Point& a) {
  return w.dot(hessian(p) * w) / 2 + gradient(p).dot(a);
}
// Central difference of order eight.
Real difference(const Point& p, const Point& w, const Point& a, int i) {
  constexpr Real weights[] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280}, h = 1e-2L;
  Real sum = 0;
  for (int k = 1; k <= 4; ++k) {
    const Point shift = Point::Unit(i) * (k * h);
    sum += weights[k - 1] *
           (second_coefficient(p + shift, w, a) - second_coefficient(p - shift, w, a));
  }
  return sum / h;
}

template <class F>
double mixed_error(F f, const Point& p, const Point& w, const Point& a) {
  std::array<Taylor2Dual, 3> x;
  for (int i = 0; i < 3; ++i) {
    x[i].c[0] = Dual4::variable(static_cast<double>(p[i]), i);
    x[i].c[1] = static_cast<double>(w[i]);
    x[i].c[2] = static_cast<double>(a[i]);
  }
  const Taylor2Dual r = f(x[0], x[1], x[2]);
  const Point slope = hessian(p) * w;
  double e = larger(0.0, static_cast<double>(std::fabs(r.c[0].v - value(p))));
  e = larger(e, std::fabs(r.c[1].v - static_cast<double>(gradient(p).dot(w))));
  e = larger(e, std::fabs(r.c[2].v - static_cast<double>(second_coefficient(p, w, a))));
  for (int i = 0; i < 3; ++i) {
    e = larger(e, std::fabs(r.c[0].d[i] - static_cast<double>(gradient(p)[i])));
    e = larger(e, std::fabs(r.c[1].d[i] - static_cast<double>(slope[i])));
    e = larger(e, std::fabs(r.c[2].d[i] - static_cast<double>(difference(p, w, a, i))));
  }
  return e;
}

TEST(Nested, MixedDerivativesOfACompositeFunction) {
  // Dyadic numbers, so that both precisions start from the same point.
  const Point points[] = {{0.75L, -0.5L, 0.25L}, {0.0L, 1.25L, -1.5L}, {-1.0L, -0.625L, 0.0L}};
  const Point w(1.5L, -0.75L, 0.5L), a(0.25L, 1.0L, -2.0L);
  const auto f = [](auto& x, auto& y, auto& z) { return composite(x, y, z); };
  // Differences of order eight with h = 1e-2 leave about 1e-12 in the third derivatives.
  for (const Point& p : points) EXPECT_LT(mixed_error(f, p, w, a), 1e-11);
  const auto wrong = [](auto& x, auto& y, auto& z) {
    return exp(sin(x * y)) / (1 + z * value_of(z));
  };
  EXPECT_GT(mixed_error(wrong, points[0], w, a), 1e-2);
}

// ---- the NaN property ----

// True if NaN in direction 2 arrives there and nowhere else, at a finite value.
template <class F>
bool passes_nan(F f, double at) {
  const Dual4 x(at, {0.0, 0.0, nan_value, 0.0});
  const Dual4 r = f(x);
  const Dual4 constant = f(Dual4(at));
  bool clean = std::isnan(r.d[2]) && std::isfinite(r.v) && r.v == constant.v;
  for (const int i : {0, 1, 3}) clean = clean && r.d[i] == 0.0;
  for (int i = 0; i < 4; ++i) clean = clean && constant.d[i] == 0.0;

  Taylor2Dual s(x);
  const Taylor2Dual t = f(s);
  clean = clean && std::isnan(t.c[0].d[2]) && t.c[0].d[0] == 0.0 && t.c[0].v == r.v;
  Taylor2 first(at), both(at);
  first.c[1] = both.c[1] = both.c[2] = nan_value;
  const Taylor2 p = f(first), q = f(both), fixed = f(Taylor2(at));
  clean = clean && std::isnan(p.c[1]) && std::isnan(q.c[1]) && std::isnan(q.c[2]) && p.c[0] == r.v;
  return clean && fixed.c[1] == 0.0 && fixed.c[2] == 0.0;
}

TEST(Nested, NanReachesEveryDependentResultAndNoOther) {
  const auto all = [](double at) {
    const auto check = [at](const char* name, auto f) {
      EXPECT_TRUE(passes_nan(f, at)) << name << " at " << at;
    };
    check("times zero", [](auto x) { return x * 0.0; });
    check("zero times", [](auto x) { return 0 * x; });
    check("difference", [](auto x) { return x - x; });
    check("quotient", [](auto x) { return (0.0 * x) / (1.0 + x * x); });
    check("reciprocal", [](auto x) { return 0.0 / (2.0 + x); });
    check("sin", [](auto x) { return sin(x); });
    check("cos", [](auto x) { return cos(x); });
    check("tan", [](auto x) { return tan(x); });
    check("asin", [](auto x) { return asin(0.5 * x); });
    check("acos", [](auto x) { return acos(0.5 * x); });
    check("atan", [](auto x) { return atan(x); });
    check("sinh", [](auto x) { return sinh(x); });
    check("cosh", [](auto x) { return cosh(x); });
    check("tanh", [](auto x) { return tanh(x); });
    check("exp", [](auto x) { return exp(x); });
    check("expm1", [](auto x) { return expm1(x); });
    check("log", [](auto x) { return log(2.0 + x); });
    check("log1p", [](auto x) { return log1p(0.5 * x); });
    check("sqrt", [](auto x) { return sqrt(2.0 + x); });
    check("cbrt", [](auto x) { return cbrt(2.0 + x); });
    check("erf", [](auto x) { return erf(x); });
    check("abs", [](auto x) { return abs(x); });
    check("floor", [](auto x) { return floor(x); });
    check("ceil", [](auto x) { return ceil(x); });
    check("round", [](auto x) { return round(x); });
    check("x^0", [](auto x) { return pow(x, 0); });
    check("x^0.0", [](auto x) { return pow(x, 0.0); });
    check("x^2", [](auto x) { return pow(x, 2); });
    check("x^2.0", [](auto x) { return pow(x, 2.0); });
    check("x^9", [](auto x) { return pow(x, 9); });
    check("x^constant", [](auto x) { return pow(x, decltype(x)(2)); });
    check("1^x", [](auto x) { return pow(1.0, x); });
    check("0^x", [](auto x) { return pow(0.0, 2.0 + x); });
    check("(2+x)^x", [](auto x) { return pow(2.0 + x, x); });
    check("atan2", [](auto x) { return atan2(x, 0.0 * x + 1.0); });
    check("hypot", [](auto x) { return hypot(x, 1); });
    check("min, not taken", [](auto x) { return min(x, -5.0); });
    check("max, not taken", [](auto x) { return max(5.0, x); });
    check("fmin, not taken", [](auto x) { return fmin(-5.0, x); });
    check("fmax, taken", [](auto x) { return fmax(x, -5); });
  };
  for (const double at : {0.0, 1.0, -1.0, 0.5}) all(at);
  // Control: the shortcut that must not be taken.
  const auto shortcut = [](auto x) { return x == 0.0 ? decltype(x)(0.0) : x * x; };
  EXPECT_FALSE(passes_nan(shortcut, 0.0));
}

// Outside linear and piecewise linear functions c_2 depends on c_1, also where f'' is zero.
TEST(Nested, NanReachesTheSecondCoefficientFromTheFirst) {
  Taylor2 x(0.0);
  x.c[1] = nan_value;
  for (const Taylor2& r :
       {x * x, sin(x), tan(x), asin(x), atan(x), sinh(x), tanh(x), erf(x), pow(x, 2), pow(x, 3),
        pow(x, 3.0), pow(x, 12), exp(x), 0.0 / (1.0 + x)}) {
    EXPECT_TRUE(std::isnan(r.c[2]));
    EXPECT_FALSE(std::isnan(r.c[0]));
  }
  EXPECT_EQ((2.0 * x - 1.0).c[2], 0.0);
}

// ---- matrices ----

template <class T>
class MatrixExpressions : public testing::Test {};
using Scalars = testing::Types<Dual4, Taylor2, Taylor2Dual>;
TYPED_TEST_SUITE(MatrixExpressions, Scalars);

Dual4 perturbed(Dual4, double x, double slope) { return Dual4(x, {slope, 0, 0, 1}); }
Taylor2 perturbed(Taylor2, double x, double slope) { return Taylor2({x, slope, 0.5}); }
Taylor2Dual perturbed(Taylor2Dual, double x, double slope) {
  return Taylor2Dual({Dual4(x, {1, slope, 0, 0}), Dual4(slope, {0, 0, x, 0}), Dual4(0.25)});
}

double distance(double a, double b) { return larger(0.0, std::fabs(a - b)); }
template <class S, int N>
double distance(const Dual<S, N>& a, const Dual<S, N>& b) {
  double worst = distance(a.v, b.v);
  for (int i = 0; i < N; ++i) worst = larger(worst, distance(a.d[i], b.d[i]));
  return worst;
}
template <class S, int K>
double distance(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  double worst = 0.0;
  for (int k = 0; k <= K; ++k) worst = larger(worst, distance(a.c[k], b.c[k]));
  return worst;
}

TYPED_TEST(MatrixExpressions, AgreeWithLoops) {
  using T = TypeParam;
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const T u[] = {perturbed(T(), 1, 0.5), perturbed(T(), -2, 1.5), perturbed(T(), 0.5, -1)};
  const T w[] = {perturbed(T(), 0.25, 2), perturbed(T(), 3, -0.5), perturbed(T(), -1, 0.75)};
  const Vector3 a(u[0], u[1], u[2]), b(w[0], w[1], w[2]);
  const Eigen::Vector3d c(1.5, -0.5, 2.0);
  const T s = perturbed(T(), 1.75, 0.3);
  constexpr double tolerance = 1e-14;

  const T dot = u[0] * w[0] + u[1] * w[1] + u[2] * w[2];
  const T square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  EXPECT_LT(distance(a.dot(b), dot), tolerance);
  EXPECT_LT(distance(a.squaredNorm(), square), tolerance);
  EXPECT_LT(distance(a.norm(), sqrt(square)), tolerance);
  EXPECT_LT(distance(a.cross(b)[0], u[1] * w[2] - u[2] * w[1]), tolerance);
  EXPECT_LT(distance(a.normalized()[1], u[1] / sqrt(square)), tolerance);
  EXPECT_LT(distance(a.sum(), u[0] + u[1] + u[2]), tolerance);
  EXPECT_LT(distance(a.maxCoeff(), u[0]), tolerance);
  EXPECT_TRUE(a.allFinite());

  const Vector3 mixed = 2.0 * a - b / 4.0 + 3 * a.cwiseProduct(b) + c * s + s * b + (a + c) / s;
  EXPECT_LT(distance(mixed[2], 2.0 * u[2] - w[2] / 4.0 + 3 * u[2] * w[2] + 2.0 * s + s * w[2] +
                                   (u[2] + 2.0) / s),
            8 * tolerance);
  EXPECT_LT(distance(a.dot(c), u[0] * 1.5 - u[1] * 0.5 + u[2] * 2.0), tolerance);

  Matrix m(3, 3);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m(i, j) = u[i] * w[j] + (i == j ? 1.0 : 0.0);
  }
  const Eigen::MatrixXd n = Eigen::MatrixXd::Constant(3, 3, 0.5);
  const Vector v = m * a, vn = n * a;
  const Matrix product = m * m.transpose(), left = n * m, right = m * n;
  T row(0), entry(0), column(0), sum(0);
  for (int j = 0; j < 3; ++j) {
    row += m(1, j) * u[j];
    entry += m(0, j) * m(2, j);
    column += 0.5 * m(j, 1);
    sum += m(1, j) * 0.5;
  }
  EXPECT_LT(distance(v[1], row), 10 * tolerance);
  EXPECT_LT(distance(vn[0], 0.5 * (u[0] + u[1] + u[2])), tolerance);
  EXPECT_LT(distance(product(0, 2), entry), 20 * tolerance);
  EXPECT_LT(distance(left(2, 1), column), 10 * tolerance);
  EXPECT_LT(distance(right(1, 2), sum), 10 * tolerance);

  // A factor in front belongs to the result, also where the right side is plain.
  const Eigen::VectorXd plain = c;
  const Vector scaled = (s * m) * plain;
  EXPECT_LT(distance(scaled[1], s * (m(1, 0) * 1.5 - m(1, 1) * 0.5 + m(1, 2) * 2.0)),
            20 * tolerance);
  const Matrix outer = a * plain.transpose();
  EXPECT_LT(distance(outer(0, 2), u[0] * 2.0), tolerance);
  const T inner = a.transpose() * b;
  EXPECT_LT(distance(inner, dot), tolerance);
  Matrix aliased = m;
  aliased = aliased * m.transpose();
  EXPECT_LT(distance(aliased(0, 2), product(0, 2)), tolerance);
  Vector accumulated = v;
  accumulated.noalias() -= m * a;
  EXPECT_LT(distance(accumulated[1], T(0.0)), 10 * tolerance);

  Vector tail = v;
  tail.head(2) *= 2.0;
  tail.tail(1) /= s;
  tail += Vector::Ones(3);
  EXPECT_LT(distance(tail[1], 2.0 * v[1] + 1.0), tolerance * 10);
  const Eigen::Map<const Vector> view(u, 3);
  EXPECT_LT(distance(view.head(2).dot(b.tail(2)), u[0] * w[1] + u[1] * w[2]), tolerance);
  const Vector3 converted = c.template cast<T>();
  EXPECT_EQ(value_of(converted[2]), 2.0);
  // Control: the measure sees a wrong derivative behind a right value.
  EXPECT_GT(distance(dot, T(value_of(dot))), 0.1);
}

}  // namespace
}  // namespace daedalus
