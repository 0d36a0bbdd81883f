// SPDX-License-Identifier: BSD-3-Clause
// Tables of coefficients, group operations, correction terms: claims 1, 2, 3.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include <daedalus/lie/multistep.hpp>
#include <daedalus/testing/group.hpp>

#include "reproduce/wieloch.hpp"
#include "reproduce/wieloch_support.hpp"

namespace daedalus::experiments::wieloch {
namespace {

long whole_multiple(double value, long by) {
  const double multiple = value * static_cast<double>(by);
  const long whole = std::lround(multiple);
  if (std::abs(multiple - static_cast<double>(whole)) > 1e-12)
    throw InvalidArgument(fmt::format("{} is not a multiple of 1/{}", value, by));
  return whole;
}
long power_of(long base, int exponent) {
  return exponent == 0 ? 1 : base * power_of(base, exponent - 1);
}

// (2.6): sum alpha_i i^l = -1 for l = 1, 0 for l = 0, 2, ..., k; in units of 1/60, without
// rounding.
bool bdf_conditions_hold(int k) {
  for (int l = 0; l <= k; ++l) {
    long sum = 0;
    for (int i = 0; i <= k; ++i) sum += whole_multiple(lie::bdf_alpha[k][i], 60) * power_of(i, l);
    if (sum != (l == 1 ? -60 : 0)) return false;
  }
  long sum = 0;  // (2.12), (2.15): gamma_i = alpha_0 + ... + alpha_{i-1}
  for (int i = 1; i <= k; ++i) {
    sum += whole_multiple(lie::bdf_alpha[k][i - 1], 60);
    if (whole_multiple(lie::bdf_gamma[k][i], 60) != sum) return false;
  }
  return true;
}

// x = t^l, t_n = 0: sum beta_i l (1 - i)^(l-1) = 1 for l = 1, ..., k + 1.
bool adams_conditions_hold(int k) {
  for (int l = 1; l <= k + 1; ++l) {
    long sum = 0;
    for (int i = 0; i <= k; ++i)
      sum += whole_multiple(lie::adams_moulton[k][i], 24) * l * power_of(1 - i, l - 1);
    if (sum != 24) return false;
  }
  return true;
}

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Derivatives = std::array<Vector6, 8>;

// A velocity whose derivatives point in different directions, in units in which all are of size 1.
Derivatives some_velocity(double t) {
  Derivatives d;
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 6; ++i) {
      const double phase = 0.7 * i + 0.3 * i * i, rate = 0.6 + 0.1 * i;
      d[static_cast<std::size_t>(j)][i] =
          std::pow(rate, j) * std::sin(rate * t + phase + 0.5 * M_PI * j);
    }
  return d;
}
// The exact increment from t to t + h, (2.33), up to h^8.
Vector6 exact_increment(lie::Series& series, double t, double h) {
  const Derivatives d = some_velocity(t);
  std::array<const double*, 8> p{};
  for (std::size_t j = 0; j < 8; ++j) p[j] = d[j].data();
  Vector6 nu;
  series.increment(7, h, p.data(), nu.data());
  return nu;
}

// The error of one step of a product of exponentials with exact velocities.
double exponential_error(const lie::ExponentialFormula& f, bool single, double h) {
  const Space space = se3_space();
  lie::Series series{lie::Bracket(space)};
  Eigen::VectorXd q(space.points()), exact(space.points());
  space.identity(q.data());
  space.identity(exact.data());
  Vector6 w = exact_increment(series, 0.0, h);
  space.plus(exact.data(), w.data(), exact.data());
  for (int j = f.blocks - 1; j >= 0; --j) {
    Vector6 sum = Vector6::Zero();
    for (int i = f.steps; i >= 0; --i) {
      const Vector6 v = h * f.beta[j][i] * some_velocity((1 - i) * h)[0];
      if (single) space.plus(q.data(), v.data(), q.data());
      sum += v;
    }
    if (!single) space.plus(q.data(), sum.data(), q.data());
  }
  space.minus(q.data(), exact.data(), w.data());
  return w.norm();
}

std::vector<Claim> table_conditions(Context&) {
  std::vector<Claim> claims;
  for (int k = 1; k <= 6; ++k)
    claims.push_back(fact_claim(
        fmt::format("wieloch-1.bdf{}", k),
        fmt::format("BDF, k = {}: alpha and gamma satisfy (2.6), (2.15) without rounding", k),
        bdf_conditions_hold(k)));
  for (int k = 0; k <= 3; ++k)
    claims.push_back(
        fact_claim(fmt::format("wieloch-1.adams{}", k + 1),
                   fmt::format("Adams-Moulton, k = {}: order k + 1 without rounding, (2.17)", k),
                   adams_conditions_hold(k)));
  for (const bool single : {true, false})
    for (int p = 1; p <= 4; ++p) {
      const lie::ExponentialFormula& f =
          single ? lie::crouch_grossman[p - 1] : lie::commutator_free[p - 1];
      const char* name = single ? "crouch-grossman" : "commutator-free";
      double worst = 0.0;
      for (int i = 0; i <= f.steps; ++i) {
        double sum = 0.0;
        for (int j = 0; j < f.blocks; ++j) sum += f.beta[j][i];
        worst = std::max(worst, std::abs(sum - lie::adams_moulton[f.steps][i]));
      }
      claims.push_back(
          number_claim(fmt::format("wieloch-1.{}{}.sums", name, p),
                       fmt::format("{}{}: the blocks add up to the Adams-Moulton formula", name, p),
                       0.0, worst, 1e-15));
      // (A.7) by its meaning: the brackets up to h^p cancel in one step.
      const double h = 0.04;
      claims.push_back(number_claim(
          fmt::format("wieloch-1.{}{}.brackets", name, p),
          fmt::format("{}{}: order of one step on SE(3) with exact velocities", name, p), p + 1.0,
          log2_ratio(exponential_error(f, single, h), exponential_error(f, single, h / 2)), 0.2));
    }
  return claims;
}

std::vector<Claim> group_identities(Context&) {
  std::vector<Claim> claims;
  double series3 = 0.0, series6 = 0.0, transposed = 0.0, shift = 0.0;
  for (int n = 1; n <= 60; ++n) {
    const Vector6 w = std::pow(10.0, -8.0 + 8.4 * n / 60.0) * some_velocity(1.7 * n)[0];
    const auto deviation = [](SpaceKind kind, const double* a) {
      lie::Matrix H, T;
      lie::hat(kind, a, H);
      lie::tangent(kind, a, T);
      Eigen::MatrixXd term = Eigen::MatrixXd::Identity(H.rows(), H.cols()), sum = term;
      for (int i = 1; i <= 40; ++i) sum += term = (-H * term / (i + 1.0)).eval();
      return (T - sum).cwiseAbs().maxCoeff();
    };
    series3 = std::max(series3, deviation(SpaceKind::so3, w.data() + 3));
    series6 = std::max(series6, deviation(SpaceKind::se3, w.data()));
    const so3::Vector<double> a = w.tail<3>(), opposite = -a;
    const so3::Matrix<double> T = so3::tangent<double>(a);
    transposed = std::max(transposed, (so3::tangent<double>(opposite) - T.transpose()).norm());
    shift = std::max(shift, (se3::translation<double>(w) - T.transpose() * w.head<3>()).norm());
  }
  const auto add = [&](const char* id, const char* what, double value) {
    claims.push_back(number_claim(fmt::format("wieloch-2.{}", id), what, 0.0, value, 1e-13));
  };
  add("series.so3", "T(w) of SO(3) is the sum (2.36), |w| from 1e-8 to 4", series3);
  add("series.se3", "T(w) of SE(3) is the sum (2.36)", series6);
  add("transposed", "T(-w) = T(w)^T on SO(3)", transposed);
  add("translation", "exp on SE(3): the translation is T(w)^T times its argument", shift);
  const std::pair<const char*, Space> groups[] = {{"so3", so3_space()},
                                                  {"s3", s3_space()},
                                                  {"r3xso3", product({euclidean(3), so3_space()})},
                                                  {"r3xs3", product({euclidean(3), s3_space()})},
                                                  {"se3", se3_space()},
                                                  {"s3-semidirect", s3_semidirect_space()}};
  for (const auto& [name, space] : groups) {
    const testing::GroupReport report = testing::check_group(space);
    claims.push_back(with_remark(
        fact_claim(fmt::format("wieloch-2.axioms.{}", name),
                   fmt::format("{}: exp, log, T and its derivatives agree with each other and, to "
                               "1e-7, with differences of exp",
                               name),
                   report.ok),
        report.ok ? "" : report.text()));
  }
  return claims;
}

// |(1/h) sum gamma_i nu_i - v(t_{n+1}) - L| for exact values, on SE(3).
double increment_defect(const lie::CorrectionSet& set, double h) {
  const Space space = se3_space();
  lie::Series series{lie::Bracket(space)};
  lie::CorrectionTerm term{lie::Bracket(space), set};
  std::array<Vector6, 7> v, omega;
  std::array<const double*, 7> pv{}, po{};
  Vector6 defect = Vector6::Zero(), correction = Vector6::Zero();
  for (int i = 0; i <= set.k; ++i) {
    const auto j = static_cast<std::size_t>(i);
    v[j] = some_velocity((1 - i) * h)[0];
    omega[j] = exact_increment(series, (1 - i) * h, h);
    pv[j] = v[j].data();
    po[j] = omega[j].data();
    if (i > 0) defect += lie::bdf_gamma[set.k][i] / h * omega[j];
  }
  term.prepare(h, pv.data(), po.data());
  term.evaluate(v[0].data(), omega[1].data(), correction.data());
  return (defect - v[0] - correction).norm();
}

struct LemmaTerm {
  int power, numerator, denominator;
  std::array<int, 4> letters;  // derivatives in [v^(a), [v^(b), ...]], -1: none
};
// Lemma 5, the h^5 line reduced by the Jacobi identity.
constexpr LemmaTerm lemma5[] = {
    {2, 1, 12, {0, 1, -1, -1}},   {3, 1, 12, {0, 2, -1, -1}}, {4, 29, 720, {0, 3, -1, -1}},
    {4, 13, 360, {1, 2, -1, -1}}, {4, 1, 720, {0, 0, 2, -1}}, {4, -1, 240, {1, 0, 1, -1}},
    {4, -1, 720, {0, 0, 0, 1}},   {5, 1, 80, {0, 4, -1, -1}}, {5, 1, 48, {1, 3, -1, -1}},
    {5, 1, 720, {0, 0, 3, -1}},   {5, 1, 180, {0, 1, 2, -1}}, {5, -1, 144, {1, 0, 2, -1}},
    {5, -1, 720, {0, 0, 0, 2}},   {5, -1, 360, {1, 0, 0, 1}},
};
double lemma5_remainder(double h) {
  const Space space = se3_space();
  lie::Series series{lie::Bracket(space)};
  Vector6 rest = -some_velocity(h)[0];
  for (int i = 1; i <= 6; ++i)
    rest += lie::bdf_gamma[6][i] / h * exact_increment(series, (1 - i) * h, h);
  const Derivatives v = some_velocity(0.0);
  for (const LemmaTerm& t : lemma5) {
    Vector6 value = Vector6::Zero();
    for (int i = 3; i >= 0; --i) {
      const int letter = t.letters[static_cast<std::size_t>(i)];
      if (letter < 0) continue;
      const Vector6& factor = v[static_cast<std::size_t>(letter)];
      if (value.isZero(0.0))
        value = factor;
      else
        space.bracket(factor.data(), value.data(), value.data());
    }
    rest -= std::pow(h, t.power) * t.numerator / t.denominator * value;
  }
  return rest.norm();
}

std::vector<Claim> correction_conditions(Context&) {
  std::vector<Claim> claims;
  claims.push_back(number_claim(
      "wieloch-3.lemma5", "Lemma 5: order of what its brackets leave of the increments, k = 6", 6.0,
      log2_ratio(lemma5_remainder(0.08), lemma5_remainder(0.04)), 0.2));
  for (int k = 3; k <= 6; ++k)
    for (const std::string& name : lie::correction_set_names(k)) {
      const lie::CorrectionSet set = lie::correction_set(k, name);
      const std::string id = fmt::format("wieloch-3.k{}.{}", k, name);
      // Sets with large entries need small steps.
      const double h = k <= 4 ? 0.002 * std::pow(2.0, 2 * (k - 3)) : 0.08;
      const double order = log2_ratio(increment_defect(set, h), increment_defect(set, h / 2));
      if (name == "none") {
        claims.push_back(number_claim(id + ".order",
                                      fmt::format("k = {}, L = 0: order of the local error", k),
                                      2.0, order, 0.2));
        continue;
      }
      double worst = lie::max_residual(set);
      if (k <= 4)
        for (const lie::ConsistencyResidual& r : lie::lemma6_residuals(set))
          worst = std::max(worst, std::abs(r.value));
      claims.push_back(
          number_claim(id + ".conditions",
                       fmt::format("k = {}, set '{}': largest residual of {}", k, name,
                                   k <= 4 ? "the conditions (3.41) and of the brackets of Lemma 5"
                                          : "the brackets of Lemma 5"),
                       0.0, worst, 1e-12));
      claims.push_back(number_claim(
          id + ".order",
          fmt::format("k = {}, set '{}': order of the local error on SE(3), exact values", k, name),
          k, order, 0.2));
    }
  return claims;
}

}  // namespace

std::vector<Experiment> formula_experiments() {
  return {experiment(1, "Order conditions of the tables", 0.01, table_conditions,
                     Basis::printed("(2.6), (2.15), (2.17), (A.7)")),
          experiment(2, "Identities of exp, log and the tangent operator", 0.02, group_identities,
                     Basis::theorem("(2.36) and the axioms of a group")),
          experiment(3, "Correction terms against Lemmas 5 and 6", 0.02, correction_conditions,
                     Basis::theorem("Lemmas 5 and 6"))};
}

}  // namespace daedalus::experiments::wieloch
