// SPDX-License-Identifier: BSD-3-Clause
// A compiled model with values for its parameters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "kernel/at.hpp"
#include "model/compiled.hpp"
#include "model/event_run.hpp"

namespace daedalus {

SparseMatrix ConstantMatrix::at(const std::vector<double>& parameters) const {
  // Nothing depends on them, but maps load what they have as arguments.
  const std::vector<double> zero(static_cast<std::size_t>(std::max(pattern.cols, modes)), 0.0);
  Arguments<double> a;
  a.x = {zero.data(), zero.data(), zero.data(), zero.data(), zero.data()};
  a.p = parameters.data();
  a.parameter_count = static_cast<int>(parameters.size());
  a.modes = zero.data();
  std::vector<double> values(static_cast<std::size_t>(pattern.nonzeros()));
  entries->run(a, values.data());
  return Eigen::Map<const SparseMatrix>(pattern.rows, pattern.cols, pattern.nonzeros(),
                                        pattern.start.data(), pattern.row.data(), values.data());
}

Arguments<double> Model::Data::arguments(double t, const double* y, const double* yp,
                                         const std::vector<double>& p, const double* modes) const {
  Arguments<double> a;
  a.t = t;
  if (y && multibody) {  // q, v, c, lambda
    const double* c = y + 2 * mechanics.q;
    a.x = {y, y + mechanics.q, c + mechanics.c, c, nullptr};
  } else if (!multibody) {
    a.x = {y, y ? y + (names.size() - daedalus::at(algebraic_count)) : nullptr, yp, nullptr,
           nullptr};
  }
  a.p = p.data();
  a.parameter_count = static_cast<int>(p.size());
  a.modes = modes;
  return a;
}

std::vector<double> Model::Data::parameter_values(const Values& values) const {
  std::vector<double> p;
  for (const Parameter& parameter : parameters) p.push_back(parameter.value);
  for (const auto& [key, value] : values) {
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [&k = key](const Parameter& q) { return q.name == k; });
    if (known == parameters.end()) {
      std::vector<std::string> names_of;
      for (const Parameter& q : parameters) names_of.push_back(q.name);
      throw InvalidArgument(fmt::format(
          "model '{}' has no parameter '{}' (given value {}) that can be set; {}", name, key, value,
          names_of.empty() ? std::string("it has none")
                           : fmt::format("there are {}", fmt::join(names_of, ", "))));
    }
    const auto k = static_cast<std::size_t>(known - parameters.begin());
    const ParameterOptions& o = parameter_options[k];
    if (!(value >= o.min && value <= o.max))
      throw InvalidArgument(fmt::format("model '{}': parameter '{}' is {}, allowed: from {} to {}",
                                        name, key, value, o.min, o.max));
    p[k] = value;
  }
  return p;
}

Eigen::VectorXd Model::Data::start_values(const std::vector<double>& p) const {
  Eigen::VectorXd y(static_cast<int>(names.size()));
  start->run(arguments(interval.from, nullptr, nullptr, p, nullptr), y.data());
  return y;
}

Model::Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
Model::~Model() = default;
const std::string& Model::name() const { return data_->name; }
std::string Model::form() const { return data_->form; }
const std::vector<Parameter>& Model::parameters() const { return data_->parameters; }
const std::vector<ModelOutput>& Model::outputs() const { return data_->outputs; }
const StructureReport& Model::structure() const { return data_->structure; }
std::vector<std::string> Model::equation_texts() const {
  std::vector<std::string> texts;
  for (const RowText& t : data_->equation_texts) texts.push_back(*t);
  return texts;
}

namespace {

using Body = std::shared_ptr<const detail::FunctionBody>;

template <class P>
void fill_common(const Model::Data& d, const std::vector<double>& p, P& problem) {
  problem.name = d.name;
  for (std::size_t k = 0; k < p.size(); ++k)
    problem.parameters.push_back({d.parameters[k].name, p[k]});
  problem.initial_equation_count = d.initial_count;
  if (d.initial) problem.initial_equations = decltype(problem.initial_equations)(Body(d.initial));
}

template <class Slot, class P>
void fill_first_order(const Model::Data& d, P& problem) {
  problem.equations = d.equations;
  problem.variable_index = d.variable_index;
  problem.index = d.structure.index;
  for (const auto& i : d.invariants)
    problem.invariants.push_back({i.name, Function<Slot>(Body(i.value))});
}

Problem semi_explicit_problem(const Model::Data& d, const std::vector<double>& p,
                              const Eigen::VectorXd& y) {
  SemiExplicitProblem problem;
  fill_common(d, p, problem);
  fill_first_order<slot::Coupled>(d, problem);
  problem.f = Function<slot::Coupled>(Body(d.first_order.f));
  problem.g = Function<slot::CoupledConstraint>(Body(d.first_order.g));
  const int nz = d.algebraic_count, ny = static_cast<int>(y.size()) - nz;
  problem.y0 = y.head(ny);
  problem.z0 = y.tail(nz);
  problem.y_names.assign(d.names.begin(), d.names.begin() + ny);
  problem.z_names.assign(d.names.begin() + ny, d.names.end());
  // 0 = g(t, y) in every branch: Hessenberg form of size 2.
  if (d.structure.index == 2 && d.first_order.g->pattern(slot::State::z).nonzeros() == 0) {
    problem.hessenberg_blocks = {ny};
    problem.variable_index.clear();
  }
  return problem;
}

Problem multibody_problem(const Model::Data& d, const std::vector<double>& p,
                          const Eigen::VectorXd& y) {
  const MechanicsParts& m = d.mechanics;
  MultibodyProblem b;
  fill_common(d, p, b);
  b.space = euclidean(m.q);
  b.constraint_count = m.holonomic;
  b.nonholonomic_count = m.nonholonomic;
  b.dynamic_count = m.c;
  const auto set = [](auto& field, const std::shared_ptr<const FormulaFunction>& f) {
    if (f) field = std::decay_t<decltype(field)>(Body(f));
  };
  set(b.mass, m.mass);
  if (m.constant_mass) b.mass_matrix = m.constant_mass->at(p);
  set(b.force, m.force);
  set(b.constraint, m.constraint);
  set(b.constraint_jacobian, m.constraint_jacobian);
  set(b.constraint_time_derivative, m.constraint_time_derivative);
  set(b.acceleration_term, m.acceleration_term);
  set(b.nonholonomic_matrix, m.nonholonomic_matrix);
  set(b.nonholonomic_offset, m.nonholonomic_offset);
  set(b.dynamics, m.dynamics);
  const int multipliers = m.holonomic + m.nonholonomic;
  b.q0 = y.head(m.q);
  b.v0 = y.segment(m.q, m.q);
  b.c0 = y.segment(2 * m.q, m.c);
  b.lambda0 = y.tail(multipliers);
  const auto names = [&](int first, int count) {
    return std::vector<std::string>(d.names.begin() + first, d.names.begin() + first + count);
  };
  b.q_names = names(0, m.q);
  b.v_names = names(m.q, m.q);
  b.c_names = names(2 * m.q, m.c);
  b.lambda_names = names(2 * m.q + m.c, multipliers);
  for (const auto& i : d.invariants)
    b.invariants.push_back({i.name, Function<slot::VelocityTerm>(Body(i.value))});
  return b;
}

Problem first_order_problem(const Model::Data& d, const std::vector<double>& p, Eigen::VectorXd y) {
  if (d.first_order.f) return semi_explicit_problem(d, p, y);
  if (d.first_order.residual && !d.first_order.changing_mass) {
    ImplicitProblem problem;
    fill_common(d, p, problem);
    fill_first_order<slot::StateVector>(d, problem);
    problem.variables = d.names;
    problem.residual = Function<slot::Residual>(Body(d.first_order.residual));
    problem.yp0 = Eigen::VectorXd::Zero(y.size());
    problem.y0 = std::move(y);
    return problem;
  }
  MassMatrixProblem problem;
  fill_common(d, p, problem);
  fill_first_order<slot::StateVector>(d, problem);
  problem.variables = d.names;
  problem.rhs = Function<slot::RightHandSide>(Body(d.first_order.rhs));
  if (d.first_order.changing_mass)
    problem.mass = Function<slot::StateMatrix>(Body(d.first_order.changing_mass));
  else if (!d.first_order.unit_mass)
    problem.mass_matrix = d.first_order.mass.at(p);
  problem.y0 = std::move(y);
  return problem;
}

}  // namespace

Problem Model::problem(const Values& values) const {
  const Data& d = *data_;
  const std::vector<double> p = d.parameter_values(values);
  Eigen::VectorXd y = d.start_values(p);
  std::vector<double> modes(at(d.events.size()), 0.0);
  if (!modes.empty() || !d.events.relations.empty()) {
    Eigen::VectorXd settled = y;
    EventRun(d, p, d.interval.from, settled.data(), modes.data()).start();
    // Algebraic variables that the modes were found with are better guesses than those given, and
    // requirements hold for them, which need not hold for guesses.
    if (d.initial_count == 0 || d.events.initial_mode >= 0) y = settled;
  }
  Problem problem = d.multibody ? multibody_problem(d, p, y) : first_order_problem(d, p, y);
  std::visit([&](auto& form) { form.modes = modes; }, problem);
  return problem;
}

void Model::apply(Options& options, const Values& values) const { entry().apply(options, values); }

void Model::evaluate_outputs(const Values& values, const StateView& s, Out out) const {
  const Data& d = *data_;
  if (at(static_cast<int>(out.size())) != d.outputs.size())
    throw InvalidArgument(fmt::format(
        "the model has {} outputs, and there is room for {}; values that change its structure need "
        "the entry of that structure",
        d.outputs.size(), out.size()));
  const std::vector<double> p = d.parameter_values(values);
  // Of states outside a run the modes are not known.
  std::vector<double> unknown;
  if (s.modes().size() < d.events.size())
    unknown.assign(at(d.events.size()), std::numeric_limits<double>::quiet_NaN());
  d.output_values->run(d.arguments(s.t(), s.all().data(), nullptr, p,
                                   unknown.empty() ? s.modes().data() : unknown.data()),
                       out.data());
}

}  // namespace daedalus
