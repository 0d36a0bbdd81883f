// SPDX-License-Identifier: BSD-3-Clause
// Tables: exact on what splines hold, least squares elsewhere, derivatives over all scalars, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <catalogue/disc_hyperbola.hpp>
#include <daedalus/contact_table.hpp>

#include "scratch_folder.hpp"

namespace daedalus::table_test {
namespace {

using testing::AllOf, testing::HasSubstr;

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

double polynomial(const std::array<double, 3>& p) {
  const double x = p[0], y = p[1], z = p[2];
  return (1.0 + x - 2.0 * x * x * x * x) * (0.5 + y * y * y) + z * z * (x * y - 1.0);
}

TableRequest cubic_request() {
  TableRequest r;
  r.axes = {{"x", {-1.0, -0.2, 0.3, 1.0}, false},
            TableAxis::uniform("y", 0.0, 2.0, 3),
            TableAxis::parabola("z", 0.5)};
  r.quantities = {{"height", 4, {}}, {"slope", 3, {}}};
  return r;
}

ContactTable polynomial_table() {
  return ContactTable::build(cubic_request(), [](const std::array<double, 3>& p, double* v) {
    v[0] = polynomial(p);
    v[1] = p[0] * p[0] * p[1] + p[2] * p[2];
  });
}

// Polynomials of the degree are splines, and everything even and quadratic in z is held by (4.26),
// also beyond the second place z = 0.5.
TEST(ContactTableTest, HoldsPolynomials) {
  const ContactTable t = polynomial_table();
  double worst = 0.0, slopes = 0.0;
  for (const double x : {-1.0, -0.7, -0.2, 0.29, 0.9, 1.0})
    for (const double y : {0.0, 0.4, 1.1, 2.0})
      for (const double z : {0.0, -0.3, 0.8}) {
        const std::array<double, 3> p{x, y, z};
        double v[2], g[3];
        t.evaluate(p.data(), v, g);
        worst =
            std::max({worst, std::abs(v[0] - polynomial(p)), std::abs(v[1] - x * x * y - z * z)});
        const double gx = (1.0 - 8.0 * x * x * x) * (0.5 + y * y * y) + z * z * y;
        const double gy = (1.0 + x - 2.0 * x * x * x * x) * 3.0 * y * y + z * z * x;
        slopes = std::max({slopes, std::abs(g[0] - gx), std::abs(g[1] - gy),
                           std::abs(g[2] - 2.0 * z * (x * y - 1.0))});
        EXPECT_NEAR(t.value(0, p), v[0], 1e-13);
      }
  EXPECT_LT(worst, 1e-11);
  EXPECT_LT(slopes, 1e-10);
  // A degree less does not hold x^4.
  TableRequest lower = cubic_request();
  lower.quantities[0].degree = 3;
  const ContactTable cubic =
      ContactTable::build(lower, [](const std::array<double, 3>& p, double* v) {
        v[0] = polynomial(p);
        v[1] = 0.0;
      });
  EXPECT_GT(std::abs(cubic.value(0, std::array{0.7, 1.0, 0.0}) - polynomial({0.7, 1.0, 0.0})),
            1e-5);
}

// All derivatives up to the third along a curve, with derivatives by p.
TEST(ContactTableTest, DerivativesOverScalars) {
  const ContactTable t = polynomial_table();
  const auto exact = [](const auto& p) {
    const auto &x = p[0], &y = p[1], &z = p[2];
    return (1.0 + x - 2.0 * x * x * x * x) * (0.5 + y * y * y) + z * z * (x * y - 1.0);
  };
  std::array<Taylor2Dual, 3> p;
  const double at[] = {0.35, 0.8, -0.2}, w[] = {0.6, -1.1, 0.4};
  for (int j = 0; j < 3; ++j) {
    auto& x = p[static_cast<std::size_t>(j)];
    x = Taylor2Dual(Dual4::variable(at[j], j));
    x.c[1] = Dual4(w[j]);
    x.c[2] = Dual4(0.3 * w[j]);
  }
  const Taylor2Dual a = t.value(0, p), b = exact(p);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(a.c[k].v, b.c[k].v, 1e-9) << k;
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(a.c[k].d[j], b.c[k].d[j], 1e-8) << k << j;
  }
}

// Without smoothing the residual of the least-squares fit is orthogonal to every spline: the best
// constant added to the result is zero. With smoothing it is not, but the second derivative falls.
TEST(ContactTableTest, IsTheLeastSquaresFit) {
  TableRequest r;
  r.axes = {TableAxis::uniform("x", -1.0, 1.0, 4)};
  r.quantities = {{"plain", 2, {}}, {"smooth", 2, {1e-1, 0.0, 0.0}}};
  const auto kink = [](double x) { return std::abs(x - 0.1); };
  const ContactTable t = ContactTable::build(
      r, [&](const std::array<double, 3>& p, double* v) { v[0] = v[1] = kink(p[0]); });
  const ContactGrid grid = ContactGrid::gauss(r.axes[0].breaks, r.samples);
  double moments[2] = {}, distance[2] = {};
  for (int i = 0; i < grid.size(); ++i) {
    const double x = grid.point(i);
    for (int k = 0; k < 2; ++k) {
      const double off = t.value(k, std::array{x}) - kink(x);
      moments[k] += grid.weight(i) * off;
      distance[k] += grid.weight(i) * off * off;
    }
  }
  EXPECT_NEAR(moments[0], 0.0, 1e-14);
  EXPECT_GT(distance[1], 1.2 * distance[0]);
  double bend[2] = {};
  for (const double x : {-0.75, -0.25, 0.25, 0.75})
    for (int k = 0; k < 2; ++k) {
      Taylor2 s(x);
      s.c[1] = 1.0;
      bend[k] += std::pow(t.value(k, std::array{s}).c[2], 2);
    }
  EXPECT_LT(bend[1], 0.8 * bend[0]);
}

TEST(ContactTableTest, OfTheDisc) {
  problems::disc_hyperbola_model::Constants c;
  const ContactTable t = problems::disc_hyperbola_model::table(c);
  const auto f = std::get<0>(problems::disc_hyperbola_model::contacts(c)).family;
  double height = 0.0, slope = 0.0, attack = 0.0;
  for (int i = 0; i <= 200; ++i) {
    const double q1 = -1.2 + 0.012 * i;
    const auto e = f.expansion(std::array{q1});
    double v[2], g[1];
    t.evaluate(&q1, v, g);
    height = std::max(height, std::abs(v[0] - e.value));
    slope = std::max(slope, std::abs(g[0] - e.gradient[0]));
    attack = std::max(attack, std::abs(v[1] - f.attack(std::array{q1})));
  }
  EXPECT_LT(height, 1e-5);
  EXPECT_LT(slope, 1e-3);
  EXPECT_LT(attack, 1e-2);
  EXPECT_EQ(t.request().nu, c.nu);
  EXPECT_EQ(t.request().grid, f.grid().hash());
}

TEST(ContactTableTest, OutsideItRejects) {
  const ContactTable t = polynomial_table();
  const double p[] = {1.5, 1.0, 0.0};
  EXPECT_FALSE(t.contains(p));
  EXPECT_THROW(t.evaluate(p, nullptr, nullptr), Reject);
  EXPECT_THAT(message_of([&] {
                (void)t.value(0, std::array{1.5, 1.0, 0.0});
              }),
              AllOf(HasSubstr("x = 1.5"), HasSubstr("[-1, 1]")));
  EXPECT_THAT(message_of([&] { (void)t.value(0, std::array{0.5}); }), HasSubstr("1 coordinates"));
}

TEST(ContactTableMisuse, NamesFieldAndValue) {
  const auto message = [](auto change) {
    TableRequest r = cubic_request();
    change(r);
    return message_of([&] {
      (void)ContactTable::build(r,
                                [](const std::array<double, 3>&, double* v) { v[0] = v[1] = 1.0; });
    });
  };
  EXPECT_THAT(message([](TableRequest& r) { r.axes.clear(); }), HasSubstr("0 axes"));
  EXPECT_THAT(message([](TableRequest& r) { r.axes[0].breaks[1] = 0.5; }),
              AllOf(HasSubstr("break 2 of axis 'x'"), HasSubstr("0.3")));
  EXPECT_THAT(message([](TableRequest& r) { r.quantities[1].degree = 9; }),
              AllOf(HasSubstr("'slope'"), HasSubstr("9")));
  EXPECT_THAT(message([](TableRequest& r) { r.samples = 1; }), HasSubstr("raise samples"));
  EXPECT_THAT(message([](TableRequest& r) { r.quantities[0].name = "two words"; }),
              HasSubstr("'two words'"));
  EXPECT_THAT(message([](TableRequest& r) { r.weight = [](const auto&) { return -1.0; }; }),
              HasSubstr("weight at p = ("));
  EXPECT_THAT(message_of([] {
                (void)ContactTable::build(cubic_request(), [](const auto& p, double* v) {
                  v[0] = 1.0;
                  v[1] = std::log(p[0]);
                });
              }),
              AllOf(HasSubstr("'slope' at p = (-"), HasSubstr("nan")));
}

class ContactTableFile : public testing::Test {
 protected:
  std::vector<std::string> lines() const {
    std::ifstream in(path_);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  std::string broken(const std::vector<std::string>& all) const {
    std::ofstream out(path_, std::ios::trunc);
    for (const std::string& line : all) out << line << '\n';
    out.close();
    return message_of([&] { (void)ContactTable::load(path_); });
  }
  const ScratchFolder folder_;
  const std::string path_ = folder_ / "one.table";
};

TEST_F(ContactTableFile, KeepsEveryBit) {
  const ContactTable t = polynomial_table();
  t.save(path_);
  const ContactTable u = ContactTable::load(path_);
  for (const double x : {-0.9, 0.1, 0.8}) {
    const double p[] = {x, 1.3, 0.2};
    double a[2], b[2];
    t.evaluate(p, a, nullptr);
    u.evaluate(p, b, nullptr);
    EXPECT_EQ(a[0], b[0]);
    EXPECT_EQ(a[1], b[1]);
  }
  EXPECT_EQ(u.request().key(), t.request().key());
}

TEST_F(ContactTableFile, BrokenFilesAreNamedWithLine) {
  polynomial_table().save(path_);
  const std::vector<std::string> good = lines();
  auto bad = good;
  bad[7] = "0.2x";
  EXPECT_THAT(broken(bad), AllOf(HasSubstr("one.table"), HasSubstr("line 8"), HasSubstr("'0.2x'"),
                                 HasSubstr("break 0 of axis 'x'")));
  bad = good;
  bad.resize(30);
  EXPECT_THAT(broken(bad), AllOf(HasSubstr("ends before line 31"), HasSubstr("coefficient")));
  bad = good;
  bad[40] = bad[41];  // a number, but another one
  EXPECT_THAT(broken(bad), HasSubstr("checksum"));
  bad = good;
  bad[0] = "something else";
  EXPECT_THAT(broken(bad), AllOf(HasSubstr("line 1"), HasSubstr("daedalus-contact-table 1")));
  EXPECT_THAT(message_of([&] { (void)ContactTable::load(path_ + ".missing"); }),
              HasSubstr("cannot be read"));
  EXPECT_THAT(message_of([&] { polynomial_table().save("/no/such/place/x.table"); }),
              AllOf(HasSubstr("/no/such/place/x.table"), HasSubstr("cannot be written")));
}

TEST_F(ContactTableFile, IsFoundByItsKey) {
  int samples = 0;
  const auto sample = [&](const std::array<double, 3>& p, double* v) {
    ++samples;
    v[0] = polynomial(p);
    v[1] = 0.0;
  };
  TableRequest r = cubic_request();
  r.profile = 7;
  r.nu = 2e-5;
  (void)ContactTable::stored(folder_.path().string(), r, sample);
  const int first = samples;
  EXPECT_GT(first, 0);
  (void)ContactTable::stored(folder_.path().string(), r, sample);
  EXPECT_EQ(samples, first);  // read, not built
  for (const int change : {0, 1, 2}) {
    TableRequest other = r;
    if (change == 0) other.profile = 8;
    if (change == 1) other.nu = 1e-5;
    if (change == 2) other.grid = 1;
    EXPECT_NE(ContactTable::file_name(other), ContactTable::file_name(r));
    // A file of another request under this name is an error that says both.
    std::filesystem::copy_file(folder_ / ContactTable::file_name(r),
                               folder_ / ContactTable::file_name(other));
    EXPECT_THAT(
        message_of([&] { (void)ContactTable::stored(folder_.path().string(), other, sample); }),
        AllOf(HasSubstr("was made for"), HasSubstr("0000000000000007")));
  }
}

}  // namespace
}  // namespace daedalus::table_test
