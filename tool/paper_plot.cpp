// SPDX-License-Identifier: BSD-3-Clause
#include "tool/paper_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "tool/numbers.hpp"
#include "tool/plot.hpp"

namespace daedalus::cli {
namespace {

// Filled and open markers take turns, so that neighbours in the legend differ at a glance.
constexpr std::array<int, 8> markers{7, 4, 9, 6, 5, 8, 13, 12};

// Of all panels, in pixels: the longest name counts, in the columns of the fullest legend.
int legend_width(const std::vector<Figure>& panels, int rows) {
  constexpr int sample = 100, per_letter = 9;  // what gnuplot puts between columns of a legend
  std::size_t letters = 0, curves = 1;
  for (const Figure& figure : panels) {
    curves = std::max(curves, figure.curves.size());
    for (const Curve& curve : figure.curves) letters = std::max(letters, curve.name.size());
  }
  const int columns = (static_cast<int>(curves) + rows - 1) / rows;
  return columns * (sample + per_letter * static_cast<int>(letters));
}

// In pixels. Names on the axis stand side by side where they have 20 each.
int curves_width(const std::vector<Figure>& panels) {
  std::size_t width = 400;
  for (const Figure& figure : panels) width = std::max(width, 20 * figure.x_names.size());
  return static_cast<int>(width);
}

// All panels have the same room for curves, whatever their legends need beside it: gnuplot itself
// takes the room of a wide legend from the curves. Titles begin over the axis, since one that is
// centred there may be longer than what is to the left of its middle.
struct Sheet {
  int curves, panel_width, columns, rows, width, height;
  static constexpr int head = 10, panel_height = 440, legend_rows = 12;
  static constexpr int left = 96, top = 56, line = 20, gap = 8;
  explicit Sheet(const std::vector<Figure>& panels)
      : curves(curves_width(panels)),
        panel_width(left + curves + gap + legend_width(panels, legend_rows)),
        columns(panels.size() > 1 ? 2 : 1),
        rows((static_cast<int>(panels.size()) + columns - 1) / columns),
        width(columns * panel_width),
        height(head + rows * panel_height) {}
  double x(double pixels) const { return pixels / width; }
  double y(double pixels) const { return 1.0 - pixels / height; }
};

// Labels of a logarithmic axis one by one: gnuplot 5.4 leaves out those it chooses itself where the
// axis runs backwards. Powers of ten, not more than seven, which would touch each other; on a short
// axis their multiples by 2 and 5 as well. Where less than two of them lie in between, gnuplot's.
std::string logarithmic_labels(char axis, double least, double largest) {
  const int first = static_cast<int>(std::floor(std::log10(least))),
            last = static_cast<int>(std::ceil(std::log10(largest)));
  const bool is_short = largest / least < 100.0;
  const int every = std::max(1, (last - first + 6) / 7);
  std::string list;
  int count = 0;
  for (int k = first; k <= last; ++k)
    for (const int factor : {1, 2, 5}) {
      const std::string label = fmt::format("{}e{}", factor, k);
      const double value = std::stod(label);
      const bool wanted = factor == 1 ? k % every == 0 : is_short;
      if (wanted && value >= least && value <= largest)
        list += fmt::format("{}'{}' {}", count++ > 0 ? ", " : "", label, label);
    }
  if (count < 2) return fmt::format("set {0}tics autofreq\nset format {0} '%.1e'\n", axis);
  return fmt::format("set {}tics ({})\n", axis, list);
}

bool drawn(const Figure& figure, const Curve& curve, std::size_t i) {
  return i < curve.y.size() && std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]) &&
         (!figure.logarithmic_x || curve.x[i] > 0.0) && (!figure.logarithmic_y || curve.y[i] > 0.0);
}

void write_data(std::ostream& script, const Figure& figure, std::size_t panel) {
  for (std::size_t k = 0; k < figure.curves.size(); ++k) {
    const Curve& curve = figure.curves[k];
    script << fmt::format("$data_{}_{} << end_of_data\n", panel, k);
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      if (drawn(figure, curve, i))
        script << fmt::format("{:.9g} {:.9g}\n", curve.x[i], curve.y[i]);
      else
        script << '\n';
    script << "end_of_data\n";
  }
}

// Range of what is drawn with some room around, since gnuplot's own goes to whole decades.
std::pair<double, double> range_of(const Figure& figure, bool of_x) {
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  for (const Curve& curve : figure.curves)
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      if (drawn(figure, curve, i)) {
        const double value = of_x ? curve.x[i] : curve.y[i];
        least = std::min(least, value);
        largest = std::max(largest, value);
      }
  if (!(least <= largest)) return {1.0, 10.0};
  if (of_x ? figure.logarithmic_x : figure.logarithmic_y) {
    const double room = std::max(1.3, std::pow(largest / least, 0.06));
    // The triangles stand below the curves.
    const bool below = !of_x && !figure.slopes.empty();
    return {least / (below ? room * room * room : room), largest * room};
  }
  const double room = largest > least ? 0.06 * (largest - least) : 0.1 * std::abs(largest) + 1e-12;
  return {least - room, largest + room};
}

// A right triangle below all curves, over two points at a third of this one; its hypotenuse rises
// with the slope.
std::string triangle(const Figure& figure, const Curve& curve, double slope) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    if (drawn(figure, curve, i)) points.emplace_back(curve.x[i], curve.y[i]);
  if (points.size() < 3 || !(slope > 0.0)) return {};
  std::sort(points.begin(), points.end());
  const std::size_t first = points.size() / 3;
  const double x0 = points[first].first, x1 = points[first + 1].first;
  double y1 = points[first + 1].second;
  for (const Curve& other : figure.curves)
    for (std::size_t i = 0; i < other.x.size(); ++i)
      if (drawn(figure, other, i) && other.x[i] == x1) y1 = std::min(y1, other.y[i]);
  y1 /= 3.0;
  const double y0 = y1 / std::pow(x1 / x0, slope);
  std::string text;
  const auto add = [&](double ax, double ay, double bx, double by) {
    text += fmt::format(
        "set arrow from first {:.9g},{:.9g} to first {:.9g},{:.9g} nohead lc rgb '#333333' lw 1.0 "
        "dt 1\n",
        ax, ay, bx, by);
  };
  add(x0, y0, x1, y1);
  add(x0, y0, x1, y0);
  add(x1, y0, x1, y1);
  text += fmt::format(
      "set label {} at first {:.9g},{:.9g} left offset character 0.4,0 textcolor '#111111'\n",
      quoted(brief(slope)), x1, y0 * std::pow(x1 / x0, 0.5 * slope));
  return text;
}

}  // namespace

std::string figure_script(const std::vector<Figure>& panels, PictureKind kind) {
  const Sheet sheet(panels);
  std::ostringstream script;
  script << gnuplot_terminal(kind, sheet.width, sheet.height) << set_output;
  for (std::size_t p = 0; p < panels.size(); ++p) write_data(script, panels[p], p);
  script << "set multiplot\nset border 15 lc '#222222'\n"
         << "set tics out nomirror scale 0.6 textcolor '#111111'\n"
         << "set grid lc '#dddddd' lt 1 lw 0.6\n"
         << fmt::format(
                "set key left top vertical maxrows {} Left reverse samplen 3.2 spacing 1.15\n",
                Sheet::legend_rows);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const Figure& f = panels[p];
    const int column = static_cast<int>(p) % sheet.columns,
              row = static_cast<int>(p) / sheet.columns;
    const double x = column * sheet.panel_width, y = Sheet::head + row * Sheet::panel_height;
    script << fmt::format("set origin {:.5f},{:.5f}\nset size {:.5f},{:.5f}\n", sheet.x(x),
                          sheet.y(y + Sheet::panel_height), sheet.x(sheet.panel_width),
                          1.0 - sheet.y(Sheet::panel_height))
           << fmt::format(
                  "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
                  "set tmargin at screen {:.5f}\nset key at screen {:.5f}, graph 1\n",
                  sheet.x(x + Sheet::left), sheet.x(x + Sheet::left + sheet.curves),
                  sheet.y(y + Sheet::top), sheet.x(x + Sheet::left + sheet.curves + Sheet::gap))
           << "unset arrow\nunset label\nunset logscale\n"
           << "set xtics autofreq norotate\nset ytics autofreq\nset format '%g'\n";
    const auto heading = [&](const std::string& text, int lines_above) {
      return fmt::format("set label {} at screen {:.5f}, screen {:.5f} left\n", quoted(text),
                         sheet.x(x + Sheet::left),
                         sheet.y(y + Sheet::top - Sheet::line * lines_above));
    };
    script << heading(f.title, f.subtitle.empty() ? 1 : 2);
    if (!f.subtitle.empty()) script << heading(f.subtitle, 1);
    script << "set xlabel " << quoted(f.x_label) << "\nset ylabel " << quoted(f.y_label)
           << " offset -0.3,0\n";
    if (f.logarithmic_x) script << "set logscale x\n";
    if (f.logarithmic_y) script << "set logscale y\n";
    const auto [x_least, x_largest] = range_of(f, true);
    const auto [y_least, y_largest] = range_of(f, false);
    script << fmt::format("set xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n",
                          f.reverse_x ? x_largest : x_least, f.reverse_x ? x_least : x_largest,
                          y_least, y_largest);
    if (f.logarithmic_x && f.x_names.empty()) script << logarithmic_labels('x', x_least, x_largest);
    if (f.logarithmic_y) script << logarithmic_labels('y', y_least, y_largest);
    if (!f.x_names.empty()) {
      script << "set xtics rotate by 45 right (";
      for (std::size_t i = 0; i < f.x_names.size(); ++i)
        script << (i > 0 ? ", " : "") << quoted(f.x_names[i]) << ' ' << i + 1;
      script << fmt::format(")\nset xrange [0.4:{}]\n", f.x_names.size() + 0.6);
    }
    for (std::size_t k = 0; k < f.slopes.size() && k < f.curves.size(); ++k)
      if (std::find(f.slopes.begin(), f.slopes.begin() + static_cast<long>(k), f.slopes[k]) ==
          f.slopes.begin() + static_cast<long>(k))
        script << triangle(f, f.curves[k], f.slopes[k]);
    if (f.line_at_one > 0.0)
      script << fmt::format(
          "set arrow from graph 0, first {0:.9g} to graph 1, first {0:.9g} nohead lc rgb '#222222' "
          "lw 1 dt 1\n",
          f.line_at_one);
    script << "plot ";
    for (std::size_t k = 0; k < f.curves.size(); ++k)
      script << (k > 0 ? ", " : "")
             << fmt::format(
                    "$data_{}_{} using 1:2 with {} lc rgb '{}' lw 1.6 dt {} pt {} ps 0.8 "
                    "title {}",
                    p, k, f.points_only ? "points" : "linespoints", colour_of(k), dash_of(k),
                    markers[k % markers.size()], quoted(f.curves[k].name));
    script << '\n';
  }
  script << "unset multiplot\nset output\n";
  return script.str();
}

void draw(const std::vector<Figure>& panels, AtomicFile& file) {
  draw_script([&](PictureKind kind) { return figure_script(panels, kind); }, file);
}

}  // namespace daedalus::cli
