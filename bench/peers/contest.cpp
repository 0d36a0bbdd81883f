// SPDX-License-Identifier: BSD-3-Clause
#include "peers/contest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <daedalus/solve.hpp>

#include "peers/classical.hpp"
#include "peers/deadline.hpp"
#include "peers/peer.hpp"
#include "tool/work_curve.hpp"

namespace daedalus::peers {
namespace {

using bench::Run;

constexpr double min_measured = 1e-3;  // seconds
constexpr double hopeless = 5.0, near = 1.5;
constexpr double slowest_at_tolerance = 20.0, min_limit = 0.02;
constexpr double patience = 10.0, longest_automatic = 60.0;
constexpr int strikes_allowed = 2;

struct Contestant {
  bool ours = false, kept = false;  // kept: always taken to the end
  std::function<Run(double tol)> once{};
  std::vector<std::optional<Run>> runs{};  // per tolerance
};

Run ours_once(const problems::Entry& entry, const Problem& problem, const std::string& method,
              double tol) {
  Options o;
  o.method = method;
  o.cancel = [] { return expired != 0; };
  Run run = bench::run_ours(entry, problem, o, tol);
  // Start values that are published with fewer digits than the tolerance asks for; those of peers
  // have been made consistent.
  if (run.status == to_string(Status::inconsistent_start)) {
    o.start = StartStrategy::solve;
    run = bench::run_ours(entry, problem, o, tol);
  }
  return run;
}

Run peer_once(const problems::Entry& entry, const Peer& peer, Model& model, double tol) {
  const Tolerance given = bench::absolute_tolerance(entry, model.names, tol);
  Task task{entry.t0, entry.t_end, tol, Eigen::VectorXd::Constant(model.size(), tol)};
  // The unknowns of a model begin with the model variables, some of which may be left out.
  for (int i = 0; i < std::min(model.size(), static_cast<int>(model.names.size())); ++i)
    task.atol[i] = given[i];
  const PeerRun result = peer.run(model, task);
  Run run;
  run.library = peer.library;
  run.solver = run.asked = peer.solver;
  run.formulation = model.formulation;
  run.tol = tol;
  run.ok = result.ok;
  run.status = result.ok ? "success" : expired ? "too-slow" : "failed";
  run.message = result.message;
  run.accepted = result.steps;
  run.rejected = result.rejected;
  run.evaluations = result.evaluations;
  run.jacobians = result.jacobians;
  run.factorisations = result.factorisations;
  run.work = result.evaluations + result.jacobians * model.columns;
  run.seconds = result.seconds;
  if (result.ok) {
    expired = 0;  // it may have come at the very end
    std::vector<double> end(model.names.size());
    model.to_model(entry.t_end, result.end.data(), end.data());
    run.mescd = bench::mixed_digits(entry, model.names, end.data(), tol, given);
    // A solver that returns without complaint far from the solution has not solved the problem.
    if (!(run.mescd > 0.0)) {
      run.ok = false;
      run.status = "wrong";
    }
  }
  return run;
}

// The same run often enough to last a millisecond.
Run measured(const Contestant& c, double tol, double limit) {
  const Deadline deadline(limit);
  Run run = c.once(tol);
  if (!run.ok || run.seconds >= min_measured) return run;
  const int more = std::min(200, static_cast<int>(min_measured / std::max(run.seconds, 1e-6)));
  double sum = 0.0;
  for (int i = 0; i < more; ++i) sum += c.once(tol).seconds;
  run.seconds = std::min(run.seconds, sum / more);
  return run;
}

std::vector<Run> finished(const Contestant& c) {
  std::vector<Run> list;
  for (const auto& r : c.runs)
    if (r) list.push_back(*r);
  return list;
}

// The least time in which the same side reached at least so many digits.
double least(const std::vector<Contestant>& all, bool ours, double mescd) {
  double best = std::numeric_limits<double>::infinity();
  for (const Contestant& c : all)
    if (c.ours == ours)
      for (const auto& r : c.runs)
        if (r && r->ok && r->mescd >= mescd) best = std::min(best, r->seconds);
  return best;
}

// How long the next run of c may take. Nothing much slower than others of its side at the same
// tolerance, or than the most accurate run known, can matter. On problems that take our automatic
// choice long, peers have ten times as long.
double limit_of(const std::vector<Contestant>& all, const Contestant& c, std::size_t k,
                double longest) {
  if (c.kept) return std::max(longest, longest_automatic);
  double fastest = std::numeric_limits<double>::infinity(), automatic = 0.0;
  for (const Contestant& other : all) {
    if (k >= other.runs.size() || !other.runs[k] || !other.runs[k]->ok) continue;
    if (other.ours == c.ours) fastest = std::min(fastest, other.runs[k]->seconds);
    if (other.kept) automatic = other.runs[k]->seconds;
  }
  return std::min({std::max(longest, patience * automatic),
                   std::max(slowest_at_tolerance * fastest, min_limit),
                   std::max(hopeless * least(all, c.ours, 10.0), min_limit)});
}

void first_round(std::vector<Contestant>& all, const ContestSettings& settings) {
  for (Contestant& c : all) {
    c.runs.resize(settings.tolerances.size());
    int strikes = 0;
    for (std::size_t k = 0; k < settings.tolerances.size(); ++k) {
      c.runs[k] =
          measured(c, settings.tolerances[k], limit_of(all, c, k, settings.longest_seconds));
      const Run& r = *c.runs[k];
      const bool late = !r.ok && expired;
      const bool lost = late || (r.ok && r.seconds > hopeless * least(all, c.ours, r.mescd));
      strikes = lost ? strikes + 1 : 0;
      if (c.kept ? late : strikes >= strikes_allowed) break;
    }
  }
}

bool near_the_fastest(const std::vector<Contestant>& all, const Contestant& c) {
  return std::any_of(bench::summary_digits.begin(), bench::summary_digits.end(),
                     [&](double digits) {
                       const double own = bench::time_at(finished(c), digits);
                       return std::isfinite(own) &&
                              std::none_of(all.begin(), all.end(), [&](const Contestant& other) {
                                return other.ours == c.ours &&
                                       bench::time_at(finished(other), digits) < own / near;
                              });
                     });
}

void repeat(std::vector<Contestant>& all, const ContestSettings& settings) {
  std::vector<Contestant*> field;
  for (Contestant& c : all)
    if (c.kept || near_the_fastest(all, c)) field.push_back(&c);
  for (std::size_t k = 0; k < settings.tolerances.size(); ++k)
    for (int i = 1; i < settings.repetitions; ++i)
      for (Contestant* c : field) {
        if (!c->runs[k] || !c->runs[k]->ok) continue;
        const Run again = measured(*c, settings.tolerances[k], longest_automatic);
        if (again.ok) c->runs[k]->seconds = std::min(c->runs[k]->seconds, again.seconds);
      }
}

}  // namespace

std::vector<Run> contest(const problems::Entry& entry, const ContestSettings& settings) {
  const Problem problem = entry.problem();
  std::vector<std::string> methods = settings.methods;
  if (methods.empty()) {
    methods.push_back("auto");
    for (const Method* m : all_methods())
      if (bench::fits(problem, m->name)) methods.push_back(m->name);
  }
  std::vector<Contestant> all;
  for (const std::string& method : methods)
    all.push_back({true, method == "auto", [&entry, &problem, method](double tol) {
                     return ours_once(entry, problem, method, tol);
                   }});
  const std::vector<std::unique_ptr<Model>> models = models_of(entry, problem);
  Peers peers = all_peers();
  for (const std::string& code : settings.classical) add_classical(peers, code);
  const auto wanted = [&settings](const Model& model) {
    const auto& list = settings.formulations;
    return list.empty() || std::find(list.begin(), list.end(), model.formulation) != list.end();
  };
  for (const auto& peer : peers)
    for (const auto& model : models)
      if ((peer->solver.starts_with(settings.only) || peer->library.starts_with(settings.only)) &&
          wanted(*model) && peer->takes(*model) &&
          (!model->rates_only || peer->library == "classical"))
        all.push_back({false, false, [&entry, &peer, &model](double tol) {
                         return peer_once(entry, *peer, *model, tol);
                       }});
  first_round(all, settings);
  repeat(all, settings);
  std::vector<Run> runs;
  for (const Contestant& c : all) {
    const std::vector<Run> more = finished(c);
    runs.insert(runs.end(), more.begin(), more.end());
  }
  return runs;
}

}  // namespace daedalus::peers
