// SPDX-License-Identifier: BSD-3-Clause
// daedalus_soak: random problems with known solutions against every method that claims them.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "soak/regret.hpp"
#include "soak/soak.hpp"

namespace {

using namespace daedalus::soak;

constexpr const char* usage =
    "daedalus_soak [--runs N] [--class NAME]... [--seed S] [--threads N] [--method NAME]\n"
    "              [--tolerance T] [--limit SECONDS] [--bad N] [--json] [--list]\n"
    "              [--only SEED]   one run of one class with all that it says\n"
    "              [--regret N]    costs of the automatic choice on N problems\n"
    "Exit codes: 0 nothing wrong, 1 wrong answers, failures or hangs, 2 usage, 3 crash, 4 hang.\n";

struct Arguments {
  SoakSettings settings{};
  bool json = false, list = false, only = false;
  std::size_t bad = 3;
  int regret = 0;
};

Arguments read(int count, char** words) {
  Arguments a;
  a.settings.runs = 10000;
  for (int i = 1; i < count; ++i) {
    const std::string key = words[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= count) throw std::invalid_argument(key + " needs a value");
      return words[++i];
    };
    if (key == "--runs")
      a.settings.runs = std::stol(value());
    else if (key == "--seed")
      a.settings.seed = std::stoull(value());
    else if (key == "--threads")
      a.settings.threads = std::stoi(value());
    else if (key == "--method")
      a.settings.method = value();
    else if (key == "--tolerance")
      a.settings.tolerance = std::stod(value());
    else if (key == "--limit")
      a.settings.max_seconds = std::stod(value());
    else if (key == "--bad")
      a.bad = std::stoul(value());
    else if (key == "--regret")
      a.regret = std::stoi(value());
    else if (key == "--json")
      a.json = true;
    else if (key == "--list")
      a.list = true;
    else if (key == "--only")
      a.settings.seed = std::stoull(value()), a.only = true;
    else if (key == "--class") {
      const std::string name = value();
      const ProblemClass* c = find_class(name);
      if (!c) throw std::invalid_argument("there is no class '" + name + "'; see --list");
      a.settings.classes.push_back(c);
    } else
      throw std::invalid_argument("unknown option " + key);
  }
  if (a.settings.classes.empty())
    for (const ProblemClass& c : all_classes()) a.settings.classes.push_back(&c);
  if (a.settings.runs < 1 || a.settings.threads < 1)
    throw std::invalid_argument("--runs and --threads have to be positive");
  return a;
}

int replay(const SoakSettings& settings) {
  bool good = true;
  for (const ProblemClass* c : settings.classes) {
    const RunResult r = run_one({.problem_class = c,
                                 .seed = settings.seed,
                                 .method = settings.method,
                                 .tolerance = settings.tolerance,
                                 .max_seconds = settings.max_seconds});
    print_run(std::cout, c->name, r);
    std::cout << fmt::format("  index {}, found {}\n  {}: {}\n", r.index, r.index_found,
                             daedalus::to_string(r.status), r.message);
    for (const std::string& w : r.warnings) std::cout << "  warning: " << w << '\n';
    good = good && r.verdict == Verdict::good;
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  Arguments a;
  try {
    a = read(count, words);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n' << usage;
    return 2;
  }
  if (a.list) {
    for (const ProblemClass& c : all_classes())
      std::cout << fmt::format("{:<15} {}\n", c.name, c.description);
    return 0;
  }
  if (a.only) return replay(a.settings);
  if (a.regret > 0) {
    print_regret(std::cout, measure_regret(a.settings, a.regret));
    return 0;
  }
  const std::vector<Tally> tallies = soak(a.settings);
  if (a.json) {
    print_json(std::cout, tallies, a.settings.seed);
  } else {
    std::cout << fmt::format("seed {}, {} runs\n", a.settings.seed, a.settings.runs);
    print_table(std::cout, tallies);
    print_messages(std::cout, tallies);
    print_bad(std::cout, tallies, a.bad);
  }
  for (const Tally& t : tallies)
    if (t.runs != t.of(Verdict::good)) return 1;
  return 0;
}
