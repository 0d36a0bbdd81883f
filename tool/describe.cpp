// SPDX-License-Identifier: BSD-3-Clause
#include "tool/describe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <daedalus/formulation.hpp>
#include <daedalus/recommend.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::cli {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Collector {
  std::vector<VariableFacts> list;

  void add(const std::vector<std::string>& names, VariableClass cls, int first, int count,
           const std::vector<int>& index, const Eigen::VectorXd& start) {
    for (int i = first; i < first + count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const std::string name =
          k < names.size() ? names[k] : std::string(to_string(cls)) + std::to_string(i + 1);
      list.push_back(
          {name, cls, index[index.size() == 1 ? 0 : k], i < start.size() ? start[i] : unknown});
    }
  }
};

int size_of(const Eigen::VectorXd& v) { return static_cast<int>(v.size()); }

std::vector<int> given_or_one(const std::vector<int>& index) {
  return index.empty() ? std::vector<int>{1} : index;
}

void collect(const ImplicitProblem& p, Collector& c) {
  c.add(p.variables, VariableClass::y, 0, size_of(p.y0), given_or_one(p.variable_index), p.y0);
}

void collect(const MassMatrixProblem& p, Collector& c) {
  c.add(p.variables, VariableClass::y, 0, size_of(p.y0), given_or_one(p.variable_index), p.y0);
}

// Hessenberg form of size m: the block x_i has index m - i, x_m = z has index m.
void collect(const SemiExplicitProblem& p, Collector& c) {
  const int m = static_cast<int>(p.hessenberg_blocks.size()) + 1;
  std::vector<int> index;
  for (int i = 1; i < m; ++i)
    index.insert(index.end(), static_cast<std::size_t>(p.hessenberg_blocks[i - 1]), m - i);
  c.add(p.y_names, VariableClass::y, 0, size_of(p.y0), given_or_one(index), p.y0);
  c.add(p.z_names, VariableClass::z, 0, size_of(p.z0), {m}, p.z0);
}

void collect(const MultibodyProblem& p, Collector& c) {
  const bool holonomic = p.constraint_count > 0;
  std::vector<int> multiplier(static_cast<std::size_t>(p.constraint_count), 3);
  multiplier.insert(multiplier.end(), static_cast<std::size_t>(p.nonholonomic_count), 2);
  c.add(p.q_names, VariableClass::q, 0, p.space.points(), {1}, p.q0);
  c.add(p.v_names, VariableClass::v, 0, p.velocities(), {holonomic ? 2 : 1}, p.v0);
  c.add(p.c_names, VariableClass::c, 0, p.dynamic_count, {1}, p.c0);
  c.add(p.s_names, VariableClass::s, 0, p.contact_count, {1}, p.s0);
  // lambda0 is only a guess, so lambda is shown as computed.
  if (p.multipliers() > 0)
    c.add(p.lambda_names, VariableClass::lambda, 0, p.multipliers(), multiplier, {});
}

Json describe_reference(const problems::Reference& reference) {
  Json values = Json::object();
  for (const auto& [name, value] : reference.values) values[name] = number(value);
  Json counted = Json::array();
  for (const std::string& name : reference.counted) counted.push_back(name);
  if (counted.empty())
    for (const auto& [name, value] : reference.values) counted.push_back(name);
  return Json{{"t", number(reference.t)},
              {"values", values},
              {"counted", counted},
              {"digits", reference.digits},
              {"source", reference.source}};
}

Json options_of(const std::vector<MethodOption>& options) {
  Json list = Json::array();
  for (const MethodOption& o : options)
    list.push_back(Json{
        {"key", o.key}, {"values", o.values}, {"default", number(o.standard)}, {"help", o.help}});
  return list;
}

}  // namespace

std::vector<VariableFacts> model_variables(const Problem& problem) {
  Collector collector;
  std::visit([&](const auto& p) { collect(p, collector); }, problem);
  return collector.list;
}

std::vector<std::string> problem_forms(const Method& method) {
  if (method.multibody_only) return {"multibody"};
  if (method.view_elsewhere) return {"semi-explicit", "multibody"};
  switch (method.view) {
    case View::residual:
      return {"implicit", "mass-matrix", "semi-explicit", "multibody"};
    case View::linear:
      return {"mass-matrix", "semi-explicit", "multibody"};
    case View::partitioned:
      return {"semi-explicit"};
    case View::mechanical:
      return {"multibody"};
  }
  return {};
}

std::vector<std::string> accepted_formulations(const Method& method) {
  std::vector<std::string> names = method.formulations;
  for (const char* name : {"pendulum", "heavy-top-r3xso3"}) {
    const problems::Entry* entry = problems::find_problem(name);
    if (entry == nullptr) continue;
    const Problem problem = entry->problem();
    for (const Formulation& f : all_formulations()) {
      if (std::find(names.begin(), names.end(), f.name) != names.end()) continue;
      Options o;
      o.method = method.name;
      o.formulation = f.name;
      o.fixed_step = 1e-3;  // methods without error control fit as well
      try {
        recommend(problem, o);
        names.push_back(f.name);
      } catch (const InvalidArgument&) {
      }
    }
  }
  return names;
}

Json describe(const Method& method) {
  return Json{{"name", method.name},
              {"family", method.family},
              {"order", method.order},
              {"error_order", method.error_order > 0 ? Json(method.error_order) : Json(nullptr)},
              {"dense_order", method.dense_order > 0 ? Json(method.dense_order) : Json(nullptr)},
              {"stability", std::string(to_string(method.stability))},
              {"largest_index", method.max_index},
              {"problem_forms", problem_forms(method)},
              {"reference", method.reference}};
}

Json describe(const problems::Entry& entry, const Problem& problem) {
  return Json{{"name", entry.name},
              {"title", entry.title},
              {"form", entry.form},
              {"index", entry.index},
              {"size", model_variables(problem).size()},
              {"t0", number(entry.t0)},
              {"t_end", number(entry.t_end)},
              {"stiff", entry.stiff},
              {"source", entry.source},
              {"has_reference", entry.reference.has_value()},
              {"suites", entry.suites},
              {"expected_status", entry.expected_status}};
}

Json describe(const Formulation& formulation) {
  return Json{{"name", formulation.name},
              {"index", formulation.index},
              {"applies_to", formulation.applies_to},
              {"reference", formulation.reference},
              {"options", options_of(formulation.options)}};
}

Json details(const Method& method) {
  Json orders = Json::object();
  for (int i = 0; i < class_count; ++i) {
    const auto cls = static_cast<VariableClass>(i);
    if (method.orders[cls] > 0.0) orders[std::string(to_string(cls))] = number(method.orders[cls]);
  }
  return Json{{"view", std::string(to_string(method.view))},
              {"stiffly_accurate", method.stiffly_accurate},
              {"fixed_step_only", method.fixed_step_only},
              {"formulations", accepted_formulations(method)},
              {"orders", orders},
              {"options", options_of(method.options)}};
}

Json details(const problems::Entry& entry, const Problem& problem) {
  Json variables = Json::array();
  for (const VariableFacts& v : model_variables(problem))
    variables.push_back(Json{{"name", v.name},
                             {"class", std::string(to_string(v.cls))},
                             {"index", v.index},
                             {"start", number(v.start)}});
  Json parameters = Json::object();
  for (const Parameter& p : entry.parameters) parameters[p.name] = number(p.value);
  Json scale = Json::object();
  for (const auto& [name, factor] : entry.atol_scale) scale[name] = number(factor);
  return Json{
      {"equations", entry.equations},
      {"variables", variables},
      {"parameters", parameters},
      {"atol_scale", scale},
      {"has_exact_solution", static_cast<bool>(entry.exact)},
      {"reference", entry.reference ? describe_reference(*entry.reference) : Json(nullptr)}};
}

}  // namespace daedalus::cli
