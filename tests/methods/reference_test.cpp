// SPDX-License-Identifier: BSD-3-Clause
// Published problems: every method that fits solves every core problem of the catalogue, and its
// error against the reference falls with the tolerance (fixed-step methods: with the step).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <catalogue/catalogue.hpp>

#include "methods/exceptions.hpp"
#include "methods/models.hpp"
#include "system/model_size.hpp"

namespace daedalus::methods_test::reference_test {
namespace {

using problems::Entry;

struct Reference {
  const Method* method;
  const Entry* entry;
  std::string formulation;
};
std::string label(const Reference& r) {
  return methods_test::label(r.method->name + "_" + r.entry->name +
                             (r.formulation.empty() ? "" : "_" + r.formulation));
}
void PrintTo(const Reference& r, std::ostream* out) { *out << label(r); }
struct ByName {
  template <class Info>
  std::string operator()(const Info& test) const {
    return label(test.param);
  }
};

std::vector<Reference> combinations(bool slow) {
  std::vector<Reference> list;
  for (const Method* m : all_methods())
    for (const Entry* e : problems::all_problems()) {
      if (!e->in_suite("core") || !e->reference || e->expected_status != "success") continue;
      // Forty swings of a wheelset take minutes with most methods; tests/wheel_rail measures it.
      if (e->name == "wheelset") continue;
      // Low order: the number of steps grows like 1/sqrt(tolerance). The ring modulator oscillates
      // all the time and takes most of the time of all problems together.
      const bool expensive = m->order <= 2 || e->name == "ring-modulator";
      if (expensive != slow || m->error_order == 0 || m->fixed_step_only) continue;
      // Explicit in y: on stiff problems the step is that of stability, whatever the tolerance.
      if (e->stiff && m->stability == Stability::none) continue;
      for (const std::string& f : fitting_formulations(e->problem(), *m, {}))
        list.push_back({m, e, f});
    }
  return list;
}

Options at_tolerance(const Reference& r, double tolerance) {
  const Solution probe = solve(
      r.entry->problem(), {r.entry->t0, r.entry->t0},
      {.method = r.method->name, .formulation = r.formulation.empty() ? "auto" : r.formulation});
  Eigen::VectorXd atol = Eigen::VectorXd::Constant(model_size(probe.variables()), tolerance);
  for (const auto& [name, factor] : r.entry->atol_scale)
    atol[probe.variables().find(name)] *= factor;
  return {.method = r.method->name,
          .formulation = r.formulation.empty() ? "auto" : r.formulation,
          .rtol = tolerance,
          .atol = atol,
          .output = Output::end,
          .max_steps = 50000000};
}

// Largest |e_i| / (atol_i / rtol + |x_i|) over the variables that count: minus its logarithm are
// the mixed significant digits of the test set (Mazzia, Magherini 2008).
double mixed_error(const Solution& s, const Entry& e, const Options& o) {
  double worst = 0.0;
  const problems::Reference& r = *e.reference;
  for (const auto& [name, value] : r.values) {
    if (!r.counted.empty() &&
        std::find(r.counted.begin(), r.counted.end(), name) == r.counted.end())
      continue;
    const int i = s.variables().find(name);
    if (i < 0) continue;
    worst =
        std::max(worst, std::abs(s.end().y()[i] - value) / (o.atol[i] / o.rtol + std::abs(value)));
  }
  return worst;
}

struct Run {
  double error = 0.0;
  std::string failure{};
};
Run run(const Reference& r, double tolerance, const std::map<std::string, double>& settings) {
  Options o = at_tolerance(r, tolerance);
  o.method_options = settings;
  const Solution s = solve(r.entry->problem(), {r.entry->t0, r.entry->t_end}, o);
  if (!s.ok()) return {0.0, std::to_string(tolerance) + ": " + s.message()};
  EXPECT_EQ(s.end_time(), r.entry->t_end);
  return {mixed_error(s, *r.entry, o), ""};
}

// What is wrong with the errors at two tolerances; empty when nothing is.
std::string complaint(const Reference& r, double loose, double tight,
                      const std::map<std::string, double>& settings = {}) {
  const Run small = run(r, tight, settings);
  if (!small.failure.empty()) return small.failure;
  // Error per step: h ~ tolerance^(1/(q+1)) with the order q of the estimate, hence an error
  // h^p ~ tolerance^(p/(q+1)). A factor of eight is left for luck, 2 10^4 for the conditioning (the
  // ring modulator: dae3s 1.1 10^4, rodas3 1.5 10^3).
  // Radau methods test their estimate against tolerance^(2/3), hence h ~ tolerance^(1/6).
  const double power = r.method->family == "radau"
                           ? 5.0 / 6.0
                           : static_cast<double>(r.method->order) / (r.method->error_order + 1);
  const double floor = std::max(std::pow(10.0, 1 - r.entry->reference->digits), 1e-12);
  std::string text;
  if (small.error >= 2e4 * std::pow(tight, power))
    text = "error " + std::to_string(small.error) + " at " + std::to_string(tight);
  // An error that is below the tolerance at the loose end, or that passes through zero there,
  // proves nothing: the former counts as the tolerance, and against the latter the error may fall
  // from a neighbour as well.
  for (const double from : {loose, loose / std::sqrt(10.0)}) {
    const Run large = run(r, from, settings);
    if (!large.failure.empty()) return large.failure;
    const double start = std::max(large.error, std::pow(from, power));
    if (small.error < 8.0 * std::pow(tight / from, power) * start || small.error <= floor)
      return text;
  }
  return text + "the error does not fall: still " + std::to_string(1e9 * small.error) +
         "e-9 at the tight end";
}

void expect_error_to_fall(const Reference& r, double loose, double tight) {
  const std::string found = complaint(r, loose, tight);
  const Exception* e = find_exception("ReferenceProblems", r.method->name, r.entry->name);
  if (!e) {
    EXPECT_EQ(found, "");
    return;
  }
  EXPECT_NE(found, "") << "the exception is no longer needed";
  if (e->reason == inherited) {
    EXPECT_EQ(complaint(r, loose, tight, {{"subtract_inherited", 1.0}}), "");
  }
}

class ReferenceProblems : public ::testing::TestWithParam<Reference> {};
TEST_P(ReferenceProblems, ErrorFallsWithTheTolerance) {
  expect_error_to_fall(GetParam(), 1e-5, 1e-7);
}
INSTANTIATE_TEST_SUITE_P(Methods, ReferenceProblems, ::testing::ValuesIn(combinations(false)),
                         ByName{});

class SlowReferenceProblems : public ::testing::TestWithParam<Reference> {};
TEST_P(SlowReferenceProblems, ErrorFallsWithTheTolerance) {
  const bool low = GetParam().method->order <= 2;
  expect_error_to_fall(GetParam(), low ? 1e-6 : 1e-5, low ? 1e-8 : 1e-7);
}
INSTANTIATE_TEST_SUITE_P(Methods, SlowReferenceProblems, ::testing::ValuesIn(combinations(true)),
                         ByName{});

}  // namespace
}  // namespace daedalus::methods_test::reference_test
