// SPDX-License-Identifier: BSD-3-Clause
// The sources' own figures, drawn with our data: the same axes and the same curves. Their pictures
// are not at hand, only captions and what the text says of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reproduce/experiment.hpp"

namespace daedalus::experiments {

struct FigureCurve {
  std::string name{};
  std::vector<double> x{}, y{};
  double slope = 0.0;  // a reference triangle of this slope; 0: none
};

struct FigurePanel {
  std::string title{}, x_label{}, y_label{};
  std::vector<FigureCurve> curves{};
  bool logarithmic_x = true, logarithmic_y = true;
};

struct DrawnFigure {
  std::vector<FigurePanel> panels{};
  bool agrees = false;    // with what the source says of it
  std::string finding{};  // one sentence
};

struct SourceFigure {
  std::string id{};  // wieloch-6.3
  std::string source{}, title{};
  std::string says{};  // one sentence: what the source says of it
  double seconds = 0.0;
  std::function<DrawnFigure(Context&)> make{};
};

std::span<const SourceFigure> all_figures();

// By source.
std::vector<SourceFigure> wieloch_figures();
std::vector<SourceFigure> arnold_figures();
std::vector<SourceFigure> older_figures();  // Steinebach, Tischendorf

// Exponent of y ~ x^p between the two points with the smallest x.
double end_slope(const FigureCurve& curve);
// All curves with a slope have it at their fine end, up to `tolerance`; the sentence names those
// that do not.
DrawnFigure with_slopes(std::vector<FigurePanel> panels, double tolerance = 0.3);

}  // namespace daedalus::experiments
