// SPDX-License-Identifier: BSD-3-Clause
// The tables of methods and formulations, and the recommendation.
#include <daedalus/formulation.hpp>
#include <daedalus/integrator.hpp>
#include <daedalus/method.hpp>
#include <daedalus/recommend.hpp>

#include "bindings.hpp"

namespace daedalus::python {
namespace {

py::list options_of(const std::vector<MethodOption>& options) {
  py::list list;
  for (const MethodOption& o : options) {
    py::dict d;
    d["key"] = o.key;
    d["values"] = o.values;
    d["standard"] = o.standard;
    d["help"] = o.help;
    list.append(d);
  }
  return list;
}

py::dict describe(const Method& m) {
  py::dict d, orders;
  for (int c = 0; c < class_count; ++c) {
    const auto cls = static_cast<VariableClass>(c);
    orders[py::str(std::string(to_string(cls)))] = m.orders[cls];
  }
  d["name"] = m.name;
  d["family"] = m.family;
  d["view"] = std::string(to_string(m.view));
  d["view_elsewhere"] = m.view_elsewhere
                            ? py::object(py::str(std::string(to_string(*m.view_elsewhere))))
                            : py::none();
  d["order"] = m.order;
  d["error_order"] = m.error_order;
  d["dense_order"] = m.dense_order;
  d["orders"] = orders;
  d["stability"] = std::string(to_string(m.stability));
  d["stiffly_accurate"] = m.stiffly_accurate;
  d["matrix_free"] = m.matrix_free;
  d["largest_index"] = m.max_index;
  d["hessenberg_only"] = m.hessenberg_only;
  d["formulations"] = m.formulations;
  d["stabilised_only"] = m.stabilised_only;
  d["multibody_only"] = m.multibody_only;
  d["fixed_step_only"] = m.fixed_step_only;
  d["equal_steps_only"] = m.equal_steps_only;
  d["lowest_order"] = m.min_order;
  d["highest_order"] = m.max_order;
  d["control"] = m.control;
  d["reference"] = m.reference;
  d["options"] = options_of(m.options);
  return d;
}

py::list methods() {
  py::list list;
  for (const Method* m : all_methods()) list.append(describe(*m));
  return list;
}

py::list formulations() {
  py::list list;
  for (const Formulation& f : all_formulations()) {
    py::dict d;
    d["name"] = f.name;
    d["index"] = f.index;
    d["applies_to"] = f.applies_to;
    d["reference"] = f.reference;
    d["options"] = options_of(f.options);
    list.append(d);
  }
  return list;
}

py::dict recommend_for(const NativeProblem& native, const py::dict& keywords) {
  const Options options = options_from(keywords);
  Recommendation r;
  {
    const py::gil_scoped_release unlocked;
    r = recommend(native.problem, options);
  }
  py::dict d;
  py::list others;
  for (const Alternative& a : r.alternatives)
    others.append(py::dict(py::arg("method") = a.method, py::arg("formulation") = a.formulation,
                           py::arg("reason") = a.reason));
  d["method"] = r.method;
  d["formulation"] = r.formulation;
  d["reason"] = r.reason;
  d["alternatives"] = others;
  return d;
}

}  // namespace

void add_methods(py::module_& m) {
  m.def("methods", methods);
  m.def("formulations", formulations);
  m.def("recommend", recommend_for);
}

}  // namespace daedalus::python
