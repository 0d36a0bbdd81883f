// SPDX-License-Identifier: BSD-3-Clause
// y' = f(t, y, z), 0 = g(t, y), index 2. Consistency means g = 0; z then follows from the hidden
// constraint g_y f + g_t = 0 (Arnold 1998, section 3.2), and is completed like the multipliers of a
// multibody system. Where g depends on z as well, z is taken as given.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "nonlinear/half_explicit.hpp"
#include "start/conflict.hpp"
#include "start/start_rows.hpp"

namespace daedalus {

namespace {

// y moved onto the constraints, with what the request adds; nothing: it succeeded.
std::optional<StartReport> move_onto_constraints(System& system, State& s,
                                                 const StartRequest& request,
                                                 const std::vector<int>& columns) {
  PartitionedView& view = *system.partitioned_view();
  const int n = system.layout.tangents(), ny = view.differential_count(), nz = n - ny;
  const Eigen::VectorXd before = s.x;
  const StartRows rows = [&](const State& at, Eigen::VectorXd& out) {
    if (const Outcome o = view.constraints(at.t, at.x.data(), out.data()); o != Outcome::ok)
      return o;
    return request.extra_count > 0 ? request.extra(at, out.data() + nz) : Outcome::ok;
  };
  const int row_count = nz + request.extra_count;
  const Outcome o = min_change(system, s, request, rows, row_count, columns);
  if (o == Outcome::ok) return std::nullopt;
  s.x = before;
  if (o == Outcome::newton_failed) {
    const StartStage constraints{{system.equations.begin() + ny, system.equations.begin() + n},
                                 columns};
    StartReport named = find_conflict(system, s, request, rows, row_count,
                                      {constraints, initial_equation_stage(request, columns)});
    if (named.status != Status::success) return named;
  }
  return failed_start(system, s.t, o, "moving y onto the constraints");
}

// The rows of g, in units of what a change within tolerance does to them, and initial equations.
// Nothing: they are met.
std::optional<StartReport> judge_constraints(System& system, State& s, const StartRequest& request,
                                             const std::vector<int>& columns,
                                             const Eigen::MatrixXd& g_z, StartReport& report) {
  PartitionedView& view = *system.partitioned_view();
  const int ny = view.differential_count(), nz = static_cast<int>(g_z.rows());
  Eigen::VectorXd g(nz), unit = Eigen::VectorXd::Constant(nz, 1e-14);  // round-off of the row
  if (const Outcome o = view.constraints(s.t, s.x.data(), g.data()); o != Outcome::ok)
    return failed_start(system, s.t, o, "evaluating the constraints");
  view.add_g_y_magnitude(request.weight.data(), unit.data());
  unit += g_z.cwiseAbs() * request.weight.tail(nz);
  for (int k = 0; k < nz; ++k)
    report.rows.push_back(
        {system.equations[static_cast<std::size_t>(ny + k)], g[k], std::abs(g[k]) / unit[k]});
  sort_rows(report);
  if (const Outcome o = report_extra(system, s, request, columns, report); o != Outcome::ok)
    return failed_start(system, s.t, o, "evaluating the initial equations");
  if (!(report.rows.front().scaled > 1.0)) return std::nullopt;
  refuse(report, s.t,
         "Correct them, or let the library find the nearest consistent ones with the start "
         "strategy 'solve'.");
  return report;
}

}  // namespace

StartReport start_hessenberg(System& system, State& s, const StartRequest& request) {
  PartitionedView& view = *system.partitioned_view();
  const int n = system.layout.tangents(), ny = view.differential_count(), nz = n - ny;
  StartReport report;
  std::vector<int> columns(static_cast<std::size_t>(ny));
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<int>(i);
  if (request.strategy == StartStrategy::solve) {
    const Eigen::VectorXd before = s.x;
    if (auto failed = move_onto_constraints(system, s, request, columns)) return *failed;
    report.changed = !(before == s.x);
  }
  if (const Outcome o = view.linearise_constraints(s.t, s.x.data()); o != Outcome::ok)
    return failed_start(system, s.t, o, "evaluating the constraints");
  Eigen::MatrixXd g_z(nz, nz);
  view.constraint_pencil().dense_j(g_z);
  const bool of_y_alone = g_z.cwiseAbs().maxCoeff() == 0.0;
  if (request.strategy != StartStrategy::given)
    if (auto refused = judge_constraints(system, s, request, columns, g_z, report)) return *refused;
  const auto equations = HalfExplicit::make(system);
  s.xd.setZero(n);
  const Outcome o = equations->rates(s.t, s.x.data(), nullptr, of_y_alone, s.xd.data());
  if (o == Outcome::ok) return report;
  const int variable = o == Outcome::matrix_singular ? equations->singular_variable() : -1;
  return failed_start(system, s.t, o, "solving the hidden constraint for z",
                      variable >= ny ? system.layout.name(variable) : std::string());
}

}  // namespace daedalus
