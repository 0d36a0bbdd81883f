// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/arnold_theory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <daedalus/integrator.hpp>

namespace daedalus::experiments {
namespace theory {

Experiment experiment(int number, const char* title, double seconds,
                      std::vector<Claim> (*run)(Context&), Basis basis, Parts parts) {
  return {.id = fmt::format("arnold-theory-{}", number),
          .title = title,
          .source = "Arnold (1998), habilitation thesis, Rostock",
          .basis = std::move(basis),
          .parts = std::move(parts),
          .seconds = seconds,
          .run = run};
}

namespace {

// Rounding errors reach variables of index k as h^(1-k), and so does their tolerance. eta is not
// part of the model and has none of its own.
Eigen::VectorXd theory_tolerances(const Variables& variables, double accuracy, double h) {
  const Variables::Range* eta = variables.range_of(VariableClass::eta);
  Eigen::VectorXd atol =
      Eigen::VectorXd::Constant(variables.size() - (eta ? eta->count : 0), accuracy);
  for (const Variables::Range& range : variables.ranges)
    if (range.cls != VariableClass::eta)
      atol.segment(range.first, range.count).array() *=
          std::pow(std::min(h, 1.0), 1 - std::max(range.index, 1));
  return atol;
}

// In the residuals of semi-explicit systems as they stand the constraint is -g.
Defect theory_defect(const Study& study, const Problem& problem) {
  if (study.residuals.empty()) return {};
  const auto* p = std::get_if<SemiExplicitProblem>(&problem);
  const int negative = p && study.formulation == "auto" ? static_cast<int>(p->y0.size()) : -1;
  std::vector<int> places;
  return [rows = study.residuals, negative, places](const DefectSite& site, Out out) mutable {
    if (places.empty())
      for (const auto& [name, theta] : rows) {
        const auto at = std::find(site.row_names.begin(), site.row_names.end(), name);
        if (at == site.row_names.end())
          throw std::runtime_error(
              fmt::format("no equation '{}', but '{}'", name, fmt::join(site.row_names, "', '")));
        places.push_back(static_cast<int>(at - site.row_names.begin()));
      }
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double value = rows[k].second(site.step + 1, site.t + site.h);
      out[places[k]] += negative >= 0 && places[k] >= negative ? value : -value;
    }
  };
}

}  // namespace

Solution run(const Study& study) {
  const problems::Entry* e = study.problem.empty() ? nullptr : &entry(study.problem);
  Problem problem = e ? e->problem(study.values) : study.model;
  if (study.change) study.change(problem);
  Options o = study.further;
  o.method = study.method;
  o.formulation = study.formulation;
  o.fixed_step = o.step_sequence.empty() ? study.h : 0.0;
  o.start = StartStrategy::given;
  o.projection = ProjectionWhen::none;
  o.index_weights = false;
  o.max_steps = 100000000;
  if (study.order > 0) o.method_options["order"] = study.order;
  const Interval interval{study.t0.value_or(e ? e->t0 : 0.0),
                          study.t_end.value_or(e ? e->t_end : 1.0)};
  Integrator probe(problem, o);
  if (probe.initialize(interval.from, interval.to) != Status::success)
    throw std::runtime_error(study.problem + ": " + probe.solution().message());
  const Variables variables = probe.state().variables();
  o.defect = theory_defect(study, problem);
  std::string message;
  for (double accuracy = study.accuracy; accuracy < 1e-6; accuracy *= 10.0) {
    o.rtol = accuracy;
    o.atol = theory_tolerances(variables, accuracy, study.h);
    Solution s = solve(problem, interval, o);
    if (s.ok()) return s;
    message = s.message();
    if (s.status() != Status::newton_failed) break;
  }
  throw std::runtime_error(fmt::format("{}, {}, {}, h = {}: {}", study.problem, study.method,
                                       study.formulation, study.h, message));
}

double single_precision(double factor, double value) {
  return factor * (static_cast<double>(static_cast<float>(value)) - value);
}

double slope(double h1, double e1, double h2, double e2) {
  return std::log(e1 / e2) / std::log(h1 / h2);
}

double slope(const std::vector<double>& h, const std::vector<double>& e) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  const auto n = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double a = std::log(h[i]), b = std::log(e[i]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

Claim table_claim(const std::string& id, const std::string& claim,
                  const std::vector<double>& expected, const std::vector<double>& measured,
                  double factor, std::string remark) {
  bool all = expected.size() == measured.size();
  for (std::size_t i = 0; all && i < measured.size(); ++i)
    all = within(measured[i], expected[i], factor);
  return list_claim(id, claim, expected, measured, Json{{"factor", factor}}, all,
                    std::move(remark));
}

Claim slope_claim(const std::string& id, const std::string& claim, double expected,
                  double measured) {
  return number_claim(id, claim, expected, measured, 0.2);
}

}  // namespace theory

std::span<const Experiment> arnold_theory_experiments() {
  static const std::vector<Experiment> all = [] {
    using namespace theory;
    std::vector<Experiment> list;
    for (auto&& topic : {noise_experiments(), sharpness_experiments(), parabola_experiments(),
                         stabilised_experiments(), extension_experiments(), uniform_experiments(),
                         consequence_experiments()})
      list.insert(list.end(), topic.begin(), topic.end());
    return list;
  }();
  return all;
}

}  // namespace daedalus::experiments
