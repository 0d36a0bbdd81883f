// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <optional>

#include "linalg/decompositions.hpp"
#include "nonlinear/accelerations.hpp"
#include "start/conflict.hpp"
#include "start/start_rows.hpp"

namespace daedalus {
namespace {

std::string position_row(int k) { return fmt::format("constraint {}", k + 1); }
std::string velocity_row(const MechanicalSizes& n, int k) {
  return k < n.holonomic ? fmt::format("rate of constraint {}", k + 1)
                         : fmt::format("nonholonomic constraint {}", k - n.holonomic + 1);
}

// Constraint rows at position and velocity level, scaled by the effect of a change of q and v
// within tolerance.
//
// `rounded`: no row is off by more than the last of eight digits that q and v may be given with.
Outcome constraint_rows(MechanicalView& view, const Layout& layout, const State& s,
                        const Eigen::VectorXd& weight, StartReport& report, bool& rounded) {
  // As many as users copy from tables and papers.
  constexpr double eight_digits = 1e-8;
  const MechanicalSizes& n = view.sizes();
  const int nl = n.multipliers();
  rounded = true;
  if (nl == 0) return Outcome::ok;
  const MechanicalPoint p = view.point(s.t, s.x.data());
  Eigen::VectorXd g(nl), rate(nl);
  PieceMatrix G = view.make_constraint_matrix();
  if (const Outcome o = view.constraint_matrix(p, G); o != Outcome::ok) return o;
  if (n.holonomic > 0)
    if (const Outcome o = view.constraint(p, g.data()); o != Outcome::ok) return o;
  if (const Outcome o = view.velocity_offset(p, rate.data()); o != Outcome::ok) return o;
  G.add_times(1.0, p.v, rate.data());
  const LayoutBlock* vb = layout.find(VariableClass::v);
  const int shared = std::min(n.velocities, n.tangents);
  Eigen::VectorXd moved = Eigen::VectorXd::Zero(nl), placed = moved, of_q = moved, of_v = moved;
  Eigen::VectorXd size_of(layout.tangents());
  layout.magnitude(s.x.data(), size_of.data());
  G.for_each([&](int r, int c, double value) {
    const double size = std::abs(value);
    moved[r] += size * std::abs(p.v[c]);
    if (c < shared) of_q[r] += size * weight[c], placed[r] += size * size_of[c];
    of_v[r] += size * weight[vb->tangent + c];
  });
  for (int k = 0; k < nl; ++k) {
    // Round-off of the row itself is forgiven: 1e-14 of its largest term.
    if (k < n.holonomic) {
      const double scale = of_q[k] + 1e-14;
      report.rows.push_back({position_row(k), g[k], std::abs(g[k]) / scale});
      rounded = rounded && std::abs(g[k]) <= eight_digits * placed[k];
    }
    const double scale = of_v[k] + 1e-14 * (1 + moved[k]);
    report.rows.push_back({velocity_row(n, k), rate[k], std::abs(rate[k]) / scale});
    rounded = rounded && std::abs(rate[k]) <= eight_digits * moved[k];
  }
  sort_rows(report);
  return Outcome::ok;
}

std::vector<int> coordinates(const Layout& layout) {
  std::vector<int> columns;
  for (const LayoutBlock& b : layout.blocks())
    if (b.cls == VariableClass::q || b.cls == VariableClass::v)
      for (int i = 0; i < b.space.tangents(); ++i) columns.push_back(b.tangent + i);
  return columns;
}

// Contact coordinates follow q.
Outcome place_contact(System& system, State& s) {
  const LayoutBlock* sb = system.layout.find(VariableClass::s);
  return sb ? system.mechanical_view()->solve_contact(s.t, s.x.data(), s.x.data() + sb->point)
            : Outcome::ok;
}

// Constraints at both levels, then the initial equations.
Outcome all_rows(System& system, const StartRequest& request, State at, Eigen::VectorXd& out) {
  MechanicalView& view = *system.mechanical_view();
  const MechanicalSizes& n = view.sizes();
  if (const Outcome o = place_contact(system, at); o != Outcome::ok) return o;
  const MechanicalPoint p = view.point(at.t, at.x.data());
  if (n.holonomic > 0)
    if (const Outcome o = view.constraint(p, out.data()); o != Outcome::ok) return o;
  if (n.multipliers() > 0) {
    PieceMatrix G = view.make_constraint_matrix();
    if (const Outcome o = view.constraint_matrix(p, G); o != Outcome::ok) return o;
    if (const Outcome o = view.velocity_offset(p, out.data() + n.holonomic); o != Outcome::ok)
      return o;
    G.add_times(1.0, p.v, out.data() + n.holonomic);
  }
  return request.extra_count > 0 ? request.extra(at, out.data() + n.holonomic + n.multipliers())
                                 : Outcome::ok;
}

// dq and dv in the norm of the kinetic energy, |dx|^2 = sigma^2 dq^T M dq + dv^T M dv: with the
// Cholesky factor of what M gives the free coordinates, M = L L^T, dx = L^-T y. sigma compares
// positions with velocities as the error scale does. Where positions have other coordinates than
// velocities, their error scale serves.
bool kinetic_scale(System& system, const Eigen::VectorXd& weight, const State& at,
                   const std::vector<int>& columns, Eigen::MatrixXd& scale) {
  MechanicalView& view = *system.mechanical_view();
  const MechanicalSizes& n = view.sizes();
  const int first_v = system.layout.find(VariableClass::v)->tangent;
  PieceMatrix piece = view.make_mass();
  if (view.mass(view.point(at.t, at.x.data()), piece) != Outcome::ok) return false;
  Eigen::MatrixXd M(n.velocities, n.velocities);
  piece.copy_to(M);
  const double sigma =
      weight.segment(first_v, n.velocities).norm() / weight.head(n.tangents).norm();
  std::vector<int> q, v;  // places in columns
  for (int k = 0; k < static_cast<int>(columns.size()); ++k)
    (columns[static_cast<std::size_t>(k)] < first_v ? q : v).push_back(k);
  scale.setZero(static_cast<Eigen::Index>(columns.size()),
                static_cast<Eigen::Index>(columns.size()));
  const auto put = [&](const std::vector<int>& places, int first, double factor) {
    const auto count = static_cast<Eigen::Index>(places.size());
    if (count == 0) return true;
    Eigen::MatrixXd part(count, count);
    const auto of = [&](Eigen::Index i) {
      return columns[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])] - first;
    };
    for (Eigen::Index i = 0; i < count; ++i)
      for (Eigen::Index j = 0; j < count; ++j) part(i, j) = M(of(i), of(j));
    const Eigen::LLT<Eigen::MatrixXd> factors(part);
    if (factors.info() != Eigen::Success) return false;
    const Eigen::MatrixXd inverse =
        factors.matrixU().solve(Eigen::MatrixXd::Identity(count, count));
    for (Eigen::Index i = 0; i < count; ++i)
      for (Eigen::Index j = 0; j < count; ++j)
        scale(places[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(j)]) =
            inverse(i, j) / factor;
    return true;
  };
  if (!put(v, first_v, 1.0)) return false;
  if (n.tangents == n.velocities) return put(q, 0, sigma);
  for (const int k : q) scale(k, k) = weight[columns[static_cast<std::size_t>(k)]];
  return true;
}

// The smallest change of positions that meets the constraints, then that of velocities with them.
Outcome one_after_the_other(System& system, State& s, const StartRequest& request,
                            const ChangeScale& scale) {
  const MechanicalSizes& n = system.mechanical_view()->sizes();
  const int first_v = system.layout.find(VariableClass::v)->tangent;
  std::vector<int> q, v;
  for (const int column : coordinates(system.layout)) (column < first_v ? q : v).push_back(column);
  Eigen::VectorXd all(n.holonomic + n.multipliers());
  const auto part = [&](int first, int count) -> StartRows {
    return [&, first, count](const State& at, Eigen::VectorXd& out) {
      const Outcome o = all_rows(system, request, at, all);
      out.head(count) = all.segment(first, count);
      return o;
    };
  };
  if (n.holonomic > 0)
    if (const Outcome o =
            min_change(system, s, request, part(0, n.holonomic), n.holonomic, q, scale);
        o != Outcome::ok)
      return o;
  return min_change(system, s, request, part(n.holonomic, n.multipliers()), n.multipliers(), v,
                    scale);
}

// Positions, then velocities with them, then the initial equations.
std::vector<StartStage> stages(const System& system, const MechanicalSizes& n,
                               const StartRequest& request) {
  const std::vector<int> all = coordinates(system.layout);
  const int first_v = system.layout.find(VariableClass::v)->tangent;
  StartStage of_q, of_v{{}, all};
  for (const int column : all)
    if (column < first_v) of_q.columns.push_back(column);
  for (int k = 0; k < n.holonomic; ++k) of_q.names.push_back(position_row(k));
  for (int k = 0; k < n.multipliers(); ++k) of_v.names.push_back(velocity_row(n, k));
  return {of_q, of_v, initial_equation_stage(request, all)};
}

// Name of an unknown of [M G^T; G 0]: a velocity, or the multiplier of a constraint.
std::string unknown(const System& system, const MechanicalSizes& n, int column) {
  const int variable = variable_of_column(system.layout, n, column);
  return variable >= 0 ? system.layout.name(variable) : std::string();
}

// Elimination sees redundant constraints as a tiny pivot and not as zero. Where the pivots are that
// far apart, an orthogonal decomposition of the rows of G, each of length one, decides; it returns
// a constraint that depends on the others, or -1. Beyond 600 unknowns it would cost more than a
// run.
int redundant_constraint(MechanicalView& view, const MechanicalPoint& p, double condition) {
  // Ratio of pivots that rounding alone leaves of dependent rows.
  constexpr double suspicious = 1e-11;
  // A dense decomposition beyond this takes longer than a run.
  constexpr int largest = 600;
  const MechanicalSizes& n = view.sizes();
  if (!(condition < suspicious) || n.multipliers() == 0 || n.velocities + n.multipliers() > largest)
    return -1;
  PieceMatrix G = view.make_constraint_matrix();
  if (view.constraint_matrix(p, G) != Outcome::ok) return -1;
  Eigen::MatrixXd rows(n.multipliers(), n.velocities);
  G.copy_to(rows);
  // A row of round-off, as at the dead point of a mechanism, is not made one of length one.
  constexpr double round_off = 1e-14;
  const double longest = rows.rowwise().norm().maxCoeff();
  for (int k = 0; k < n.multipliers(); ++k) {
    const double size = rows.row(k).norm();
    if (!(size > round_off * longest)) return k;
    rows.row(k) /= size;
  }
  const PivotedQr qr = pivoted_qr(rows.transpose());
  return qr.rank < n.multipliers() ? qr.columns[qr.rank] : -1;
}

// Positions and velocities moved to the constraints, fixed variables and initial equations;
// nothing: they meet them now.
std::optional<StartReport> move_to_constraints(System& system, State& s,
                                               const StartRequest& request) {
  MechanicalView& view = *system.mechanical_view();
  const MechanicalSizes& n = view.sizes();
  const char* doing = "moving positions and velocities onto the constraints";
  if (request.extra_count == 0 && request.fixed.empty()) {
    const Outcome o = view.meet_constraints(s.t, s.x);
    return o == Outcome::ok ? std::nullopt : std::optional(failed_start(system, s.t, o, doing));
  }
  const Eigen::VectorXd before = s.x;
  const StartRows rows = [&](const State& at, Eigen::VectorXd& out) {
    return all_rows(system, request, at, out);
  };
  const int row_count = n.holonomic + n.multipliers() + request.extra_count;
  const auto scale = [&](const State& at, const std::vector<int>& columns, Eigen::MatrixXd& by) {
    return kinetic_scale(system, request.weight, at, columns, by);
  };
  // Positions need not give way to velocities that are only guessed.
  Outcome o = Outcome::newton_failed;
  if (request.extra_count == 0) o = one_after_the_other(system, s, request, scale);
  if (o != Outcome::ok) {
    s.x = before;
    o = min_change(system, s, request, rows, row_count, coordinates(system.layout), scale);
  }
  if (o == Outcome::ok) o = place_contact(system, s);
  if (o == Outcome::ok) return std::nullopt;
  if (o == Outcome::newton_failed) {
    s.x = before;
    StartReport named =
        find_conflict(system, s, request, rows, row_count, stages(system, n, request));
    if (named.status != Status::success) return named;
  }
  return failed_start(system, s.t, o, doing);
}

// Rows of constraints and initial equations; values given with eight digits are corrected.
// Nothing: they are met.
std::optional<StartReport> judge_given(System& system, State& s, const StartRequest& request,
                                       StartReport& report) {
  MechanicalView& view = *system.mechanical_view();
  bool rounded = false;
  Outcome o = constraint_rows(view, system.layout, s, request.weight, report, rounded);
  const bool off = !report.rows.empty() && report.rows.front().scaled > 1.0;
  if (o == Outcome::ok && off && rounded && request.strategy == StartStrategy::automatic &&
      request.extra_count == 0) {
    const Eigen::VectorXd before = s.x;
    if (view.meet_constraints(s.t, s.x) == Outcome::ok) {
      report = {};
      report.changed = true;
      report.message = fmt::format(
          "The start values meet the constraints to the digits that they are given with, but not "
          "to the tolerance: they were changed by {:.1e} at most.",
          (s.x - before).cwiseAbs().maxCoeff());
      o = constraint_rows(view, system.layout, s, request.weight, report, rounded);
    } else {
      s.x = before;
    }
  }
  if (o != Outcome::ok) return failed_start(system, s.t, o, "evaluating the constraints");
  if (o = report_extra(system, s, request, coordinates(system.layout), report); o != Outcome::ok)
    return failed_start(system, s.t, o, "evaluating the initial equations");
  if (report.rows.empty() || !(report.rows.front().scaled > 1.0)) return std::nullopt;
  refuse(report, s.t,
         "Correct them, or let the library find the nearest consistent ones with the start "
         "strategy 'solve'.");
  return report;
}

// Multipliers, accelerations and rates from the equations of motion; nothing: they are there.
std::optional<StartReport> complete_motion(System& system, State& s) {
  MechanicalView& view = *system.mechanical_view();
  const MechanicalSizes& n = view.sizes();
  const char* doing = "computing accelerations and multipliers";
  Accelerations accelerations(view, system.counter);
  const MechanicalPoint given = view.point(s.t, s.x.data());
  const Outcome solved = accelerations.solve(given);
  const bool singular = solved == Outcome::matrix_singular;
  if (solved == Outcome::ok || singular) {
    const int k =
        redundant_constraint(view, given, singular ? 0.0 : accelerations.reciprocal_condition());
    const int column = k >= 0 ? n.velocities + k : accelerations.singular_column();
    if (singular || k >= 0)
      return failed_start(system, s.t, Outcome::matrix_singular, doing, unknown(system, n, column));
  }
  if (solved != Outcome::ok) return failed_start(system, s.t, solved, doing);
  const Layout& l = system.layout;
  const LayoutBlock *v = l.find(VariableClass::v), *c = l.find(VariableClass::c),
                    *lambda = l.find(VariableClass::lambda), *a = l.find(VariableClass::a),
                    *eta = l.find(VariableClass::eta);
  if (lambda) s.x.segment(lambda->point, n.multipliers()) = accelerations.lambda();
  if (a) s.x.segment(a->point, n.velocities) = accelerations.a();
  if (eta) s.x.segment(eta->point, eta->space.points()).setZero();
  s.xd.setZero(l.tangents());
  const MechanicalPoint p = view.point(s.t, s.x.data());
  if (const Outcome o = view.rate(p, s.xd.data()); o != Outcome::ok)
    return failed_start(system, s.t, o, "computing the rate of q");
  s.xd.segment(v->tangent, n.velocities) = accelerations.a();
  if (c)
    if (const Outcome o = view.dynamics(p, s.xd.data() + c->tangent); o != Outcome::ok)
      return failed_start(system, s.t, o, "computing the rate of c");
  return std::nullopt;
}

}  // namespace

StartReport start_multibody(System& system, State& s, const StartRequest& request) {
  StartReport report;
  if (const Outcome o = place_contact(system, s); o != Outcome::ok)
    return failed_start(system, s.t, o, "solving the contact conditions for s");
  if (request.strategy == StartStrategy::solve) {
    const Eigen::VectorXd before = s.x;
    if (auto failed = move_to_constraints(system, s, request)) return *failed;
    constexpr double round_off = 1e-14;  // of the values: no change worth telling
    report.changed =
        ((before - s.x).array().abs() > round_off * (1.0 + before.array().abs())).any();
  }
  if (request.strategy != StartStrategy::given)
    if (auto refused = judge_given(system, s, request, report)) return *refused;
  if (auto failed = complete_motion(system, s)) return *failed;
  return report;
}

}  // namespace daedalus
