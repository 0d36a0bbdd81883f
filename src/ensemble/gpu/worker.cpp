// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstdint>

#include <daedalus/status.hpp>

#include "ensemble/gpu/engine.hpp"
#include "ensemble/quantity.hpp"
#include "kernel/at.hpp"

namespace daedalus::gpu {
namespace {

using Clock = std::chrono::steady_clock;

class Worker {
 public:
  Worker(const Engine& engine, std::size_t device, std::size_t capacity, const lanes::Desk& desk)
      : plan_(*engine.plan),
        desk_(desk),
        capture_(plan_.capture),
        columns_(columns_of(plan_)),
        batch_(engine.processor.devices[device % engine.processor.devices.size()](columns_,
                                                                                  capacity)) {}

  void run() {
    while (!desk_.stopped()) {
      collect();
      if (desk_.stopped() || rows_.numbers.empty()) return;
      solve(false);
      // Those whose start values had to be made consistent.
      rows_ = std::move(corrected_);
      corrected_ = {};
      if (!rows_.numbers.empty()) solve(true);
    }
  }

 private:
  struct Rows {
    std::vector<std::size_t> numbers;
    std::vector<double> values;  // parameters, start values, beginning and end of each run
  };

  void collect() {
    rows_ = {};
    while (rows_.numbers.size() < batch_->capacity()) {
      const std::optional<std::size_t> k = desk_.next();
      if (!k) return;
      bool taken = false;
      try {
        const EnsembleTask task = desk_.make(*k);
        taken = task.times == plan_.times && lanes::read_task(plan_, capture_, task, read_);
        if (taken) add(rows_, *k, task.interval);
      } catch (const std::exception&) {  // the library's own loop says what it is
      }
      if (!taken) desk_.hand_over(*k);
    }
  }
  void add(Rows& rows, std::size_t number, const Interval& interval) const {
    rows.numbers.push_back(number);
    for (const auto* list : {&read_.parameters, &read_.given})
      rows.values.insert(rows.values.end(), list->begin(), list->end());
    rows.values.push_back(interval.from);
    rows.values.push_back(interval.to);
  }

  void solve(bool corrected) {
    const Clock::time_point begin = Clock::now();
    const std::size_t count = rows_.numbers.size();
    batch_->begin(count);
    const double* value = rows_.values.data();
    for (std::size_t i = 0; i < count; ++i) {
      for (int k = 0; k < columns_.numbers; ++k) batch_->number(k)[i] = *value++;
      for (int k = 0; k < columns_.given; ++k) batch_->given(k)[i] = *value++;
      for (int which = 0; which < 2; ++which) batch_->time(which)[i] = *value++;
    }
    std::copy(plan_.times.begin(), plan_.times.end(), batch_->inside());
    bool good = true;
    try {
      batch_->solve();
    } catch (const std::exception&) {  // no run is lost with a device
      good = false;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned char outcome = good ? batch_->outcome()[i] : std::uint8_t{given_up};
      if (is_done(outcome))
        report(i, outcome, seconds / static_cast<double>(count));
      else if (outcome != no_start || corrected || !correct(rows_.numbers[i]))
        desk_.hand_over(rows_.numbers[i]);
    }
  }

  void report(std::size_t i, unsigned char outcome, double seconds) {
    EnsembleRun run;
    run.done = run.ok = true;
    run.status = to_string(Status::success);
    run.engine = daedalus::Engine::gpu;
    run.t = columns_.ended ? batch_->ended()[i] : batch_->time(1)[i];
    if (outcome >= stopped) {
      run.status = to_string(Status::stopped_by_event);
      run.message = stopped_message(plan_.stops[std::size_t{outcome} - stopped], run.t);
    }
    run.seconds = seconds;
    run.y.resize(at(columns_.variables));
    for (int k = 0; k < columns_.variables; ++k) run.y[at(k)] = batch_->y(k)[i];
    for (int j = 0; j < columns_.inside && plan_.times[at(j)] <= run.t; ++j)
      for (int k = 0; k < columns_.variables; ++k) run.series.push_back(batch_->series(j, k)[i]);
    if (plan_.functional)
      run.functional = functional_of(desk_.make(rows_.numbers[i]), run.t, run.y.data());
    desk_.finished(rows_.numbers[i], std::move(run));
  }

  // True: it is to be tried again from other start values.
  bool correct(std::size_t number) {
    const EnsembleTask task = desk_.make(number);
    if (!lanes::read_task(plan_, capture_, task, read_)) return false;
    const std::vector<double> before = read_.given;
    lanes::make_consistent(task, read_.given);
    if (read_.given == before) return false;
    add(corrected_, number, task.interval);
    return true;
  }

  const lanes::Plan& plan_;
  const lanes::Desk& desk_;
  lanes::Capture capture_;
  Columns columns_;
  std::unique_ptr<Batch> batch_;
  Rows rows_, corrected_;
  lanes::TaskNumbers read_;
};

}  // namespace

void work(const Engine& engine, std::size_t device, std::size_t capacity, const lanes::Desk& desk) {
  Worker(engine, device, capacity, desk).run();
}

}  // namespace daedalus::gpu
