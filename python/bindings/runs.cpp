// SPDX-License-Identifier: BSD-3-Clause
// solve, the Integrator, and runs step by step with rates of change. The interpreter's lock is
// released for the whole run and taken by callbacks alone.
#include <daedalus/integrator.hpp>
#include <daedalus/solve.hpp>

#include <fmt/format.h>

#include "bindings.hpp"
#include "kernel/bracketing.hpp"
#include "kernel/quiet_denormals.hpp"
#include "solution_archive.hpp"
#include "solve/integrator_impl.hpp"

namespace daedalus::python {
namespace {

Solution solve_problem(const NativeProblem& native, double t0, double t1,
                       const py::dict& keywords) {
  const Options options = options_from(keywords);
  const py::gil_scoped_release unlocked;
  return solve(native.problem, {t0, t1}, options);
}

// What an Integrator has, and x' besides, for events that look at it.
class WatchedRun {
 public:
  WatchedRun(const NativeProblem& native, double t0, double t1, const py::dict& keywords)
      : options_(options_from(keywords)), clock_(std::chrono::steady_clock::now()) {
    const py::gil_scoped_release unlocked;
    check_end(t1);
    const QuietDenormals quiet;
    run_ = std::make_unique<Run>(native.problem, options_, t0);
    run_->loop().keep_interpolants();
    status_ = run_->start(t1);
  }
  std::string status() const { return std::string(to_string(status_)); }
  double t() const { return run_->loop().t(); }
  bool step(double t_end) {
    begin_run();
    const py::gil_scoped_release unlocked;
    const QuietDenormals quiet;
    const StepInfo info = run_->step(t_end);
    status_ = info.status;
    return status_ == Status::success;
  }
  py::tuple state() const {
    const State& s = run_->loop().current();
    return py::make_tuple(array_of(s.x), array_of(s.xd));
  }
  double last_start() const { return run_->loop().last_interpolant().t0; }
  py::tuple inside(double t) const {
    const Loop& loop = run_->loop();
    const Layout& layout = run_->loop().system().layout;
    const Interpolant& p = loop.last_interpolant();
    Eigen::VectorXd x(layout.points()), rate(layout.tangents());
    p.evaluate(layout, t, rate, x.data());
    rate_of(p, t, rate);
    return py::make_tuple(array_of(x), array_of(rate));
  }
  Solution solution() { return Solution(run_->loop().result(seconds_since(clock_))); }

 private:
  Options options_;
  std::chrono::steady_clock::time_point clock_;
  std::unique_ptr<Run> run_;
  Status status_ = Status::success;
};

// Zeros of a function along a step, found as events of the library are: at points inside of the
// step and at dips between them, where it reaches the other side and comes back.
class Crossings {
 public:
  struct Sample {
    double t, f;
  };
  using Found = std::vector<std::pair<double, int>>;  // times, and the sign behind them

  Crossings(const std::function<double(double)>& f, const Sample& a, const Sample& b)
      : f_(f),
        tolerance_(4e-16 * std::max(std::abs(a.t), std::abs(b.t)) + 1e-14 * std::abs(b.t - a.t)) {
    Sample before = a, last = a;
    const auto look = [&](const Sample& now) {
      if (before.t != last.t && before.f * last.f > 0.0 && last.f * now.f > 0.0)
        dip(before, last, now);
      else
        cross(last, now);
      before = last;
      last = now;
    };
    for (const double share : {0.0025, 0.25, 0.5, 0.75, 0.9975}) {
      const double t = a.t + share * (b.t - a.t);
      look({t, f(t)});
    }
    look(b);
  }
  const Found& found() const { return found_; }

 private:
  void cross(const Sample& a, const Sample& b) {
    if (!(a.f < 0.0 && b.f >= 0.0) && !(a.f > 0.0 && b.f <= 0.0)) return;
    const double t = bracketed_root(f_, {a.t, a.f, b.t, b.f}, tolerance_);
    const int sign = a.f < 0.0 ? 1 : -1;
    // Two dips side by side may be one.
    const bool again = !found_.empty() && found_.back().second == sign &&
                       std::abs(found_.back().first - t) <= 1e6 * tolerance_;
    if (!again) found_.emplace_back(t, sign);
  }
  void dip(const Sample& a, const Sample& m, const Sample& b) {
    const double side = m.f > 0.0 ? 1.0 : -1.0;
    if (side * a.f < side * m.f || side * b.f < side * m.f || (a.f == m.f && b.f == m.f)) return;
    const double t = lowest_point([&](double x) { return side * f_(x); }, a.t, b.t);
    const Sample low{t, f_(t)};
    cross(a, low);
    cross(low, b);
  }
  const std::function<double(double)>& f_;
  double tolerance_;
  Found found_;
};

void add_integrator(py::module_& m) {
  const auto word = [](Status s) { return std::string(to_string(s)); };
  py::class_<Checkpoint>(m, "Checkpoint",
                         "The state of a run between two steps, as plain data; may be pickled.")
      .def_readonly("identity", &Checkpoint::identity)
      .def(py::pickle(
          [](const Checkpoint& c) {
            return py::make_tuple(c.identity, py::bytes(c.state.data(), c.state.size()), c.outside);
          },
          [](const py::tuple& t) {
            const std::string state = t[1].cast<py::bytes>();
            return Checkpoint{t[0].cast<std::vector<std::pair<std::string, std::string>>>(),
                              {state.begin(), state.end()},
                              t[2].cast<std::string>()};
          }));
  py::class_<Integrator>(m, "Integrator")
      .def(py::init([](const NativeProblem& p, const py::dict& keywords) {
        return std::make_unique<Integrator>(p.problem, options_from(keywords));
      }))
      .def("initialize",
           [word](Integrator& i, double t0, double towards) {
             begin_run();
             const py::gil_scoped_release unlocked;
             return word(i.initialize(t0, towards));
           })
      .def("step",
           [word](Integrator& i, double t_end) {
             begin_run();
             StepInfo s{};
             {
               const py::gil_scoped_release unlocked;
               s = i.step(t_end);
             }
             return py::make_tuple(s.t, s.h, s.order, word(s.status));
           })
      .def("run",
           [word](Integrator& i, double t_end) {
             begin_run();
             const py::gil_scoped_release unlocked;
             return word(i.run(t_end));
           })
      .def_property_readonly("t", &Integrator::t)
      .def_property_readonly("state", &Integrator::state)
      .def("interpolate", &Integrator::interpolate)
      .def_property_readonly("statistics",
                             [](const Integrator& i) { return dictionary_of(i.statistics()); })
      .def("solution", &Integrator::solution)
      .def("checkpoint", &Integrator::checkpoint)
      .def("resume", &Integrator::resume);
}

}  // namespace

void add_runs(py::module_& m) {
  m.def("solve", solve_problem);
  m.def("crossings",
        [](const std::function<double(double)>& f, double a, double fa, double b, double fb) {
          return Crossings(f, {a, fa}, {b, fb}).found();
        });
  py::class_<WatchedRun>(m, "WatchedRun")
      .def(py::init<const NativeProblem&, double, double, const py::dict&>())
      .def_property_readonly("status", &WatchedRun::status)
      .def_property_readonly("t", &WatchedRun::t)
      .def_property_readonly("last_start", &WatchedRun::last_start)
      .def("step", &WatchedRun::step)
      .def("state", &WatchedRun::state)
      .def("inside", &WatchedRun::inside)
      .def("solution", &WatchedRun::solution);
  add_integrator(m);
}

}  // namespace daedalus::python
