// SPDX-License-Identifier: BSD-3-Clause
// What the automatic choice costs beside the cheapest competitor.
#include <algorithm>
#include <cmath>
#include <limits>

#include <daedalus/comparison.hpp>
#include <daedalus/method.hpp>

namespace daedalus {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr double hopeless = 10.0;  // times the fastest so far: the run is broken off
constexpr double too_slow = 3.0;   // times the fastest in single runs: more than their scatter
// Seconds; after a run of another method a shorter one measures caches that hold its code: the
// second of two in a row counts for the method.
constexpr double short_run = 1e-3;

class Contest {
 public:
  Contest(const Problem& problem, Interval interval, const Options& options, const Digits& digits,
          const RegretSettings& settings)
      : problem_(problem),
        interval_(interval),
        options_(options),
        digits_(digits),
        settings_(settings) {
    options_.output = Output::end;
    if (settings.cancel) options_.cancel = settings.cancel;
  }

  bool cancelled() const { return settings_.cancel && settings_.cancel(); }
  bool good(const MeasuredRun& run) const { return run.ok && run.digits >= settings_.enough; }

  MeasuredRun run(const std::string& method, const std::string& formulation,
                  double limit = unlimited) const {
    Options o = with(method, formulation);
    // Asking the clock in every step would be seen in the time.
    if (std::isfinite(limit)) {
      const double end = thread_seconds() + limit;
      o.cancel = [this, end] { return cancelled() || thread_seconds() > end; };
    }
    return measure_run(problem_, interval_, o, digits_);
  }

  // Every competitor once.
  std::vector<MeasuredRun> field(double fastest) const {
    const auto formulations =
        settings_.formulations.empty() ? comparable_formulations(problem_) : settings_.formulations;
    std::vector<MeasuredRun> good_ones;
    for (const Method* m : all_methods()) {
      if (!takes_part(m->name)) continue;
      for (const std::string& formulation : formulations) {
        if (cancelled()) return good_ones;
        if (!takes(problem_, with(m->name, formulation))) continue;
        MeasuredRun candidate = run(m->name, formulation, hopeless * fastest);
        if (!good(candidate)) continue;
        fastest = std::min(fastest, candidate.seconds);
        good_ones.push_back(std::move(candidate));
      }
    }
    return good_ones;
  }

 private:
  bool takes_part(const std::string& method) const {
    const auto& names = settings_.methods;
    return names.empty() || std::find(names.begin(), names.end(), method) != names.end();
  }
  Options with(const std::string& method, const std::string& formulation) const {
    Options o = options_;
    o.method = method;
    o.formulation = formulation;
    return o;
  }
  const Problem& problem_;
  Interval interval_;
  Options options_;
  const Digits& digits_;
  const RegretSettings& settings_;
};

bool faster(const MeasuredRun& a, const MeasuredRun& b) { return a.seconds < b.seconds; }

}  // namespace

double Regret::ratio() const {
  return best.method.empty() || !chosen.ok || !(best.seconds > 0.0) ? not_known
                                                                    : chosen.seconds / best.seconds;
}

Regret measure_regret(const Problem& problem, Interval interval, const Options& options,
                      const Digits& digits, const RegretSettings& settings) {
  const Contest contest(problem, interval, options, digits, settings);
  Regret regret;
  regret.chosen = contest.run("auto", "auto");
  std::vector<MeasuredRun> field =
      contest.field(contest.good(regret.chosen) ? regret.chosen.seconds : unlimited);
  regret.competitors = static_cast<int>(field.size());
  if (field.empty()) return regret;
  const double fastest = std::min(std::min_element(field.begin(), field.end(), faster)->seconds,
                                  contest.good(regret.chosen) ? regret.chosen.seconds : unlimited);
  std::erase_if(field, [&](const MeasuredRun& r) { return r.seconds > too_slow * fastest; });
  // The first runs have chosen the field; now all are measured alike.
  regret.chosen.seconds = unlimited;
  for (MeasuredRun& r : field) r.seconds = unlimited;
  const auto repeat = [&](MeasuredRun& r) {
    const auto again = [&] { return contest.run(r.method, r.formulation).seconds; };
    r.seconds = std::min(r.seconds, again());
    if (r.seconds < short_run) r.seconds = std::min(r.seconds, again());
  };
  for (int k = 0; k < settings.repetitions && !contest.cancelled(); ++k) {
    repeat(regret.chosen);
    for (MeasuredRun& r : field) repeat(r);
  }
  const auto best = std::min_element(field.begin(), field.end(), faster);
  if (best != field.end()) regret.best = *best;
  return regret;
}

RegretSummary summarise(const std::vector<Regret>& rows) {
  RegretSummary s;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    s.failures += rows[i].failed();
    const double ratio = rows[i].ratio();
    if (std::isnan(ratio)) continue;
    ratios.push_back(ratio);
    if (ratio > s.worst) {
      s.worst = ratio;
      s.worst_row = static_cast<int>(i);
    }
  }
  s.rows = static_cast<int>(ratios.size());
  std::sort(ratios.begin(), ratios.end());
  const std::size_t n = ratios.size();
  s.median = n == 0 ? not_known : 0.5 * (ratios[(n - 1) / 2] + ratios[n / 2]);
  if (n == 0) s.worst = not_known;
  return s;
}

}  // namespace daedalus
