// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <sstream>

#include "tool/shell.hpp"

namespace daedalus::cli {
namespace {

// Every line is run by the tests, so that none of them grows old.
const std::map<std::string, std::string>& examples() {
  static const std::map<std::string, std::string> all{
      {"list",
       "  daedalus list problems\n"
       "  daedalus list methods --json\n"},
      {"show",
       "  daedalus show andrews\n"
       "  daedalus show bdf\n"},
      {"solve",
       "  daedalus solve pendulum\n"
       "  daedalus solve andrews --method bdf --formulation ggl --rtol 1e-8\n"
       "  daedalus solve robertson --out run.csv --plot run.pdf\n"
       "  daedalus solve pendulum --points 201 --out run.npz\n"
       "  daedalus solve pendulum --at 1,2,5\n"
       "  daedalus solve car-axis --out run.json --checkpoint run.check\n"},
      {"check",
       "  daedalus check pendulum\n"
       "  daedalus check steinebach-1 --t-end 2 --along 8\n"},
      {"check-table", "  daedalus check-table --method rodas4\n"},
      {"convert",
       "  daedalus solve pendulum --quiet --out states.npz\n"
       "  daedalus convert states.npz states.csv\n"},
      {"explain", "  daedalus explain robertson --rtol 1e-4\n"},
      {"eigen", "  daedalus eigen pendulum --at 0\n"},
      {"sensitivity",
       "  daedalus sensitivity robertson --parameters k1,k2 --t-end 40\n"
       "  daedalus sensitivity akzo --parameters k1,k2,klA --scaled --at 60,120 --json\n"
       "  daedalus sensitivity robertson --parameters k1 --check\n"},
      {"perturb", "  daedalus perturb pendulum --formulation index2 --method bdf\n"},
      {"completion",
       "  daedalus completion bash\n"
       "  daedalus completion zsh\n"},
      {"man", "  daedalus man\n"},
  };
  return all;
}

constexpr const char* headline = "Examples:\n";

}  // namespace

void add_examples(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    const auto found = examples().find(command->get_name());
    if (found == examples().end() || command->get_footer().find(headline) != std::string::npos)
      continue;
    command->footer(headline + found->second + command->get_footer());
  }
}

std::vector<std::string> examples_of(const CLI::App& command) {
  std::vector<std::string> list;
  const std::string footer = command.get_footer();
  const std::size_t begin = footer.find(headline);
  if (begin == std::string::npos) return list;
  std::istringstream lines(footer.substr(begin + std::string(headline).size()));
  for (std::string line; std::getline(lines, line) && line.rfind("  daedalus ", 0) == 0;)
    list.push_back(line.substr(2));
  return list;
}

}  // namespace daedalus::cli
