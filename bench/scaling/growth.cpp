// SPDX-License-Identifier: BSD-3-Clause
#include "growth.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <ctime>

#include <daedalus/integrator.hpp>

namespace daedalus::scaling {

Cost operator-(const Cost& a, const Cost& b) {
  return {a.seconds - b.seconds, a.instructions - b.instructions};
}

Meter::Meter() {
  perf_event_attr wanted;
  std::memset(&wanted, 0, sizeof wanted);
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof wanted;
  wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  counter_ = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0));
}

Meter::~Meter() {
  if (counter_ >= 0) close(counter_);
}

Cost Meter::now() const {
  Cost c{static_cast<double>(std::clock()) / CLOCKS_PER_SEC, 0.0};
  std::uint64_t count = 0;
  if (counter_ >= 0 && read(counter_, &count, sizeof count) == sizeof count)
    c.instructions = static_cast<double>(count);
  return c;
}

Measured measure(const Meter& meter, const Problem& problem, const Options& options, double t_end,
                 long steps, Eigen::VectorXd* end) {
  Measured m;
  m.problem = name_of(problem);
  m.solver = options.method;
  const Cost begin = meter.now();
  Integrator run(problem, options);
  if (run.initialize(0.0, t_end) != Status::success) {
    m.failure = run.solution().message();
    return m;
  }
  // The first step makes the matrix and chooses pivots.
  StepInfo info = run.step(t_end);
  const Cost started = meter.now();
  m.start = started - begin;
  while ((steps == 0 || m.steps < steps) && run.t() < t_end && info.status == Status::success) {
    info = run.step(t_end);
    ++m.steps;
  }
  m.step = meter.now() - started;
  if (info.status != Status::success) m.failure = run.solution().message();
  if (m.steps > 0) {
    m.step.seconds /= static_cast<double>(m.steps);
    m.step.instructions /= static_cast<double>(m.steps);
  }
  m.size = static_cast<double>(run.state().y().size());
  m.counts = run.statistics().total();
  if (end) *end = run.state().y();
  return m;
}

double exponent(const std::vector<double>& size, const std::vector<Cost>& cost) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  const double n = static_cast<double>(size.size());
  for (std::size_t k = 0; k < size.size(); ++k) {
    const double value = cost[k].instructions > 0.0 ? cost[k].instructions : cost[k].seconds;
    const double x = std::log(size[k]), y = std::log(value);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

#ifndef DAEDALUS_HAVE_SUNDIALS
bool have_ida() { return false; }
Measured measure_ida(const Meter&, const Problem&, double, double, bool, Eigen::VectorXd*) {
  return {};
}
#endif

}  // namespace daedalus::scaling
