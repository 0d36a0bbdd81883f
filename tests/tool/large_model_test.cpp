// SPDX-License-Identifier: BSD-3-Clause
// Memory of the tool for 10^5 equations that are written down in a few lines, solved as anybody
// would: the method is the tool's choice, and one more is named.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "tool/tool.hpp"

namespace daedalus::cli::large_model_test {
namespace {

// What is promised for 10^5 rolled equations (docs/performance.md).
constexpr double max_megabytes = 200.0;

// The catalogue's transmission line, 4 equations per cell.
std::string line(int n) {
  return fmt::format(R"({{
  "daedalus": "model", "name": "line", "stiff": true, "interval": [0, 2],
  "parameters": {{"L": 1, "C": 1, "R": 0.1, "G": 0.1, "G3": 1, "leak": 1, "source": 0.5, "load": 2, "d": "1/{0}"}},
  "variables": {{"a": {{"size": {0}}}, "u": {{"size": {0}}}, "b": {{"size": {0}}}, "w": {{"size": {0}}}}},
  "equations": [
    "0.5*L*d*der(a[1]) = sin(pi*t)^2 - source*a[1] - 0.5*R*d*a[1] - u[1]",
    {{"for": {{"k": [2, {0}]}}, "equation": "0.5*L*d*der(a[k]) = w[k - 1] - 0.5*R*d*a[k] - u[k]"}},
    {{"for": {{"k": [1, {0}]}}, "equation": "C*d*der(u[k]) = a[k] - b[k] - d*(G + G3*u[k]*u[k])*u[k]"}},
    {{"for": {{"k": [1, {0}]}}, "equation": "0.5*L*d*der(b[k]) = u[k] - 0.5*R*d*b[k] - w[k]"}},
    {{"for": {{"k": [1, {1}]}}, "equation": "0 = b[k] - a[k + 1] - leak*d*w[k]"}},
    "0 = b[{0}] - w[{0}]/load"
  ]
}})",
                     n, n - 1);
}

// Resident megabytes of the tool at most; -1: it failed.
double megabytes(const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>("daedalus")};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen("/dev/null", "w", stdout)) _exit(127);
    execv(DAEDALUS_TOOL, argv.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return -1.0;
  return static_cast<double>(used.ru_maxrss) / 1024.0;
}

TEST(LargeModels, MemoryFor100000Equations) {
  const ScratchFolder folder;
  const std::string file = folder / "line.json";
  std::ofstream(file) << line(25000);
  const std::vector<std::string> solve{"solve", file, "--t-end", "2e-6", "--quiet"};
  EXPECT_EQ(call({"explain", file, "--json"}).json().at("method"), "radau");
  for (const std::vector<std::string>& method :
       std::vector<std::vector<std::string>>{{}, {"--method", "bdf"}, {"--method", "rodas5p"}}) {
    std::vector<std::string> all = solve;
    all.insert(all.end(), method.begin(), method.end());
    const double found = megabytes(all);
    EXPECT_GT(found, 20.0) << "the run failed, or nothing was measured";
    EXPECT_LT(found, max_megabytes) << (method.empty() ? "chosen" : method.back());
  }
}

// Analyses with full matrices leave them out or say so: two of 10^4 x 10^4 numbers are 1600 MB.
TEST(LargeModels, AnalysesNeedNoFullMatrices) {
  const ScratchFolder folder;
  const std::string file = folder / "line.json";
  std::ofstream(file) << line(2500);
  const double found = megabytes({"check", file});
  EXPECT_GT(found, 20.0);
  EXPECT_LT(found, max_megabytes);
  const Answer checked = call({"check", file});
  ASSERT_EQ(checked.code, 0) << checked.err;
  EXPECT_NE(checked.out.find("10000 equations for 10000 variables"), std::string::npos);
  for (const char* nobody_looked : {"singular", "wrong", "nan"})
    EXPECT_EQ(checked.out.find(nobody_looked), std::string::npos) << checked.out;
  const Answer values = call({"eigen", file});
  EXPECT_EQ(values.code, 1);
  EXPECT_NE(values.out.find("There are 10000 variables"), std::string::npos) << values.out;
}

}  // namespace
}  // namespace daedalus::cli::large_model_test
