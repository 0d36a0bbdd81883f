// SPDX-License-Identifier: BSD-3-Clause
#include "tool/ascii_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "tool/numbers.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

constexpr std::size_t max_ascii_panels = 4, plot_rows = 12, axis_width = 11;
constexpr std::string_view curve_marks = "*+ox#@%&";

struct AsciiRange {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  // 0 at the low end, 1 at the high one; a constant lies in the middle.
  double place(double x) const { return high > low ? (x - low) / (high - low) : 0.5; }
};

std::size_t cell_of(double place, std::size_t count) {
  const double last = static_cast<double>(count - 1);
  return static_cast<std::size_t>(std::lround(std::clamp(place, 0.0, 1.0) * last));
}

double drawn_time(double t, bool logarithmic) { return logarithmic ? std::log10(t) : t; }

std::vector<std::string> grid_of(const Picture& picture, const std::vector<int>& curves,
                                 const AsciiRange& time, const AsciiRange& values,
                                 std::size_t columns) {
  std::vector<std::string> grid(plot_rows, std::string(columns, ' '));
  const Trajectory& all = picture.trajectory;
  for (std::size_t c = 0; c < curves.size(); ++c)
    for (std::size_t i = 0; i < all.t.size(); ++i) {
      const double t = drawn_time(all.t[i], picture.logarithmic), y = all.y[i][curves[c]];
      if (!std::isfinite(t) || !std::isfinite(y)) continue;
      grid[plot_rows - 1 - cell_of(values.place(y), plot_rows)][cell_of(time.place(t), columns)] =
          curve_marks[c];
    }
  return grid;
}

std::string legend_of(const Picture& picture, const Panel& panel, std::size_t shown) {
  std::string text;
  for (std::size_t c = 0; c < shown; ++c)
    text += fmt::format("{}{} {}", c > 0 ? "  " : "", curve_marks[c],
                        picture.trajectory.names[static_cast<std::size_t>(panel.variables[c])]);
  if (shown < panel.variables.size())
    text += fmt::format("  (and {} more)", panel.variables.size() - shown);
  return text;
}

std::string draw_panel(const Picture& picture, const Panel& panel, std::size_t columns) {
  const std::size_t shown = std::min(panel.variables.size(), curve_marks.size());
  const std::vector<int> curves(panel.variables.begin(),
                                panel.variables.begin() + static_cast<std::ptrdiff_t>(shown));
  AsciiRange time, values;
  for (std::size_t i = 0; i < picture.trajectory.t.size(); ++i) {
    time.add(drawn_time(picture.trajectory.t[i], picture.logarithmic));
    for (const int j : curves) values.add(picture.trajectory.y[i][j]);
  }
  const std::vector<std::string> grid = grid_of(picture, curves, time, values, columns);
  std::string text;
  for (const std::string& line : wrapped(legend_of(picture, panel, shown), columns))
    text += std::string(axis_width + 2, ' ') + line + '\n';
  for (std::size_t r = 0; r < plot_rows; ++r) {
    const std::string label = r == 0               ? brief(values.high)
                              : r + 1 == plot_rows ? brief(values.low)
                                                   : std::string();
    text += fmt::format("{:>{}} |{}", label, axis_width, grid[r]);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  const bool log = picture.logarithmic;
  const std::string from = brief(log ? std::pow(10.0, time.low) : time.low),
                    to = brief(log ? std::pow(10.0, time.high) : time.high),
                    name = log ? "t (logarithmic)" : "t";
  const std::size_t used = from.size() + name.size() + to.size();
  const std::size_t space = columns > used ? (columns - used) / 2 : 1;
  return text + std::string(axis_width + 1, ' ') + '+' + std::string(columns, '-') + '\n' +
         std::string(axis_width + 2, ' ') + from + std::string(space, ' ') + name +
         std::string(std::max<std::size_t>(1, columns > used ? columns - used - space : 1), ' ') +
         to + '\n';
}

}  // namespace

std::string ascii_plot(const Picture& picture, std::size_t width) {
  const std::size_t columns = std::max<std::size_t>(width, 40) - axis_width - 2;
  std::string text;
  const std::size_t shown = std::min(picture.panels.size(), max_ascii_panels);
  for (std::size_t k = 0; k < shown; ++k)
    text += '\n' + picture.panels[k].label + '\n' + draw_panel(picture, picture.panels[k], columns);
  if (shown < picture.panels.size())
    text += fmt::format("({} more panels: --plot run.svg, --report run.html)\n",
                        picture.panels.size() - shown);
  return text;
}

}  // namespace daedalus::cli
