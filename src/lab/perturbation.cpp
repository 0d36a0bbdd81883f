// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/perturbation.hpp>
#include <daedalus/recommend.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/perturbation_parts.hpp"

namespace daedalus {
namespace {

using perturbation::Components;
using perturbation::Row;
using perturbation::RowKind;

// Part of the smallest theta whose effect tells where rounding errors begin.
constexpr double control = 1e-3;
constexpr double loosest = 1e-6;  // accuracy

void check_list(const char* field, const std::vector<double>& values) {
  if (values.empty())
    throw InvalidArgument(fmt::format("{}: the list is empty; give positive numbers", field));
  for (const double x : values)
    if (!(x > 0.0 && std::isfinite(x)))
      throw InvalidArgument(fmt::format("{}: {} is not allowed; give positive numbers", field, x));
}

Options options_of(const PerturbationStudy& study) {
  Options o = study.options;
  o.fixed_step = *std::max_element(study.steps.begin(), study.steps.end());
  const Recommendation choice = recommend(study.problem, o);
  o.method = choice.method;
  o.formulation = choice.formulation.empty() ? "auto" : choice.formulation;
  if (o.projection == ProjectionWhen::automatic) o.projection = ProjectionWhen::none;
  o.output = Output::steps;
  const double length = std::abs(study.interval.to - study.interval.from);
  const double shortest = *std::min_element(study.steps.begin(), study.steps.end());
  o.max_steps = std::max(o.max_steps, static_cast<long>(1.1 * length / shortest) + 100);
  return o;
}

// Bounds know algebraic and differential rows; those given by name are one of the two, or mixed.
bool resolve_rows(PerturbationStudy& study, const std::vector<Row>& rows) {
  if (study.rows != PerturbedRows::named) return true;
  const auto is = [&](RowKind kind) { return [kind](const Row& r) { return r.kind == kind; }; };
  if (std::any_of(rows.begin(), rows.end(), is(RowKind::other))) return false;
  const bool all = std::all_of(rows.begin(), rows.end(), is(RowKind::differential));
  const bool none = std::none_of(rows.begin(), rows.end(), is(RowKind::differential));
  study.rows = all ? PerturbedRows::differential : PerturbedRows::automatic;
  return all || none;
}

class Laboratory {
 public:
  Laboratory(const PerturbationStudy& study, Options options, std::vector<Row> rows,
             const Variables& variables, PerturbationReport& report)
      : study_(study),
        options_(std::move(options)),
        rows_(std::move(rows)),
        variables_(variables),
        report_(report) {
    options_.index_weights = false;
  }

  // Fills errors and sizes of all components; false: an unperturbed run failed.
  bool measure() {
    for (int j = 0; j < static_cast<int>(study_.steps.size()); ++j) {
      const double h = study_.steps[static_cast<std::size_t>(j)];
      double accuracy = study_.accuracy;
      set_accuracy(accuracy, h);
      while (!measure(j) && 10.0 * accuracy <= std::max(loosest, study_.accuracy))
        set_accuracy(accuracy *= 10.0, h);
      if (!report_.failure.empty()) return false;
    }
    return true;
  }

  const Components& components() const { return *components_; }
  double size(std::size_t part) const { return sizes_[static_cast<int>(part)]; }

 private:
  void set_accuracy(double accuracy, double h) {
    options_.fixed_step = h;
    options_.rtol = accuracy;
    // eta is not part of the model and has no tolerance of its own.
    const Variables::Range* eta = variables_.range_of(VariableClass::eta);
    Eigen::VectorXd atol =
        Eigen::VectorXd::Constant(variables_.size() - (eta ? eta->count : 0), accuracy);
    for (const Variables::Range& range : variables_.ranges)
      if (range.cls != VariableClass::eta)
        atol.segment(range.first, range.count).array() *=
            std::pow(std::min(h, 1.0), 1 - std::max(range.index, 1));
    options_.atol = atol;
  }

  // All runs with one step size; false: Newton's method failed in one of them.
  bool measure(int column) {
    options_.defect = {};
    report_.failure.clear();
    const Solution plain = solve(study_.problem, study_.interval, options_);
    if (!plain.ok()) {
      report_.failure =
          fmt::format("without perturbation, h = {:g}: {}", options_.fixed_step, plain.message());
      return plain.status() != Status::newton_failed;
    }
    if (!components_) prepare(plain);
    record(plain);
    bool solved = true;
    const double least = *std::min_element(study_.thetas.begin(), study_.thetas.end());
    const Eigen::VectorXd floor = difference(control * least, solved);
    for (std::size_t k = 0; k < report_.components.size(); ++k)
      report_.components[k].round_off[column] = floor[static_cast<int>(k)];
    for (int i = 0; i < static_cast<int>(study_.thetas.size()); ++i) {
      const Eigen::VectorXd error = difference(study_.thetas[static_cast<std::size_t>(i)], solved);
      for (std::size_t k = 0; k < report_.components.size(); ++k)
        report_.components[k].errors(i, column) = error[static_cast<int>(k)];
    }
    if (column + 1 == static_cast<int>(study_.steps.size()))
      report_.sensitivity = analyse_sensitivity(study_.problem, plain);
    return solved;
  }

  void prepare(const Solution& first) {
    components_ = std::make_unique<Components>(study_, first);
    for (const Components::Part& part : components_->parts()) {
      PerturbedComponent c;
      c.name = part.name;
      c.errors.setConstant(static_cast<int>(study_.thetas.size()),
                           static_cast<int>(study_.steps.size()), perturbation::nan_value);
      c.round_off.setConstant(static_cast<int>(study_.steps.size()), perturbation::nan_value);
      report_.components.push_back(std::move(c));
    }
    sizes_.setZero(static_cast<int>(components_->parts().size()));
    work_.setZero(components_->size());
  }

  void record(const Solution& plain) {
    const std::size_t count = plain.times().size();
    reference_.resize(components_->size(), static_cast<int>(count));
    for (std::size_t n = 0; n < count; ++n) {
      auto column = reference_.col(static_cast<int>(n));
      if (!components_->evaluate(plain.state(n), column))
        column.setConstant(perturbation::nan_value);
    }
    for (std::size_t k = 0; k < components_->parts().size(); ++k) {
      const Components::Part& part = components_->parts()[k];
      sizes_[static_cast<int>(k)] =
          std::max(sizes_[static_cast<int>(k)],
                   reference_.middleRows(part.first, part.count).cwiseAbs().maxCoeff());
    }
  }

  // Largest difference to the unperturbed run per component; NaN: the run failed.
  Eigen::VectorXd difference(double theta, bool& solved) {
    options_.defect = perturbation::make_defect(study_, rows_, theta);
    const auto parts = static_cast<int>(components_->parts().size());
    const Solution s = solve(study_.problem, study_.interval, options_);
    solved = solved && s.status() != Status::newton_failed;
    if (s.status() == Status::cancelled)
      report_.failure =
          fmt::format("theta = {:g}, h = {:g}: {}", theta, options_.fixed_step, s.message());
    if (!s.ok() || static_cast<int>(s.times().size()) != reference_.cols())
      return Eigen::VectorXd::Constant(parts, perturbation::nan_value);
    Eigen::VectorXd largest = Eigen::VectorXd::Zero(parts);
    const int last = static_cast<int>(reference_.cols()) - 1;
    for (int n = study_.at_end ? last : 1; n <= last; ++n) {
      if (!components_->evaluate(s.state(static_cast<std::size_t>(n)), work_))
        return Eigen::VectorXd::Constant(parts, perturbation::nan_value);
      work_ -= reference_.col(n);
      for (int k = 0; k < parts; ++k) {
        const Components::Part& part = components_->parts()[static_cast<std::size_t>(k)];
        largest[k] =
            std::max(largest[k], work_.segment(part.first, part.count).cwiseAbs().maxCoeff());
      }
    }
    return largest;
  }

  const PerturbationStudy& study_;
  Options options_;
  std::vector<Row> rows_;
  const Variables& variables_;
  PerturbationReport& report_;
  std::unique_ptr<Components> components_;
  Eigen::MatrixXd reference_;
  Eigen::VectorXd sizes_, work_;
};

void judge(PerturbedComponent& c, const PerturbationBound& bound, const PerturbationStudy& study,
           double scale) {
  c.terms = bound.terms;
  c.smallest = bound.smallest;
  c.theory = bound.text;
  c.source = bound.source;
  const perturbation::Fit f = perturbation::fit(c, study.thetas, study.steps, scale);
  c.theta_exponent = f.theta_exponent;
  c.h_exponent = f.h_exponent;
  c.constant = f.constant;
  c.misfit = f.misfit;
  c.points = f.points;
  c.reason = f.reason;
  c.verdict = perturbation::verdict(c);
  if (std::abs(f.theta_exponent - 1.0) <= 0.2 && std::isfinite(f.h_exponent))
    c.index = 1 + std::max(0, static_cast<int>(std::lround(-f.h_exponent)));
}

}  // namespace

const PerturbedComponent* PerturbationReport::find(const std::string& name) const {
  for (const PerturbedComponent& c : components)
    if (c.name == name) return &c;
  return nullptr;
}

PerturbationReport perturb(const PerturbationStudy& given) {
  check_list("thetas", given.thetas);
  check_list("steps", given.steps);
  if (!(given.accuracy > 0.0))
    throw InvalidArgument(
        fmt::format("accuracy: {} is not allowed; give a number > 0", given.accuracy));
  PerturbationStudy study = given;
  PerturbationReport report;
  const Options options = options_of(study);
  const std::string formulation = options.formulation == "auto" ? "" : options.formulation;
  report.method = options.method;
  report.formulation = formulation;
  report.thetas = study.thetas;
  report.steps = study.steps;
  const perturbation::Probe probe = perturbation::probe(study, options);
  const std::vector<std::string>& names = probe.equations;
  if (names.empty()) {
    report.failure = "the first step did not succeed; 'solve' with the same method says why";
    return report;
  }
  const std::vector<Row> rows = perturbation::choose_rows(study, formulation, names);
  for (const Row& row : rows) report.rows.push_back(names[static_cast<std::size_t>(row.number)]);
  const bool comparable = resolve_rows(study, rows);

  Laboratory laboratory(study, options, rows, probe.variables, report);
  if (!laboratory.measure()) return report;
  if (!comparable)
    report.warnings.push_back("the perturbed equations are of different kinds: no bound applies");
  std::vector<PerturbationBound> bounds;
  std::vector<std::string> labels;
  for (std::size_t k = 0; k < report.components.size(); ++k) {
    const Components::Part& part = laboratory.components().parts()[k];
    PerturbationBound bound;
    if (comparable) bound = perturbation_bound(study, formulation, part.cls, report.sensitivity);
    judge(report.components[k], bound, study, part.saturates ? laboratory.size(k) : 0.0);
    report.index = std::max(report.index, report.components[k].index);
    bounds.push_back(std::move(bound));
    labels.push_back(part.name);
  }
  report.budget = perturbation::judge_run(study, options, formulation, labels, bounds);
  const Method* method = find_method(options.method);
  const int order = method ? method->order : 1;
  report.imposed =
      step_regions(bounds, *std::max_element(study.thetas.begin(), study.thetas.end()), order);
  const bool known = std::isfinite(report.budget.theta) && report.budget.theta > 0.0;
  report.regions = known ? step_regions(bounds, report.budget.theta, order) : report.imposed;
  return report;
}

}  // namespace daedalus
