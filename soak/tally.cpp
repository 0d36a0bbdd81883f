// SPDX-License-Identifier: BSD-3-Clause
#include "soak/tally.hpp"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <ostream>

namespace daedalus::soak {

std::string beginning(const std::string& message) {
  constexpr std::size_t length = 110;
  std::string out;
  for (std::size_t i = 0; i < message.size() && out.size() < length; ++i) {
    const char c = message[i];
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      out += c;
      continue;
    }
    out += '#';
    while (i + 1 < message.size() &&
           (std::isdigit(static_cast<unsigned char>(message[i + 1])) != 0 ||
            (message[i + 1] == '.' && i + 2 < message.size() &&
             std::isdigit(static_cast<unsigned char>(message[i + 2])) != 0) ||
            message.compare(i + 1, 2, "e-") == 0 || message.compare(i + 1, 2, "e+") == 0))
      i += message[i + 1] == 'e' ? 2 : 1;
  }
  return out;
}

void Tally::add(const RunResult& r) {
  ++runs;
  ++verdicts[static_cast<std::size_t>(r.verdict)];
  seconds += r.seconds;
  if (r.index_found != -1) {
    ++index_checked;
    if (r.index_found != r.index) {
      if (index_wrong++ == 0) index_seed = r.seed;
    }
  }
  const bool ended =
      r.verdict == Verdict::good || r.verdict == Verdict::silent || r.verdict == Verdict::warned;
  if (ended && r.error > worst) worst = r.error, worst_seed = r.seed;
  if (r.verdict == Verdict::good) return;
  bad.push_back(r);
  if (r.verdict == Verdict::silent) return;
  const std::string& said =
      r.verdict == Verdict::warned && !r.warnings.empty() ? r.warnings.front() : r.message;
  Words& words = messages[fmt::format("{}: {}: {}", to_string(r.verdict),
                                      daedalus::to_string(r.status), beginning(said))];
  if (words.count++ == 0) words.seed = r.seed, words.example = said;
}

void print_table(std::ostream& out, const std::vector<Tally>& tallies) {
  out << fmt::format("{:<15} {:>7} {:>6} {:>6} {:>6} {:>7} {:>5} {:>9} {:>10} {:>13} {:>8}\n",
                     "class", "runs", "silent", "warned", "failed", "refused", "hung", "worst",
                     "seed", "index wrong", "seconds");
  for (const Tally& t : tallies)
    out << fmt::format(
        "{:<15} {:>7} {:>6} {:>6} {:>6} {:>7} {:>5} {:>9.1e} {:>10} {:>13} {:>8.1f}\n", t.name,
        t.runs, t.of(Verdict::silent), t.of(Verdict::warned), t.of(Verdict::failed),
        t.of(Verdict::refused), t.of(Verdict::hung), t.worst, t.worst_seed,
        fmt::format("{} of {}", t.index_wrong, t.index_checked), t.seconds);
}

void print_messages(std::ostream& out, const std::vector<Tally>& tallies) {
  for (const Tally& t : tallies)
    for (const auto& [text, words] : t.messages)
      out << fmt::format("{:>6} {} (seed {}) {}\n", words.count, t.name, words.seed, text);
}

void print_run(std::ostream& out, const std::string& name, const RunResult& r) {
  out << fmt::format(
      "{} seed {}: {}; {} ({}), tolerance {:.2e}, output {}, {} steps, error {:.2e} tolerances "
      "({}); {}\n",
      name, r.seed, to_string(r.verdict), r.method, r.solver, r.tolerance, r.output, r.steps,
      r.error, r.worst, r.description);
}

void print_bad(std::ostream& out, const std::vector<Tally>& tallies, std::size_t limit) {
  for (const Tally& t : tallies)
    for (std::size_t i = 0; i < t.bad.size() && i < limit; ++i) print_run(out, t.name, t.bad[i]);
}

void print_json(std::ostream& out, const std::vector<Tally>& tallies, std::uint64_t seed) {
  using Json = nlohmann::ordered_json;
  Json document{{"version", 1}, {"seed", seed}, {"classes", Json::array()}};
  for (const Tally& t : tallies) {
    Json c{{"class", t.name}, {"runs", t.runs}};
    for (int v = 0; v < verdict_count; ++v)
      c[std::string(to_string(static_cast<Verdict>(v)))] = t.verdicts[static_cast<std::size_t>(v)];
    c["worst"] = t.worst;
    c["worst_seed"] = t.worst_seed;
    c["index_checked"] = t.index_checked;
    c["index_wrong"] = t.index_wrong;
    if (t.index_wrong > 0) c["index_seed"] = t.index_seed;
    c["messages"] = Json::array();
    for (const auto& [text, words] : t.messages)
      c["messages"].push_back(
          {{"count", words.count}, {"seed", words.seed}, {"text", words.example}});
    c["bad"] = Json::array();
    for (const RunResult& r : t.bad)
      c["bad"].push_back({{"seed", r.seed},
                          {"verdict", std::string(to_string(r.verdict))},
                          {"method", r.method},
                          {"tolerance", r.tolerance},
                          {"error", r.error},
                          {"worst", r.worst},
                          {"message", r.message}});
    document["classes"].push_back(c);
  }
  out << document.dump(2) << '\n';
}

}  // namespace daedalus::soak
