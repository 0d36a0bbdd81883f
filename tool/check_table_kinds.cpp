// SPDX-License-Identifier: BSD-3-Clause
#include "tool/check_table_kinds.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedalus/types.hpp>

#include "tool/names.hpp"
#include "tool/numbers.hpp"

namespace daedalus::cli {

std::span<const TableKind> table_kinds() {
  static const std::vector<TableKind> kinds{rosenbrock_a_tables(), rosenbrock_b_tables(),
                                            herk_tables()};
  return kinds;
}

const TableKind& require_kind(TableFields& fields) {
  std::vector<std::string_view> names;
  for (const TableKind& kind : table_kinds()) names.push_back(kind.name);
  const std::string given = fields.text("kind", "");
  for (const TableKind& kind : table_kinds())
    if (kind.name == given) return kind;
  fields.refuse("kind",
                given.empty()
                    ? fmt::format("is missing; known are {}", fmt::join(names, ", "))
                    : fmt::format("\"{}\": must be one of {}", given, fmt::join(names, ", ")));
}

Claims::Claims(TableFields& fields) : fields_(fields) {
  if (!fields.has("claims")) return;
  claims_ = &fields.table().at("claims");
  if (!claims_->is_object())
    fields.refuse("claims", line(*claims_) + ": must be an object such as {\"order\": 3}");
}

const Json* Claims::find(const std::string& key) {
  known_.push_back(key);
  if (claims_ == nullptr) return nullptr;
  const auto found = claims_->find(key);
  return found == claims_->end() ? nullptr : &*found;
}

void Claims::at_least(const std::string& key, std::optional<int> found) {
  const Json* claim = find(key);
  if (claim == nullptr) return;
  if (!claim->is_number_integer() || *claim < 0)
    fields_.refuse("claims." + key, line(*claim) + ": must be an order, a whole number");
  result_.push_back({key, line(*claim), found ? std::to_string(*found) : "none",
                     found && *found >= claim->get<int>()});
}

void Claims::equal(const std::string& key, std::optional<double> found, double tolerance) {
  const Json* claim = find(key);
  if (claim == nullptr) return;
  const auto claimed = static_cast<double>(fields_.parse(*claim, "claims." + key));
  result_.push_back({key, claim->is_string() ? claim->get<std::string>() : line(*claim),
                     found ? fmt::format("{:.12g}", *found) : "none",
                     found && std::abs(*found - claimed) <= tolerance});
}

void Claims::flag(const std::string& key, bool found) {
  const Json* claim = find(key);
  if (claim == nullptr) return;
  if (!claim->is_boolean())
    fields_.refuse("claims." + key, line(*claim) + ": must be true or false");
  const auto text = [](bool value) { return std::string(value ? "true" : "false"); };
  result_.push_back({key, text(*claim), text(found), claim->get<bool>() == found});
}

std::vector<TableClaim> Claims::result() const {
  if (claims_ == nullptr) return {};
  for (const auto& [name, value] : claims_->items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    throw InvalidArgument(fields_.source() +
                          ": claims: " + unknown_name("claim", name, known_, "docs/own-table.md"));
  }
  return result_;
}

}  // namespace daedalus::cli
