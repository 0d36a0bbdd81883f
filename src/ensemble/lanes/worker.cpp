// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/lanes/worker.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <daedalus/integrator.hpp>
#include <daedalus/status.hpp>

#include "ensemble/quantity.hpp"
#include "kernel/at.hpp"

namespace daedalus::lanes {
namespace {

using Clock = std::chrono::steady_clock;

// Attempts between two questions whether to stop.
constexpr int attempts_between = 64;

// Slots of all lanes, on cache lines.
class Memory {
 public:
  Memory(const Program& program, int width) : width_(width) {
    constexpr std::size_t line = 64;        // bytes
    const int slots = program.slots() + 3;  // those behind the last are for calls
    storage_.assign(at(slots * width) + line / sizeof(double), 0.0);
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    data_ = storage_.data() + (line - address % line) % line / sizeof(double);
    for (std::size_t k = 0; k < program.constants.size(); ++k)
      for (int i = 0; i < width; ++i) value(static_cast<int>(k), i) = program.constants[k];
  }
  double* data() { return data_; }
  double& value(int slot, int lane) { return data_[at(slot * width_ + lane)]; }

 private:
  int width_;
  std::vector<double> storage_;
  double* data_ = nullptr;
};

// A trajectory before its first step.
struct Ready {
  std::size_t number = 0;
  double t = 0.0, end = 0.0, h = 0.0;
  std::vector<double> parameters, state;
  EnsembleTask task;
};

// What a lane has of its run beside its slots.
struct Seat {
  bool occupied = false;
  std::size_t number = 0;
  Clock::time_point since{};
  EnsembleTask task;
  std::size_t reached = 0;  // of the task's times
  std::vector<double> series;
};

class Worker {
 public:
  Worker(const Plan& plan, const Desk& desk)
      : plan_(plan),
        desk_(desk),
        capture_(plan.capture),
        width_(plan.functions->width),
        start_(plan.kernel.start, width_),
        lanes_(plan.kernel.attempt, width_),
        seats_(at(width_)) {}

  void run() {
    for (int i = 0; i < width_; ++i) fill(i);
    prologue(plan_.kernel.attempt, plan_.attempt_code.get(), lanes_);
    for (int count = 0; live_ > 0; ++count) {
      if (count % attempts_between == 0 && desk_.stopped()) return;
      body(plan_.kernel.attempt, plan_.attempt_code.get(), lanes_);
      if (retire()) prologue(plan_.kernel.attempt, plan_.attempt_code.get(), lanes_);
    }
  }

 private:
  void prologue(const Program& p, const MachineCode* code, Memory& memory) const {
    if (code) return code->prologue(memory.data());
    plan_.functions->run(p.prologue.data(), p.prologue.data() + p.prologue.size(), memory.data());
  }
  void body(const Program& p, const MachineCode* code, Memory& memory) const {
    if (code) return code->body(memory.data());
    plan_.functions->run(p.body.data(), p.body.data() + p.body.size(), memory.data());
  }
  double& input(int place, int lane) {
    return lanes_.value(plan_.kernel.attempt.first_input() + place, lane);
  }

  // True: a lane has a new trajectory.
  bool retire() {
    bool fresh = false;
    for (int i = 0; i < width_; ++i) {
      Seat& seat = seats_[at(i)];
      if (!seat.occupied) continue;
      const double ending =
          lanes_.value(plan_.kernel.attempt.first_result() + plan_.kernel.attempt.inputs, i);
      if (ending == ending_open || (ending == ending_done && goes_on(seat, i))) continue;
      seat.occupied = false;
      --live_;
      if (ending == ending_lost)
        desk_.hand_over(seat.number);
      else
        report(seat, i, ending);
      fresh = fill(i) || fresh;
    }
    return fresh;
  }

  // Steps end at the times that are asked for: keeps the state there, and goes on to the next one.
  bool goes_on(Seat& seat, int lane) {
    const std::vector<double>& times = seat.task.times;
    const double t = input(place_t, lane);
    for (; seat.reached < times.size() && times[seat.reached] <= t; ++seat.reached)
      for (int k = 0; k < plan_.kernel.variables; ++k)
        seat.series.push_back(input(place_state + k, lane));
    const double end = seat.task.interval.to;
    if (t >= end) return false;
    input(place_end, lane) = seat.reached < times.size() ? times[seat.reached] : end;
    return true;
  }

  void report(Seat& seat, int lane, double ending) {
    EnsembleRun run;
    run.done = run.ok = true;
    run.engine = Engine::lanes;
    run.t = input(place_t, lane);
    run.status = to_string(Status::success);
    if (ending >= ending_stopped) {
      run.status = to_string(Status::stopped_by_event);
      const auto stop = static_cast<std::size_t>(ending - ending_stopped);
      run.message = stopped_message(seat.task.stops[stop].name, run.t);
    }
    run.y.resize(at(plan_.kernel.variables));
    for (int k = 0; k < plan_.kernel.variables; ++k) run.y[at(k)] = input(place_state + k, lane);
    run.series = std::move(seat.series);
    run.functional = functional_of(seat.task, run.t, run.y.data());
    run.seconds = std::chrono::duration<double>(Clock::now() - seat.since).count() / width_;
    desk_.finished(seat.number, std::move(run));
  }

  bool fill(int lane) {
    if (ready_.empty()) prepare();
    if (ready_.empty()) return false;
    Ready r = std::move(ready_.back());
    ready_.pop_back();
    ++live_;
    Seat& seat = seats_[at(lane)];
    seat = {true, r.number, Clock::now(), std::move(r.task), 0, {}};
    for (int place = 0; place < place_state; ++place) input(place, lane) = 0.0;
    input(place_t, lane) = r.t;
    input(place_end, lane) = r.end;
    input(place_h, lane) = r.h;
    for (std::size_t k = 0; k < r.state.size(); ++k)
      input(place_state + static_cast<int>(k), lane) = r.state[k];
    const int first = plan_.kernel.attempt.first_parameter();
    for (std::size_t k = 0; k < r.parameters.size(); ++k)
      lanes_.value(first + static_cast<int>(k), lane) = r.parameters[k];
    goes_on(seat, lane);  // to the first of the times
    return true;
  }

  // Up to `width` trajectories side by side.
  void prepare() {
    while (ready_.empty() && !desk_.stopped()) {
      begun_.clear();
      while (static_cast<int>(begun_.size()) < width_) {
        const std::optional<std::size_t> k = desk_.next();
        if (!k) break;
        begin(*k);
      }
      if (begun_.empty()) return;
      start_all();
    }
    std::reverse(ready_.begin(), ready_.end());  // the first one is taken first
  }

  void begin(std::size_t number) {
    try {
      Begun b{{number, 0.0, 0.0, 0.0, {}, {}, desk_.make(number)}, {}};
      const EnsembleTask& task = b.ready.task;
      if (!read_task(plan_, capture_, task, numbers_)) return desk_.hand_over(number);
      b.ready.parameters = numbers_.parameters;
      b.given = numbers_.given;
      b.ready.t = task.interval.from;
      b.ready.end = task.interval.to;
      begun_.push_back(std::move(b));
    } catch (const std::exception&) {  // the library's own loop says what it is
      desk_.hand_over(number);
    }
  }

  struct Begun {
    Ready ready;
    std::vector<double> given;
    double tau = 0.0;
    bool corrected = false, done = false;
  };

  void load(const Begun& b, int lane) {
    const Program& p = plan_.kernel.start;
    start_.value(p.first_input() + start_t, lane) = b.ready.t;
    start_.value(p.first_input() + start_short, lane) = b.tau;
    start_.value(p.first_input() + start_end, lane) = b.ready.end;
    for (std::size_t k = 0; k < b.given.size(); ++k)
      start_.value(p.first_input() + start_given + static_cast<int>(k), lane) = b.given[k];
    for (std::size_t k = 0; k < b.ready.parameters.size(); ++k)
      start_.value(p.first_parameter() + static_cast<int>(k), lane) = b.ready.parameters[k];
  }

  // First steps are found with ever shorter time steps, until these are short against them.
  void start_all() {
    constexpr int most = 28;  // fourteen times a hundredth, and the same after a correction
    for (Begun& b : begun_) b.tau = first_probe * (b.ready.end - b.ready.t);
    for (int round = 0; round < most; ++round) {
      for (std::size_t k = 0; k < begun_.size(); ++k) load(begun_[k], static_cast<int>(k));
      if (round == 0) prologue(plan_.kernel.start, plan_.start_code.get(), start_);
      body(plan_.kernel.start, plan_.start_code.get(), start_);
      bool open = false;
      for (std::size_t k = 0; k < begun_.size(); ++k) {
        if (!begun_[k].done) see(begun_[k], static_cast<int>(k));
        open = open || !begun_[k].done;
      }
      if (!open) break;
    }
    for (Begun& b : begun_)
      if (b.done)
        ready_.push_back(std::move(b.ready));
      else
        desk_.hand_over(b.ready.number);
  }

  void see(Begun& b, int lane) {
    const Program& p = plan_.kernel.start;
    const auto result = [&](int place) { return start_.value(p.first_result() + place, lane); };
    if (result(start_good) != 0.0) {
      b.ready.h = result(start_h);
      b.done = true;
      b.ready.state.resize(at(plan_.kernel.state));
      for (int k = 0; k < plan_.kernel.state; ++k) b.ready.state[at(k)] = result(start_state + k);
      return;
    }
    b.tau = result(start_next);
    if (b.corrected || b.tau > shortest_probe * (b.ready.end - b.ready.t)) return;
    b.corrected = true;
    b.tau = first_probe * (b.ready.end - b.ready.t);
    make_consistent(b.ready.task, b.given);
  }

  const Plan& plan_;
  const Desk& desk_;
  Capture capture_;
  int width_, live_ = 0;
  Memory start_, lanes_;
  std::vector<Seat> seats_;
  std::vector<Ready> ready_;
  std::vector<Begun> begun_;
  TaskNumbers numbers_;
};

}  // namespace

void work(const Plan& plan, const Desk& desk) { Worker(plan, desk).run(); }

void make_consistent(const EnsembleTask& task, std::vector<double>& given) {
  try {
    Integrator integrator(task.problem, task.options);
    if (integrator.initialize(task.interval.from, task.interval.to) != Status::success) return;
    const Eigen::VectorXd y = integrator.state().y();
    for (std::size_t k = 0; k < given.size(); ++k) given[k] = y[static_cast<int>(k)];
  } catch (const std::exception&) {  // the library's own loop says what it is
  }
}

}  // namespace daedalus::lanes
