// SPDX-License-Identifier: BSD-3-Clause
// The kernel for GPUs without a GPU: its source compiled by the host's compiler is run batch by
// batch in the place of a device, NVRTC compiles it where it is present, and sentences say what is
// missing.
#include <gmock/gmock.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/solve.hpp>

#include "ensemble/gpu/driver.hpp"
#include "ensemble/gpu/regions.hpp"
#include "tests/ensemble/host_device.hpp"

namespace daedalus::gpu_test {
namespace {

using ::testing::HasSubstr;

TEST(Gpu, BranchesHoldWhatIsNeededRarely) {
  using graph::Op;
  lanes::Program p;
  p.inputs = 3;
  p.results = 1;
  p.temporaries = 6;
  const int x = p.first_input(), r = p.first_result(), t = p.first_temporary();
  const auto op = [](Op o) { return static_cast<std::uint16_t>(o); };
  // Three functions of x1 are needed where x0 holds, sin(x2) on both sides, and one function alone
  // is too little for a branch.
  p.body = {{op(Op::exp), t, x + 1},
            {op(Op::cos), t + 4, t},
            {op(Op::exp), t + 5, t + 4},
            {op(Op::sin), t + 1, x + 2},
            {op(Op::add), t + 2, t + 5, t + 1},
            {op(Op::select), t + 3, x, t + 2, t + 1},
            {lanes::copy_op, r, t + 3}};
  const gpu::Regions regions = gpu::find_regions(p, p.body);
  for (const std::size_t inside : {0, 1, 2, 4})
    EXPECT_EQ(regions.of[inside], regions.branch_of[5][0]);
  EXPECT_GT(regions.branch_of[5][0], 0);
  EXPECT_EQ(regions.of[3], 0);
  EXPECT_EQ(regions.of[5], 0);
  EXPECT_EQ(regions.branch_of[5][1], 0);
  p.body[1] = {op(Op::cos), t + 4, x + 1};
  p.body[2] = {lanes::copy_op, t + 5, t};
  EXPECT_EQ(gpu::find_regions(p, p.body).branch_of[5][0], 0);
}

TEST(Gpu, TheKernelAgreesWithTheLibraryOnTheCatalogue) {
  for (const char* name : {"robertson", "hires", "transistor-amplifier", "pendulum", "car-axis"}) {
    const Entry& e = *problems::find_problem(name);
    const auto make = [&](std::size_t k) {
      Values values;
      for (const Parameter& p : e.parameters)
        if (p.name.size() > 1 && p.name != "alpha")
          values[p.name] = p.value * (1.0 + 1e-3 * static_cast<double>(k));
      EnsembleTask task{e.problem(values), {e.t0, e.t_end}, {}};
      e.apply(task.options, values);
      return task;
    };
    std::string reason;
    const auto engine = host_engine({make(0), make(1)}, reason);
    ASSERT_TRUE(engine) << name << ": " << reason;
    const Ran ran = run_batches(*engine, make, 5, 2);
    EXPECT_EQ(ran.handed_over, 0u) << name;
    for (std::size_t k = 0; k < 5; ++k) {
      ASSERT_TRUE(ran.runs[k].ok) << name;
      EXPECT_EQ(ran.runs[k].engine, Engine::gpu);
      const EnsembleTask task = make(k);
      const auto end = [&](double share) {
        Options o = task.options;
        o.rtol *= share;
        o.atol = Eigen::VectorXd(share * o.atol.values());
        const Eigen::VectorXd y = solve(task.problem, task.interval, o).end().y();
        return std::vector<double>(y.data(), y.data() + y.size());
      };
      const std::vector<double> exact = end(1e-4);
      EXPECT_LE(difference(ran.runs[k].y, exact, task.options),
                difference(end(1.0), exact, task.options) + 10.0)
          << name << ", run " << k;
    }
  }
}

TEST(Gpu, BitsDoNotDependOnBatches) {
  const auto make = [](std::size_t k) {
    MassMatrixProblem p = reaction();
    p.parameters[1].value *= 0.5 + uniform(k);
    return EnsembleTask{p, {0.0, 100.0}, tight()};
  };
  std::string reason;
  const auto engine = host_engine({make(0), make(1)}, reason);
  ASSERT_TRUE(engine) << reason;
  const Ran whole = run_batches(*engine, make, 50, 50), parts = run_batches(*engine, make, 50, 7);
  for (std::size_t k = 0; k < 50; ++k) EXPECT_EQ(whole.runs[k].y, parts.runs[k].y);
}

TEST(Gpu, RunsThatFailOrBranchAreHandedOver) {
  std::string reason;
  const auto engine = host_engine({branching(0), branching(1)}, reason);
  ASSERT_TRUE(engine) << reason;
  const Ran ran = run_batches(*engine, branching, 100, 30);
  std::size_t done = 0;
  for (std::size_t k = 0; k < 100; ++k) {
    if (!ran.runs[k].done) continue;
    ++done;
    const EnsembleTask task = branching(k);
    const Eigen::VectorXd y = solve(task.problem, task.interval, task.options).end().y();
    EXPECT_LE(difference(ran.runs[k].y, {y[0]}, {}), 10.0) << k;
  }
  EXPECT_EQ(done + ran.handed_over, 100u);
  EXPECT_GE(ran.handed_over, 20u);
}

TEST(Gpu, InconsistentStartsAreMadeConsistentOrHandedOver) {
  const auto make = [](std::size_t k) {
    MassMatrixProblem p = reaction();
    p.y0[2] = 1e-3 * static_cast<double>(k);
    return EnsembleTask{p, {0.0, 10.0}, tight()};
  };
  std::string reason;
  const auto engine = host_engine({make(0), make(1)}, reason);
  ASSERT_TRUE(engine) << reason;
  const Ran ran = run_batches(*engine, make, 4, 3);
  EXPECT_TRUE(ran.runs[0].ok);
  std::size_t done = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    if (!ran.runs[k].ok) continue;
    ++done;
    const EnsembleTask task = make(k);
    const Eigen::VectorXd y = solve(task.problem, task.interval, task.options).end().y();
    EXPECT_LE(difference(ran.runs[k].y, {y[0], y[1], y[2]}, task.options), 10.0) << k;
  }
  EXPECT_EQ(done + ran.handed_over, 4u);
}

TEST(Gpu, ADeviceThatBreaksLosesNoRun) {
  std::string reason;
  gpu::Engine engine;
  engine.plan = lanes::make_plan({branching(0)}, true, reason, {.lanes = false});
  ASSERT_TRUE(engine.plan) << reason;
  engine.processor.devices.push_back(
      [](const gpu::Columns& columns, std::size_t capacity) -> std::unique_ptr<gpu::Batch> {
        return std::make_unique<BrokenBatch>(columns, capacity);
      });
  EXPECT_EQ(run_batches(engine, branching, 20, 6).handed_over, 20u);
}
TEST(Gpu, SaysWhatIsMissing) {
  std::string why;
  const std::vector<gpu::Device> all = gpu::devices(why);
  const std::vector<gpu::Device> strong =
      gpu::strong({{.number = 0, .name = "toy", .single_to_double = 64}}, why = "");
  EXPECT_TRUE(strong.empty());
  EXPECT_THAT(why, HasSubstr("toy"));
  EXPECT_THAT(why, HasSubstr("1/64"));
  if (!all.empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE(gpu::missing(true).empty());
  try {
    solve_ensemble(2, branching, {.engine = Engine::gpu});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("engine gpu: " + gpu::missing(true)));
  }
  const EnsembleResult small = solve_ensemble(1, branching, {.threads = 1, .whole = 30000});
  EXPECT_EQ(small.engine, Engine::lanes);
  EXPECT_THAT(small.reason, HasSubstr("no GPU: "));
}

TEST(Gpu, NvrtcCompilesTheKernelWhereItIsPresent) {
  if (!gpu::compiler_missing().empty()) GTEST_SKIP() << gpu::compiler_missing();
  std::string reason;
  for (const EnsembleTask& task : {EnsembleTask{reaction(), {0.0, 1.0}, tight()}, branching(7)}) {
    const auto plan = lanes::make_plan({task}, true, reason, {.lanes = false});
    ASSERT_TRUE(plan) << reason;
    const std::string source = gpu::source_of(*plan);
    EXPECT_GT(gpu::compile_source(source, 9, 0).size(), 1000u);
    // A device that NVRTC does not know by number gets text for its driver.
    const std::vector<char> text = gpu::compile_source(source, 9, 9);
    EXPECT_THAT(std::string(text.data(), text.size()), HasSubstr(".version"));
  }
  EXPECT_THROW(gpu::compile_source("nonsense", 9, 0), InvalidArgument);
}

}  // namespace
}  // namespace daedalus::gpu_test
