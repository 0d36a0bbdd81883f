// SPDX-License-Identifier: BSD-3-Clause
// Which rows follow from others, whether they do so everywhere or only here, and what to say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "mechanism/assembly.hpp"
#include "mechanism/stacked_rows.hpp"

namespace daedalus::mechanism {

std::vector<std::string> joints_in(const Plan& plan, const DependentRow& d) {
  std::set<int> numbers{joint_of_row(plan, d.row)};
  for (const auto& [row, factor] : d.of) numbers.insert(joint_of_row(plan, row));
  std::vector<std::string> names;
  for (const int k : numbers) names.push_back(plan.joints[static_cast<std::size_t>(k)].name);
  return names;
}

namespace {

constexpr double nearly_redundant = 1e-4;  // pivots below come of rounded or misaligned axes
constexpr double nearby = 1e-3;            // of the characteristic length, and rad

RowRank rank_at(const Plan& plan, const Positions& at, double t0, double tolerance,
                SparseMatrix* scaled = nullptr) {
  Eigen::VectorXd norms;
  const SparseMatrix B =
      with_unit_rows(by_mass(plan, stacked_rows(plan, t0, at.q, at.coordinates)), norms);
  if (scaled) *scaled = B;
  return rank_in_order(B, tolerance);
}

// A motion that the joints allow, of a size that changes the geometry but not the branch.
Positions moved_nearby(const Plan& plan, const Positions& at, const SparseMatrix& B,
                       const AssemblyOptions& options, std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  Eigen::VectorXd y(plan.velocities);
  for (Eigen::Index k = 0; k < y.size(); ++k) y[k] = any(random);
  y -= SmallestSolution(B, options.rank_tolerance)(B * y);
  Eigen::VectorXd step = solve_factor(plan, y);
  double largest = 0.0;
  for (const PlanBody& b : plan.bodies) {
    largest = std::max(largest, step.segment<3>(b.v).cwiseAbs().maxCoeff() / plan.length);
    if (!plan.planar() && !b.point)
      largest = std::max(largest, step.segment<3>(b.v + 3).cwiseAbs().maxCoeff());
  }
  if (largest > 0.0) step *= nearby / largest;
  Eigen::VectorXd q(plan.positions);
  plan.configuration.plus<double>(at.q.data(), step.data(), q.data());
  return assemble_positions(plan, options, std::move(q), at.coordinates);
}

void list_loops(const Plan& plan, const RowRank& rank, AssemblyReport& report) {
  std::map<int, std::size_t> loop_of;  // by the joint that it leaves rows of out
  for (const DependentRow& d : rank.dependent) {
    const int joint = joint_of_row(plan, d.row);
    const std::string& owner = plan.joints[static_cast<std::size_t>(joint)].name;
    const RedundantRow named{owner, row_name(plan, d.row).substr(owner.size() + 1)};
    report.redundant.push_back(named);
    // Rows of one joint belong to one loop.
    const auto [it, fresh] = loop_of.try_emplace(joint, report.loops.size());
    if (fresh) report.loops.emplace_back();
    RedundantLoop& loop = report.loops[it->second];
    loop.rows.push_back(named);
    for (const std::string& name : joints_in(plan, d))
      if (std::find(loop.joints.begin(), loop.joints.end(), name) == loop.joints.end())
        loop.joints.push_back(name);
  }
}

std::string listed_names(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}
std::string rows_text(const std::vector<RedundantRow>& rows) {
  std::vector<std::string> names;
  for (const RedundantRow& r : rows) names.push_back(r.joint + "." + r.row);
  return listed_names(names);
}

std::string redundancy_text(const AssemblyReport& report, int rows) {
  std::string text;
  for (const RedundantLoop& loop : report.loops)
    text += fmt::format(
        "{}{} of the {} rows {} redundant: the loop {} fixes the row{} {} already; {} left out, "
        "and how these joints share forces along {} cannot be known.",
        text.empty() ? "" : "\n", loop.rows.size(), rows, loop.rows.size() == 1 ? "is" : "are",
        listed_names(loop.joints), loop.rows.size() == 1 ? "" : "s", rows_text(loop.rows),
        loop.rows.size() == 1 ? "it is" : "they are", loop.rows.size() == 1 ? "it" : "them");
  return text;
}

void refuse_singular(const Plan& plan, const RowRank& rank) {
  std::vector<std::string> names;
  for (const DependentRow& d : rank.dependent)
    for (const std::string& name : joints_in(plan, d))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  throw InvalidArgument(fmt::format(
      "mechanism '{}' starts in a dead position: the joints {} lose hold of each other here and "
      "only here; start elsewhere, or add a drive, or allow a singular start",
      plan.name, listed_names(names)));
}

void mark_loop(const Plan& plan, const DependentRow& d, std::vector<bool>& marks) {
  marks[static_cast<std::size_t>(joint_of_row(plan, d.row))] = true;
  for (const auto& [row, factor] : d.of)
    marks[static_cast<std::size_t>(joint_of_row(plan, row))] = true;
}

void drop(Plan& plan, const RowRank& rank) {
  plan.all_rows = plan.rows;
  plan.all_groups = plan.groups;
  plan.unknown.assign(plan.joints.size(), false);
  plan.unknown_rates = plan.unknown;
  const int holonomic = static_cast<int>(plan.rows.size());
  std::vector<bool> kept(plan.rows.size() + plan.nonholonomic.size(), true);
  for (const DependentRow& d : rank.dependent) {
    kept[static_cast<std::size_t>(d.row)] = false;
    mark_loop(plan, d, plan.unknown);
    if (d.row >= holonomic) mark_loop(plan, d, plan.unknown_rates);
  }
  plan.kept.clear();
  for (int k = 0; k < holonomic; ++k)
    (kept[static_cast<std::size_t>(k)] ? plan.kept : plan.dropped).push_back(k);
  if (rank.dependent.empty()) return;
  std::vector<Row> rows;
  for (Group& group : plan.groups) {
    const int first = static_cast<int>(rows.size());
    for (int k = group.first; k < group.first + group.count; ++k)
      if (kept[static_cast<std::size_t>(k)]) rows.push_back(plan.rows[static_cast<std::size_t>(k)]);
    group.first = first;
    group.count = static_cast<int>(rows.size()) - first;
  }
  plan.rows = std::move(rows);
  std::vector<NonholonomicRow> rates;
  for (std::size_t k = 0; k < plan.nonholonomic.size(); ++k)
    if (kept[static_cast<std::size_t>(holonomic) + k]) rates.push_back(plan.nonholonomic[k]);
  plan.nonholonomic = std::move(rates);
}

// What a drive prescribes may not follow from other rows, nor others from it: they would agree at
// one time only.
void refuse_driven(const Plan& plan, const RowRank& rank) {
  for (const DependentRow& d : rank.dependent) {
    int driven = follows_time(plan, d.row) ? d.row : -1;
    for (const auto& [row, factor] : d.of)
      if (driven < 0 && follows_time(plan, row)) driven = row;
    if (driven < 0) continue;
    const int joint = joint_of_row(plan, driven);
    const std::string& self = plan.joints[static_cast<std::size_t>(joint)].name;
    std::vector<std::string> others = joints_in(plan, d);
    std::erase(others, self);
    const auto drive = std::find(plan.drives.begin(), plan.drives.end(), joint);
    throw InvalidArgument(fmt::format(
        "mechanism '{}' is over-determined by '{}': what it drives is fixed already by {}",
        plan.name, plan.drive_names[static_cast<std::size_t>(drive - plan.drives.begin())],
        listed_names(others)));
  }
}

}  // namespace

void drop_dependent_rows(Plan& plan, const Positions& at, const AssemblyOptions& options,
                         AssemblyReport& report) {
  report.rows = static_cast<int>(plan.rows.size());
  report.nonholonomic_rows = static_cast<int>(plan.nonholonomic.size());
  const int all = report.rows + report.nonholonomic_rows;
  report.grubler = plan.velocities - all;
  SparseMatrix B;
  RowRank rank = rank_at(plan, at, options.t0, options.rank_tolerance, &B);
  if (!rank.dependent.empty()) {
    std::mt19937 random(1);
    RowRank elsewhere = rank;
    for (int k = 0; k < 2; ++k) {
      const Positions other = moved_nearby(plan, at, B, options, random);
      if (!other.converged) continue;
      RowRank there = rank_at(plan, other, options.t0, options.rank_tolerance);
      if (there.rank > elsewhere.rank) elsewhere = std::move(there);
    }
    if (elsewhere.rank > rank.rank) {
      if (options.singular_start == SingularStart::refuse) refuse_singular(plan, rank);
      report.singular_start = true;
      rank = std::move(elsewhere);
    }
  }
  refuse_driven(plan, rank);
  report.degrees_of_freedom = plan.velocities - rank.rank;
  report.smallest_pivot = rank.smallest_pivot;
  list_loops(plan, rank, report);
  if (!rank.dependent.empty()) {
    const std::string text = redundancy_text(report, all);
    if (options.redundant == Redundant::refuse)
      throw InvalidArgument(fmt::format("mechanism '{}': {}", plan.name, text));
    report.warnings.push_back(text);
  }
  if (rank.smallest_pivot < nearly_redundant) {
    report.warnings.push_back(fmt::format(
        "the loop {} is nearly redundant and cannot move: row {}, pivot {:.2g}, {} degrees of "
        "freedom are left; align the axes, or set rank_tolerance to 1e-4",
        listed_names(joints_in(plan, rank.weakest)), row_name(plan, rank.weakest.row),
        rank.smallest_pivot, report.degrees_of_freedom));
  }
  if (report.degrees_of_freedom <= 0 && plan.drives.empty() &&
      rank.smallest_pivot >= nearly_redundant)
    report.warnings.push_back(fmt::format(
        "it cannot move: no degree of freedom is left, and nothing drives it{}",
        rank.weakest.row < 0 || rank.dependent.empty()
            ? std::string()
            : fmt::format(" (row {} holds it by the pivot {:.2g}: are axes misaligned?)",
                          row_name(plan, rank.weakest.row), rank.smallest_pivot)));
  drop(plan, rank);
}

}  // namespace daedalus::mechanism
