// SPDX-License-Identifier: BSD-3-Clause
// Steps of variable size: claims 14 to 18.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/lie/multistep.hpp>

#include "reproduce/wieloch.hpp"
#include "reproduce/wieloch_support.hpp"

namespace daedalus::experiments::wieloch {
namespace {

// Steps 1 / n up to `change`, then twice that until `end`.
std::vector<double> doubled_at(double change, double end, int n) {
  std::vector<double> steps(static_cast<std::size_t>(std::lround(change * n)), 1.0 / n);
  steps.insert(steps.end(), static_cast<std::size_t>(std::lround((end - change) * n / 2)), 2.0 / n);
  return steps;
}

Study alpha_study(HeavyTop form, double rho, int approximation, std::vector<double> steps,
                  bool modified = true) {
  return {.form = form,
          .method = "generalised-alpha",
          .steps = std::move(steps),
          .settings = {{"rho", rho},
                       {"approximation", static_cast<double>(approximation)},
                       {"modify", modified ? 1.0 : 0.0}}};
}

// One change h -> 2 h at t = 0.5; errors of an independent program for n = 8000.
std::vector<Claim> alpha_single_change(Context&) {
  std::vector<Claim> claims;
  const auto runs = [](HeavyTop form, int approximation, bool modified) {
    std::vector<Run> list;
    for (const int n : {4000, 8000})
      list.push_back(run(alpha_study(form, 0.8, approximation, doubled_at(0.5, 1.0, n), modified)));
    return list;
  };
  for (int a = 1; a <= 4; ++a) {
    const std::vector<Run> found = runs(HeavyTop::r3xso3, a, true);
    if (a == 1)
      claims.push_back(value_claim("wieloch-14.A1.values",
                                   "R^3 x SO(3), rho = 0.8, A1, modified: errors for n = 8000",
                                   {1.1445e-3, 7.1299e-3, 4.5465e-1}, found.back().largest, 8000));
    claims.push_back(order_claim(fmt::format("wieloch-14.A{}.order", a),
                                 fmt::format("R^3 x SO(3), rho = 0.8, A{}, modified: order", a),
                                 {2.0, 2.0, 2.0}, found));
  }
  const std::vector<Run> plain = runs(HeavyTop::r3xso3, 1, false);
  claims.push_back(value_claim("wieloch-14.unmodified.values",
                               "R^3 x SO(3), rho = 0.8, unmodified: errors for n = 8000",
                               {0.0, 0.0, 14.048}, plain.back().largest, 8000));
  claims.push_back(order_claim("wieloch-14.unmodified.order",
                               "R^3 x SO(3), rho = 0.8, unmodified: order", {2.0, 2.0, 1.0},
                               plain));
  for (const bool modified : {true, false})
    claims.push_back(order_claim(
        fmt::format("wieloch-14.se3{}.order", modified ? "" : ".unmodified"),
        fmt::format("SE(3), rho = 0.8, {}: order", modified ? "A1, modified" : "unmodified"),
        {2.0, 2.0, 2.0}, runs(HeavyTop::se3, 1, modified)));
  return claims;
}

// Table 4.1 as printed: lower and upper bound of A1, ..., A4.
constexpr double table41[9][8] = {{0.7872, 1.2688, 0.6357, 1.6048, 0.6287, 1.6473, 0.7264, 1.2038},
                                  {0.8491, 1.1587, 0.6326, 1.5897, 0.6134, 1.1064, 0.7974, 1.1302},
                                  {0.9029, 1.0842, 0.6632, 1.5525, 0.6368, 1.0254, 0.8625, 1.0934},
                                  {0.9419, 1.0454, 0.7495, 1.4931, 0.7112, 1.0619, 0.91, 1.0651},
                                  {0.9682, 1.0234, 0.8375, 1.3491, 0.793, 1.0818, 0.9436, 1.0434},
                                  {0.9845, 1.011, 0.9131, 1.088, 0.874, 1.0812, 0.9669, 1.0269},
                                  {0.9951, 1.0043, 0.9633, 1.0433, 0.9519, 1.0609, 0.9826, 1.0149},
                                  {0.999, 1.0012, 0.9885, 1.0154, 0.9839, 1.0279, 0.9935, 1.0062},
                                  {1.0, 1.0001, 0.998, 1.0023, 0.9965, 1.0057, 0.9988, 1.0012}};
// The same for A2 with independent ratios, by an independent program.
constexpr double independent_A2[9][2] = {{0.6357, 1.6048}, {0.6326, 1.118},  {0.6633, 1.0489},
                                         {0.7495, 1.0632}, {0.8375, 1.0608}, {0.9131, 1.0468},
                                         {0.9652, 1.0283}, {0.9893, 1.0116}, {0.9981, 1.0021}};

// Errors on random steps (remark 28): with the given h_min and h_max and with a quarter of them,
// each the geometric mean over sequences 1, 2, ....
std::vector<Run> on_random_steps(Study study, lie::StepSequence sequence, int sequences = 2) {
  std::vector<Run> means;
  for (int level = 0; level < 2; ++level) {
    Run mean{.ok = true};
    Errors sum{};
    double steps = 0.0;
    for (int i = 1; i <= sequences && mean.ok; ++i) {
      sequence.number = static_cast<std::uint64_t>(i);
      study.steps = lie::random_steps_over(sequence, 1.0);
      const Run r = run(study);
      mean.ok = r.ok;
      mean.message = r.message;
      sum.q += std::log(r.largest.q) / sequences;
      sum.v += std::log(r.largest.v) / sequences;
      sum.lambda += std::log(r.largest.lambda) / sequences;
      steps += std::log(static_cast<double>(study.steps.size())) / sequences;
    }
    mean.largest = {std::exp(sum.q), std::exp(sum.v), std::exp(sum.lambda)};
    mean.steps = std::lround(std::exp(steps));
    means.push_back(mean);
    sequence.h_min *= 0.25;
    sequence.h_max *= 0.25;
  }
  return means;
}

std::vector<Claim> alpha_every_step(Context& context) {
  std::vector<Claim> claims;
  const auto add = [&](HeavyTop form, const char* name, int row, int a) {
    const double rho = 0.1 * (row + 1);
    if (context.note) context.note(fmt::format("{}, A{}, rho = {:.1f}", name, a, rho));
    const double h = form == HeavyTop::se3 ? 5e-4 : 8e-4;  // where the order is seen
    const lie::StepSequence sequence{.h_min = h,
                                     .h_max = 2.0 * h,
                                     .sigma_min = table41[row][2 * a - 2],
                                     .sigma_max = table41[row][2 * a - 1]};
    Study study = alpha_study(form, rho, a, {});
    study.accuracy = 1e-9;
    claims.push_back(order_over_means(
        fmt::format("wieloch-15.{}.A{}.rho{:.1f}", name, a, rho),
        fmt::format("{}, A{}, rho = {:.1f}, a new step size in every step within Table 4.1: order",
                    name, a, rho),
        {2.0, 2.0, -1.0}, on_random_steps(study, sequence, 1)));
  };
  for (int a = 1; a <= 4; ++a) {
    for (int row = 0; row < 9; ++row) add(HeavyTop::r3xso3, "r3xso3", row, a);
    for (const int row : {0, 7}) add(HeavyTop::se3, "se3", row, a);
  }
  return claims;
}

std::vector<Claim> alpha_large_ratios(Context&) {
  std::vector<Claim> claims;
  const struct {
    double least, most;
    int hold;
    const char* id;
  } cases[] = {{0.5, 2.0, 10, "hold10"}, {0.5, 2.0, 30, "hold30"}, {0.2, 5.0, 50, "hold50"}};
  for (const auto& c : cases)
    for (const double rho : {0.1, 0.4, 0.8}) {
      const lie::StepSequence sequence{.h_min = 2e-4,
                                       .h_max = 1e-3,
                                       .sigma_min = c.least,
                                       .sigma_max = c.most,
                                       .hold = c.hold,
                                       .equal_start = c.hold};
      const std::vector<Run> runs =
          on_random_steps(alpha_study(HeavyTop::r3xso3, rho, 1, {}), sequence);
      const std::string id = fmt::format("wieloch-16.{}.rho{}", c.id, rho);
      const std::string what = fmt::format("A1, rho = {}, sigma in [{}, {}], N_const = {}", rho,
                                           c.least, c.most, c.hold);
      const bool unstable = c.hold == 10 && rho == 0.8;
      if (!unstable) {
        claims.push_back(order_over_means(id, what + ": order", {2.0, 2.0, 2.0}, runs));
        continue;
      }
      Json measured = Json::array();
      for (const Run& r : runs) measured.push_back(number(r.largest.lambda));
      claims.push_back(list_claim(
          id, what + ": unstable, the largest error of lambda does not fall", "does not fall",
          measured, nullptr, !(runs.back().largest.lambda < runs.front().largest.lambda)));
    }
  return claims;
}

std::vector<Claim> bdf_variable_steps(Context& context) {
  std::vector<Claim> claims;
  constexpr Errors modified_values[] = {{5.9905e-3, 3.7408e-2, 2.2384},
                                        {5.6448e-4, 2.0034e-3, 1.2768e-1},
                                        {5.1590e-6, 3.3223e-5, 2.0180e-3}};
  constexpr double unmodified_lambda[] = {3.9551, 1.7133e-1, 3.6810e-3};
  for (int k = 2; k <= 4; ++k) {
    const std::string method = fmt::format("bliedf{}", k), id = "wieloch-17." + method;
    if (context.note) context.note(method);
    Study study{.method = method, .settings = {{"variable_formula", 1.0}}};
    for (const auto& [form, name] : {std::pair{HeavyTop::r3xso3, "r3xso3"}, {HeavyTop::se3, "se3"}})
      for (const bool modified : {true, false}) {
        Study s = study;
        s.form = form;
        s.t_end = 2.0;
        s.settings["modification"] = modified ? 1.0 : 0.0;
        std::vector<Run> runs;
        const int n1 = form == HeavyTop::r3xso3 ? 4000 : 2000;
        for (const int n : {n1, 2 * n1}) {
          s.steps = doubled_at(1.0, 2.0, n);
          runs.push_back(run(s));
        }
        const std::string part =
            fmt::format("{}.single.{}{}", id, name, modified ? "" : ".unmodified");
        const std::string what = fmt::format("{}, {}, h -> 2 h at t = 1, {} velocities", method,
                                             name, modified ? "modified" : "unmodified");
        const bool constrained = form == HeavyTop::r3xso3;
        if (constrained)
          claims.push_back(value_claim(
              part + ".values", what + ": errors for n = 8000",
              modified ? modified_values[k - 2] : Errors{0.0, 0.0, unmodified_lambda[k - 2]},
              runs.back().largest, 8000));
        if (modified || !constrained) {
          claims.push_back(order_claim(part + ".order", what + ": order",
                                       {1.0 * k, 1.0 * k, 1.0 * k}, runs, 5.0));
          continue;
        }
        claims.push_back(order_claim(part + ".order", what + ": order of q, v",
                                     {1.0 * k, 1.0 * k, -1.0}, runs, 5.0));
      }
    // What the modification removes, free of the errors that both runs share.
    std::vector<double> effect;
    for (const int n : {1000, 2000}) {
      Study a = study, b = study;
      a.steps = b.steps = doubled_at(0.5, 1.0, n);
      b.settings["modification"] = 0.0;
      effect.push_back((trajectory(a) - trajectory(b)).bottomRows(3).cwiseAbs().maxCoeff());
    }
    claims.push_back(number_claim(id + ".single.effect",
                                  method + ", r3xso3: order of what the modification changes in "
                                           "lambda, one less than that of the method",
                                  k - 1, log2_ratio(effect[0], effect[1]), 0.2));
    const struct {
      const char* id;
      double least, most;
      int hold;
    } random[] = {{"near-one", 0.95, 1.05, 1}, {"hold10", 0.5, 2.0, 10}};
    for (const auto& c : random)
      for (const auto& [form, name] :
           {std::pair{HeavyTop::r3xso3, "r3xso3"}, {HeavyTop::se3, "se3"}}) {
        Study s = study;
        s.form = form;
        if (k < 4) s.accuracy = 1e-10;
        const lie::StepSequence sequence{.h_min = 5e-4,
                                         .h_max = 1e-3,
                                         .sigma_min = c.least,
                                         .sigma_max = c.most,
                                         .hold = c.hold,
                                         .equal_start = 2 * k};
        claims.push_back(order_over_means(
            fmt::format("{}.{}.{}", id, c.id, name),
            fmt::format("{}, {}, sigma in [{}, {}], N_const = {}: order", method, name, c.least,
                        c.most, c.hold),
            {1.0 * k, 1.0 * k, 1.0 * k}, on_random_steps(s, sequence, c.hold == 1 ? 2 : 1)));
      }
  }
  return claims;
}

// Which ratios may follow each other: equal ones; any of a box; or, as the table turns out to be
// made, each bound against the other bound for equal ratios.
enum class Ratios { equal, box, against_equal };

// The bounds on the grid of four decimals on which they are printed: ||T_z||_* < 1 from 1 on.
lie::SigmaBounds printed_bounds(double rho, int a, Ratios ratios) {
  const auto below = [&](int s, int next) {
    return lie::transfer_norm(rho, a, 1e-4 * s, 1e-4 * next) < 1.0;
  };
  int lower = 10000, upper = 10000;
  while (lower > 1000 && below(lower - 1, lower - 1)) --lower;
  while (upper < 30000 && below(upper + 1, upper + 1)) ++upper;
  if (ratios == Ratios::equal) return {1e-4 * lower, 1e-4 * upper};
  int most = 10000, least = 10000;
  while (most < upper && below(most + 1, lower)) ++most;
  const int next = ratios == Ratios::box ? most : upper;
  while (least > lower && below(least - 1, next)) --least;
  return {1e-4 * least, 1e-4 * most};
}

std::vector<Claim> bounds_of_ratios(Context&) {
  std::vector<Claim> claims;
  const std::map<std::pair<int, int>, const char*> known{
      {{5, 3}, "printed 1.088, a digit lost: 1.1088"},
      {{8, 5}, "the printed value lies inside of the bound, by three units of its last digit"}};
  constexpr double unit = 1e-4 * (1.0 + 1e-8);  // of the last digit
  for (int row = 0; row < 9; ++row) {
    const double rho = 0.1 * (row + 1);
    for (int a = 1; a <= 4; ++a) {
      // The printed column A2 holds for sigma_{n+1} = sigma_n alone.
      const lie::SigmaBounds found =
          printed_bounds(rho, a, a == 2 ? Ratios::equal : Ratios::against_equal);
      for (const int side : {0, 1}) {
        const int column = 2 * (a - 1) + side;
        Claim claim = number_claim(
            fmt::format("wieloch-18.rho{:.1f}.A{}.{}", rho, a, side == 0 ? "min" : "max"),
            fmt::format("Table 4.1, rho = {:.1f}, A{}: {} bound of sigma{}", rho, a,
                        side == 0 ? "lower" : "upper", a == 2 ? ", equal ratios" : ""),
            table41[row][column], side == 0 ? found.lower : found.upper, unit);
        if (const auto why = known.find({row, column}); why != known.end())
          claim.remark = why->second;
        claims.push_back(claim);
      }
    }
    const lie::SigmaBounds box = printed_bounds(rho, 2, Ratios::box);
    claims.push_back(list_claim(fmt::format("wieloch-18.rho{:.1f}.A2.independent", rho),
                                fmt::format("rho = {:.1f}, A2: bounds for independent ratios", rho),
                                Json{independent_A2[row][0], independent_A2[row][1]},
                                Json{box.lower, box.upper}, unit,
                                std::abs(box.lower - independent_A2[row][0]) <= unit &&
                                    std::abs(box.upper - independent_A2[row][1]) <= unit));
  }
  return claims;
}

}  // namespace

std::vector<Experiment> ratio_experiments() {
  return {
      experiment(14, "Generalised-alpha, one change of the step", 1.5, alpha_single_change,
                 Basis::printed("section 6.3.1"),
                 {{"values", Basis::own("another program in 80-bit arithmetic")}}),
      experiment(15, "Generalised-alpha, a new step size in every step", 15.0, alpha_every_step,
                 Basis::printed("section 6.3.1, text on Figs. 6.23 to 6.26")),
      experiment(16, "Generalised-alpha, large ratios of steps", 4.0, alpha_large_ratios,
                 Basis::printed("section 6.3.1, text on Figs. 6.28 and 6.29")),
      experiment(
          17, "BLieDF on variable steps", 15.0, bdf_variable_steps,
          Basis::printed("section 6.3.2, text on Figs. 6.30 to 6.33"),
          {{"values", Basis::own("another program in 80-bit arithmetic")},
           {"effect", Basis::own("difference of two runs; the text on Fig. 6.31 has no numbers")},
           {"bliedf4",
            Basis::own("extension of ours to k = 4, another program in 80-bit arithmetic")}}),
      experiment(18, "Table 4.1: bounds of the ratio of steps", 0.04, bounds_of_ratios,
                 Basis::printed("Table 4.1"), {{"independent", Basis::own("another program")}})};
}

}  // namespace daedalus::experiments::wieloch
