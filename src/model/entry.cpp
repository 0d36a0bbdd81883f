// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/entry.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace daedalus {

Values Entry::all_values(const Values& overrides) const {
  Values values;
  for (const Parameter& parameter : parameters) values[parameter.name] = parameter.value;
  for (const auto& [key, value] : overrides) {
    const auto known = values.find(key);
    if (known == values.end()) {
      std::vector<std::string> names;
      for (const Parameter& parameter : parameters) names.push_back(parameter.name);
      throw InvalidArgument(fmt::format(
          "problem '{}' has no parameter '{}' (given value {}); {}", name, key, value,
          names.empty() ? std::string("it has no parameters")
                        : fmt::format("its parameters are {}", fmt::join(names, ", "))));
    }
    known->second = value;
  }
  return values;
}

Problem Entry::problem(const Values& overrides) const { return build(all_values(overrides)); }

std::vector<Event> Entry::events(const Values& overrides) const {
  return build_events ? build_events(all_values(overrides)) : std::vector<Event>{};
}

void Entry::apply(Options& options, const Values& overrides) const {
  for (Event& event : events(overrides)) options.events.push_back(std::move(event));
  if (options.start != StartStrategy::automatic || start == StartStrategy::automatic) return;
  options.start = start;
  options.fixed.insert(options.fixed.end(), fixed.begin(), fixed.end());
}

bool Entry::in_suite(const std::string& suite) const {
  return std::find(suites.begin(), suites.end(), suite) != suites.end();
}

}  // namespace daedalus
