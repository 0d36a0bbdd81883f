// SPDX-License-Identifier: BSD-3-Clause
// The graph that a trace writes into, and callables made of what was written.
#include <fmt/format.h>

#include "call.hpp"
#include "expressions.hpp"
#include "graph_function.hpp"
#include "model/formula_function.hpp"

namespace daedalus::python {
namespace {

using graph::InputKind;

VectorKinds kinds_of_family(bool multibody) { return multibody ? mechanics_kinds : state_kinds; }

// Inputs by the vectors of a slot: numbers as in the family's point form.
class TraceGraph {
 public:
  explicit TraceGraph(const std::string& name) : builder_(std::make_shared<ModelBuilder>(name)) {}

  Formula time() { return {builder_->graph().time(), builder_}; }
  Formula input(InputKind kind, int number, const std::string& name) {
    return {builder_->graph().input(kind, number, name), builder_};
  }
  std::vector<Formula> vector(bool multibody, int which, const std::vector<std::string>& names) {
    const InputKind kind = kinds_of_family(multibody)[static_cast<std::size_t>(which)];
    return inputs(kind, names);
  }
  std::vector<Formula> parameters(const std::vector<std::string>& names) {
    return inputs(InputKind::parameter, names);
  }
  std::vector<Formula> modes(int count) {
    mode_count_ = count;
    return inputs(InputKind::mode,
                  std::vector<std::string>(static_cast<std::size_t>(count), "mode"));
  }

  // Rows in their order, matrices column by column. `vectors`, `sizes`: derivatives by these are
  // made as formulas as well.
  GraphFunction function(const py::list& rows, bool multibody, const std::vector<int>& vectors,
                         const std::vector<int>& sizes) {
    graph::Outputs outputs;
    for (const py::handle row : rows) outputs.add(formula_from(row).value);
    const FormulaSettings settings{kinds_of_family(multibody), mode_count_, true};
    const std::shared_ptr<graph::Graph> shared(builder_, &builder_->graph());
    const FormulaFunction::Wanted wanted{vectors, sizes, !vectors.empty()};
    return {std::make_shared<const FormulaFunction>(shared, outputs, settings, wanted), {}};
  }
  int size() { return builder_->graph().size(); }

 private:
  std::vector<Formula> inputs(InputKind kind, const std::vector<std::string>& names) {
    std::vector<Formula> list;
    for (std::size_t i = 0; i < names.size(); ++i)
      list.push_back(input(kind, static_cast<int>(i), names[i]));
    return list;
  }
  std::shared_ptr<ModelBuilder> builder_;
  int mode_count_ = 0;
};

py::array_t<double> evaluate(const GraphFunction& f, double t,
                             const std::vector<std::vector<double>>& vectors,
                             const std::vector<double>& p, const std::vector<double>& modes,
                             int count) {
  Arguments<double> a;
  a.t = t;
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    a.x[k] = vectors[k].data();
    a.n[k] = static_cast<int>(vectors[k].size());
  }
  a.p = p.data();
  a.parameter_count = static_cast<int>(p.size());
  a.modes = modes.data();
  a.mode_count = static_cast<int>(modes.size());
  py::array_t<double> out(count);
  f.body->call(a, out.mutable_data(), count, 1);
  return out;
}

// G, g_t and the acceleration term of holonomic constraints, as the model builder makes them.
py::dict constraint_derivatives(const py::function& constraint, int coordinates,
                                const std::vector<std::string>& parameters,
                                const std::vector<double>& values) {
  const auto builder = std::make_shared<ModelBuilder>("constraints");
  py::list q, p;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    p.append(Formula{builder->parameter(parameters[k], values[k]), builder});
  std::vector<Coordinate> all;
  for (int i = 0; i < coordinates; ++i) {
    all.push_back(builder->coordinate(fmt::format("q{}", i + 1), fmt::format("v{}", i + 1)));
    q.append(Formula{all.back().q, builder});
    builder->mass(all.back(), all.back(), 1.0);
  }
  const py::list rows = constraint(Formula{builder->time(), builder}, q, p);
  int number = 0;
  for (const py::handle row : rows)
    builder->constraint(formula_from(row).value, fmt::format("lambda{}", ++number));
  const auto problem = std::get<MultibodyProblem>(builder->problem());
  py::dict d;
  d["constraint"] = GraphFunction{nullptr, problem.constraint};
  d["constraint_jacobian"] = GraphFunction{nullptr, problem.constraint_jacobian};
  d["constraint_time_derivative"] = GraphFunction{nullptr, problem.constraint_time_derivative};
  d["acceleration_term"] = GraphFunction{nullptr, problem.acceleration_term};
  return d;
}

}  // namespace

void add_graphs(py::module_& m) {
  py::class_<GraphFunction>(m, "GraphFunction").def("evaluate", evaluate);
  py::class_<TraceGraph>(m, "TraceGraph")
      .def(py::init<std::string>())
      .def("time", &TraceGraph::time)
      .def("vector", &TraceGraph::vector)
      .def("parameters", &TraceGraph::parameters)
      .def("modes", &TraceGraph::modes)
      .def("function", &TraceGraph::function)
      .def_property_readonly("size", &TraceGraph::size);
  m.def("constraint_derivatives", constraint_derivatives);
}

}  // namespace daedalus::python
