// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/figures/figure.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace daedalus::experiments {

std::span<const SourceFigure> all_figures() {
  static const std::vector<SourceFigure> all = [] {
    std::vector<SourceFigure> list;
    for (auto&& source : {arnold_figures(), wieloch_figures(), older_figures()})
      list.insert(list.end(), source.begin(), source.end());
    return list;
  }();
  return all;
}

double end_slope(const FigureCurve& curve) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < curve.x.size(); ++i) points.emplace_back(curve.x[i], curve.y[i]);
  if (points.size() < 2) return std::nan("");
  std::sort(points.begin(), points.end());
  return std::log(points[1].second / points[0].second) /
         std::log(points[1].first / points[0].first);
}

DrawnFigure with_slopes(std::vector<FigurePanel> panels, double tolerance) {
  DrawnFigure figure{.panels = std::move(panels), .agrees = true};
  std::vector<std::string> off;
  int count = 0;
  for (const FigurePanel& panel : figure.panels)
    for (const FigureCurve& curve : panel.curves) {
      if (curve.slope == 0.0) continue;
      ++count;
      const double found = end_slope(curve);
      if (std::abs(found - curve.slope) <= tolerance) continue;
      off.push_back(fmt::format("{} {:.2f} instead of {:g}", curve.name, found, curve.slope));
    }
  figure.agrees = off.empty() && count > 0;
  figure.finding = off.empty() ? fmt::format("all {} curves have the slope of the text", count)
                               : fmt::format("slopes at the fine end: {}", fmt::join(off, "; "));
  return figure;
}

}  // namespace daedalus::experiments
