// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "micro.hpp"

namespace daedalus::bench {
namespace {

double counter(const benchmark::BenchmarkReporter::Run& run, const char* name) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() ? -1.0 : static_cast<double>(found->second.value);
}

std::string written(double value, const char* form) {
  return value < 0.0 ? std::string() : fmt::format(fmt::runtime(form), value);
}

// One line per benchmark, the median of its repetitions, in the order of registration: with random
// interleaving Google Benchmark's own table has neither. CPU time, because the machine may be busy.
class Reporter final : public benchmark::BenchmarkReporter {
 public:
  Reporter(const std::filesystem::path& folder, const Provenance& from)
      : csv_(folder / "micro.csv",
             "benchmark,cpu_time,real_time,unit,seconds_per_step,steps,rejected,evaluations,"
             "factorisations,directions",
             from) {}

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.error_occurred || run.aggregate_name.empty() || run.aggregate_name == "median")
        runs_.push_back(run);
  }

  void Finalize() override {
    std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
      return std::tie(a.family_index, a.per_family_instance_index) <
             std::tie(b.family_index, b.per_family_instance_index);
    });
    fmt::print("{:<44} {:>12} {:>8} {:>9} {:>8} {:>7}\n", "benchmark (median CPU time)", "time",
               "us/step", "steps", "f", "LU");
    for (const Run& run : runs_) {
      const std::string name = run.run_name.str(), unit = GetTimeUnitString(run.time_unit);
      if (run.error_occurred) {
        fmt::print("{:<44} failed: {}\n", name, run.error_message);
        continue;
      }
      const double per_step = counter(run, "per_step");
      fmt::print("{:<44} {:>9.4g} {:<2} {:>8} {:>9} {:>8} {:>7}\n", name, run.GetAdjustedCPUTime(),
                 unit, written(1e6 * per_step, "{:.3f}"), written(counter(run, "steps"), "{:.0f}"),
                 written(counter(run, "f"), "{:.0f}"), written(counter(run, "LU"), "{:.0f}"));
      csv_.row(fmt::format(
          "{},{:.6g},{:.6g},{},{},{},{},{},{},{}", name, run.GetAdjustedCPUTime(),
          run.GetAdjustedRealTime(), unit, written(per_step, "{:.6g}"),
          written(counter(run, "steps"), "{:.0f}"), written(counter(run, "rejected"), "{:.0f}"),
          written(counter(run, "f"), "{:.0f}"), written(counter(run, "LU"), "{:.0f}"),
          written(counter(run, "directions"), "{:.0f}")));
    }
  }

 private:
  Csv csv_;
  std::vector<Run> runs_;
};

}  // namespace

void run_micro(const std::filesystem::path& folder, const Provenance& from) {
  Reporter reporter(folder, from);
  benchmark::RunSpecifiedBenchmarks(&reporter);
}

}  // namespace daedalus::bench
