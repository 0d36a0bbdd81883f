// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/entry.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <daedalus/sensitivity.hpp>

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

namespace {

// Their parameters may be constants inside the callables: how to build it for other values.
std::shared_ptr<const ParameterFamily> family_of(const Entry& entry, const Values& overrides) {
  auto family = std::make_shared<ParameterFamily>();
  const Values values = entry.all_values(overrides);
  family->parameters = entry.parameters;
  std::vector<std::string> names;
  for (Parameter& p : family->parameters) {
    p.value = values.at(p.name);
    names.push_back(p.name);
  }
  const auto named = [names](const std::vector<double>& numbers) {
    Values v;
    for (std::size_t i = 0; i < names.size(); ++i) v[names[i]] = numbers[i];
    return v;
  };
  family->problem = [build = entry.build, named](const std::vector<double>& v) {
    return build(named(v));
  };
  if (entry.build_events)
    family->events = [build = entry.build_events, named](const std::vector<double>& v) {
      return build(named(v));
    };
  return family;
}

}  // namespace

void Entry::apply(Options& options, const Values& overrides) const {
  if (!options.sensitivities.family && !parameters.empty())
    options.sensitivities.family = family_of(*this, overrides);
  for (Event& event : events(overrides)) options.events.push_back(std::move(event));
  if (options.start != StartStrategy::automatic || start == StartStrategy::automatic) return;
  options.start = start;
  options.fixed.insert(options.fixed.end(), fixed.begin(), fixed.end());
}

bool Entry::in_suite(const std::string& suite) const {
  return std::find(suites.begin(), suites.end(), suite) != suites.end();
}

}  // namespace daedalus
