// SPDX-License-Identifier: BSD-3-Clause
// Figures for papers on logarithmic axes: order and work-precision diagrams as SVG or PDF. Curves
// differ by dashes and markers as well as by colour, so that a print in black and white is legible.
#pragma once

#include <string>
#include <vector>

#include "tool/files.hpp"
#include "tool/plot.hpp"

namespace daedalus::cli {

struct Curve {
  std::string name;
  std::vector<double> x, y;  // what is not positive and finite leaves a gap
};

struct Figure {
  std::string title{}, subtitle{}, x_label{}, y_label{};
  std::vector<Curve> curves{};
  // Reference triangles of these slopes, each under the lower end of the curve of the same
  // position; 0: none there.
  std::vector<double> slopes{};
  bool logarithmic_x = true, logarithmic_y = true;
  bool reverse_x = false;
  // Names on the x axis instead of numbers, for values 1, 2, ...
  std::vector<std::string> x_names{};
  double line_at_one = 0.0;  // > 0: a horizontal line at this value
  bool points_only = false;
};

// One figure per panel, two columns from two panels on.
std::string figure_script(const std::vector<Figure>& panels, PictureKind kind);
void draw(const std::vector<Figure>& panels, AtomicFile& file);

}  // namespace daedalus::cli
