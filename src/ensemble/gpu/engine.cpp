// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/gpu/engine.hpp"

#include <map>

#include <fmt/format.h>

#include <daedalus/types.hpp>

#include "ensemble/gpu/driver.hpp"
#include "kernel/at.hpp"

namespace daedalus::gpu {
namespace {

std::vector<Device> usable(bool forced, std::string& why) {
  std::vector<Device> all = devices(why);
  std::vector<Device> good = strong(all, why);
  if (forced && good.empty()) good = std::move(all);
  if (!good.empty() && !compiler_missing().empty()) {
    why = compiler_missing();
    good.clear();
  }
  return good;
}

std::string names_of(const std::vector<Device>& all) {
  std::map<std::string, int> counts;
  for (const Device& d : all) ++counts[d.name];
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{}{}", text.empty() ? "" : " and ",
                        count > 1 ? fmt::format("{} ", count) : "", name);
  return text;
}

}  // namespace

std::string missing(bool forced) {
  std::string why;
  return usable(forced, why).empty() ? why : "";
}

std::shared_ptr<const Engine> make_engine(const std::vector<EnsembleTask>& probes, bool forced,
                                          std::string& reason, const std::vector<char>& varied) {
  std::string warning;
  const std::vector<Device> used = usable(forced, warning);
  reason = warning;
  if (used.empty()) return nullptr;
  auto engine = std::make_shared<Engine>();
  engine->plan = lanes::make_plan(probes, forced, reason, {.lanes = false, .varied = varied});
  if (!engine->plan) return nullptr;
  if (engine->plan->stops.size() > max_stops) {
    reason = fmt::format("{} conditions are more than {}", engine->plan->stops.size(), max_stops);
    return nullptr;
  }
  try {
    const std::string source = source_of(*engine->plan);
    std::map<std::pair<int, int>, std::vector<char>> code;
    for (const Device& d : used) {
      std::vector<char>& here = code[{d.major, d.minor}];
      if (here.empty()) here = compile_source(source, d.major, d.minor);
      engine->processor.devices.push_back(
          [module = load(d, here)](const Columns& columns, std::size_t capacity) {
            return batch_on(module, columns, capacity);
          });
    }
  } catch (const InvalidArgument& error) {
    reason = error.what();
    return nullptr;
  }
  engine->processor.description =
      fmt::format("{} on {}{}", engine->plan->description, names_of(used),
                  warning.empty() ? "" : "; " + warning);
  return engine;
}

std::string source_of(const lanes::Plan& plan) {
  return source_of(plan.kernel, !plan.times.empty(), !plan.stops.empty());
}

Columns columns_of(const lanes::Plan& plan) {
  return {.numbers = plan.parameters,
          .given = plan.kernel.given,
          .variables = plan.kernel.variables,
          .state = state_columns(plan.kernel),
          .inside = static_cast<int>(plan.times.size()),
          .ended = !plan.stops.empty()};
}

std::size_t bytes_per_run(const lanes::Plan& plan) {
  const Columns c = columns_of(plan);
  return (at(c.numbers + c.given + c.variables * (1 + c.inside)) + 4) * sizeof(double);
}

}  // namespace daedalus::gpu
