// SPDX-License-Identifier: BSD-3-Clause
// What a solution tells about derivatives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrate/solution_data.hpp"
#include "kernel/nearest.hpp"

namespace daedalus {
namespace {

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t few = 30;  // names that still fit into a message
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), few); ++i)
    list += (i > 0 ? ", " : "") + names[i];
  return names.size() > few ? list + ", ..." : list;
}

int place(const char* what, std::string_view name, const std::vector<std::string>& names) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return static_cast<int>(it - names.begin());
  throw InvalidArgument(fmt::format("sensitivity: there is no {} '{}'.{} There are: {}", what, name,
                                    suggestion(name, names), listed(names)));
}

}  // namespace

std::string_view to_string(DerivativeKind kind) {
  return kind == DerivativeKind::exact     ? "exact"
         : kind == DerivativeKind::rebuilt ? "rebuilt"
                                           : "differences";
}

std::string_view to_string(SensitivityMethod method) {
  switch (method) {
    case SensitivityMethod::staggered:
      return "staggered";
    case SensitivityMethod::simultaneous:
      return "simultaneous";
    case SensitivityMethod::step:
      return "step";
    default:
      return "automatic";
  }
}

Sensitivity::Sensitivity(std::shared_ptr<const SensitivityStory> story,
                         std::vector<VariableClass> classes, double t, Eigen::MatrixXd matrix)
    : story_(std::move(story)), classes_(std::move(classes)), t_(t), matrix_(std::move(matrix)) {}

double Sensitivity::operator()(std::string_view variable, std::string_view column) const {
  std::vector<std::string> names;
  for (const SensitivityColumn& c : story_->columns) names.push_back(c.name);
  const int j = place("column", column, names);
  return matrix_(place("variable", variable, story_->variables), j);
}

Eigen::MatrixXd Sensitivity::of(VariableClass c) const {
  std::vector<int> rows;
  for (std::size_t i = 0; i < classes_.size(); ++i)
    if (classes_[i] == c) rows.push_back(static_cast<int>(i));
  Eigen::MatrixXd part(static_cast<int>(rows.size()), matrix_.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    part.row(static_cast<int>(i)) = matrix_.row(rows[i]);
  return part;
}

Eigen::MatrixXd Sensitivity::scaled() const {
  Eigen::MatrixXd s = matrix_;
  for (int j = 0; j < s.cols(); ++j) {
    const SensitivityColumn& c = story_->columns[static_cast<std::size_t>(j)];
    s.col(j) *= c.value != 0.0 ? c.value : c.typical;
  }
  return s;
}

const SensitivityStory& Solution::sensitivities() const& { return data().sensitivities.story; }
SensitivityStory Solution::sensitivities() const&& { return data().sensitivities.story; }

Sensitivity Solution::sensitivity(double t) const {
  const SolutionData& d = data();
  const SensitivityData& s = d.sensitivities;
  if (!s.names)
    throw InvalidArgument(
        "sensitivity: the run has no derivatives; name parameters or start values in "
        "Options::sensitivities");
  const auto made = [&](const Eigen::MatrixXd& m) { return Sensitivity(s.names, s.classes, t, m); };
  const double tiny = 1e-14 * std::max(std::abs(d.start_time), std::abs(d.end_time));
  if (std::abs(t - d.end_time) <= tiny) return made(s.end);
  if (std::abs(t - d.start_time) <= tiny) return made(s.start);
  const double sign = d.end_time >= d.start_time ? 1.0 : -1.0;
  if (!(sign * (t - d.start_time) >= 0.0 && sign * (t - d.end_time) <= 0.0))
    throw InvalidArgument(
        fmt::format("sensitivity: t = {} is outside the computed interval [{}, {}]", t,
                    d.start_time, d.end_time));
  const auto rows = s.start.rows(), cols = s.start.cols();
  if (!s.pieces.empty()) {
    const auto it =
        std::partition_point(s.pieces.begin(), s.pieces.end(),
                             [&](const ColumnPiece& p) { return sign * (p.t0 + p.h - t) < 0.0; });
    const ColumnPiece& p = it == s.pieces.end() ? s.pieces.back() : *it;
    const double theta = (t - p.t0) / p.h;
    Eigen::VectorXd sum = p.c.col(p.c.cols() - 1);
    for (auto j = p.c.cols() - 2; j >= 0; --j) sum = theta * sum + p.c.col(j);
    return made(Eigen::Map<const Eigen::MatrixXd>(sum.data(), rows, cols));
  }
  const auto size = static_cast<std::size_t>(rows * cols);
  for (std::size_t i = 0; i < d.times.size(); ++i)
    if (std::abs(d.times[i] - t) <= tiny)
      return made(Eigen::Map<const Eigen::MatrixXd>(s.values.data() + i * size, rows, cols));
  throw InvalidArgument(fmt::format(
      "sensitivity: t = {} is not a reported time; ask for the output 'dense' to evaluate anywhere",
      t));
}

}  // namespace daedalus
