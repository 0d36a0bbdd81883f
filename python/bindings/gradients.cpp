// SPDX-License-Identifier: BSD-3-Clause
// Gradients of functionals, and what the automatic choice costs beside the cheapest method.
#include <daedalus/adjoint.hpp>
#include <daedalus/comparison.hpp>

#include <fmt/format.h>

#include "bindings.hpp"
#include "held.hpp"

namespace daedalus::python {
namespace {

GradientWay way_from(const std::string& name) {
  for (const GradientWay way : {GradientWay::automatic, GradientWay::forward, GradientWay::adjoint})
    if (to_string(way) == name) return way;
  throw InvalidArgument(
      fmt::format("way: '{}' is given; allowed are automatic, forward, adjoint", name));
}

py::dict gradient(const NativeProblem& p, double t0, double t1,
                  const std::vector<std::string>& functionals, const py::dict& how,
                  const py::dict& keywords) {
  const Options options = options_from(keywords);
  std::vector<Functional> parsed;
  for (const std::string& text : functionals)
    parsed.push_back(parse_functional(text, p.problem, options.sensitivities.family.get()));
  const AdjointOptions asked{.parameters = options.sensitivities.parameters,
                             .start_values = options.sensitivities.start_values,
                             .memory = how["memory"].cast<std::size_t>(),
                             .way = way_from(how["way"].cast<std::string>())};
  const Gradient g = [&] {
    const py::gil_scoped_release unlocked;
    return adjoint(p.problem, {t0, t1}, parsed, options, asked);
  }();
  std::vector<std::string> columns;
  for (const SensitivityColumn& c : g.columns()) columns.push_back(c.name);
  std::vector<double> values;
  for (const std::string& name : g.functionals()) values.push_back(g.value(name));
  py::dict d;
  d["functionals"] = g.functionals();
  d["functional_values"] = values;
  d["columns"] = columns;
  d["matrix"] = array_of(g.matrix());
  d["way"] = std::string(to_string(g.way()));
  d["why"] = g.why();
  d["status"] = std::string(to_string(g.status()));
  d["message"] = g.message();
  d["warnings"] = g.warnings();
  d["forward_steps"] = g.statistics().forward_steps;
  d["backward_steps"] = g.statistics().backward_steps;
  d["recomputed_steps"] = g.statistics().recomputed_steps;
  return d;
}

py::dict describe(const MeasuredRun& run) {
  py::dict d;
  d["method"] = run.method;
  d["formulation"] = run.formulation;
  d["solver"] = run.solver;
  d["solver_formulation"] = run.solver_formulation;
  d["success"] = run.ok;
  d["status"] = run.status;
  d["message"] = run.message;
  d["steps"] = run.statistics.steps();
  d["seconds"] = run.seconds;
  d["digits"] = run.digits;
  return d;
}

// digits(solution) gives a number; NaN where it is not known.
py::dict regret(const NativeProblem& p, double t0, double t1, const py::object& digits,
                const py::dict& how, const py::dict& keywords) {
  const Options options = options_from(keywords);
  RegretSettings settings{.enough = how["enough"].cast<double>(),
                          .repetitions = how["repetitions"].cast<int>(),
                          .methods = how["methods"].cast<std::vector<std::string>>(),
                          .formulations = how["formulations"].cast<std::vector<std::string>>()};
  const Digits measured = [f = hold(digits)](const Solution& s) {
    const py::gil_scoped_acquire lock;
    return (*f)(py::cast(s)).cast<double>();
  };
  const Regret r = [&] {
    const py::gil_scoped_release unlocked;
    return measure_regret(p.problem, {t0, t1}, options, measured, settings);
  }();
  py::dict d;
  d["ratio"] = r.ratio();
  d["competitors"] = r.competitors;
  d["failed"] = r.failed();
  d["chosen"] = describe(r.chosen);
  d["best"] = describe(r.best);
  return d;
}

}  // namespace

void add_gradients(py::module_& m) {
  m.def("gradient", gradient);
  m.def("measure_regret", regret);
}

}  // namespace daedalus::python
