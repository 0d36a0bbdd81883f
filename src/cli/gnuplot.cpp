#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/numbers.hpp"
#include "cli/plot.hpp"

extern char** environ;

namespace daedalus::cli {
namespace {

// Colours that remain distinct with defective colour vision (Okabe and Ito 2008), without yellow.
constexpr std::array<const char*, 7> colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#000000"};

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "''";
    else if (c == '\n')
      result += ' ';
    else
      result += c;
  }
  return result + "'";
}

struct Layout {
  int columns, rows, width, height;
  static constexpr int head = 78, foot = 34, panel_width = 760, panel_height = 246;
  static constexpr int left = 88, right = 132, top = 12, bottom = 40;

  explicit Layout(std::size_t panels)
      : columns(panels > 3 ? 2 : 1),
        rows((static_cast<int>(panels) + columns - 1) / columns),
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
           << fmt::format("$run using 1:{} with lines lc rgb '{}' lw 1.8 title {}", variable + 2,
                          colours[k % colours.size()], quoted(picture.trajectory.names[variable]));
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
           << fmt::format("$drift using 1:{} with lines lc rgb '{}' lw 1.8 title {}", k + 2,
                          colours[k], quoted(name));
    first = false;
  }
  script << "\nunset logscale y\n";
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

// Runs a program with one argument; what it prints goes to `log`. Returns its exit code.
int run_program(const std::filesystem::path& program, const std::string& argument,
                const std::filesystem::path& log) {
  std::string name = program.string(), first = argument;
  char* arguments[] = {name.data(), first.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, name.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw FileError("'" + name + "' could not be started: " + std::strerror(error));
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 1;
  return WEXITSTATUS(status);
}

}  // namespace

std::string gnuplot_script(const Picture& picture, const std::filesystem::path& svg) {
  const bool with_drift = drifts(picture);
  const Layout layout(picture.panels.size() + (with_drift ? 1 : 0));
  std::ostringstream script;
  script << fmt::format(
      "set terminal svg size {},{} fixed noenhanced font 'Helvetica,Arial,sans-serif,14' "
      "background '#ffffff' linewidth 1\n",
      layout.width, layout.height);
  script << "set output " << quoted(svg.string()) << '\n';
  write_data(script, picture);
  script << "set multiplot\n"
         << fmt::format("set label 1 {} at screen 0.5, screen {:.5f} center font ',18'\n",
                        quoted(picture.title), layout.y(26))
         << fmt::format("set label 2 {} at screen 0.5, screen {:.5f} center textcolor '#555555'\n",
                        quoted(picture.subtitle), layout.y(52))
         << "set border 3 lc '#444444'\nset tics nomirror out scale 0.6 textcolor '#222222'\n"
         << "set grid lc '#dddddd' lt 1 lw 0.7\nset autoscale xfix\n"
         << "set format y '%.4g'\nset ytics autofreq\nset offsets 0, 0, graph 0.04, graph 0.04\n"
         << "set key left top vertical Left reverse samplen 1.6 spacing 1.1\n";
  if (picture.logarithmic) script << "set logscale x\nset format x '1e%T'\nset mxtics 1\n";
  const int panels = static_cast<int>(picture.panels.size()) + (with_drift ? 1 : 0);
  for (int i = 0; i < panels; ++i) {
    const bool lowest = i % layout.rows == layout.rows - 1 || i == panels - 1;
    script << layout.margins(i) << (lowest ? "set xlabel 't'\n" : "unset xlabel\n");
    if (with_drift && i == panels - 1)
      write_drift(script, picture);
    else
      write_panel(script, picture, picture.panels[static_cast<std::size_t>(i)]);
    if (i == 0) script << "unset label 1\nunset label 2\n";
  }
  script << "unset multiplot\nset output\n";
  return script.str();
}

std::filesystem::path find_gnuplot() {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    const std::filesystem::path program = std::filesystem::path(folder) / "gnuplot";
    if (!folder.empty() && access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

void draw(const Picture& picture, const std::filesystem::path& svg) {
  const std::filesystem::path gnuplot = find_gnuplot();
  if (gnuplot.empty())
    throw FileError("'" + svg.string() +
                    "' was not drawn: gnuplot is not installed (Debian package gnuplot-nox)");
  AtomicFile file(svg);
  const TemporaryFolder folder;
  const std::filesystem::path script = folder.path() / "script", log = folder.path() / "log";
  std::ofstream(script) << gnuplot_script(picture, file.temporary());
  if (run_program(gnuplot, script.string(), log) != 0)
    throw FileError("'" + svg.string() + "' was not drawn; gnuplot says: " + contents(log));
  file.commit();
}

}  // namespace daedalus::cli
