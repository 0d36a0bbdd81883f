// SPDX-License-Identifier: BSD-3-Clause
// Studies: residuals put into the equations, and observed orders.
#include <daedalus/parameter_plan.hpp>
#include <daedalus/perturbation.hpp>
#include <daedalus/testing/order.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "call.hpp"
#include "held.hpp"

namespace daedalus::python {
namespace {

template <class Choice>
Choice one_of(const char* what, const std::string& word, const std::vector<std::string>& words) {
  for (std::size_t k = 0; k < words.size(); ++k)
    if (words[k] == word) return static_cast<Choice>(k);
  throw py::value_error(
      fmt::format("{}: '{}' is given; allowed are {}", what, word, fmt::join(words, ", ")));
}

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

}  // namespace

void add_laboratory(py::module_& m) {
  m.def("sample_points", sample_points);
  m.def("perturb", perturb_problem);
  m.def("measure_order", order);
}

}  // namespace daedalus::python
