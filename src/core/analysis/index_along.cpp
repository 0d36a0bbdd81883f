// SPDX-License-Identifier: BSD-3-Clause
// The index at points of a computed solution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/solve.hpp>

#include "analysis/index_point.hpp"
#include "analysis/structure_start.hpp"
#include "analysis/tractability.hpp"
#include "formulation/lower.hpp"

namespace daedalus {
namespace {

using Eigen::VectorXd;

constexpr double loose = 1e-4;    // relative tolerance of the solution that is followed
constexpr long max_steps = 2000;  // and its length
constexpr int max_array = 60;     // unknowns, as in index_analysis
constexpr int max_pencil = 150;   // unknowns: O(n^3) at every point of a solution
// Relative to the largest singular value, by the round-off of derivatives.
constexpr double exact_rank = 1e-11, difference_rank = 1e-6;
// Rank decisions that fell to this part of the best one before.
constexpr double weakened = 1e-4;

struct Looked {
  IndexAlong::Point point;
  IndexTrace trace;
  bool operator==(const Looked& o) const {
    return point.index == o.point.index && point.degrees_of_freedom == o.point.degrees_of_freedom &&
           !turned(o);
  }
  bool turned(const Looked& o) const {
    return trace.orientation * o.trace.orientation < 0.0 && trace.rows == o.trace.rows;
  }
};

// The problem with a state of a run as its start values.
Problem started_at(Problem problem, const ModelState& s, const VectorXd& rates) {
  const VectorXd y = s.y();
  std::visit(
      [&](auto& p) {
        using P = std::decay_t<decltype(p)>;
        if constexpr (std::is_same_v<P, MultibodyProblem>) {
          p.q0 = s.q(), p.v0 = s.v();
          if (p.dynamic_count > 0) p.c0 = s.c();
          if (p.contact_count > 0) p.s0 = s.s();
          if (p.multipliers() > 0) p.lambda0 = s.lambda();
        } else {
          p.y0 = y.head(p.y0.size());
          if constexpr (std::is_same_v<P, SemiExplicitProblem>) p.z0 = y.tail(p.z0.size());
          if constexpr (std::is_same_v<P, ImplicitProblem>)
            if (p.yp0.size() == rates.size() && p.leading_count == 0) p.yp0 = rates;
        }
      },
      problem);
  return problem;
}

class Walk {
 public:
  Walk(const Problem& problem, const Solution& solution, const Options& options)
      : problem_(problem), solution_(solution), options_(options) {}

  Looked look(std::size_t i) const {
    const ModelState s = solution_.state(i);
    Looked found;
    found.trace.look_nearby = false;
    found.point.t = s.t();
    const IndexAnalysis a = index_analysis_at(started_at(problem_, s, rates(i)), s.t(), exact_rank,
                                              max_array, found.trace);
    found.point.index = a.index;
    found.point.degrees_of_freedom = a.degrees_of_freedom;
    found.point.gap = a.gap;
    if (a.index < 0 && a.constraints.empty()) by_matrices(s, found.point);
    return found;
  }

 private:
  // Rates at a reported state by differences: a guess for equations that are not linear in them.
  VectorXd rates(std::size_t i) const {
    const std::size_t j = i > 0 ? i - 1 : std::min<std::size_t>(1, solution_.times().size() - 1);
    if (i == j) return {};
    const VectorXd change = solution_.state(i).y() - solution_.state(j).y();
    return change / (solution_.times()[i] - solution_.times()[j]);
  }

  // No derivative array: linearised equations decide up to index 2, and for multibody systems.
  void by_matrices(const ModelState& s, IndexAlong::Point& point) const {
    const auto* body = std::get_if<MultibodyProblem>(&problem_);
    VectorXd y = s.y();
    AnalysedSystem a = analysed_at(problem_, body ? "index1" : "", s.t(), y, options_);
    Eigen::MatrixXd E, J;
    if (a.size() > max_pencil || !a.linearise(a.state, E, J) || E.rows() != E.cols()) return;
    if (body) {
      const RankDecision d = index1_decision(E, J, exact_rank);
      if (!d.full()) return;
      point.index = index_of(problem_);
      point.gap = d.kept / exact_rank;
      point.degrees_of_freedom = body->space.tangents() + body->velocities() -
                                 2 * body->constraint_count - body->nonholonomic_count +
                                 body->dynamic_count;
      return;
    }
    ChainSettings settings;
    settings.tolerance = difference_rank;
    const MatrixChain chain = matrix_chain(E, J, settings);
    if (chain.index < 0 || chain.index > 2) return;
    point.index = chain.index;
    point.degrees_of_freedom = chain.degrees_of_freedom;
  }

  const Problem& problem_;
  const Solution& solution_;
  const Options& options_;
};

std::string change_text(const Looked& before, const Looked& after) {
  const std::string where =
      fmt::format("between t = {:.8g} and t = {:.8g}", before.point.t, after.point.t);
  if (after.point.index < 0)
    return fmt::format("From t = {:.8g} on no index is found; before it is {}.", after.point.t,
                       before.point.index);
  if (before.point.index < 0)
    return fmt::format("From t = {:.8g} on the index is {}; before, none is found.", after.point.t,
                       after.point.index);
  if (before.point.index != after.point.index)
    return fmt::format("The index changes from {} to {} {}.", before.point.index, after.point.index,
                       where);
  if (before.point.degrees_of_freedom != after.point.degrees_of_freedom)
    return fmt::format("The degrees of freedom change from {} to {} {}.",
                       before.point.degrees_of_freedom, after.point.degrees_of_freedom, where);
  return fmt::format(
      "The matrix that determines the rates is singular {}: its determinant changes its sign, and "
      "the index is another one there (impasse or critical point).",
      where);
}

}  // namespace

IndexAlong index_along(const Problem& problem, double t0, double t1, const Options& options,
                       int points) {
  if (points < 1)
    throw InvalidArgument(fmt::format("index_along: points = {}; 1 or more are allowed", points));
  Options o = options;
  const double factor = std::max(1.0, loose / std::max(options.rtol, 1e-300));
  o.rtol = factor * options.rtol;
  o.atol = Tolerance(Eigen::VectorXd(factor * options.atol.values()));
  o.output = Output::steps;
  o.max_steps = std::min(options.max_steps, max_steps);
  const Solution solution = solve(problem, {t0, t1}, o);
  IndexAlong along;
  along.reached = solution.end_time();
  if (!solution.ok()) along.ended = solution.message();
  const Walk walk(problem, solution, o);
  const std::size_t last = solution.times().size() - 1;
  std::size_t at = 0;
  Looked before = walk.look(0);
  along.points.push_back(before.point);
  double best = before.point.gap;
  // Evenly by steps, which are short where the solution changes fast.
  for (int k = 1; k <= points && at < last; ++k) {
    const auto share = static_cast<double>(k) / points;
    const std::size_t next = std::max<std::size_t>(
        at + 1, static_cast<std::size_t>(std::lround(share * static_cast<double>(last))));
    Looked after = walk.look(std::min(next, last));
    if (!(after == before)) {
      Looked left = before, right = after;
      for (std::size_t i = at, j = std::min(next, last); j - i > 1;) {
        const std::size_t middle = i + (j - i) / 2;
        Looked found = walk.look(middle);
        if (found == left)
          i = middle, left = std::move(found);
        else
          j = middle, right = std::move(found);
      }
      along.changes.push_back(change_text(left, right));
    } else if (after.point.gap > 0.0 && after.point.gap < weakened * best) {
      along.changes.push_back(fmt::format(
          "What determines the rates has become weak at t = {:.8g}: the gap of the rank decisions "
          "fell from {:.1e} to {:.1e}, a point where the index changes may be near.",
          after.point.t, best, after.point.gap));
    }
    best = std::max(best, after.point.gap);
    at = std::min(next, last);
    along.points.push_back(after.point);
    before = std::move(after);
  }
  return along;
}

std::string IndexAlong::text() const {
  std::string out;
  for (const Point& p : points)
    out += fmt::format("t = {:<14.8g} {}\n", p.t,
                       p.index >= 0
                           ? fmt::format("index {}, {} degree{} of freedom", p.index,
                                         p.degrees_of_freedom, p.degrees_of_freedom == 1 ? "" : "s")
                           : std::string("no index found"));
  for (const std::string& change : changes) out += change + "\n";
  if (!ended.empty())
    out += fmt::format("The solution was followed to t = {:.8g}: {}\n", reached, ended);
  return out;
}

}  // namespace daedalus
