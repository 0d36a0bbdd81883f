// SPDX-License-Identifier: BSD-3-Clause
#include "tool/reproduce_verdicts.hpp"

#include <gtest/gtest.h>

#include "tool/tool.hpp"

namespace daedalus::experiments {
namespace {

// Claims that docs/claims.md lists as deviating or not reproducible: rows "| `id` | ...".
const std::set<std::string>& listed_in_docs() {
  static const std::set<std::string> listed = [] {
    std::set<std::string> ids;
    const std::string text = cli::contents(std::string(DAEDALUS_SOURCE_DIR) + "/docs/claims.md");
    for (std::size_t at = text.find("\n| `"); at != std::string::npos;
         at = text.find("\n| `", at + 1))
      ids.insert(text.substr(at + 4, text.find('`', at + 4) - at - 4));
    return ids;
  }();
  return listed;
}

// The page lists what was measured, apart from verdicts that may change with the compiler.
void expect_documented(const KnownVerdicts& known, const Experiment& experiment,
                       const std::vector<Claim>& claims) {
  std::set<std::string> measured;
  for (const Claim& claim : claims) {
    measured.insert(claim.id);
    if (known.sensitive && known.sensitive(claim.id)) continue;
    EXPECT_EQ(listed_in_docs().count(claim.id), claim.verdict == Verdict::confirmed ? 0u : 1u)
        << claim.id << ": docs/claims.md is not up to date (scripts/claims)";
  }
  for (const std::string& id : listed_in_docs())
    if (id.rfind(experiment.id + ".", 0) == 0) {
      EXPECT_EQ(measured.count(id), 1u) << "docs/claims.md lists " << id << ", which is no claim";
    }
}

void expect_verdicts(const KnownVerdicts& known, const Experiment& experiment,
                     const std::vector<Claim>& claims) {
  EXPECT_FALSE(claims.empty());
  std::set<std::string> ids;
  std::set<std::size_t> parts;
  for (const Claim& claim : claims) {
    EXPECT_TRUE(claim.basis.has_value()) << claim.id;
    parts.insert(part_of(experiment, claim.id));
    EXPECT_EQ(claim.id.rfind(experiment.id + ".", 0), 0u) << claim.id;
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id << " twice";
    if (claim.verdict != Verdict::confirmed) {
      EXPECT_FALSE(claim.remark.empty()) << claim.id << ": measured " << claim.measured;
    }
    if (known.sensitive && known.sensitive(claim.id)) {
      EXPECT_NE(claim.verdict, Verdict::not_reproducible) << claim.id;
      continue;
    }
    const Verdict expected = known.deviating.count(claim.id) > 0  ? Verdict::deviates
                             : known.open && known.open(claim.id) ? Verdict::not_reproducible
                                                                  : Verdict::confirmed;
    EXPECT_EQ(claim.verdict, expected) << claim.id << ": expected " << claim.expected
                                       << ", measured " << claim.measured << " " << claim.remark;
  }
  // A part that no claim belongs to is a misspelt name.
  for (std::size_t i = 0; i < experiment.parts.size(); ++i)
    EXPECT_EQ(parts.count(i), 1u) << experiment.id << ": no claim '" << experiment.parts[i].first
                                  << "'";
}

}  // namespace

void expect_known_verdicts(const KnownVerdicts& known, double min_seconds, double max_seconds) {
  Context context;
  int count = 0;
  for (const Experiment& experiment : all_experiments()) {
    if (experiment.id.rfind(known.prefix, 0) != 0) continue;
    if (experiment.seconds < min_seconds || experiment.seconds >= max_seconds) continue;
    const std::vector<Claim> claims = measure(experiment, context);
    expect_verdicts(known, experiment, claims);
    expect_documented(known, experiment, claims);
    ++count;
  }
  EXPECT_GT(count, 0);
}

void expect_listed(const std::string& prefix, int count) {
  const nlohmann::ordered_json json = cli::call({"reproduce", "--list", "--json"}).json();
  std::set<std::string> ids;
  for (const auto& experiment : json.at("experiments")) {
    ids.insert(experiment.at("id").get<std::string>());
    EXPECT_GT(experiment.at("seconds").get<double>(), 0.0) << experiment.at("id");
  }
  for (int i = 1; i <= count; ++i)
    EXPECT_EQ(ids.count(prefix + std::to_string(i)), 1u) << prefix << i;
}

}  // namespace daedalus::experiments
