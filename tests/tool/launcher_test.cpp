// SPDX-License-Identifier: BSD-3-Clause
// What the environment says about a launcher: MPI is loaded on that word alone.
#include <map>

#include <gtest/gtest.h>

#include "tool/launcher.hpp"

namespace daedalus::cli::launcher_test {
namespace {

std::string launch(const std::map<std::string, std::string>& values) {
  const std::optional<Launch> found = find_launch([&](const char* name) {
    const auto place = values.find(name);
    return place == values.end() ? nullptr : place->second.c_str();
  });
  return found ? std::to_string(found->rank) + " of " + std::to_string(found->size) : "none";
}

TEST(Launcher, IsFoundByItsVariables) {
  EXPECT_EQ(launch({}), "none");
  EXPECT_EQ(launch({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}), "3 of 4");
  EXPECT_EQ(launch({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}}), "1 of 2");
  EXPECT_EQ(launch({{"PMIX_RANK", "5"}}), "5 of 0") << "MPI says how many";
  EXPECT_EQ(launch({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "2"}}), "2 of 8");
  EXPECT_EQ(launch({{"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}}), "none");
  // The script of a job that asked for 8 tasks is none of them; a step of 2 has two.
  EXPECT_EQ(launch({{"SLURM_JOB_ID", "1"}, {"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}), "none");
  EXPECT_EQ(launch({{"SLURM_JOB_ID", "1"},
                    {"SLURM_STEP_ID", "0"},
                    {"SLURM_NTASKS", "8"},
                    {"SLURM_STEP_NUM_TASKS", "2"},
                    {"SLURM_PROCID", "1"}}),
            "1 of 2");
}

}  // namespace
}  // namespace daedalus::cli::launcher_test
