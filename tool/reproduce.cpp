// SPDX-License-Identifier: BSD-3-Clause
// daedalus reproduce ID ... | --list | --all | --figures | --figure ID
#include <algorithm>
#include <map>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/paper_plot.hpp"
#include "tool/plot.hpp"
#include "tool/progress.hpp"
#include "tool/reproduce_figures.hpp"
#include "tool/session.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

using experiments::Basis;
using experiments::Claim;
using experiments::Experiment;
using experiments::Verdict;

constexpr const char* without_experiments =
    "This tool has no experiments: it was built without them. 'make build' builds them all.";

Json describe_claim(const Claim& claim) {
  return Json{{"id", claim.id},
              {"claim", claim.claim},
              {"expected", claim.expected},
              {"measured", claim.measured},
              {"tolerance", claim.tolerance},
              {"verdict", std::string(to_string(claim.verdict))},
              {"holds", claim.holds},
              {"basis", claim.basis ? std::string(to_string(claim.basis->kind)) : ""},
              {"basis_where", claim.basis ? claim.basis->where : ""},
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
    if (claim.basis)
      io.out << labelled("",
                         fmt::format("{}: {}", to_string(claim.basis->kind), claim.basis->where));
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
    io.out << without_experiments << '\n';
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

// No names: no claim has numbers for both sides.
Figure figure_of(const Experiment& experiment, const std::vector<Claim>& claims) {
  constexpr std::size_t max_names = 60;     // more cannot be read
  constexpr std::size_t longest_name = 34;  // longer ones are cut off at the edge
  Figure figure{.title = experiment.id + ": " + experiment.title,
                .subtitle = experiment.source,
                .y_label = "value",
                .curves = {{"expected", {}, {}}, {"measured", {}, {}}},
                .logarithmic_x = false,
                .points_only = true};
  for (const Claim& claim : claims) {
    // The title names the experiment; what is left of long names fits below the axis.
    const bool prefixed = claim.id.rfind(experiment.id + ".", 0) == 0;
    std::string name = prefixed ? claim.id.substr(experiment.id.size() + 1) : claim.id;
    if (name.size() > longest_name) name = name.substr(0, longest_name - 3) + "...";
    collect_numbers(claim.expected, claim.measured, name, figure);
  }
  double least = 1e300, largest = 0.0;
  for (const Curve& curve : figure.curves)
    for (const double y : curve.y) least = std::min(least, y), largest = std::max(largest, y);
  figure.logarithmic_y = least > 0.0 && largest > 100.0 * least;
  if (figure.x_names.size() > max_names)
    for (std::size_t i = 0; i < figure.x_names.size(); ++i)
      if (i % (figure.x_names.size() / max_names + 1) != 0) figure.x_names[i].clear();
  return figure;
}

// A name that ends in .svg or .pdf is the picture of one experiment, another one a folder.
bool names_picture(const std::filesystem::path& path) {
  return path.extension() == ".svg" || path.extension() == ".pdf";
}

void check_plot(const std::filesystem::path& path, std::size_t experiments) {
  if (path.empty()) return;
  if (names_picture(path) && experiments > 1)
    throw InvalidArgument(fmt::format(
        "--plot has '{}', one picture for {} experiments; give a folder, which gets a picture of "
        "each",
        path.string(), experiments));
  if (!names_picture(path) && path.has_extension() && !std::filesystem::is_directory(path))
    check_picture_name(path);
  if (std::filesystem::exists(path) && !names_picture(path) && !std::filesystem::is_directory(path))
    throw FileError("'" + path.string() + "' is a file; --plot needs a folder, or .svg or .pdf");
  if (find_gnuplot().empty())
    throw FileError("--plot needs gnuplot, which was not found (Debian package gnuplot)");
  if (names_picture(path)) AtomicFile{path};  // can it be written?
}

void draw_claims(const Experiment& experiment, const std::vector<Claim>& claims,
                 const std::filesystem::path& path, Session& io) {
  if (path.empty()) return;
  const Figure figure = figure_of(experiment, claims);
  const std::string nothing = experiment.id + " has no claim with numbers for both sides";
  if (names_picture(path)) {
    if (figure.x_names.empty())
      throw FileError("'" + path.string() + "' was not drawn: " + nothing);
    AtomicFile file(path);
    draw({figure}, file);
    return;
  }
  if (figure.x_names.empty()) {
    io.err << "not drawn: " << nothing << '\n';
    return;
  }
  std::filesystem::create_directories(path);
  for (const char* ending : {".svg", ".pdf"}) {
    AtomicFile file(path / (experiment.id + ending));
    draw({figure}, file);
  }
}

// An experiment, or all of a family: "wieloch" stands for wieloch-1, wieloch-2, ...
std::vector<const Experiment*> chosen(const std::vector<std::string>& words, const Session& io) {
  std::vector<const Experiment*> list;
  const auto add = [&](const Experiment& e) {
    if (std::find(list.begin(), list.end(), &e) == list.end()) list.push_back(&e);
  };
  for (const std::string& word : words) {
    std::vector<std::string> ids;
    bool known = false;
    for (const Experiment& e : io.experiments) {
      ids.push_back(e.id);
      if (e.id != word && e.id.rfind(word + "-", 0) != 0) continue;
      known = true;
      add(e);
    }
    if (!known)
      throw InvalidArgument(unknown_name("experiment", word, ids, "daedalus reproduce --list"));
  }
  return list;
}

int reproduce_one(const Experiment& experiment, Session& io, bool as_json,
                  const std::string& plot) {
  experiments::Context context = context_of(io);
  const std::vector<Claim> claims = measure(experiment, context);
  if (as_json) {
    Json json = document();
    json.update(describe_experiment(experiment, claims));
    print(io.out, json);
  } else {
    print_claims(experiment, claims, io);
  }
  draw_claims(experiment, claims, plot, io);
  return std::any_of(claims.begin(), claims.end(), fails) ? exit_run_failed : exit_success;
}

struct Tally {
  int confirmed = 0, deviates = 0, not_reproducible = 0;
  void count(Verdict verdict) {
    if (verdict == Verdict::confirmed) ++confirmed;
    if (verdict == Verdict::deviates) ++deviates;
    if (verdict == Verdict::not_reproducible) ++not_reproducible;
  }
  Json json() const {
    return Json{
        {"confirmed", confirmed}, {"deviates", deviates}, {"not-reproducible", not_reproducible}};
  }
};

// Verdicts per source, and per basis over all sources: what agrees with numbers of our own does not
// agree with the source by that.
struct Tallies {
  std::map<std::string, Tally> sources{};
  std::map<Basis::Kind, Tally> bases{};

  void count(const std::string& source, const Claim& claim) {
    sources[source].count(claim.verdict);
    if (claim.basis) bases[claim.basis->kind].count(claim.verdict);
  }
  void write(Json& json) const {
    json["sources"] = Json::array();
    for (const auto& [source, tally] : sources) {
      Json row{{"source", source}};
      row.update(tally.json());
      json["sources"].push_back(row);
    }
    json["bases"] = Json::object();
    for (const auto& [kind, tally] : bases)
      json["bases"][std::string(to_string(kind))] = tally.json();
  }
  void print(std::ostream& out) const {
    const auto table = [&out](const char* what, const auto& rows, const auto& name) {
      Table t({what, "confirmed", "deviates", "not reproducible"},
              {Align::left, Align::right, Align::right, Align::right});
      for (const auto& [key, tally] : rows)
        t.add({name(key), std::to_string(tally.confirmed), std::to_string(tally.deviates),
               std::to_string(tally.not_reproducible)});
      t.print(out);
    };
    table("source", sources, [](const std::string& s) { return s; });
    out << '\n';
    table("basis", bases, [](Basis::Kind kind) { return std::string(to_string(kind)); });
  }
};

// In full: every claim is printed, else those that fail.
int reproduce_several(const std::vector<const Experiment*>& experiments, Session& io, bool as_json,
                      bool in_full, const std::string& plot) {
  experiments::Context context = context_of(io);
  Tallies tallies;
  Json list = Json::array();
  bool failed = false;
  for (const Experiment* one : experiments) {
    if (InterruptGuard::requested()) break;
    const Experiment& experiment = *one;
    const std::vector<Claim> claims = measure(experiment, context);
    if (!as_json && in_full) {
      print_claims(experiment, claims, io);
      io.out << '\n';
    }
    for (const Claim& claim : claims) {
      tallies.count(experiment.source, claim);
      failed = failed || fails(claim);
      if (!as_json && !in_full && fails(claim))
        io.out << experiment.id << ", "
               << labelled(claim.id + ": " + painted(claim, io.paint),
                           claim.claim + " " + claim.remark);
    }
    list.push_back(describe_experiment(experiment, claims));
    draw_claims(experiment, claims, plot, io);
  }
  if (as_json) {
    Json json = document();
    tallies.write(json);
    json["experiments"] = list;
    mark_interrupted(json);
    print(io.out, json);
  } else {
    tallies.print(io.out);
  }
  if (InterruptGuard::requested()) return say_interrupted(io);
  return failed ? exit_run_failed : exit_success;
}

}  // namespace

void add_reproduce(CLI::App& app, Session& session) {
  struct Settings {
    std::vector<std::string> ids;
    std::string plot, figure;
    bool list = false, all = false, figures = false, json = false;
  };
  const auto settings = std::make_shared<Settings>();
  CLI::App* command = app.add_subcommand("reproduce", "Measure published claims again and compare");
  CLI::Option* id = command->add_option("id", settings->ids,
                                        "Experiments, or the first word of a family of them");
  CLI::Option* list = command->add_flag("--list", settings->list, "List the experiments");
  CLI::Option* all = command->add_flag("--all", settings->all, "Run all and count per source");
  CLI::Option* plot = command->add_option("--plot", settings->plot,
                                          "Draw expected and measured numbers: .svg or .pdf for "
                                          "one experiment, a folder that gets both "
                                          "of each for several (needs gnuplot)");
  CLI::Option* figures =
      command->add_flag("--figures", settings->figures, "List the figures of the sources");
  CLI::Option* figure =
      command->add_option("--figure", settings->figure, "A figure of a source with our data");
  list->excludes(id)->excludes(all)->excludes(plot);
  all->excludes(id);
  figures->excludes(id)->excludes(all)->excludes(list)->excludes(plot)->excludes(figure);
  figure->excludes(id)->excludes(all)->excludes(list);
  command->add_flag("--json", settings->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  daedalus reproduce --list\n"
      "  daedalus reproduce wieloch-1\n"
      "  daedalus reproduce wieloch-2 --plot claims.svg\n"
      "  daedalus reproduce wieloch-1 wieloch-2 --plot figures\n"
      "  daedalus reproduce --figure wieloch-6.3 --plot x.svg\n"
      "Verdicts: confirmed, deviates, not-reproducible (the source does not say enough).\n"
      "Bases: printed in the source, read off a figure, theorem, own (computed or derived by us "
      "with other code), public (test set).\n"
      "Exit code 1 when a claim that can be measured does not hold.");
  command->callback([settings, &session] {
    session.action = [settings, &session] {
      if (settings->list) return list_experiments(session, settings->json);
      if (settings->figures) return list_figures(session, settings->json);
      if (session.experiments.empty()) throw InvalidArgument(without_experiments);
      if (!settings->figure.empty())
        return reproduce_figure(settings->figure, settings->plot, session, settings->json);
      std::vector<const Experiment*> experiments;
      if (settings->all)
        for (const Experiment& e : session.experiments) experiments.push_back(&e);
      else
        experiments = chosen(settings->ids, session);
      check_plot(settings->plot, experiments.size());
      if (settings->all || experiments.size() > 1)
        return reproduce_several(experiments, session, settings->json, !settings->all,
                                 settings->plot);
      if (experiments.empty())
        throw InvalidArgument("reproduce needs the id of an experiment, --list or --all");
      return reproduce_one(*experiments.front(), session, settings->json, settings->plot);
    };
  });
}

}  // namespace daedalus::cli
