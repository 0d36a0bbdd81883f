// SPDX-License-Identifier: BSD-3-Clause
#include "tool/work_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::bench {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double tick = 1e-6;  // what a clock did not see counts as this

std::string name_of(const Run& run) {
  return run.formulation.empty() ? run.solver : run.solver + " " + run.formulation;
}

// The solver that gives the time there: of the automatic choice it differs between tolerances.
std::string name_at(const std::vector<Run>& runs, double mescd) {
  const Run* named = nullptr;
  for (const Run& r : runs)
    if (r.ok && r.mescd >= mescd && (!named || r.seconds < named->seconds)) named = &r;
  return named ? name_of(*named) : std::string();
}

struct Fastest {
  double seconds = none;
  std::string name;
  void meet(const std::vector<Run>& runs, double mescd) {
    const double t = time_at(runs, mescd);
    if (!(t > 0.0) || t >= seconds) return;
    seconds = t;
    name = name_at(runs, mescd);
  }
};

}  // namespace

double time_at(const std::vector<Run>& runs, double mescd) {
  double best = none;
  const auto meet = [&](double t) {
    if (!(t >= best)) best = t;
  };
  const Run* before = nullptr;
  for (const Run& r : runs) {
    if (!r.ok || std::isnan(r.mescd)) {
      before = nullptr;
      continue;
    }
    const double t = std::max(r.seconds, tick);
    if (r.mescd >= mescd) meet(t);
    if (before && before->mescd < mescd && mescd < r.mescd) {
      const double from = std::log(std::max(before->seconds, tick));
      const double part = (mescd - before->mescd) / (r.mescd - before->mescd);
      meet(std::exp(from + part * (std::log(t) - from)));
    }
    before = &r;
  }
  return best;
}

bool Duel::lost_outright() const {
  return std::isnan(automatic_seconds) && !std::isnan(peer_seconds);
}
bool Duel::won_outright() const {
  return !std::isnan(automatic_seconds) && std::isnan(peer_seconds);
}

std::vector<Duel> duels(const std::vector<WorkCurve>& curves) {
  std::vector<std::string> problems;
  for (const WorkCurve& c : curves)
    if (std::find(problems.begin(), problems.end(), c.problem) == problems.end())
      problems.push_back(c.problem);
  std::vector<Duel> list;
  for (const std::string& problem : problems)
    for (const double mescd : summary_digits) {
      Fastest best, automatic, peer;
      for (const WorkCurve& c : curves) {
        if (c.problem != problem) continue;
        const bool ours = c.library == "daedalus";
        (ours ? best : peer).meet(c.runs, mescd);
        if (ours && c.solver == "auto") automatic.meet(c.runs, mescd);
      }
      list.push_back({problem, mescd, best.name, automatic.name, peer.name, best.seconds,
                      automatic.seconds, peer.seconds});
    }
  return list;
}

std::vector<Standing> standings(const std::vector<Duel>& list) {
  std::vector<Standing> all;
  for (const double mescd : summary_digits) {
    Standing s;
    s.mescd = mescd;
    double best = 0.0, automatic = 0.0;
    for (const Duel& d : list) {
      if (d.mescd != mescd) continue;
      if (d.won_outright()) s.won.push_back(d.problem);
      if (d.lost_outright()) s.lost.push_back(d.problem);
      const double ratio = d.automatic_ratio();
      if (std::isnan(ratio)) continue;
      ++s.problems;
      best += std::log(d.best_ratio());
      automatic += std::log(ratio);
      if (ratio > s.worst) {
        s.worst = ratio;
        s.worst_problem = d.problem;
      }
    }
    s.best_mean = s.problems > 0 ? std::exp(best / s.problems) : none;
    s.automatic_mean = s.problems > 0 ? std::exp(automatic / s.problems) : none;
    if (s.problems == 0) s.worst = none;
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace daedalus::bench
