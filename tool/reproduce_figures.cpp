// SPDX-License-Identifier: BSD-3-Clause
#include "tool/reproduce_figures.hpp"

#include <ostream>

#include <fmt/format.h>

#include "reproduce/figures/figure.hpp"
#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/paper_plot.hpp"
#include "tool/plot.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

using experiments::DrawnFigure;
using experiments::FigureCurve;
using experiments::FigurePanel;
using experiments::SourceFigure;

const SourceFigure& figure_named(const std::string& id) {
  std::vector<std::string> ids;
  for (const SourceFigure& f : experiments::all_figures()) {
    if (f.id == id) return f;
    ids.push_back(f.id);
  }
  throw InvalidArgument(unknown_name("figure", id, ids, "daedalus reproduce --figures"));
}

std::vector<Figure> panels_of(const SourceFigure& figure, const DrawnFigure& drawn) {
  std::vector<Figure> panels;
  for (const FigurePanel& p : drawn.panels) {
    Figure f{.title = panels.empty() ? figure.id + ": " + figure.title : p.title,
             .subtitle = panels.empty() && !p.title.empty() ? p.title : "",
             .x_label = p.x_label,
             .y_label = p.y_label,
             .curves = {},
             .logarithmic_x = p.logarithmic_x,
             .logarithmic_y = p.logarithmic_y};
    for (const FigureCurve& c : p.curves) f.curves.push_back({c.name, c.x, c.y});
    panels.push_back(std::move(f));
  }
  return panels;
}

Json described(const SourceFigure& f) {
  return Json{{"id", f.id},
              {"source", f.source},
              {"title", f.title},
              {"says", f.says},
              {"seconds", number(f.seconds)}};
}

}  // namespace

int list_figures(Session& io, bool as_json) {
  if (as_json) {
    Json json = document();
    json["figures"] = Json::array();
    for (const SourceFigure& f : experiments::all_figures())
      json["figures"].push_back(described(f));
    print(io.out, json);
    return exit_success;
  }
  Table table({"id", "about", "source", "title"});
  for (const SourceFigure& f : experiments::all_figures())
    table.add({f.id, brief_time(f.seconds), f.source, f.title});
  table.print(io.out);
  return exit_success;
}

int reproduce_figure(const std::string& id, const std::filesystem::path& plot, Session& io,
                     bool as_json) {
  const SourceFigure& figure = figure_named(id);
  std::unique_ptr<AtomicFile> file;
  if (!plot.empty()) {
    if (find_gnuplot().empty())
      throw FileError("--plot needs gnuplot, which was not found (Debian package gnuplot)");
    file = picture_file(plot);
  }
  experiments::Context context{.note = [&io](std::string_view text) {
    if (io.live) io.err << text << '\n';
  }};
  const DrawnFigure drawn = figure.make(context);
  if (file) draw(panels_of(figure, drawn), *file);
  if (as_json) {
    Json json = document();
    json.update(described(figure));
    json["agrees"] = drawn.agrees;
    json["finding"] = drawn.finding;
    json["file"] = plot.string();
    print(io.out, json);
  } else {
    io.out << io.paint.bold(figure.id) << ": " << figure.title << '\n'
           << labelled("source", figure.source) << labelled("says", figure.says)
           << labelled(drawn.agrees ? "agrees" : "does not agree", drawn.finding);
  }
  return drawn.agrees ? exit_success : exit_run_failed;
}

}  // namespace daedalus::cli
