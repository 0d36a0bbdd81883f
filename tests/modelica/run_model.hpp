// SPDX-License-Identifier: BSD-3-Clause
// Reads a model of the spec folder and solves it with the automatic choice.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <daedalus/modelica.hpp>
#include <daedalus/status.hpp>

namespace daedalus::modelica_test {

std::string spec_folder();
// With the library Parts of the folder.
ModelicaFile read(const std::string& file, const std::string& model = {});
ModelicaFile read_text(const std::string& text);

struct Result {
  Status status;
  std::string message;
  double end_time;
  int index;
  std::map<std::string, double> values;  // variables and outputs at the end
  std::vector<double> events;
};

// Tolerance 0: that of the model.
Result run(const std::string& file, const std::string& model, double tolerance,
           const std::string& method = "auto");
Result run(const ModelicaFile& file, double tolerance, const std::string& method = "auto",
           const Values& set = {});

}  // namespace daedalus::modelica_test
