// SPDX-License-Identifier: BSD-3-Clause
// The tool called in-process, and a folder for its files.
#pragma once

#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scratch_folder.hpp"
#include "tool/run.hpp"

namespace daedalus::cli {

struct Answer {
  int code;
  std::string out, err;
  nlohmann::ordered_json json() const { return nlohmann::ordered_json::parse(out); }
};

template <class... Experiments>
Answer call(std::vector<std::string> arguments, const Experiments&... experiments) {
  std::vector<const char*> argv{"daedalus"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  std::ostringstream out, err;
  const int code = run(static_cast<int>(argv.size()), argv.data(), out, err, experiments...);
  return {code, out.str(), err.str()};
}

inline std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Csv {
  std::vector<std::string> header;
  std::vector<std::vector<double>> rows;
};

// Plain names only; the tool quotes others, which no catalogue problem has.
inline Csv read_csv(const std::string& path) {
  Csv csv;
  std::istringstream lines(contents(path));
  std::string line, field;
  std::getline(lines, line);
  for (std::istringstream fields(line); std::getline(fields, field, ',');)
    csv.header.push_back(field);
  while (std::getline(lines, line)) {
    csv.rows.emplace_back();
    for (std::istringstream fields(line); std::getline(fields, field, ',');)
      csv.rows.back().push_back(std::stod(field));
  }
  return csv;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace daedalus::cli
