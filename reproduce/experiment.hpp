// SPDX-License-Identifier: BSD-3-Clause
// Published claims measured again. An experiment belongs to one source and yields claims, each with
// what the source says, what was measured and a verdict. A claim is never compared with earlier
// output of this library.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace daedalus::experiments {

enum class Verdict {
  confirmed,         // measured agrees with the source within the tolerance
  deviates,          // measured differs from the source
  not_reproducible,  // the source does not say enough to measure it
};
std::string_view to_string(Verdict verdict);

struct Claim {
  std::string id{};
  std::string claim{};  // a sentence
  nlohmann::ordered_json expected{};
  nlohmann::ordered_json measured{};
  nlohmann::ordered_json tolerance{};
  Verdict verdict = Verdict::deviates;
  bool holds = false;  // what the claim says is true here
  std::string remark{};
};

// |measured - expected| <= tolerance; a measured value that is not finite deviates.
Claim number_claim(std::string id, std::string claim, double expected, double measured,
                   double tolerance);
// A statement that is true or false.
Claim fact_claim(std::string id, std::string claim, bool measured);
// A claim whose numbers are lists.
Claim list_claim(std::string id, std::string claim, nlohmann::ordered_json expected,
                 nlohmann::ordered_json measured, nlohmann::ordered_json tolerance, bool holds,
                 std::string remark = {});
// expected / factor <= measured <= expected * factor.
bool within(double measured, double expected, double factor);
Claim factor_claim(std::string id, std::string claim, double expected, double measured,
                   double factor, std::string remark = {});
Claim with_remark(Claim claim, std::string remark);
// A claim that cannot be measured, and why.
Claim open_claim(std::string id, std::string claim, std::string why);

// What a running experiment may use.
struct Context {
  std::function<void(std::string_view)> note{};  // progress for people
};

struct Experiment {
  std::string id{};
  std::string title{};
  std::string source{};  // literature
  double seconds = 0.0;  // about how long it takes
  std::function<std::vector<Claim>(Context&)> run{};
};

// Runs it; an exception becomes a deviating claim with the exception's words as remark.
std::vector<Claim> measure(const Experiment& experiment, Context& context);

std::span<const Experiment> all_experiments();

}  // namespace daedalus::experiments
