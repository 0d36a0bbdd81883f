// SPDX-License-Identifier: BSD-3-Clause
// Quaternions, constraints, work: claims 19, 20, 22.
#include <fmt/format.h>

#include <cmath>

#include <daedalus/lie/multistep.hpp>

#include "reproduce/wieloch.hpp"
#include "reproduce/wieloch_brackets.hpp"
#include "reproduce/wieloch_support.hpp"

namespace daedalus::experiments::wieloch {
namespace {

std::vector<Claim> quaternions(Context&) {
  std::vector<Claim> claims;
  const struct {
    HeavyTop matrix, quaternion;
    const char* name;
  } pairs[] = {{HeavyTop::so3, HeavyTop::s3, "s3"},
               {HeavyTop::r3xso3, HeavyTop::r3xs3, "r3xs3"},
               {HeavyTop::se3, HeavyTop::s3_semidirect, "s3-semidirect"}};
  for (const auto& pair : pairs)
    for (const char* method :
         {"generalised-alpha", "bliedf2", "bliedf3", "bliedf4", "bliedf5", "bliedf6", "mkbdf3",
          "mkbdf4", "mkbdf5", "mkbdf6", "crouch-grossman4", "commutator-free4"}) {
      const bool constrained = pair.matrix != HeavyTop::so3;
      if (constrained && method[0] == 'c') continue;
      const Run a = run({.form = pair.matrix, .method = method, .n = 1000}),
                b = run({.form = pair.quaternion, .method = method, .n = 1000});
      bool holds = a.ok && b.ok;
      for (int k = 0; k < 3; ++k)
        holds = holds && std::abs(a.largest[k] - b.largest[k]) <=
                             std::max(four_digits * a.largest[k], 2.0 * round_off(1000)[k]);
      claims.push_back(list_claim(
          fmt::format("wieloch-19.{}.{}", pair.name, method),
          fmt::format("{} with quaternions ({}): the errors of rotation matrices, n = 1000", method,
                      pair.name),
          numbers(a.largest, constrained), numbers(b.largest, constrained),
          Json{{"relative", four_digits}}, holds, a.message + b.message));
    }
  return claims;
}

std::vector<Claim> constraints_of_solutions(Context&) {
  std::vector<Claim> claims;
  std::vector<std::pair<std::string, int>> methods{{"generalised-alpha", 2}};
  for (int k = 1; k <= 6; ++k) methods.emplace_back(fmt::format("bliedf{}", k), k);
  for (int k = 3; k <= 6; ++k) methods.emplace_back(fmt::format("mkbdf{}", k), k);
  for (const auto& [method, k] : methods) {
    const int n = k == 1 ? 4000 : 1000;
    const Run coarse = run({.method = method, .n = n}), fine = run({.method = method, .n = 2 * n});
    claims.push_back(
        number_claim(fmt::format("wieloch-20.{}.position", method),
                     fmt::format("{} on R^3 x SO(3): the largest |Phi(q_n)|, n = {}", method, n),
                     0.0, std::max(coarse.position, fine.position), 5e-16));
    claims.push_back(number_claim(
        fmt::format("wieloch-20.{}.velocity", method),
        fmt::format("{} on R^3 x SO(3): the order of |B v|, from n = {} to {}", method, n, 2 * n),
        k, log2_ratio(coarse.velocity, fine.velocity), 0.2));
  }
  return claims;
}

std::vector<Claim> work(Context&) {
  std::vector<Claim> claims;
  for (const auto& [form, name] : {std::pair{HeavyTop::so3, "so3"}, {HeavyTop::r3xso3, "r3xso3"}})
    for (int k = 3; k <= 6; ++k) {
      const Run b = run({.form = form, .method = fmt::format("bliedf{}", k), .n = 2000}),
                m = run({.form = form, .method = fmt::format("mkbdf{}", k), .n = 2000});
      const double iterations_b = static_cast<double>(b.newton_iterations) / 2000.0,
                   iterations_m = static_cast<double>(m.newton_iterations) / 2000.0;
      const double per_step_b = brackets_of_bliedf(lie::correction_set(k), iterations_b),
                   per_step_m = brackets_of_mkbdf(k, iterations_m);
      // Steps that MKBDF needs for the error of BLieDF with one.
      const double share = std::pow(m.largest.q / b.largest.q, 1.0 / k);
      const Json measured{
          {"brackets per step, BLieDF", per_step_b},
          {"brackets per step, MKBDF", per_step_m},
          {"brackets at equal error of q, MKBDF over BLieDF", share * per_step_m / per_step_b},
          {"Newton iterations per step, BLieDF", iterations_b},
          {"Newton iterations per step, MKBDF", iterations_m},
          {"Newton iterations at equal error of q, MKBDF over BLieDF",
           share * iterations_m / iterations_b}};
      claims.push_back(list_claim(
          fmt::format("wieloch-22.{}.k{}", name, k),
          fmt::format("{}, k = {}, h = 5e-4: BLieDF evaluates fewer brackets than MKBDF, per step "
                      "and at equal error of q",
                      name, k),
          "fewer", measured, nullptr, per_step_b < per_step_m && per_step_b < share * per_step_m));
    }
  claims.push_back(open_claim("wieloch-22.seconds",
                              "Figs. 6.6, 6.9, 6.12, 6.15, 6.17: which method takes less time",
                              "seconds of another program on a shared machine; counts are above"));
  return claims;
}

}  // namespace

std::vector<Experiment> property_experiments() {
  return {experiment(19, "Quaternions give what rotation matrices give", 1.5, quaternions,
                     Basis::theorem("the covering of SO(3) by S^3 is a homomorphism")),
          experiment(20, "What is left of the constraints", 1.5, constraints_of_solutions,
                     Basis::theorem("Phi = 0 is an equation of the scheme; Theorem 13")),
          experiment(22, "Brackets per step", 0.7, work,
                     Basis::printed("section 6.2, text on Figs. 6.9, 6.12, 6.15, 6.17"))};
}

}  // namespace daedalus::experiments::wieloch
