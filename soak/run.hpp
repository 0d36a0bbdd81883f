// SPDX-License-Identifier: BSD-3-Clause
// One run: a class and a seed give problem, tolerance, outputs and method; the result is judged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <daedalus/status.hpp>

#include "soak/case.hpp"

namespace daedalus::soak {

enum class Verdict {
  good,
  warned,   // more than 1000 tolerances off, and the run says that something was doubtful
  silent,   // the same without a word
  failed,   // a status other than success, or a message that does not name what it has to
  refused,  // an exception before the first step
  hung,     // over its limit of processor time
};
inline constexpr int verdict_count = 6;
std::string_view to_string(Verdict verdict);

struct RunRequest {
  const ProblemClass* problem_class = nullptr;
  std::uint64_t seed = 0;
  std::string method{};     // empty: drawn, every other run "auto"
  double tolerance = 0.0;   // 0: drawn
  double max_seconds = 10;  // of processor time
  bool find_index = true;
};

struct RunResult {
  std::uint64_t seed = 0;
  Verdict verdict = Verdict::good;
  std::string description{}, method{}, solver{}, output{};
  double tolerance = 0.0;
  double error = 0.0;   // in tolerances, index-k components times h^(k-1)
  std::string worst{};  // where it is largest
  Status status = Status::success;
  std::string message{};
  std::vector<std::string> warnings{};
  int index = -1, index_found = -1;
  long steps = 0;
  double seconds = 0.0;
};

RunResult run_one(const RunRequest& request);

// Variable-step methods that take the problem; of stiff ones those that are implicit.
std::vector<std::string> methods_for(const Case& c);
// Errors above so many tolerances are wrong answers.
inline constexpr double wrong_answer = 1000.0;

}  // namespace daedalus::soak
