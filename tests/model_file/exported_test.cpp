// SPDX-License-Identifier: BSD-3-Clause
// Models written as C++ by `daedalus convert model.json model.cpp`, compiled into this program:
// they solve to the same bits as the files.
#include <gtest/gtest.h>

#include <daedalus/model_file.hpp>
#include <daedalus/solve.hpp>

// Defined in the exported sources.
daedalus::ModelBuilder pendulum();
daedalus::ModelBuilder bouncing_ball();
daedalus::ModelBuilder transistor_amplifier();
daedalus::ModelBuilder transmission_line();
daedalus::ModelBuilder sampled_controller();
daedalus::ModelBuilder andrews();

namespace daedalus {
namespace {

Solution solved_by_default(const Entry& e) {
  Options o;
  o.rtol = 1e-7;
  o.atol = 1e-7;
  e.apply(o);
  return solve(e.problem(), {e.t0, e.t_end}, o);
}

void expect_same_bits(const std::string& name, const ModelBuilder& exported) {
  const ModelFile file =
      read_model_file(std::string(DAEDALUS_SOURCE_DIR) + "/examples/models/" + name + ".json");
  const Solution a = solved_by_default(file.entry),
                 b = solved_by_default(exported.model()->entry());
  ASSERT_TRUE(a.ok() && b.ok()) << name << ": " << a.message() << b.message();
  EXPECT_EQ(a.statistics().accepted, b.statistics().accepted) << name;
  ASSERT_EQ(a.variables().names, b.variables().names);
  for (const std::string& variable : a.variables().names)
    EXPECT_EQ(a.end()[variable], b.end()[variable]) << name << ": " << variable;
  ASSERT_EQ(a.events().size(), b.events().size());
  for (std::size_t k = 0; k < a.events().size(); ++k) {
    EXPECT_EQ(a.events()[k].t, b.events()[k].t);
    EXPECT_EQ(a.events()[k].name, b.events()[k].name);
  }
}

TEST(ExportedModels, SolveToTheSameBits) {
  expect_same_bits("pendulum", pendulum());
  expect_same_bits("bouncing-ball", bouncing_ball());
  expect_same_bits("transistor-amplifier", transistor_amplifier());
  expect_same_bits("transmission-line", transmission_line());
  expect_same_bits("sampled-controller", sampled_controller());
  expect_same_bits("andrews", andrews());
}

}  // namespace
}  // namespace daedalus
