// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_settings.hpp"

#include <daedalus/trajectory_file.hpp>

namespace daedalus::cli {
namespace {

// One list for both directions: what is left out of an identity would be resumed in silence.
template <class Settings, class Visit>
void visit_identity(Settings& s, Visit&& visit) {
  visit("problem", s.run.problem);
  visit("set", s.run.set);
  visit("t_end", s.run.t_end);
  visit("method", s.run.method);
  visit("formulation", s.run.formulation);
  visit("options", s.run.method_options);
  visit("formulation_options", s.run.formulation_options);
  visit("rtol", s.run.rtol);
  visit("rtol_given", s.run.rtol_given);
  visit("atol", s.run.atol);
  visit("fixed_step", s.run.fixed_step);
  visit("initial_step", s.run.initial_step);
  visit("max_step", s.run.max_step);
  visit("min_step", s.run.min_step);
  visit("safety", s.run.safety);
  visit("min_ratio", s.run.min_ratio);
  visit("max_ratio", s.run.max_ratio);
  visit("stabilisation", s.run.stabilisation);
  visit("max_steps", s.run.max_steps);
  visit("projection", s.run.projection);
  visit("control", s.run.control);
  visit("norm", s.run.norm);
  visit("start", s.run.start);
  visit("error_test", s.run.error_test);
  visit("linear_algebra", s.run.linear_algebra);
  visit("derivatives", s.run.derivatives);
  visit("untested", s.run.untested);
  visit("fixed", s.run.fixed);
  visit("break_times", s.run.break_times);
  visit("index_weights", s.run.index_weights);
  visit("project_output", s.run.project_output);
  visit("samples", s.sample.samples);
  visit("sampling", s.sampling);
  visit("seed", s.sample.seed);
  visit("refine", s.refine);
  visit("refine_runs", s.refine_runs);
  visit("bands", s.bands);
  visit("engine", s.engine);
}

}  // namespace

Json identity_of(const SweepSettings& settings) {
  Json identity = Json::object();
  visit_identity(settings, [&](const char* key, const auto& value) { identity[key] = value; });
  return identity;
}

void take_identity(SweepSettings& settings, const Json& identity, const std::string& file) {
  visit_identity(settings, [&](const char* key, auto& value) {
    try {
      identity.at(key).get_to(value);
    } catch (const Json::exception&) {
      throw FileError("'" + file + "' does not say '" + key + "': another version wrote it");
    }
  });
  settings.sample.sampling = sampling_from(settings.sampling);
}

}  // namespace daedalus::cli
