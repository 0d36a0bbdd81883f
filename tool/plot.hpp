// SPDX-License-Identifier: BSD-3-Clause
// Pictures of trajectories as SVG or PDF, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <daedalus/solution.hpp>

#include "tool/trajectory.hpp"

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
std::string gnuplot_script(const Picture& picture, const std::filesystem::path& target);

// Full path of gnuplot, empty when it is not installed.
std::filesystem::path find_gnuplot();
// The ending says SVG or PDF; throws InvalidArgument for another one.
void check_picture_name(const std::filesystem::path& target);
// "set terminal ..." for a picture of so many pixels (at 96 per inch).
std::string gnuplot_terminal(const std::filesystem::path& target, int width, int height);
// Text between single quotes, and text to stand between double quotes.
std::string quoted(const std::string& text);
std::string escaped(const std::string& text);
// Colours that remain distinct with defective colour vision, and dashes that do without any.
std::string colour_of(std::size_t curve);
std::string dash_of(std::size_t curve);
// Runs gnuplot on a script that writes to the path it is given; the target appears whole or not at
// all. Throws FileError that names gnuplot and its package when it is missing, or with gnuplot's
// own words when it fails. Of a failed run (`good` false) nothing existing is replaced: the path
// that was written is returned.
std::filesystem::path draw_script(
    const std::function<std::string(const std::filesystem::path&)>& script,
    const std::filesystem::path& target, bool good = true);
std::filesystem::path draw(const Picture& picture, const std::filesystem::path& target,
                           bool good = true);

}  // namespace daedalus::cli
