// SPDX-License-Identifier: BSD-3-Clause
// A model as text: read, solved with other parameters, its mistakes found, and written as C++.
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/model_file.hpp>

int main() {
  // [read]
  const std::string text = R"({
    "daedalus": "model",
    "name": "oscillator",
    "interval": [0, 10],
    "parameters": {"damping": 0.1, "stiffness": {"value": 4, "unit": "N/m", "min": 0}},
    "variables": {"position": {"start": 1, "fixed": true, "unit": "m"},
                  "velocity": {"start": 0, "fixed": true, "unit": "m/s"}},
    "equations": ["der(position) = velocity",
                  "der(velocity) = -stiffness*position - damping*velocity"],
    "outputs": {"energy": "(velocity^2 + stiffness*position^2)/2"}
  })";
  // read_model_file("oscillator.json") reads a file.
  const daedalus::ModelFile file = daedalus::read_model_text(text, "oscillator.json");
  const daedalus::Entry& entry = file.entry;
  daedalus::Options options{.rtol = 1e-8, .atol = 1e-8};
  entry.apply(options);
  const daedalus::Solution solution =
      daedalus::solve(entry.problem({{"damping", 0.0}}), {entry.t0, entry.t_end}, options);
  std::cout << entry.form << ": position " << solution.end()["position"] << '\n';
  // [/read]
  if (!solution.ok() || std::abs(solution.end()["position"] - std::cos(20.0)) > 1e-5) return 1;

  // [wrong]
  std::string wrong_text = text;
  wrong_text.replace(wrong_text.find("damping*velocity"), 16, "damping*velosity");
  daedalus::ModelFileOptions careful;
  careful.model.machine_code = false;  // interpreted everywhere
  careful.allow_files = false;         // tables come from the model's own folder only
  try {
    daedalus::read_model_text(wrong_text, "oscillator.json", careful);
  } catch (const daedalus::InvalidModel& wrong) {
    for (const daedalus::SourceDiagnostic& d : wrong.diagnostics)
      std::cout << d.file << ':' << d.line << ':' << d.column << ": " << d.message << "; " << d.hint
                << '\n';
    std::cout << wrong.what() << '\n';  // the same with the line and a caret
  }
  // [/wrong]

  // [cpp]
  std::cout << daedalus::model_as_cpp(*file.builder(), "oscillator.json");
  // [/cpp]
  return file.warnings.empty() ? 0 : 1;
}
