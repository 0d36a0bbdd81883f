#include "cli/trajectory.hpp"

#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <daedalus/types.hpp>

namespace daedalus::cli {
namespace {

// A curve of this many points looks smooth at the width of a screen.
constexpr std::size_t smooth_points = 1000;
constexpr std::size_t most_points = 4000;

void add(Trajectory& trajectory, const ModelState& state) {
  trajectory.t.push_back(state.t());
  trajectory.y.emplace_back(state.y());
}

Trajectory named_after(const Solution& solution) {
  Trajectory trajectory;
  trajectory.names = solution.variables().names;
  return trajectory;
}

// Names with separators or quotes are quoted (RFC 4180).
std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

Trajectory sample(const Solution& solution, double from, double to, int points) {
  Trajectory trajectory = named_after(solution);
  if (points <= 0) {
    for (std::size_t i = 0; i < solution.times().size(); ++i) add(trajectory, solution.state(i));
    return trajectory;
  }
  const double end = solution.end_time();
  const double direction = to >= from ? 1.0 : -1.0;
  for (int i = 0; i < points; ++i) {
    const double t = i + 1 == points ? to : from + (to - from) * i / (points - 1);
    if (direction * (end - t) < 0.0) break;
    add(trajectory, t == end ? solution.end() : solution.at(t));
  }
  if (trajectory.empty() || trajectory.t.back() != end) add(trajectory, solution.end());
  return trajectory;
}

Trajectory sample_for_picture(const Solution& solution) {
  Trajectory trajectory = named_after(solution);
  const std::vector<double>& times = solution.times();
  if (times.empty()) return trajectory;
  const std::size_t stride = (times.size() + most_points - 1) / most_points;
  const std::size_t pieces = stride > 1 ? 1 : (smooth_points + times.size() - 1) / times.size();
  for (std::size_t i = 0; i < times.size(); i += stride) {
    add(trajectory, solution.state(i));
    if (i + 1 >= times.size()) break;
    for (std::size_t k = 1; k < pieces; ++k) {
      const double part = static_cast<double>(k) / static_cast<double>(pieces);
      const double t = times[i] + part * (times[i + 1] - times[i]);
      if (t != times[i] && t != times[i + 1]) add(trajectory, solution.at(t));
    }
  }
  if (trajectory.t.back() != times.back()) add(trajectory, solution.state(times.size() - 1));
  return trajectory;
}

FileFormat format_of(const std::filesystem::path& path) {
  if (path.extension() == ".csv") return FileFormat::csv;
  if (path.extension() == ".json") return FileFormat::json;
  throw InvalidArgument("--out has '" + path.string() + "'; the name must end in .csv or .json");
}

void write_csv(std::ostream& out, const Trajectory& trajectory) {
  out << 't';
  for (const std::string& name : trajectory.names) out << ',' << csv_field(name);
  out << '\n';
  for (std::size_t i = 0; i < trajectory.t.size(); ++i) {
    fmt::print(out, "{:.17g}", trajectory.t[i]);
    for (const double value : trajectory.y[i]) fmt::print(out, ",{:.17g}", value);
    out << '\n';
  }
}

void write_json(std::ostream& out, const Trajectory& trajectory, Json run) {
  Json columns = Json::object();
  for (std::size_t j = 0; j < trajectory.names.size(); ++j) {
    Json column = Json::array();
    for (const Eigen::VectorXd& y : trajectory.y)
      column.push_back(number(y[static_cast<Eigen::Index>(j)]));
    columns[trajectory.names[j]] = std::move(column);
  }
  run["trajectory"] = Json{{"t", numbers(trajectory.t)}, {"y", std::move(columns)}};
  out << line(run) << '\n';
}

}  // namespace daedalus::cli
