// SPDX-License-Identifier: BSD-3-Clause
// Published claims measured again. An experiment belongs to one source and yields claims, each with
// what is expected, on what that stands, what was measured and a verdict. A claim is never compared
// with earlier output of this library.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace daedalus::experiments {

enum class Verdict {
  confirmed,         // measured agrees with the source within the tolerance
  deviates,          // measured differs from the source
  not_reproducible,  // the source does not say enough to measure it
};
std::string_view to_string(Verdict verdict);

// What the expected value of a claim stands on, and where that is found.
struct Basis {
  enum class Kind {
    printed,    // a number, a formula or a sentence of the source: its table, equation or section
    figure,     // read off a figure of the source, with the reading error
    theorem,    // follows from a theorem, a lemma or a definition
    own,        // computed or derived by us with other code than this library: how
    public_set  // a public test set
  };
  Kind kind;
  std::string where;

  static Basis printed(std::string where) { return {Kind::printed, std::move(where)}; }
  static Basis figure(std::string which, std::string reading_error) {
    return {Kind::figure, std::move(which) + "; reading error " + std::move(reading_error)};
  }
  static Basis theorem(std::string which) { return {Kind::theorem, std::move(which)}; }
  static Basis own(std::string how) { return {Kind::own, std::move(how)}; }
  static Basis public_set(std::string which) { return {Kind::public_set, std::move(which)}; }

 private:
  Basis(Kind k, std::string w) : kind(k), where(std::move(w)) {}
};
std::string_view to_string(Basis::Kind kind);
// Claims whose name has the given segments ("table", "breakdown.t") stand on something else than
// the rest of their experiment; the first part that fits counts.
using Parts = std::vector<std::pair<std::string, Basis>>;

struct Claim {
  std::string id{};
  std::string claim{};  // a sentence
  nlohmann::ordered_json expected{};
  nlohmann::ordered_json measured{};
  nlohmann::ordered_json tolerance{};
  Verdict verdict = Verdict::deviates;
  bool holds = false;  // what the claim says is true here
  std::string remark{};
  std::optional<Basis> basis{};  // set by `measure`
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
  Basis basis;           // of all claims but those of `parts`
  Parts parts{};
  double seconds = 0.0;  // about how long it takes
  std::function<std::vector<Claim>(Context&)> run{};
};

// Which of the parts a claim belongs to; the number of parts: none of them.
std::size_t part_of(const Experiment& experiment, std::string_view claim_id);
const Basis& basis_of(const Experiment& experiment, std::string_view claim_id);

// Runs it and names the basis of every claim; an exception becomes a deviating claim with the
// exception's words as remark.
std::vector<Claim> measure(const Experiment& experiment, Context& context);

std::span<const Experiment> all_experiments();

}  // namespace daedalus::experiments
