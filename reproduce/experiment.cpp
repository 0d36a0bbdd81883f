// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/experiment.hpp"

#include <cmath>
#include <exception>
#include <utility>

namespace daedalus::experiments {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::deviates:
      return "deviates";
    case Verdict::not_reproducible:
      return "not-reproducible";
  }
  return "unknown";
}

std::string_view to_string(Basis::Kind kind) {
  switch (kind) {
    case Basis::Kind::printed:
      return "printed";
    case Basis::Kind::figure:
      return "figure";
    case Basis::Kind::theorem:
      return "theorem";
    case Basis::Kind::own:
      return "own";
    case Basis::Kind::public_set:
      return "public";
  }
  return "unknown";
}

Claim number_claim(std::string id, std::string claim, double expected, double measured,
                   double tolerance) {
  const bool holds = std::abs(measured - expected) <= tolerance;
  return {.id = std::move(id),
          .claim = std::move(claim),
          .expected = expected,
          .measured = measured,
          .tolerance = tolerance,
          .verdict = holds ? Verdict::confirmed : Verdict::deviates,
          .holds = holds};
}

Claim fact_claim(std::string id, std::string claim, bool measured) {
  return {.id = std::move(id),
          .claim = std::move(claim),
          .expected = true,
          .measured = measured,
          .verdict = measured ? Verdict::confirmed : Verdict::deviates,
          .holds = measured};
}

Claim list_claim(std::string id, std::string claim, nlohmann::ordered_json expected,
                 nlohmann::ordered_json measured, nlohmann::ordered_json tolerance, bool holds,
                 std::string remark) {
  return {.id = std::move(id),
          .claim = std::move(claim),
          .expected = std::move(expected),
          .measured = std::move(measured),
          .tolerance = std::move(tolerance),
          .verdict = holds ? Verdict::confirmed : Verdict::deviates,
          .holds = holds,
          .remark = std::move(remark)};
}

bool within(double measured, double expected, double factor) {
  return measured >= expected / factor && measured <= expected * factor;
}

Claim factor_claim(std::string id, std::string claim, double expected, double measured,
                   double factor, std::string remark) {
  return list_claim(std::move(id), std::move(claim), expected, measured,
                    nlohmann::ordered_json{{"factor", factor}}, within(measured, expected, factor),
                    std::move(remark));
}

Claim with_remark(Claim claim, std::string remark) {
  claim.remark = std::move(remark);
  return claim;
}

Claim open_claim(std::string id, std::string claim, std::string why) {
  return {.id = std::move(id),
          .claim = std::move(claim),
          .verdict = Verdict::not_reproducible,
          .holds = false,
          .remark = std::move(why)};
}

std::size_t part_of(const Experiment& experiment, std::string_view claim_id) {
  const std::string& own_id = experiment.id;
  if (claim_id.substr(0, own_id.size() + 1) == own_id + ".")
    claim_id.remove_prefix(own_id.size() + 1);
  const std::string name = "." + std::string(claim_id) + ".";
  for (std::size_t i = 0; i < experiment.parts.size(); ++i)
    if (name.find("." + experiment.parts[i].first + ".") != std::string::npos) return i;
  return experiment.parts.size();
}

const Basis& basis_of(const Experiment& experiment, std::string_view claim_id) {
  const std::size_t part = part_of(experiment, claim_id);
  return part < experiment.parts.size() ? experiment.parts[part].second : experiment.basis;
}

std::vector<Claim> measure(const Experiment& experiment, Context& context) {
  std::string problem;
  try {
    std::vector<Claim> claims = experiment.run(context);
    for (Claim& claim : claims)
      if (!claim.basis) claim.basis = basis_of(experiment, claim.id);
    return claims;
  } catch (const std::exception& error) {
    problem = error.what();
  } catch (...) {
    problem = "an exception without words";
  }
  Claim claim = fact_claim(experiment.id, "the experiment '" + experiment.title + "' runs", false);
  claim.remark = "it ended with: " + problem;
  claim.basis = experiment.basis;
  return {claim};
}

}  // namespace daedalus::experiments
