// SPDX-License-Identifier: BSD-3-Clause
#include "traced_law.hpp"

#include <fmt/format.h>

#include "graph/lower.hpp"

namespace daedalus::python {
namespace {

graph::Outputs written(const py::function& f, const std::shared_ptr<ModelBuilder>& owner,
                       const py::object& t, int size, int count) {
  py::list x;
  for (int i = 0; i < size; ++i)
    x.append(Formula{owner->graph().input(graph::InputKind::state, i, fmt::format("x{}", i + 1)),
                     owner});
  graph::Outputs outputs;
  for (const py::handle row : f(t, x).cast<py::list>()) outputs.add(formula_from(row).value);
  if (count > 0 && outputs.count != count)
    throw py::value_error(
        fmt::format("the function returned {} values, expected {}", outputs.count, count));
  return outputs;
}

}  // namespace

TracedLaw::TracedLaw(std::shared_ptr<ModelBuilder> owner, graph::Outputs outputs, int size)
    : owner_(std::move(owner)),
      outputs_(std::move(outputs)),
      size_(size),
      count_(outputs_.count),
      body_(std::make_shared<const FormulaFunction>(
          std::shared_ptr<graph::Graph>(owner_, &owner_->graph()), outputs_,
          FormulaSettings{state_kinds, 0, true}, FormulaFunction::Wanted{})) {}

TracedLaw::TracedLaw(const py::function& f, int size, int count)
    : TracedLaw([&] {
        auto owner = std::make_shared<ModelBuilder>("law");
        const py::object t = py::cast(Formula{owner->graph().time(), owner});
        graph::Outputs outputs = written(f, owner, t, size, count);
        return TracedLaw(std::move(owner), std::move(outputs), size);
      }()) {}

TracedLaw TracedLaw::at(const py::function& f, double t, int size, int count) {
  auto owner = std::make_shared<ModelBuilder>("law");
  graph::Outputs outputs = written(f, owner, py::float_(t), size, count);
  return {std::move(owner), std::move(outputs), size};
}

TracedLaw TracedLaw::by_time() const {
  graph::Graph& graph = owner_->graph();
  return {owner_, time_column(graph, graph::lower(graph, outputs_)), size_};
}

}  // namespace daedalus::python
