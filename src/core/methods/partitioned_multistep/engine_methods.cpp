// SPDX-License-Identifier: BSD-3-Clause
#include "methods/partitioned_multistep/engine_methods.hpp"

#include <fmt/format.h>

#include "kernel/plmsm_roots.hpp"

namespace daedalus::partitioned_multistep {
namespace {
// More corrector steps than orders change nothing.
constexpr int max_correctors = 20;
// The source gives blocked Adams methods up to k = 3.
constexpr int max_blocked_k = 3;
}  // namespace

double best_gamma(int k) { return k == 1 ? -0.5 : k == 2 ? -0.146 : -0.0915; }

int whole_setting(const MethodSettings& settings, std::string_view key, int least, int largest) {
  const double value = settings(key);
  const int whole = static_cast<int>(value);
  if (whole != value || whole < least || whole > largest)
    throw InvalidArgument(fmt::format("{}: {} is not allowed; give a whole number from {} to {}",
                                      key, value, least, largest));
  return whole;
}

void read_algebraic_rule(const MethodSettings& settings, Configuration& c) {
  c.rule = static_cast<AlgebraicRule>(whole_setting(settings, "constraint", 1, 3));
  if (c.rule != AlgebraicRule::blocking || c.corrector != Corrector::adams_moulton) return;
  if (c.max_steps > max_blocked_k)
    throw InvalidArgument(
        fmt::format("constraint: 2 (blocking) is not allowed with {} steps; no blocking of "
                    "Adams-Moulton formulas with more than {} is stable, give 1 or 3",
                    c.max_steps, max_blocked_k));
  c.gamma = settings("gamma");
  const double kappa = plmsm::kappa_of_blocked_adams(c.max_steps, c.gamma);
  if (!(kappa < 1.0))
    throw InvalidArgument(
        fmt::format("gamma: {} is not allowed; errors of z would grow by {:.3g} in each step. Give "
                    "{}",
                    c.gamma, kappa,
                    c.max_steps == 1   ? "a number below 0"
                    : c.max_steps == 2 ? "a number below -1/12"
                                       : "a number between -1/4 and -1/12"));
}

Method constant_formula(const std::string& stem, int k, Corrector corrector,
                        AlgebraicRule standard) {
  Method m;
  m.name = fmt::format("{}-{}", stem, k);
  m.family = "partitioned-multistep";
  m.view = View::mechanical;
  m.view_elsewhere = View::partitioned;
  m.order = k + 1;
  m.dense_order = k + 1;
  m.orders = ClassOrders::all(k + 1)
                 .with(VariableClass::z, k)
                 .with(VariableClass::lambda, k)
                 .with(VariableClass::eta, k)
                 .with(VariableClass::a, k);
  m.max_index = 2;
  m.hessenberg_only = true;
  m.formulations = {"index2"};
  m.fixed_step_only = true;
  m.reference = standard == AlgebraicRule::second_formula
                    ? "Arnold (1998), Definition 8 and Corollary 5"
                    : "Arnold (1998), (3.88) and Corollary 4";
  m.options = {
      {"correctors", "1..20", 2, "corrector steps M of P(EC)^M E; one suffices for the order"},
      {"constraint", "1, 2, 3", static_cast<double>(standard),
       "what defines z: 1 the hidden constraint, 2 blocking, 3 a second formula (BDF)"}};
  const bool blockable = corrector == Corrector::adams_moulton && k <= max_blocked_k;
  if (blockable)
    m.options.push_back(
        {"gamma",
         k == 1   ? "< 0"
         : k == 2 ? "< -1/12"
                  : "-1/4..-1/12",
         best_gamma(k),
         k == 3 ? "of the blocking gamma (xi - 1)^k; smallest kappa at the standard value, -0.1 in "
                  "Fig. 3.11 of the source"
                : "of the blocking gamma (xi - 1)^k; smallest kappa at the standard value"});
  const bool blocked = standard == AlgebraicRule::blocking;
  if (blocked)
    m.options.push_back({"block_accelerations", "0, 1", 0,
                         "1: accelerations are blocked like lambda, which costs one order of q and "
                         "v; for comparison only"});
  m.make = [k, corrector, blocked](System& system,
                                   const MethodSettings& settings) -> std::unique_ptr<Stepper> {
    Configuration c;
    c.corrector = corrector;
    c.min_steps = c.max_steps = k;
    c.correctors = whole_setting(settings, "correctors", 1, max_correctors);
    read_algebraic_rule(settings, c);
    if (blocked) c.block_rates = whole_setting(settings, "block_accelerations", 0, 1) == 1;
    return std::make_unique<Engine>(system, c);
  };
  return m;
}

}  // namespace daedalus::partitioned_multistep
