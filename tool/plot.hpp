// SPDX-License-Identifier: BSD-3-Clause
// Pictures of trajectories as SVG or PDF, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/solution.hpp>

#include "tool/files.hpp"
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
enum class PictureKind { svg, pdf };
std::string gnuplot_script(const Picture& picture, PictureKind kind);

// Full path of gnuplot, empty when it is not installed.
std::filesystem::path find_gnuplot();
// The ending says SVG or PDF; throws InvalidArgument for another one.
void check_picture_name(const std::filesystem::path& target);
// The same, and the place where the picture will appear: a run is not to be lost for a folder that
// does not exist. Throws FileError.
std::unique_ptr<AtomicFile> picture_file(const std::filesystem::path& target);
// "set terminal ..." for a picture of so many pixels (at 96 per inch).
std::string gnuplot_terminal(PictureKind kind, int width, int height);
// The line that says where gnuplot writes: one name, in a folder of ours.
inline constexpr const char* set_output = "set output 'picture'\n";
// A text of any kind between single quotes: on one line, nothing in it is a command.
std::string quoted(const std::string& text);
// Colours that remain distinct with defective colour vision, and dashes that do without any.
std::string colour_of(std::size_t curve);
std::string dash_of(std::size_t curve);
// Runs gnuplot, without a shell and in a folder of its own, on a script that begins with
// set_output; the target appears whole or not at all. Throws FileError that names gnuplot and its
// package when it is missing, or with gnuplot's own words when it fails. Of a failed run (`good`
// false) nothing existing is replaced: the path that was written is returned.
std::filesystem::path draw_script(const std::function<std::string(PictureKind)>& script,
                                  AtomicFile& file, bool good = true);
std::filesystem::path draw(const Picture& picture, AtomicFile& file, bool good = true);

}  // namespace daedalus::cli
