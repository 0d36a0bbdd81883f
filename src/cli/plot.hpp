// Pictures of trajectories as SVG, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <daedalus/solution.hpp>

#include "cli/trajectory.hpp"

namespace daedalus::cli {

struct Panel {
  std::string label;           // the class
  std::vector<int> variables;  // of similar size, so that one axis fits all
};
// Panels by class and index of the variables and, among those, by size: curves that would lie flat
// on the axis get a panel of their own.
std::vector<Panel> arrange(const Variables& variables, const Trajectory& trajectory);

// Most of the steps in the first thousandth of the interval: time is drawn logarithmically.
bool logarithmic_time(const std::vector<double>& t);

struct Picture {
  std::string title, subtitle;
  Trajectory trajectory;
  std::vector<Panel> panels;
  bool logarithmic = false;
  std::vector<DriftSample> drift{};  // drawn in a panel of its own, on a logarithmic axis
};
// At most so many samples, each the largest residuals of its share of the run.
std::vector<DriftSample> envelope(const std::vector<DriftSample>& drift, std::size_t most = 2000);
std::string gnuplot_script(const Picture& picture, const std::filesystem::path& svg);

// Full path of gnuplot, empty when it is not installed.
std::filesystem::path find_gnuplot();
// Writes the SVG; throws FileError that names gnuplot and its package when it is missing, or with
// gnuplot's own words when it fails.
void draw(const Picture& picture, const std::filesystem::path& svg);

}  // namespace daedalus::cli
