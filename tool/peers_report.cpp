// SPDX-License-Identifier: BSD-3-Clause
// What is said about our methods and other libraries.
#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "tool/numbers.hpp"
#include "tool/peers.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

std::string time_or_dash(double seconds) { return std::isnan(seconds) ? "-" : brief_time(seconds); }
std::string ratio_or_dash(double ratio) {
  return std::isnan(ratio) ? "-" : fmt::format("{:.2f}", ratio);
}
std::string name_or_dash(const std::string& name) { return name.empty() ? "-" : name; }

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Json describe_duels(const std::vector<bench::Duel>& duels) {
  Json list = Json::array();
  for (const bench::Duel& d : duels)
    list.push_back(Json{{"problem", d.problem},
                        {"mescd", d.mescd},
                        {"automatic", text_or_null(d.automatic)},
                        {"automatic_seconds", number(d.automatic_seconds)},
                        {"best", text_or_null(d.best)},
                        {"best_seconds", number(d.best_seconds)},
                        {"peer", text_or_null(d.peer)},
                        {"peer_seconds", number(d.peer_seconds)},
                        {"automatic_ratio", number(d.automatic_ratio())},
                        {"best_ratio", number(d.best_ratio())}});
  return list;
}

Json describe_standings(const std::vector<bench::Standing>& standings) {
  Json list = Json::array();
  for (const bench::Standing& s : standings)
    list.push_back(Json{{"mescd", s.mescd},
                        {"problems", s.problems},
                        {"automatic_mean", number(s.automatic_mean)},
                        {"best_mean", number(s.best_mean)},
                        {"worst", number(s.worst)},
                        {"worst_problem", text_or_null(s.worst_problem)},
                        {"won", s.won},
                        {"lost", s.lost}});
  return list;
}

void print_duels(const std::vector<bench::Duel>& duels, std::ostream& out) {
  for (const bench::Standing& s : bench::standings(duels)) {
    out << fmt::format("\nCPU time at {} digits (mescd)\n", s.mescd);
    Table table({"problem", "automatic choice", "time", "fastest of ours", "time", "fastest peer",
                 "time", "automatic / peer", "fastest / peer"},
                {Align::left, Align::left, Align::right, Align::left, Align::right, Align::left,
                 Align::right, Align::right, Align::right});
    for (const bench::Duel& d : duels)
      if (d.mescd == s.mescd)
        table.add({d.problem, name_or_dash(d.automatic), time_or_dash(d.automatic_seconds),
                   name_or_dash(d.best), time_or_dash(d.best_seconds), name_or_dash(d.peer),
                   time_or_dash(d.peer_seconds), ratio_or_dash(d.automatic_ratio()),
                   ratio_or_dash(d.best_ratio())});
    table.print(out);
    out << fmt::format("geometric mean over {} problems: automatic choice {}, fastest of ours {}\n",
                       s.problems, ratio_or_dash(s.automatic_mean), ratio_or_dash(s.best_mean));
    if (s.problems > 0)
      out << fmt::format("worst: {} ({})\n", ratio_or_dash(s.worst), s.worst_problem);
    if (!s.won.empty()) out << fmt::format("won, no peer gets there: {}\n", joined(s.won));
    if (!s.lost.empty())
      out << fmt::format("lost, the automatic choice does not get there: {}\n", joined(s.lost));
  }
}

}  // namespace daedalus::cli
