// SPDX-License-Identifier: BSD-3-Clause
#include "tool/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include <daedalus/circuit.hpp>

#include "tool/models.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/quantity.hpp"

namespace daedalus::cli {
namespace {

constexpr double round_off = std::numeric_limits<double>::epsilon();
constexpr int all_digits = 15;
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

bool same_time(double a, double b) {
  return std::abs(a - b) <= 4.0 * round_off * std::max(std::abs(a), std::abs(b));
}

// An error below round-off says no more than "all digits": it counts as one unit of round-off.
double digits(double error) { return -std::log10(std::max(error, round_off)); }

bool counts(const Target& target, const std::string& name) {
  return target.counted.empty() ||
         std::find(target.counted.begin(), target.counted.end(), name) != target.counted.end();
}

// Where a formula gives 1e-17 beside 1 the solution is zero, and no error is relative to it.
void drop_round_off(std::vector<std::pair<std::string, double>>& values) {
  double largest = 0.0;
  for (const auto& [name, value] : values) largest = std::max(largest, std::abs(value));
  for (auto& [name, value] : values)
    if (std::abs(value) <= 4.0 * round_off * largest) value = 0.0;
}

// std::max would drop a NaN that an error must show.
double larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}

}  // namespace

namespace {

// Names in netlists have letters of any case.
std::string known_spelling(std::string name, const std::vector<std::string>& names) {
  const auto lower = [](std::string s) {
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
    return s;
  };
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  for (const std::string& known : names)
    if (lower(known) == lower(name)) return known;
  return name;
}

}  // namespace

ChosenParameters choose_parameters(const problems::Entry& entry,
                                   const std::vector<std::string>& assignments) {
  ChosenParameters chosen;
  std::vector<std::string> names;
  for (const Parameter& p : entry.parameters) {
    chosen.all[p.name] = p.value;
    names.push_back(p.name);
  }
  const LoadedProblem* file = loaded_from_file(entry);
  const bool netlist = file && file->circuit;
  std::set<std::string> given;
  for (const std::string& text : assignments) {
    auto [name, value_text] = split_assignment("--set", text);
    if (netlist) name = known_spelling(std::move(name), names);
    if (!given.insert(name).second)
      throw InvalidArgument(fmt::format("--set gives '{}' twice", name));
    const auto found = chosen.all.find(name);
    if (found == chosen.all.end())
      throw InvalidArgument(unknown_name("parameter", name, names, "daedalus show " + entry.name) +
                            " (problem " + entry.name + ")");
    // 2k and 2m mean in a netlist what SPICE means; elsewhere letters are units.
    const auto suffixed = netlist ? netlist_number(value_text) : std::nullopt;
    const double value = suffixed ? *suffixed : parse_quantity(entry, name, value_text);
    if (found->second != value) chosen.standard = false;
    found->second = value;
  }
  return chosen;
}

std::optional<Target> target_at(const problems::Entry& entry, const ChosenParameters& parameters,
                                double t) {
  std::optional<Target> target;
  if (entry.reference && parameters.standard && same_time(entry.reference->t, t)) {
    const problems::Reference& r = *entry.reference;
    target = {r.values, r.counted, r.digits, r.source};
  } else if (entry.exact) {
    target = {entry.exact(t, parameters.all), {}, all_digits, "exact solution"};
  }
  if (target && target->digits >= all_digits) drop_round_off(target->values);
  return target;
}

std::string class_of(const Variables& variables, int i) {
  for (const Variables::Range& range : variables.ranges)
    if (i >= range.first && i < range.first + range.count) return std::string(to_string(range.cls));
  return "y";
}

RunError measure_error(const StateView& state, const Target& target, double rtol,
                       const Tolerance& atol) {
  RunError result{};
  const Variables& variables = state.variables();
  double relative = -1.0, mixed = -1.0;
  // References list variables in their order, more or less: a search from the start for each of a
  // million would never end.
  int next = 0;
  const auto place = [&](const std::string& name) {
    if (next < variables.size() && variables.names[static_cast<std::size_t>(next)] == name)
      return next++;
    const int found = variables.find(name);
    if (found >= 0) next = found + 1;
    return found;
  };
  for (const auto& [name, reference] : target.values) {
    const int i = place(name);
    if (i < 0) continue;
    const double error = std::abs(state.y()[i] - reference);
    const double size = std::abs(reference);
    const double floor = rtol > 0.0 ? atol[i] / rtol : undefined;
    if (counts(target, name)) {
      if (size > 0.0) relative = larger(relative, error / size);
      mixed = larger(mixed, error / (floor + size));
    }
    const double scale = rtol > 0.0 ? std::max(size, floor) : size;
    const auto [entry, first] = result.per_class.try_emplace(class_of(variables, i), 0.0);
    if (scale > 0.0) entry->second = larger(entry->second, error / scale);
  }
  result.relative = relative < 0.0 ? undefined : relative;
  result.scd = relative < 0.0 ? undefined : digits(relative);
  result.mescd = mixed < 0.0 ? undefined : digits(mixed);
  return result;
}

Json describe(const RunError& error, const Target& target) {
  Json classes = Json::object();
  for (const auto& [name, value] : error.per_class) classes[name] = number(value);
  return Json{{"relative", number(error.relative)}, {"scd", number(error.scd)},
              {"mescd", number(error.mescd)},       {"per_class", classes},
              {"reference_digits", target.digits},  {"reference_source", target.source}};
}

}  // namespace daedalus::cli
