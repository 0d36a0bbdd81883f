// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include <daedalus/types.hpp>

#include "io/trajectory_formats.hpp"
#include "tool/files.hpp"
#include "tool/numbers.hpp"
#include "tool/plot.hpp"
#include "tool/program.hpp"

namespace daedalus::cli {
namespace {

// Okabe and Ito (2008), without yellow.
constexpr std::array<const char*, 7> colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#000000"};
constexpr std::array<const char*, 6> dashes{"1",          "(14,5)",        "(4,4)",
                                            "(14,4,3,4)", "(8,3,2,3,2,3)", "(24,6)"};

// The one file that gnuplot writes, in a folder of ours: no name of a user stands in a script.
constexpr const char* picture_name = "picture";

// A legend of such names would be wider than the curves: the middle is left out.
std::string legend_name(const std::string& name) {
  constexpr std::size_t longest = 40, end = 18;
  if (name.size() <= longest) return name;
  return name.substr(0, longest - end - 3) + "..." + name.substr(name.size() - end);
}

// In pixels, at least what short names leave.
int legend_room(const Picture& picture) {
  constexpr int sample = 44, per_letter = 8, least = 132;
  std::size_t letters = 0;
  for (const Panel& panel : picture.panels)
    for (const int v : panel.variables)
      letters = std::max(letters,
                         legend_name(picture.trajectory.names[static_cast<std::size_t>(v)]).size());
  return std::max(least, sample + per_letter * static_cast<int>(letters));
}

struct Layout {
  int columns, rows, right, panel_width, width, height;
  static constexpr int head = 78, foot = 34, panel_height = 246;
  static constexpr int left = 124, curves = 540, top = 12, bottom = 40;

  Layout(std::size_t panels, int legend)
      : columns(panels > 3 ? 2 : 1),
        rows((static_cast<int>(panels) + columns - 1) / columns),
        right(legend),
        panel_width(left + curves + right),
        width(columns * panel_width),
        height(head + rows * panel_height + foot) {}

  double x(int pixels) const { return static_cast<double>(pixels) / width; }
  double y(int pixels) const { return 1.0 - static_cast<double>(pixels) / height; }

  // Panels run down the columns: what belongs together stands in one column.
  std::string margins(int panel) const {
    const int column = panel / rows, row = panel % rows;
    const int x0 = column * panel_width, y0 = head + row * panel_height;
    return fmt::format(
        "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
        "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n"
        "set key at screen {:.5f}, screen {:.5f}\n",
        x(x0 + left), x(x0 + panel_width - right), y(y0 + top), y(y0 + panel_height - bottom),
        x(x0 + panel_width - right + 8), y(y0 + top));
  }
};

void write_data(std::ostream& script, const Picture& picture) {
  script << "$run << end_of_data\n";
  for (std::size_t i = 0; i < picture.trajectory.t.size(); ++i) {
    if (picture.logarithmic && !(picture.trajectory.t[i] > 0.0)) continue;
    script << fmt::format("{:.9g}", picture.trajectory.t[i]);
    for (const double value : picture.trajectory.y[i])
      script << (std::isfinite(value) ? fmt::format(" {:.7g}", value) : std::string(" NaN"));
    script << '\n';
  }
  script << "end_of_data\n";
}

void write_panel(std::ostream& script, const Picture& picture, const Panel& panel) {
  script << "set ylabel " << quoted(panel.label) << " offset 1\nplot ";
  for (std::size_t k = 0; k < panel.variables.size(); ++k) {
    const auto variable = static_cast<std::size_t>(panel.variables[k]);
    script << (k > 0 ? ", " : "")
           << fmt::format("$run using 1:{} with lines lc rgb '{}' lw 1.8 dt {} title {}",
                          variable + 2, colour_of(k), dash_of(k),
                          quoted(legend_name(picture.trajectory.names[variable])));
  }
  script << '\n';
}

// Residuals of zero, and levels that a problem does not have, leave gaps on a logarithmic axis.
void write_drift(std::ostream& script, const Picture& picture) {
  const std::vector<DriftSample> drift = envelope(picture.drift);
  const std::array<std::pair<const char*, double DriftSample::*>, 3> levels{
      {{"|g|", &DriftSample::position},
       {"|dg/dt|", &DriftSample::velocity},
       {"|d^2g/dt^2|", &DriftSample::acceleration}}};
  script << "$drift << end_of_data\n";
  for (const DriftSample& s : drift) {
    if (picture.logarithmic && !(s.t > 0.0)) continue;
    script << fmt::format("{:.9g}", s.t);
    for (const auto& [name, level] : levels)
      script << (s.*level > 0.0 ? fmt::format(" {:.7g}", s.*level) : std::string(" NaN"));
    script << '\n';
  }
  script << "end_of_data\nset ylabel 'constraint residuals' offset 1\nset logscale y\n"
         << "set format y '1e%T'\nset offsets 0, 0, 0, 0\nplot ";
  bool first = true;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto [name, level] = levels[k];
    if (std::none_of(drift.begin(), drift.end(),
                     [at = level](const DriftSample& s) { return s.*at > 0.0; }))
      continue;
    script << (first ? "" : ", ")
           << fmt::format("$drift using 1:{} with lines lc rgb '{}' lw 1.8 dt {} title {}", k + 2,
                          colour_of(k), dash_of(k), quoted(name));
    first = false;
  }
  script << "\nunset logscale y\n";
}

// Numbers that '%.4g' would write partly with an exponent, partly without.
bool needs_exponent(const Picture& picture, const Panel& panel) {
  constexpr double smallest = 5e-3, largest = 1e5;
  double size = 0.0;
  for (const Eigen::VectorXd& y : picture.trajectory.y)
    for (const int v : panel.variables)
      if (std::isfinite(y[v])) size = std::max(size, std::abs(y[v]));
  return size > 0.0 && (size < smallest || size >= largest);
}

// One format for all panels that stand in a row.
std::string number_format(const Picture& picture, int panel, int rows) {
  bool exponents = false;
  for (int k = panel % rows; k < static_cast<int>(picture.panels.size()); k += rows)
    exponents = exponents || needs_exponent(picture, picture.panels[static_cast<std::size_t>(k)]);
  return fmt::format("set format y '{}'\n", exponents ? "%.1e" : "%.4g");
}

bool drifts(const Picture& picture) {
  return std::any_of(picture.drift.begin(), picture.drift.end(), [](const DriftSample& s) {
    return s.position > 0.0 || s.velocity > 0.0 || s.acceleration > 0.0;
  });
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

// Between single quotes gnuplot knows no escapes and no substitution but the quote itself; control
// characters would end the line or the text.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "''";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += ' ';
    else
      result += c;
  }
  return result + "'";
}

std::string colour_of(std::size_t curve) { return colours[curve % colours.size()]; }
std::string dash_of(std::size_t curve) { return dashes[curve % dashes.size()]; }

void check_picture_name(const std::filesystem::path& target) {
  if (target.extension() != ".svg" && target.extension() != ".pdf")
    throw InvalidArgument("--plot has '" + target.string() +
                          "'; the name must end in .svg or .pdf");
}

std::unique_ptr<AtomicFile> picture_file(const std::filesystem::path& target) {
  check_picture_name(target);
  return std::make_unique<AtomicFile>(target);
}

std::string gnuplot_terminal(PictureKind kind, int width, int height) {
  if (kind == PictureKind::svg)
    return fmt::format(
        "set terminal svg size {},{} fixed noenhanced font 'Helvetica,Arial,sans-serif,14' "
        "background '#ffffff' linewidth 1\n",
        width, height);
  return fmt::format(
      "set terminal pdfcairo size {:.3f}in,{:.3f}in noenhanced font 'Helvetica,10.5' background "
      "'#ffffff' linewidth 1 dashlength 0.75\n",
      width / 96.0, height / 96.0);
}

std::string gnuplot_script(const Picture& picture, PictureKind kind) {
  const bool with_drift = drifts(picture);
  const Layout layout(picture.panels.size() + (with_drift ? 1 : 0), legend_room(picture));
  std::ostringstream script;
  script << gnuplot_terminal(kind, layout.width, layout.height) << set_output;
  write_data(script, picture);
  script << "set multiplot\n"
         << fmt::format("set label 1 {} at screen 0.5, screen {:.5f} center font ',18'\n",
                        quoted(picture.title), layout.y(26))
         << fmt::format("set label 2 {} at screen 0.5, screen {:.5f} center textcolor '#555555'\n",
                        quoted(picture.subtitle), layout.y(52))
         << "set border 3 lc '#444444'\nset tics nomirror out scale 0.6 textcolor '#222222'\n"
         << "set grid lc '#dddddd' lt 1 lw 0.7\nset autoscale xfix\n"
         << "set ytics autofreq\nset offsets 0, 0, graph 0.04, graph 0.04\n"
         << "set key left top vertical Left reverse samplen 1.6 spacing 1.1\n";
  if (picture.logarithmic) script << "set logscale x\nset format x '1e%T'\nset mxtics 1\n";
  const int panels = static_cast<int>(picture.panels.size()) + (with_drift ? 1 : 0);
  for (int i = 0; i < panels; ++i) {
    const bool lowest = i % layout.rows == layout.rows - 1 || i == panels - 1;
    script << layout.margins(i) << (lowest ? "set xlabel 't'\n" : "unset xlabel\n")
           << number_format(picture, i, layout.rows);
    if (with_drift && i == panels - 1)
      write_drift(script, picture);
    else
      write_panel(script, picture, picture.panels[static_cast<std::size_t>(i)]);
    if (i == 0) script << "unset label 1\nunset label 2\n";
  }
  script << "unset multiplot\nset output\n";
  return script.str();
}

std::filesystem::path find_gnuplot() { return find_program("gnuplot"); }

std::filesystem::path draw_script(const std::function<std::string(PictureKind)>& script,
                                  AtomicFile& file, bool good) {
  const std::string target = file.target().string();
  const std::filesystem::path gnuplot = find_gnuplot();
  if (gnuplot.empty())
    throw FileError("'" + target +
                    "' was not drawn: gnuplot is not installed (Debian package gnuplot-nox)");
  const TemporaryFolder folder;
  const std::filesystem::path commands = folder.path() / "script", log = folder.path() / "log",
                              drawn = folder.path() / picture_name;
  const PictureKind kind =
      file.target().extension() == ".pdf" ? PictureKind::pdf : PictureKind::svg;
  std::ofstream out(commands, std::ios::binary);
  out << script(kind);
  out.close();
  if (!out) throw FileError("'" + target + "' was not drawn: no room for temporary files");
  if (run_program({gnuplot, {"script"}, folder.path(), log}) != 0)
    throw FileError("'" + target +
                    "' was not drawn; gnuplot says: " + files::printable(contents(log)));
  const std::string picture = contents(drawn);
  // A full disk cuts pictures off, and gnuplot does not mind.
  if (picture.find(kind == PictureKind::svg ? "</svg>" : "%%EOF",
                   picture.size() - std::min<std::size_t>(picture.size(), 64)) == std::string::npos)
    throw FileError("'" + target + "' was not drawn: gnuplot left a picture that is not whole");
  file.stream().write(picture.data(), static_cast<std::streamsize>(picture.size()));
  return file.commit(good);
}

std::filesystem::path draw(const Picture& picture, AtomicFile& file, bool good) {
  return draw_script([&](PictureKind kind) { return gnuplot_script(picture, kind); }, file, good);
}

}  // namespace daedalus::cli
