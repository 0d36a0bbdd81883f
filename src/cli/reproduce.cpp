// daedalus reproduce ID | --list | --all
#include <algorithm>
#include <map>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/json.hpp"
#include "cli/names.hpp"
#include "cli/numbers.hpp"
#include "cli/paper_plot.hpp"
#include "cli/plot.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"

namespace daedalus::cli {
namespace {

using experiments::Claim;
using experiments::Experiment;
using experiments::Verdict;

Json describe_claim(const Claim& claim) {
  return Json{{"id", claim.id},
              {"claim", claim.claim},
              {"expected", claim.expected},
              {"measured", claim.measured},
              {"tolerance", claim.tolerance},
              {"verdict", std::string(to_string(claim.verdict))},
              {"holds", claim.holds},
              {"remark", claim.remark}};
}

Json describe_experiment(const Experiment& experiment, const std::vector<Claim>& claims) {
  Json list = Json::array();
  for (const Claim& claim : claims) list.push_back(describe_claim(claim));
  return Json{{"id", experiment.id},
              {"title", experiment.title},
              {"source", experiment.source},
              {"claims", list}};
}

// What a source leaves open is no failure; a claim that can be measured and does not hold is one.
bool fails(const Claim& claim) {
  return !claim.holds && claim.verdict != Verdict::not_reproducible;
}

std::string painted(const Claim& claim, const Paint& paint) {
  const std::string verdict(to_string(claim.verdict));
  if (claim.verdict == Verdict::confirmed) return paint.good(verdict);
  return fails(claim) ? paint.bad(verdict) : verdict;
}

void print_claims(const Experiment& experiment, const std::vector<Claim>& claims, Session& io) {
  io.out << io.paint.bold(experiment.id) << ": " << experiment.title << '\n'
         << labelled("source", experiment.source);
  for (const Claim& claim : claims) {
    io.out << '\n' << labelled(claim.id, claim.claim);
    std::string numbers = painted(claim, io.paint);
    if (!claim.expected.is_null()) numbers += "; expected " + line(claim.expected);
    if (!claim.measured.is_null()) numbers += "; measured " + line(claim.measured);
    if (!claim.tolerance.is_null()) numbers += "; tolerance " + line(claim.tolerance);
    io.out << labelled("", numbers);
    if (!claim.remark.empty()) io.out << labelled("", claim.remark);
  }
}

experiments::Context context_of(Session& io) {
  return {.note = [&io](std::string_view text) {
    if (io.live) io.err << text << '\n';
  }};
}

int list_experiments(Session& io, bool as_json) {
  if (as_json) {
    Json json = document();
    json["experiments"] = Json::array();
    for (const Experiment& e : io.experiments)
      json["experiments"].push_back(Json{
          {"id", e.id}, {"title", e.title}, {"source", e.source}, {"seconds", number(e.seconds)}});
    print(io.out, json);
    return exit_success;
  }
  if (io.experiments.empty()) {
    io.out << "There are no experiments yet; they come with the method families.\n";
    return exit_success;
  }
  Table table({"id", "about", "source", "title"});
  for (const Experiment& e : io.experiments)
    table.add({e.id, brief_time(e.seconds), e.source, e.title});
  table.print(io.out);
  return exit_success;
}

// Pairs of expected and measured numbers, lists item by item.
void collect_numbers(const nlohmann::ordered_json& expected, const nlohmann::ordered_json& measured,
                     const std::string& name, Figure& figure) {
  if (expected.is_number() && measured.is_number()) {
    figure.x_names.push_back(name);
    const auto x = static_cast<double>(figure.x_names.size());
    for (Curve& curve : figure.curves) curve.x.push_back(x);
    figure.curves[0].y.push_back(expected.get<double>());
    figure.curves[1].y.push_back(measured.get<double>());
  } else if (expected.is_structured() && measured.is_structured() &&
             expected.size() == measured.size()) {
    auto e = expected.begin();
    auto m = measured.begin();
    for (std::size_t i = 0; i < expected.size(); ++i, ++e, ++m)
      collect_numbers(*e, *m, fmt::format("{} [{}]", name, i + 1), figure);
  }
}

void draw_claims(const Experiment& experiment, const std::vector<Claim>& claims,
                 const std::string& path) {
  constexpr std::size_t most_names = 60;  // more cannot be read
  Figure figure{.title = experiment.id + ": " + experiment.title,
                .subtitle = experiment.source,
                .y_label = "value",
                .curves = {{"expected", {}, {}}, {"measured", {}, {}}},
                .logarithmic_x = false,
                .points_only = true};
  for (const Claim& claim : claims)
    collect_numbers(claim.expected, claim.measured, claim.id, figure);
  if (figure.x_names.empty())
    throw FileError("'" + path + "' was not drawn: " + experiment.id +
                    " has no claim with numbers for both sides");
  double least = 1e300, largest = 0.0;
  for (const Curve& curve : figure.curves)
    for (const double y : curve.y) least = std::min(least, y), largest = std::max(largest, y);
  figure.logarithmic_y = least > 0.0 && largest > 100.0 * least;
  if (figure.x_names.size() > most_names)
    for (std::size_t i = 0; i < figure.x_names.size(); ++i)
      if (i % (figure.x_names.size() / most_names + 1) != 0) figure.x_names[i].clear();
  draw({figure}, path);
}

int reproduce_one(const std::string& id, Session& io, bool as_json, const std::string& plot) {
  std::vector<std::string> ids;
  for (const Experiment& experiment : io.experiments) {
    ids.push_back(experiment.id);
    if (experiment.id != id) continue;
    experiments::Context context = context_of(io);
    const std::vector<Claim> claims = measure(experiment, context);
    if (as_json) {
      Json json = document();
      json.update(describe_experiment(experiment, claims));
      print(io.out, json);
    } else {
      print_claims(experiment, claims, io);
    }
    if (!plot.empty()) draw_claims(experiment, claims, plot);
    for (const Claim& claim : claims)
      if (fails(claim)) return exit_run_failed;
    return exit_success;
  }
  throw InvalidArgument(unknown_name("experiment", id, ids, "daedalus reproduce --list"));
}

struct Tally {
  int confirmed = 0, deviates = 0, not_reproducible = 0;
  void count(Verdict verdict) {
    if (verdict == Verdict::confirmed) ++confirmed;
    if (verdict == Verdict::deviates) ++deviates;
    if (verdict == Verdict::not_reproducible) ++not_reproducible;
  }
};

void print_tallies(const std::map<std::string, Tally>& tallies, std::ostream& out) {
  Table table({"source", "confirmed", "deviates", "not reproducible"},
              {Align::left, Align::right, Align::right, Align::right});
  for (const auto& [source, tally] : tallies)
    table.add({source, std::to_string(tally.confirmed), std::to_string(tally.deviates),
               std::to_string(tally.not_reproducible)});
  table.print(out);
}

int reproduce_all(Session& io, bool as_json) {
  experiments::Context context = context_of(io);
  std::map<std::string, Tally> tallies;
  Json list = Json::array();
  bool failed = false;
  for (const Experiment& experiment : io.experiments) {
    const std::vector<Claim> claims = measure(experiment, context);
    for (const Claim& claim : claims) {
      tallies[experiment.source].count(claim.verdict);
      failed = failed || fails(claim);
      if (!as_json && fails(claim))
        io.out << experiment.id << ", "
               << labelled(claim.id + ": " + painted(claim, io.paint),
                           claim.claim + " " + claim.remark);
    }
    list.push_back(describe_experiment(experiment, claims));
  }
  if (as_json) {
    Json json = document();
    json["sources"] = Json::array();
    for (const auto& [source, tally] : tallies)
      json["sources"].push_back(Json{{"source", source},
                                     {"confirmed", tally.confirmed},
                                     {"deviates", tally.deviates},
                                     {"not-reproducible", tally.not_reproducible}});
    json["experiments"] = list;
    print(io.out, json);
  } else if (io.experiments.empty()) {
    return list_experiments(io, false);
  } else {
    print_tallies(tallies, io.out);
  }
  return failed ? exit_run_failed : exit_success;
}

}  // namespace

void add_reproduce(CLI::App& app, Session& session) {
  struct Settings {
    std::string id, plot;
    bool list = false, all = false, json = false;
  };
  const auto settings = std::make_shared<Settings>();
  CLI::App* command = app.add_subcommand("reproduce", "Measure published claims again and compare");
  CLI::Option* id = command->add_option("id", settings->id, "Experiment");
  CLI::Option* list = command->add_flag("--list", settings->list, "List the experiments");
  CLI::Option* all = command->add_flag("--all", settings->all, "Run all and count per source");
  CLI::Option* plot = command->add_option(
      "--plot", settings->plot,
      "Draw expected and measured numbers of one experiment, .svg or .pdf (needs gnuplot)");
  list->excludes(id)->excludes(all)->excludes(plot);
  all->excludes(id)->excludes(plot);
  command->add_flag("--json", settings->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  daedalus reproduce --list\n"
      "  daedalus reproduce wieloch-1\n"
      "  daedalus reproduce wieloch-2 --plot claims.svg\n"
      "Verdicts: confirmed, deviates, not-reproducible (the source does not say enough).\n"
      "Exit code 1 when a claim that can be measured does not hold.");
  command->callback([settings, &session] {
    session.action = [settings, &session] {
      if (settings->list) return list_experiments(session, settings->json);
      if (settings->all) return reproduce_all(session, settings->json);
      if (settings->id.empty())
        throw InvalidArgument("reproduce needs the id of an experiment, --list or --all");
      if (!settings->plot.empty()) check_picture_name(settings->plot);
      return reproduce_one(settings->id, session, settings->json, settings->plot);
    };
  });
}

}  // namespace daedalus::cli
