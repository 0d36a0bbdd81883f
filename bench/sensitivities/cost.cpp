// SPDX-License-Identifier: BSD-3-Clause
// What columns dx/dp cost: processor time of a run with p columns over that of the same run
// without, least of several repetitions in turns. One CSV line per problem, method and p.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include <daedalus/sensitivity.hpp>
#include <daedalus/solve.hpp>

#include "catalogue/catalogue.hpp"

namespace {

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double run_seconds(const daedalus::Problem& problem, const daedalus::Interval& interval,
                   const daedalus::Options& options) {
  const double begin = processor_seconds();
  const daedalus::Solution s = daedalus::solve(problem, interval, options);
  return s.ok() ? processor_seconds() - begin : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

int main() {
  constexpr int repetitions = 12;
  fmt::print("problem,method,p,plain_ms,ratio,allowed\n");
  for (const char* name : {"akzo", "pollution", "hires", "transistor-amplifier"}) {
    const daedalus::Entry* entry = daedalus::problems::find_problem(name);
    if (!entry) continue;
    for (const char* method : {"bdf", "radau", "rodas5p"}) {
      daedalus::Options plain;
      plain.method = method;
      plain.output = daedalus::Output::end;
      entry->apply(plain);
      const daedalus::Problem problem = entry->problem();
      std::vector<std::string> names;
      for (const daedalus::Parameter& p : entry->parameters) names.push_back(p.name);
      for (const std::size_t p :
           {std::size_t{1}, std::size_t{4}, std::size_t{9}, std::size_t{25}}) {
        if (p > names.size()) continue;
        daedalus::Options with = plain;
        with.sensitivities.parameters.assign(names.begin(), names.begin() + static_cast<long>(p));
        double a = 1e300, b = 1e300;
        try {
          for (int i = 0; i < repetitions; ++i) {
            a = std::min(a, run_seconds(problem, {entry->t0, entry->t_end}, plain));
            b = std::min(b, run_seconds(problem, {entry->t0, entry->t_end}, with));
          }
        } catch (const daedalus::InvalidArgument& e) {
          fmt::print("{},{},{},,,{}\n", name, method, p, e.what());
          continue;
        }
        fmt::print("{},{},{},{:.3f},{:.2f},{:.2f}\n", name, method, p, 1e3 * a, b / a,
                   1.0 + 0.3 * static_cast<double>(p));
      }
    }
  }
  return 0;
}
