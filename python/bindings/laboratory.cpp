// SPDX-License-Identifier: BSD-3-Clause
// Studies: residuals put into the equations, and observed orders.
#include <daedalus/parameter_plan.hpp>
#include <daedalus/perturbation.hpp>
#include <daedalus/sensitivity.hpp>
#include <daedalus/testing/order.hpp>

#include <fmt/format.h>

#include "call.hpp"
#include "held.hpp"
#include "hooks.hpp"
#include "one_of.hpp"
#include "ranks.hpp"

namespace daedalus::python {
namespace {

PerturbationStudy study_from(const NativeProblem& p, double t0, double t1, const py::dict& study,
                             const py::dict& keywords) {
  PerturbationStudy s;
  s.problem = p.problem;
  s.interval = {t0, t1};
  s.options = options_from(keywords);
  const auto take = [&](const char* name, auto& to) {
    if (study.contains(name)) to = study[name].cast<std::decay_t<decltype(to)>>();
  };
  take("accuracy", s.accuracy);
  take("row_names", s.row_names);
  take("seed", s.seed);
  take("thetas", s.thetas);
  take("steps", s.steps);
  take("components", s.components);
  take("at_end", s.at_end);
  if (study.contains("rows"))
    s.rows = one_of<PerturbedRows>(
        "rows", py::str(study["rows"]),
        {"automatic", "position", "velocity", "acceleration", "differential", "named"});
  if (study.contains("kind"))
    s.kind = one_of<PerturbationKind>(
        "kind", py::str(study["kind"]),
        {"smooth", "alternating", "rotating", "random", "single_precision"});
  return s;
}

py::dict describe(const PerturbedComponent& c) {
  py::dict d;
  d["name"] = c.name;
  d["theta_exponent"] = c.theta_exponent;
  d["h_exponent"] = c.h_exponent;
  d["constant"] = c.constant;
  d["reason"] = c.reason;
  d["points"] = c.points;
  d["misfit"] = c.misfit;
  d["theory"] = c.theory;
  d["source"] = c.source;
  d["verdict"] = c.verdict;
  d["index"] = c.index;
  d["errors"] = array_of(c.errors);
  d["round_off"] = array_of(c.round_off);
  return d;
}

py::dict perturb_problem(const NativeProblem& p, double t0, double t1, const py::dict& study,
                         const py::dict& keywords) {
  const PerturbationStudy s = study_from(p, t0, t1, study, keywords);
  const PerturbationReport r = [&] {
    const py::gil_scoped_release unlocked;
    return perturb(s);
  }();
  py::dict d;
  py::list components;
  for (const PerturbedComponent& c : r.components) components.append(describe(c));
  d["method"] = r.method;
  d["formulation"] = r.formulation;
  d["rows"] = r.rows;
  d["thetas"] = r.thetas;
  d["steps"] = r.steps;
  d["components"] = components;
  d["index"] = r.index;
  d["regions"] = r.regions.text;
  d["verdict"] = r.budget.verdict;
  d["warnings"] = r.warnings;
  d["failure"] = r.failure;
  return d;
}

// problem_at(value): the member of the class of problems.
py::dict uniform(const NativeProblem& p, double t0, double t1, const py::dict& study,
                 const std::string& parameter, const std::vector<double>& values,
                 const py::object& problem_at, const py::dict& keywords) {
  const PerturbationStudy s = study_from(p, t0, t1, study, keywords);
  const auto member = [f = hold(problem_at)](double value, PerturbationStudy& to) {
    const py::gil_scoped_acquire lock;
    begin_run();
    const py::object made = (*f)(value);
    to.problem = made.cast<const NativeProblem&>().problem;
  };
  const UniformIndex u = [&] {
    const py::gil_scoped_release unlocked;
    return uniform_index(s, parameter, values, member);
  }();
  py::list growth;
  for (const UniformIndex::Growth& g : u.growth) {
    py::dict one;
    one["m"] = g.m;
    one["constants"] = g.constants;
    one["exponent"] = g.exponent;
    one["text"] = g.text;
    growth.append(one);
  }
  py::dict d;
  d["parameter"] = u.parameter;
  d["values"] = u.values;
  d["growth"] = growth;
  d["index"] = u.index;
  d["worst"] = u.worst;
  d["warnings"] = u.warnings;
  return d;
}

// exact(t) gives the model state, or None where it is not known.
py::dict order(const NativeProblem& p, double t0, double t1, const py::dict& keywords,
               const std::vector<double>& steps, const py::object& exact, const std::string& norm) {
  const Options o = options_from(keywords);
  const auto kind = one_of<testing::OrderNorm>("norm", norm, {"absolute", "relative", "euclidean"});
  const testing::ExactState state = [f = hold(exact)](double t, const Variables& v, Out y) {
    const py::gil_scoped_acquire lock;
    const py::object value = (*f)(t, v.names);
    if (value.is_none()) return false;
    const std::vector<double> list = numbers_from(value, "exact");
    if (static_cast<Eigen::Index>(list.size()) != y.size())
      throw py::value_error("exact: it does not give all variables");
    y = Eigen::Map<const Eigen::VectorXd>(list.data(), y.size());
    return true;
  };
  const testing::OrderStudy s = [&] {
    const py::gil_scoped_release unlocked;
    return measure_order(p.problem, {t0, t1}, o, steps, state, kind);
  }();
  py::dict d;
  d["steps"] = s.steps;
  d["errors"] = s.errors;
  d["orders"] = s.orders;
  d["failure"] = s.failure;
  return d;
}

// Points of laws such as "lognormal(1, 0.1)", one row each.
std::vector<std::vector<double>> sample_points(const std::vector<std::string>& names,
                                               const std::vector<std::string>& laws,
                                               std::size_t samples, const std::string& sampling,
                                               std::uint64_t seed) {
  std::vector<UncertainParameter> uncertain;
  for (std::size_t i = 0; i < names.size(); ++i)
    uncertain.push_back({names[i], value_law(laws.at(i))});
  const ParameterPlan plan =
      sample(uncertain, {.samples = samples, .sampling = sampling_from(sampling), .seed = seed});
  std::vector<std::vector<double>> points;
  for (std::size_t k = 0; k < plan.size(); ++k)
    points.emplace_back(plan.point(k).begin(), plan.point(k).end());
  return points;
}

// Rows of unequal length, NaN where a run has no value.
py::array_t<double> table_of(const EnsembleResult& r, std::vector<double> EnsembleRun::*row) {
  std::size_t width = 0;
  for (const EnsembleRun& run : r.runs) width = std::max(width, (run.*row).size());
  py::array_t<double> all({r.runs.size(), width});
  auto to = all.mutable_unchecked<2>();
  for (std::size_t k = 0; k < r.runs.size(); ++k)
    for (std::size_t i = 0; i < width; ++i)
      to(static_cast<py::ssize_t>(k), static_cast<py::ssize_t>(i)) =
          i < (r.runs[k].*row).size() ? (r.runs[k].*row)[i]
                                      : std::numeric_limits<double>::quiet_NaN();
  return all;
}

py::dict ensemble(const std::vector<const NativeProblem*>& problems, double t0, double t1,
                  const py::dict& keywords, const std::vector<double>& times,
                  const std::string& engine, int threads, const CancelFlag& stop, bool over_ranks) {
  EnsembleSettings settings;
  settings.threads = threads;
  settings.engine = one_of<Engine>("engine", engine, {"automatic", "threads", "lanes", "gpu"});
  settings.cancel = [stop] { return stop.is_set(); };
  const Options options = options_from(keywords);
  const EnsembleResult r = [&] {
    const py::gil_scoped_release unlocked;
    begin_run();
    const auto task = [&](std::size_t k) {
      return EnsembleTask{problems[k]->problem, {t0, t1}, options, times};
    };
    return over_ranks ? ranks_in_use().solve_ensemble(problems.size(), task, settings)
                      : solve_ensemble(problems.size(), task, settings);
  }();
  py::list status, message, t;
  for (const EnsembleRun& run : r.runs) {
    status.append(run.done ? run.status : "cancelled");
    message.append(run.message);
    t.append(run.t);
  }
  py::dict d;
  d["status"] = status;
  d["message"] = message;
  d["t"] = t;
  d["y"] = table_of(r, &EnsembleRun::y);
  d["series"] = table_of(r, &EnsembleRun::series);
  d["engine"] = std::string(to_string(r.engine));
  d["reason"] = r.reason;
  d["handed_over"] = r.handed_over;
  return d;
}

py::dict beside_differences(const NativeProblem& p, double t0, double t1,
                            const py::dict& keywords) {
  const Options options = options_from(keywords);
  const SensitivityCheck c = [&] {
    const py::gil_scoped_release unlocked;
    begin_run();
    return check_sensitivities(p.problem, {t0, t1}, options);
  }();
  py::dict d;
  d["columns"] = array_of(c.columns);
  d["differences"] = array_of(c.differences);
  d["variables"] = c.variables;
  d["names"] = c.names;
  d["worst"] = c.worst;
  d["message"] = c.message;
  return d;
}

}  // namespace

void add_laboratory(py::module_& m) {
  m.def("solve_ensemble", ensemble);
  m.def("check_sensitivities", beside_differences);
  m.def("sample_points", sample_points);
  m.def("perturb", perturb_problem);
  m.def("uniform_index", uniform);
  m.def("measure_order", order);
}

}  // namespace daedalus::python
