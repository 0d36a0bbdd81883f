// SPDX-License-Identifier: BSD-3-Clause
#include "tool/regret.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/formulation.hpp>
#include <daedalus/recommend.hpp>
#include <daedalus/solve.hpp>

#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/progress.hpp"
#include "tool/reference.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr double hopeless = 10.0;  // times the fastest so far: the run is broken off
constexpr double too_slow = 3.0;   // in a single run: not repeated

double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Contender {
  std::string method, formulation;
  std::string solver{}, solver_formulation{}, status{};
  double seconds = std::numeric_limits<double>::infinity(), mescd = not_known;
  bool ok = false;
};

class Arena {
 public:
  Arena(const problems::Entry& entry, double tol, long max_steps)
      : entry_(entry), problem_(entry.problem()) {
    options_.rtol = tol;
    options_.atol = tol;
    options_.output = Output::end;
    options_.max_steps = max_steps;
    if (!entry.atol_scale.empty()) {
      const Solution names = solve(problem_, {entry.t0, entry.t0}, options_);
      const auto& list = names.variables().names;
      Eigen::VectorXd each = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(list.size()), tol);
      for (std::size_t i = 0; i < list.size(); ++i)
        if (const auto f = entry.atol_scale.find(list[i]); f != entry.atol_scale.end())
          each[static_cast<Eigen::Index>(i)] *= f->second;
      options_.atol = each;
    }
  }

  bool fits(const Contender& c) const {
    try {
      recommend(problem_, with(c));
      return true;
    } catch (const InvalidArgument&) {
      return false;
    }
  }

  void run(Contender& c, double limit) const {
    Options o = with(c);
    const double begin = cpu_now();
    // Asking the clock in every step would be seen in the time.
    o.cancel = InterruptGuard::requested;
    if (std::isfinite(limit))
      o.cancel = [&] { return InterruptGuard::requested() || cpu_now() - begin > limit; };
    try {
      const Solution s = solve(problem_, {entry_.t0, entry_.t_end}, o);
      c.seconds = std::min(c.seconds, cpu_now() - begin);
      c.ok = s.ok();
      c.status = to_string(s.status());
      c.solver = s.choice().method;
      c.solver_formulation = s.choice().formulation;
      const ChosenParameters standard = choose_parameters(entry_, {});
      if (const auto target = target_at(entry_, standard, s.end_time()); target && s.ok()) {
        const ModelState end = s.end();
        c.mescd = measure_error(end.view(), *target, o.rtol, o.atol).mescd;
      }
    } catch (const InvalidArgument& e) {
      c.ok = false;
      c.status = e.what();
    } catch (const std::exception&) {
      c.ok = false;
      c.status = to_string(Status::callback_failed);
    }
  }

  std::vector<std::string> formulations() const {
    if (!std::holds_alternative<MultibodyProblem>(problem_)) {
      std::vector<std::string> list{"auto"};
      for (const Formulation& f : all_formulations())
        if (f.name != "regularised") list.push_back(f.name);
      return list;
    }
    std::vector<std::string> list;
    for (const Formulation& f : all_formulations())
      if (f.name != "regularised") list.push_back(f.name);  // another problem
    return list;
  }

 private:
  Options with(const Contender& c) const {
    Options o = options_;
    o.method = c.method;
    o.formulation = c.formulation;
    return o;
  }
  const problems::Entry& entry_;
  Problem problem_;
  Options options_;
};

Regret measure_one(const problems::Entry& entry, double tol, const RegretSettings& settings) {
  const Arena arena(entry, tol, settings.max_steps);
  const double enough = -std::log10(tol) - 1.0;
  Contender chosen{"auto", "auto"};
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  arena.run(chosen, unlimited);
  double fastest = chosen.ok && chosen.mescd >= enough ? chosen.seconds
                                                       : std::numeric_limits<double>::infinity();
  std::vector<Contender> field;
  int reached = 0;
  for (const Method* m : all_methods()) {
    if (!settings.methods.empty() && std::find(settings.methods.begin(), settings.methods.end(),
                                               m->name) == settings.methods.end())
      continue;
    for (const std::string& formulation : arena.formulations()) {
      Contender c{m->name, formulation};
      if (!arena.fits(c)) continue;
      arena.run(c, hopeless * fastest);
      if (!c.ok || !(c.mescd >= enough)) continue;
      ++reached;
      fastest = std::min(fastest, c.seconds);
      field.push_back(std::move(c));
    }
  }
  std::erase_if(field, [&](const Contender& c) { return c.seconds > too_slow * fastest; });
  // The first runs have chosen the field; now all are measured alike.
  chosen.seconds = unlimited;
  for (Contender& c : field) c.seconds = unlimited;
  for (int k = 0; k < settings.repetitions; ++k) {
    arena.run(chosen, unlimited);
    for (Contender& c : field) arena.run(c, unlimited);
  }
  Regret r;
  r.problem = entry.name;
  r.rtol = tol;
  r.chosen = chosen.solver;
  r.chosen_formulation = chosen.solver_formulation;
  r.status = chosen.status;
  r.chosen_seconds = chosen.seconds;
  r.chosen_mescd = chosen.mescd;
  r.competitors = reached;
  r.failed = !chosen.ok && reached > 0;
  const auto best = std::min_element(
      field.begin(), field.end(),
      [](const Contender& a, const Contender& b) { return a.seconds < b.seconds; });
  if (best != field.end()) {
    r.best = best->solver;
    r.best_formulation = best->solver_formulation;
    r.best_seconds = best->seconds;
    r.best_mescd = best->mescd;
  }
  if (!chosen.ok) r.chosen_seconds = not_known;
  return r;
}

std::string with_formulation(const std::string& method, const std::string& formulation) {
  return formulation.empty() ? method : method + " " + formulation;
}

}  // namespace

double Regret::ratio() const {
  return best.empty() || !(best_seconds > 0.0) ? not_known : chosen_seconds / best_seconds;
}

std::vector<Regret> measure_regret(const problems::Entry& entry, const RegretSettings& settings) {
  std::vector<Regret> rows;
  for (const double tol : settings.tolerances) rows.push_back(measure_one(entry, tol, settings));
  return rows;
}

RegretSummary summarise(const std::vector<Regret>& rows) {
  RegretSummary s;
  std::vector<double> ratios;
  for (const Regret& r : rows) {
    s.failures += r.failed;
    const double ratio = r.ratio();
    if (std::isnan(ratio)) continue;
    ratios.push_back(ratio);
    if (ratio > s.worst) {
      s.worst = ratio;
      s.worst_at = fmt::format("{} at {:.0e}", r.problem, r.rtol);
    }
  }
  s.rows = static_cast<int>(ratios.size());
  std::sort(ratios.begin(), ratios.end());
  const std::size_t n = ratios.size();
  s.median = n == 0 ? not_known : 0.5 * (ratios[(n - 1) / 2] + ratios[n / 2]);
  if (n == 0) s.worst = not_known;
  return s;
}

Json describe_regret(const std::vector<Regret>& rows) {
  Json list = Json::array();
  for (const Regret& r : rows)
    list.push_back(Json{{"problem", r.problem},
                        {"rtol", number(r.rtol)},
                        {"chosen", r.chosen},
                        {"chosen_formulation", text_or_null(r.chosen_formulation)},
                        {"chosen_status", r.status},
                        {"chosen_mescd", number(r.chosen_mescd)},
                        {"chosen_seconds", number(r.chosen_seconds)},
                        {"best", text_or_null(r.best)},
                        {"best_formulation", text_or_null(r.best_formulation)},
                        {"best_mescd", r.best.empty() ? Json() : number(r.best_mescd)},
                        {"best_seconds", r.best.empty() ? Json() : number(r.best_seconds)},
                        {"competitors", r.competitors},
                        {"failed", r.failed},
                        {"ratio", number(r.ratio())}});
  return list;
}

void print_regret(const std::vector<Regret>& rows, std::ostream& out) {
  Table table(
      {"problem", "rtol", "chosen", "mescd", "seconds", "cheapest", "mescd", "seconds", "ratio"},
      {Align::left, Align::right, Align::left, Align::right, Align::right, Align::left,
       Align::right, Align::right, Align::right});
  const auto shown = [](double x, const char* format) {
    return std::isnan(x) ? std::string("-") : fmt::format(fmt::runtime(format), x);
  };
  for (const Regret& r : rows)
    table.add({r.problem, fmt::format("{:.0e}", r.rtol),
               r.status == "success" ? with_formulation(r.chosen, r.chosen_formulation) : r.status,
               shown(r.chosen_mescd, "{:.2f}"), shown(r.chosen_seconds, "{:.2e}"),
               r.best.empty() ? "-" : with_formulation(r.best, r.best_formulation),
               r.best.empty() ? "-" : shown(r.best_mescd, "{:.2f}"),
               r.best.empty() ? "-" : shown(r.best_seconds, "{:.2e}"), shown(r.ratio(), "{:.2f}")});
  table.print(out);
  const RegretSummary s = summarise(rows);
  out << fmt::format("median {}, worst {}{}; {} failure{} where a competitor succeeds\n",
                     shown(s.median, "{:.2f}"), shown(s.worst, "{:.2f}"),
                     s.worst_at.empty() ? "" : " (" + s.worst_at + ")", s.failures,
                     s.failures == 1 ? "" : "s");
}

int regret_command(const std::vector<std::string>& names, const RegretSettings& settings, bool json,
                   Session& io) {
  std::vector<const problems::Entry*> entries;
  for (const std::string& name : names) entries.push_back(&require_problem(name));
  if (names.empty())
    for (const problems::Entry* e : problems::all_problems())
      if (e->in_suite("core")) entries.push_back(e);
  std::vector<Regret> rows;
  RunsLine line(io.err, io.live, entries.size() * settings.tolerances.size());
  for (const problems::Entry* e : entries)
    for (const double tol : settings.tolerances) {
      if (InterruptGuard::requested()) break;
      line.begin(fmt::format("{} at {}", e->name, brief(tol)));
      Regret row = measure_one(*e, tol, settings);
      if (!InterruptGuard::requested()) rows.push_back(std::move(row));  // it ended by itself
    }
  line.done();
  const int code = InterruptGuard::requested() ? say_interrupted(io) : exit_success;
  if (!json) {
    print_regret(rows, io.out);
    return code;
  }
  const RegretSummary s = summarise(rows);
  Json answer = document();
  answer["runs"] = Json::array();
  answer["regret"] = describe_regret(rows);
  answer["summary"] = Json{{"rows", s.rows},
                           {"median", number(s.median)},
                           {"worst", number(s.worst)},
                           {"worst_at", text_or_null(s.worst_at)},
                           {"failures", s.failures}};
  mark_interrupted(answer);
  print(io.out, answer);
  return code;
}

}  // namespace daedalus::cli
