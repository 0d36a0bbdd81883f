// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/run_model.hpp"

#include <variant>

#include <daedalus/solve.hpp>

#include "tool/mode_history.hpp"

namespace daedalus::modelica_test {

std::string spec_folder() { return DAEDALUS_SOURCE_DIR "/tests/modelica/spec"; }

ModelicaFile read(const std::string& file, const std::string& model) {
  ModelicaOptions options;
  options.model = model;
  options.libraries = {spec_folder()};
  return read_modelica_file(spec_folder() + "/" + file, options);
}

ModelicaFile read_text(const std::string& text) {
  ModelicaOptions options;
  options.libraries = {spec_folder()};
  return read_modelica_text(text, "test.mo", options);
}

Result run(const ModelicaFile& file, double tolerance, const std::string& method,
           const Values& set) {
  const Problem problem = file.entry.problem(set);
  Options options;
  options.method = method;
  options.rtol = tolerance > 0.0 ? tolerance : file.tolerance;
  std::vector<std::string> names;
  std::visit(
      [&](const auto& p) {
        if constexpr (requires { p.variables; }) names = p.variables;
        if constexpr (requires { p.z_names; }) {
          names = p.y_names;
          names.insert(names.end(), p.z_names.begin(), p.z_names.end());
        }
      },
      problem);
  Eigen::VectorXd atol =
      Eigen::VectorXd::Constant(static_cast<Eigen::Index>(names.size()), options.rtol);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (const auto scale = file.entry.atol_scale.find(names[k]);
        scale != file.entry.atol_scale.end())
      atol[static_cast<Eigen::Index>(k)] *= scale->second;
  options.atol = atol;
  file.entry.apply(options, set);
  const auto modes = cli::remember_modes(problem, file.entry.t0, options);
  const Solution s = solve(problem, {file.entry.t0, file.entry.t_end}, options);
  Result r{s.status(), s.message(), s.end_time(), file.entry.index, {}, {}};
  const ModelState end = s.end();
  for (int k = 0; k < end.variables().size(); ++k)
    r.values[end.variables().names[static_cast<std::size_t>(k)]] = end.all()[k];
  Eigen::VectorXd outputs(static_cast<Eigen::Index>(file.entry.outputs.size()));
  if (outputs.size() > 0) {
    const StateView view(end.variables(), end.t(), end.all().data(), *modes->at(end.t()));
    file.entry.evaluate_outputs(file.entry.all_values(set), view,
                                Out(outputs.data(), outputs.size()));
  }
  for (std::size_t k = 0; k < file.entry.outputs.size(); ++k)
    r.values[file.entry.outputs[k].name] = outputs[static_cast<Eigen::Index>(k)];
  for (const EventRecord& e : s.events()) r.events.push_back(e.t);
  return r;
}

Result run(const std::string& file, const std::string& model, double tolerance,
           const std::string& method) {
  return run(read(file, model), tolerance, method);
}

}  // namespace daedalus::modelica_test
