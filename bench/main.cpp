// SPDX-License-Identifier: BSD-3-Clause
// daedalus_bench [--part=micro|derivatives|graph|models|work-precision|linear-algebra|compare]
//                [--out=FOLDER] [--commit=NAME] [--repetitions=N] [--models=FOLDER] [--only=NAME]
//                [Google Benchmark's options]
// --models is the folder of the example models, --only a row of the part `models`.
// Without --part all seven run; the comparison with peers comes last, where it is seen.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare.hpp"
#include "derivatives.hpp"
#include "graph_costs.hpp"
#include "micro.hpp"
#include "model_costs.hpp"
#include "saddle.hpp"
#include "work_precision.hpp"

namespace {

constexpr std::array<std::string_view, 7> parts{
    "micro", "derivatives", "graph", "models", "work-precision", "linear-algebra", "compare"};

struct Settings {
  std::string part, out = "build/bench", commit = "unknown", models = "examples/models", only;
  int repetitions = 21;
};

std::optional<std::string> value_of(std::string_view argument, std::string_view key) {
  if (!argument.starts_with(key)) return std::nullopt;
  return std::string(argument.substr(key.size()));
}

// The name of the first argument that is not understood, or nothing.
std::optional<std::string> read(int argc, char** argv, Settings& s) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (const auto part = value_of(argument, "--part=")) {
      s.part = *part;
      if (std::find(parts.begin(), parts.end(), s.part) != parts.end()) continue;
    } else if (const auto out = value_of(argument, "--out=")) {
      s.out = *out;
      continue;
    } else if (const auto models = value_of(argument, "--models=")) {
      s.models = *models;
      continue;
    } else if (const auto only = value_of(argument, "--only=")) {
      s.only = *only;
      continue;
    } else if (const auto commit = value_of(argument, "--commit=")) {
      s.commit = *commit;
      continue;
    } else if (const auto count = value_of(argument, "--repetitions=")) {
      const char* end = count->data() + count->size();
      const auto result = std::from_chars(count->data(), end, s.repetitions);
      if (result.ec == std::errc() && result.ptr == end && s.repetitions > 0) continue;
    }
    return std::string(argument);
  }
  return std::nullopt;
}

// Repetitions in random order: what disturbs the machine for a while then disturbs everyone. These
// come first, so that the user's own options win.
std::vector<char*> with_defaults(int argc, char** argv) {
  static std::string defaults[] = {"--benchmark_enable_random_interleaving=true",
                                   "--benchmark_repetitions=5", "--benchmark_min_time=0.05",
                                   "--benchmark_report_aggregates_only=true"};
  std::vector<char*> arguments{argv[0]};
  for (std::string& d : defaults) arguments.push_back(d.data());
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace daedalus::bench;
  std::vector<char*> arguments = with_defaults(argc, argv);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  Settings settings;
  if (const auto bad = read(count, arguments.data(), settings)) {
    fmt::print(stderr,
               "daedalus_bench: '{}' is not understood. Allowed: --part=micro|derivatives|graph|"
               "models|work-precision|linear-algebra|compare, --out=FOLDER, --commit=NAME, "
               "--repetitions=N (> 0), --models=FOLDER, --only=NAME, "
               "--benchmark_*\n",
               *bad);
    return 2;
  }
  try {
    const std::filesystem::path folder = settings.out;
    std::filesystem::create_directories(folder);
    const Provenance from = provenance(settings.commit);
    const auto wanted = [&](std::string_view part) {
      return settings.part.empty() || settings.part == part;
    };
    if (wanted("micro")) {
      register_micro();
      run_micro(folder, from);
    }
    if (wanted("derivatives")) derivatives(folder, from);
    if (wanted("graph")) graph_costs(folder, from);
    if (wanted("models"))
      model_costs(folder, settings.models, from, settings.repetitions, settings.only);
    if (wanted("work-precision"))
      fmt::print("work-precision: {} runs in {}\n", work_precision(folder, from),
                 (folder / "work-precision.csv").string());
    if (wanted("linear-algebra")) linear_algebra(folder, from, std::min(settings.repetitions, 5));
    if (wanted("compare")) {
      compare_with_peers(folder, from, settings.repetitions);
      compare_work(folder, from);
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "daedalus_bench: {}\n", e.what());
    return 1;
  }
  return 0;
}
