// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedalus/version.hpp>

#include "kernel/crc32.hpp"
#include "solve/checkpoint.hpp"

namespace daedalus {
namespace {

std::string text(double x) { return fmt::format("{:.17g}", x); }

// Short lists as they are, long ones by their length and check sum.
std::string text(const std::vector<double>& list) {
  if (list.size() <= 4) return fmt::format("{:.17g}", fmt::join(list, ","));
  return fmt::format("{} numbers, check sum {:08x}", list.size(),
                     Crc32::of(list.data(), list.size() * sizeof(double)));
}
std::string text(const Eigen::VectorXd& v) {
  return text(std::vector<double>(v.data(), v.data() + v.size()));
}
std::string text(const std::vector<std::string>& list) {
  const std::string all = fmt::format("{}", fmt::join(list, ","));
  if (all.size() <= 60) return all;
  return fmt::format("{} names, check sum {:08x}", list.size(), Crc32::of(all.data(), all.size()));
}

}  // namespace

Identity identity_of(const RunIdentity& which, const Run& whole) {
  const Problem& problem = which.problem;
  const Interval interval = which.interval;
  const Options& o = whole.loop().options();
  const MethodChoice& choice = whole.first_choice();
  Identity list;
  const auto add = [&](std::string name, std::string value) {
    list.emplace_back(std::move(name), std::move(value));
  };
  const auto flag = [&](const char* name, bool value) { add(name, value ? "on" : "off"); };
  const auto choose = [&](const char* name, auto value, std::vector<const char*> words) {
    add(name, words.at(static_cast<std::size_t>(value)));
  };
  add("library", std::string(version));
  add("problem", name_of(problem));
  add("form", std::string(form_of(problem)));
  add("variables", text(whole.loop().data().variables->names));
  const auto& parameters = std::visit(
      [](const auto& p) -> const std::vector<Parameter>& { return p.parameters; }, problem);
  for (const Parameter& p : parameters) add("parameter " + p.name, text(p.value));
  add("t0", text(interval.from));
  add("t_end", text(interval.to));
  add("method", choice.method);
  add("formulation", choice.formulation);
  for (const auto& [key, value] : o.method_options) add("method option " + key, text(value));
  for (const auto& [key, value] : o.formulation_options)
    add("formulation option " + key, text(value));
  add("rtol", text(o.rtol));
  add("atol", text(o.atol.values()));
  choose("projection", o.projection, {"none", "automatic", "every_step"});
  add("project_invariants", text(o.project_invariants));
  if (!o.sensitivities.empty()) {
    add("sensitivities", text(o.sensitivities.parameters));
    add("sensitivities of start values", text(o.sensitivities.start_values));
    choose("scheme of sensitivities", o.sensitivities.method,
           {"automatic", "staggered", "simultaneous", "step"});
    flag("error test of sensitivities", o.sensitivities.error_test);
  }
  flag("watch_drift", o.watch_drift);
  choose("output", o.output, {"none", "end", "steps", "times", "dense"});
  add("output_times", text(o.output_times));
  add("times_between", text(which.recording.times_between));
  flag("keep_states", which.recording.keep_states);
  flag("project_output", o.project_output);
  for (const Event& e : o.events)
    add("event " + e.name, std::to_string(static_cast<int>(e.action)));
  add("break_times", text(o.break_times));
  add("initial_step", text(o.initial_step));
  add("max_step", text(o.max_step));
  add("min_step", text(o.min_step));
  add("fixed_step", text(o.fixed_step));
  add("step_sequence", text(o.step_sequence));
  add("control", o.control);
  add("safety", text(o.safety));
  add("least_ratio", text(o.min_ratio));
  add("largest_ratio", text(o.max_ratio));
  add("stabilisation", text(o.stabilisation));
  choose("norm", o.norm, {"rms", "maximum"});
  choose("error_test", o.error_test,
         {"automatic", "all", "differential", "without_index2", "index_weighted"});
  flag("index_weights", o.index_weights);
  add("untested", text(o.untested));
  choose("start", o.start, {"automatic", "solve", "given"});
  add("fixed", text(o.fixed));
  choose("linear_algebra", o.linear_algebra,
         {"automatic", "dense", "sparse", "range_space", "null_space"});
  choose("derivatives", o.derivatives, {"automatic", "differences"});
  add("difference_increment", text(o.difference_increment));
  add("start values", text(whole.loop().data().start));
  return list;
}

}  // namespace daedalus
