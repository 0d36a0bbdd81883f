// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sensitivity_output.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "io/trajectory_formats.hpp"
#include "tool/numbers.hpp"
#include "tool/paper_plot.hpp"
#include "tool/trajectory.hpp"

namespace daedalus::cli {
namespace {

constexpr std::size_t max_variables = 6;   // two panels each
constexpr std::size_t max_parameters = 7;  // more colours cannot be told apart
constexpr int points = 300;                // of a curve

// The coordinate of a tangent direction, where it is one: groups have more or fewer.
int coordinate_of(const Solution& solution, const std::string& variable) {
  const std::vector<std::string>& names = solution.variables().names;
  const auto it = std::find(names.begin(), names.end(), variable);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

double largest_value(const Solution& solution, int coordinate) {
  double largest = 0.0;
  if (coordinate < 0) return 1.0;
  const auto look = [&](double value) { largest = std::max(largest, std::abs(value)); };
  for (std::size_t i = 0; i < solution.times().size(); ++i) look(solution.state(i).y()[coordinate]);
  look(solution.end().y()[coordinate]);
  return largest;
}

struct Sampled {
  std::vector<double> t;
  std::vector<Eigen::VectorXd> y;
  std::vector<Eigen::MatrixXd> scaled;
};

Sampled sampled(const Solution& solution) {
  Sampled s;
  const double from = solution.times().front(), to = solution.end_time();
  const bool early = logarithmic_time(solution.times());
  for (int k = 0; k < points; ++k) {
    const double part = static_cast<double>(k) / (points - 1);
    s.t.push_back(from + (to - from) * (early ? part * part * part * part * part * part : part));
  }
  s.t.back() = to;
  for (const double t : s.t) {
    s.y.push_back(solution.at(t).y());
    s.scaled.push_back(solution.sensitivity(t).scaled());
  }
  return s;
}

Figure band(const Sampled& s, int row, int coordinate, const std::string& name, double spread) {
  Figure f{.title = name, .x_label = "t", .y_label = name};
  f.subtitle = fmt::format("dashed: parameters off by {} %, independently", brief(100.0 * spread));
  f.logarithmic_x = f.logarithmic_y = false;
  Curve middle{name, s.t, {}}, above{"upper", s.t, {}}, below{"lower", s.t, {}};
  for (std::size_t k = 0; k < s.t.size(); ++k) {
    const double y = s.y[k][coordinate];
    const double width = spread * s.scaled[k].row(row).norm();
    middle.y.push_back(y);
    above.y.push_back(y + width);
    below.y.push_back(y - width);
  }
  f.curves = {std::move(middle), std::move(above), std::move(below)};
  return f;
}

Figure columns_of(const Sampled& s, int row, const Solution& solution, const std::string& name) {
  Figure f{.title = "p d" + name + "/dp", .x_label = "t"};
  f.subtitle = "the change for a change of p by 100 %";
  f.logarithmic_x = f.logarithmic_y = false;
  const std::vector<SensitivityColumn>& all = solution.sensitivities().columns;
  std::vector<int> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> largest(all.size(), 0.0);
  for (const Eigen::MatrixXd& m : s.scaled)
    for (const int j : order) {
      double& size = largest[static_cast<std::size_t>(j)];
      size = std::max(size, std::abs(m(row, j)));
    }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return largest[static_cast<std::size_t>(a)] > largest[static_cast<std::size_t>(b)];
  });
  if (order.size() > max_parameters) order.resize(max_parameters);
  for (const int j : order) {
    Curve c{all[static_cast<std::size_t>(j)].name, s.t, {}};
    for (const Eigen::MatrixXd& m : s.scaled) c.y.push_back(m(row, j));
    f.curves.push_back(std::move(c));
  }
  return f;
}

}  // namespace

std::vector<Influence> influences(const Solution& solution) {
  const Sensitivity d = solution.sensitivity(solution.end_time());
  const Eigen::MatrixXd m = d.scaled();
  std::vector<double> size;
  for (const std::string& v : d.variables())
    size.push_back(largest_value(solution, coordinate_of(solution, v)));
  std::vector<Influence> list;
  for (int j = 0; j < m.cols(); ++j) {
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < m.rows(); ++i) {
      const double s = size[static_cast<std::size_t>(i)];
      if (s == 0.0) continue;
      sum += m(i, j) * m(i, j) / (s * s);
      ++count;
    }
    list.push_back(
        {d.columns()[static_cast<std::size_t>(j)].name, count > 0 ? std::sqrt(sum / count) : 0.0});
  }
  // What is not a number cannot be ordered: last.
  std::stable_sort(list.begin(), list.end(), [](const Influence& a, const Influence& b) {
    return a.value > b.value || (std::isfinite(a.value) && !std::isfinite(b.value));
  });
  return list;
}

void check_sensitivity_file(const std::string& path) {
  try {
    if (files::format_of(path) == files::Format::hdf5 && !hdf5_enabled())
      throw FileError("'" + path + "': this program has no HDF5; use .npz");
  } catch (const InvalidArgument&) {
    throw InvalidArgument(fmt::format(
        "--out has '{}'; derivatives are written as .csv, .json, .npz, .raw or .h5", path));
  }
}

std::string write_sensitivities(const std::string& path, const Solution& solution) {
  const SensitivityStory& story = solution.sensitivities();
  files::Rows rows;
  rows.names = solution.variables().names;
  for (const std::string& v : story.variables)
    for (const SensitivityColumn& c : story.columns)
      rows.names.push_back(fmt::format("d({})/d({})", v, c.name));
  rows.count = static_cast<long>(solution.times().size());
  rows.each = [&](const std::function<void(const double*)>& take) {
    std::vector<double> row;
    for (std::size_t i = 0; i < solution.times().size(); ++i) {
      const double t = solution.times()[i];
      const Eigen::VectorXd y = solution.state(i).y();
      const Eigen::MatrixXd m = solution.sensitivity(t).matrix();
      row.assign(1, t);
      row.insert(row.end(), y.data(), y.data() + y.size());
      for (int r = 0; r < m.rows(); ++r)
        for (int c = 0; c < m.cols(); ++c) row.push_back(m(r, c));
      take(row.data());
    }
  };
  const std::filesystem::path name = final_name(path, solution.ok());
  files::write_whole(path, name, rows, "{}");
  return name.string();
}

void draw_sensitivities(const std::string& title, const Solution& solution, double spread,
                        AtomicFile& file) {
  const Sampled s = sampled(solution);
  const SensitivityStory& story = solution.sensitivities();
  std::vector<Figure> panels;
  for (std::size_t i = 0; i < std::min(story.variables.size(), max_variables); ++i) {
    const std::string& name = story.variables[i];
    // Directions of a group are no coordinates.
    if (const int k = coordinate_of(solution, name); k >= 0)
      panels.push_back(band(s, static_cast<int>(i), k, name, spread));
    panels.push_back(columns_of(s, static_cast<int>(i), solution, name));
  }
  if (!panels.empty()) panels.front().title = title + ": " + panels.front().title;
  draw(panels, file);
}

}  // namespace daedalus::cli
