// SPDX-License-Identifier: BSD-3-Clause
// solve, the Integrator, and runs step by step with rates of change. The interpreter's lock is
// released for the whole run and taken by callbacks alone.
#include <daedalus/integrator.hpp>
#include <daedalus/solve.hpp>

#include <fmt/format.h>

#include "bindings.hpp"
#include "kernel/crossings.hpp"
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

// Solutions, or why a problem was refused, of several problems in one stay outside of the
// interpreter: threads that ask for its lock after each short run would wait for each other.
py::list solve_several(const std::vector<const NativeProblem*>& problems, double t0, double t1,
                       const py::dict& keywords) {
  const Options options = options_from(keywords);
  std::vector<std::optional<Solution>> solved(problems.size());
  std::vector<std::string> refused(problems.size());
  {
    const py::gil_scoped_release unlocked;
    for (std::size_t k = 0; k < problems.size(); ++k) {
      begin_run();
      try {
        solved[k] = solve(problems[k]->problem, {t0, t1}, options);
      } catch (const InvalidArgument& error) {
        refused[k] = error.what();
      }
    }
  }
  py::list results;
  for (std::size_t k = 0; k < problems.size(); ++k)
    if (solved[k])
      results.append(std::move(*solved[k]));
    else
      results.append(refused[k]);
  return results;
}

// What an Integrator has, and x' besides, for events that look at it.
class WatchedRun {
 public:
  WatchedRun(const NativeProblem& native, double t0, double t1, const py::dict& keywords)
      : problem_(native.problem),
        options_(options_from(keywords)),
        clock_(std::chrono::steady_clock::now()) {
    const py::gil_scoped_release unlocked;
    check_end(t1);
    const QuietDenormals quiet;
    run_ = std::make_unique<Run>(problem_, options_, t0);
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
  Problem problem_;  // which the run refers to
  Options options_;
  std::chrono::steady_clock::time_point clock_;
  std::unique_ptr<Run> run_;
  Status status_ = Status::success;
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
  m.def("solve_several", solve_several);
  m.def("crossings",
        [](const std::function<double(double)>& f, double a, double fa, double b, double fb) {
          std::vector<std::pair<double, int>> zeros;  // times, and the sign behind them
          const auto found = [&](double t, int direction) { zeros.emplace_back(t, direction); };
          CrossingSearch(f, found, a, b - a).look({a, fa}, {b, fb});
          return zeros;
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
