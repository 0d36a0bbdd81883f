// SPDX-License-Identifier: BSD-3-Clause
// Every method on problems and formulations that it takes, drawn at random as are the options: a
// run that was stopped at arbitrary steps and resumed equals the uninterrupted one in every bit and
// in every count.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/formulation.hpp>
#include <daedalus/long_run.hpp>

#include "scratch_folder.hpp"

namespace daedalus::combinations_test {
namespace {

namespace fs = std::filesystem;

constexpr long attempts = 60;  // of a run; what is compared need not reach the end
constexpr long max_size = 40;
constexpr int compared_per_method = 15;

struct Size {
  long operator()(const MultibodyProblem& p) const { return p.q0.size(); }
  long operator()(const SemiExplicitProblem& p) const { return p.y0.size() + p.z0.size(); }
  template <class FirstOrder>
  long operator()(const FirstOrder& p) const {
    return p.y0.size();
  }
};

struct Combination {
  const Method& method;
  const problems::Entry& entry;
  std::string formulation;
};

bool same_bits(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

// Empty: no difference.
std::string difference(const Solution& a, const Solution& b) {
  const std::size_t n = std::min(a.times().size(), b.times().size());
  for (std::size_t i = 0; i < n; ++i) {
    const ModelState x = a.state(i), y = b.state(i);
    if (a.times()[i] != b.times()[i] || !same_bits(x.y(), y.y()))
      return "state " + std::to_string(i) + " at t = " + std::to_string(a.times()[i]);
  }
  if (a.times().size() != b.times().size()) return "number of states";
  if (a.status() != b.status()) return "status: " + a.message() + " / " + b.message();
  if (a.message() != b.message()) return "message: " + a.message() + " / " + b.message();
  if (a.warnings() != b.warnings()) return "warnings";
  if (a.choice().method != b.choice().method) return "method";
  const Statistics &sa = a.statistics(), &sb = b.statistics();
  if (sa.accepted != sb.accepted || sa.rejected != sb.rejected || sa.restarts != sb.restarts ||
      sa.projections != sb.projections || sa.chart_changes != sb.chart_changes ||
      sa.order_histogram != sb.order_histogram || sa.events != sb.events ||
      sa.proposed_step != sb.proposed_step)
    return "statistics";
  for (int p = 0; p < phase_count; ++p)
    if (std::memcmp(&sa.phases[static_cast<std::size_t>(p)],
                    &sb.phases[static_cast<std::size_t>(p)], sizeof(Counts)) != 0)
      return "counts of phase " + std::to_string(p);
  return "";
}

Options drawn(const Combination& c, std::mt19937& random) {
  Options o;
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  o.method = c.method.name;
  o.formulation = c.formulation;
  o.rtol = one_in(2) ? 1e-4 : 1e-7;
  o.atol = 1e-2 * o.rtol;
  o.max_steps = attempts;
  o.output = one_in(4) ? Output::dense : Output::steps;
  o.watch_drift = one_in(4);
  if (one_in(3)) o.projection = ProjectionWhen::every_step;
  if (one_in(2))
    o.linear_algebra =
        std::array{LinearAlgebra::sparse, LinearAlgebra::sparse, LinearAlgebra::dense,
                   LinearAlgebra::null_space, LinearAlgebra::range_space}[random() % 5];
  if (one_in(6)) o.derivatives = DerivativeSource::differences;
  if (one_in(6)) o.control = "stabilised";
  o.events = c.entry.events();
  const double length = c.entry.t_end - c.entry.t0;
  if (c.method.error_order == 0 || c.method.fixed_step_only || c.method.equal_steps_only)
    o.fixed_step = std::min(1e-3, 1e-3 * length);
  else if (one_in(6))
    o.fixed_step = std::min(1e-4, 1e-4 * length);
  return o;
}

// False: the combination is refused, or its run is too short.
bool compared(const Combination& c, std::mt19937& random, const std::string& file) {
  const Problem problem = c.entry.problem();
  const Interval interval{c.entry.t0, c.entry.t_end};
  for (int draw = 0; draw < 3; ++draw) {
    Options o = drawn(c, random);
    try {
      const Solution whole = solve(problem, interval, o);
      if (whole.statistics().accepted < 6) return false;
      LongRun run;
      run.checkpoint = file;
      run.checkpoint_steps = 1 + static_cast<long>(random() % 3);
      fs::remove(file);
      long stop = 3;
      for (int kill = 0; kill < 3; ++kill) {
        stop += static_cast<long>(random() % 20);
        o.max_steps = std::min(stop, attempts);
        const Solution part = solve(problem, interval, o, run);
        if (part.status() != Status::too_many_steps) break;
        if (fs::exists(file)) run.resume = file;
      }
      o.max_steps = attempts;
      const Solution resumed = solve(problem, interval, o, run);
      EXPECT_EQ(difference(whole, resumed), "")
          << c.method.name << " on " << c.entry.name << " " << c.formulation << ": linear_algebra "
          << static_cast<int>(o.linear_algebra) << ", output " << static_cast<int>(o.output)
          << ", derivatives " << static_cast<int>(o.derivatives) << ", projection "
          << static_cast<int>(o.projection) << ", control " << o.control << ", watch_drift "
          << o.watch_drift << ", rtol " << o.rtol << ", fixed_step " << o.fixed_step
          << "; last stop " << stop << ", checkpoints every " << run.checkpoint_steps << " of "
          << whole.statistics().accepted << " steps";
      return true;
    } catch (const InvalidArgument&) {
    }
  }
  return false;
}

class SlowCombinations : public ::testing::TestWithParam<const Method*> {};

TEST_P(SlowCombinations, ResumeInEveryBit) {
  const ScratchFolder folder;
  const std::string file = folder / "checkpoint";
  std::mt19937 random(std::hash<std::string>()(GetParam()->name) % 100003u);
  std::vector<Combination> all;
  for (const problems::Entry* entry : problems::all_problems()) {
    if (std::visit(Size{}, entry->problem()) > max_size) continue;
    all.push_back({*GetParam(), *entry, "auto"});
    if (entry->form == "multibody")
      for (const Formulation& f : all_formulations()) all.push_back({*GetParam(), *entry, f.name});
  }
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  int count = 0;
  for (const std::size_t k : order)
    if (count < compared_per_method) count += compared(all[k], random, file);
  EXPECT_GE(count, 3) << "too few combinations for " << GetParam()->name;
}

INSTANTIATE_TEST_SUITE_P(Checkpoint, SlowCombinations,
                         ::testing::ValuesIn(all_methods().begin(), all_methods().end()),
                         [](const ::testing::TestParamInfo<const Method*>& method) {
                           std::string name = method.param->name;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace daedalus::combinations_test
