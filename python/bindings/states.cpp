// SPDX-License-Identifier: BSD-3-Clause
// States, what event handlers change, and events.
#include "states.hpp"

#include <fmt/format.h>

#include "call.hpp"
#include "held.hpp"

namespace daedalus::python {
namespace {

py::array_t<double> copied(const Eigen::VectorXd& x) {
  return py::array_t<double>(x.size(), x.data());
}

template <VariableClass c>
py::array_t<double> class_of(const ModelState& s) {
  return copied(s.of(c));
}

// What a handler gets: arrays that it may change, copied back when it returns.
struct Change {
  ModelState before;
  py::array_t<double> y, modes;
};

int index_of_name(const Variables& variables, const std::string& name) {
  const int i = variables.find(name);
  if (i < 0) throw py::key_error(fmt::format("there is no variable '{}'", name));
  return i;
}

template <VariableClass c>
py::object range_of(const Change& x) {
  const Variables::Range* r = x.before.variables().range_of(c);
  const int first = r ? r->first : 0, count = r ? r->count : 0;
  return x.y[py::slice(first, first + count, 1)];
}

std::function<void(EventContext&)> handler_from(const py::handle& function) {
  if (function.is_none()) return {};
  return [f = hold(function)](EventContext& c) {
    const py::gil_scoped_acquire lock;
    const auto variables = std::make_shared<const Variables>(c.variables);
    Change change{ModelState(variables, c.t, c.y), copied(c.y), copied(c.modes)};
    const py::object x = py::cast(&change, py::return_value_policy::reference);
    (*f)(x);
    begin_run();
    const auto back = [](const py::array_t<double>& from, Out to, const char* what) {
      if (from.size() != to.size())
        throw py::value_error(fmt::format("handler: it changed the size of {}", what));
      to = Eigen::Map<const Eigen::VectorXd>(from.data(), from.size());
    };
    back(change.y, c.y, "y");
    back(change.modes, c.modes, "modes");
  };
}

}  // namespace

// (name, when, takes a state, direction, action, handler, rest)
Event event_from(const py::handle& description) {
  if (py::isinstance<Event>(description)) return description.cast<Event>();  // of the catalogue
  const auto d = description.cast<py::tuple>();
  Event e;
  e.name = d[0].cast<std::string>();
  const bool takes_state = d[2].cast<bool>();
  e.when = [f = hold(d[1]), takes_state, name = e.name,
            cache = std::make_shared<VariablesCache>()](const StateView& s) {
    const py::gil_scoped_acquire lock;
    begin_run();
    const py::object value = takes_state
                                 ? (*f)(cache->state(s))
                                 : (*f)(s.t(), py::array_t<double>(s.all().size(), s.all().data()));
    const std::vector<double> number = numbers_from(value, "event '" + name + "'");
    if (number.size() != 1)
      throw py::value_error(
          fmt::format("event '{}': {} numbers were returned, expected one (t = {:g})", name,
                      number.size(), s.t()));
    return number[0];
  };
  e.direction = static_cast<Crossing>(d[3].cast<int>());
  e.action = static_cast<EventAction>(d[4].cast<int>());
  e.handler = handler_from(d[5]);
  e.rest = handler_from(d[6]);
  return e;
}

void add_states(py::module_& m) {
  py::class_<Progress>(m, "Progress", "How far a run is: t, t_end, h, steps.")
      .def_readonly("t", &Progress::t)
      .def_readonly("t_end", &Progress::t_end)
      .def_readonly("h", &Progress::h)
      .def_readonly("steps", &Progress::steps);
  py::class_<ModelState>(
      m, "State",
      "A state of the model: t, y, and q, v, z, lam, c, s where the problem has them; state[name].")
      .def_property_readonly("t", &ModelState::t)
      .def_property_readonly("y", [](const ModelState& s) { return copied(s.all()); })
      .def_property_readonly("q", &class_of<VariableClass::q>)
      .def_property_readonly("v", &class_of<VariableClass::v>)
      .def_property_readonly("z", &class_of<VariableClass::z>)
      .def_property_readonly("lam", &class_of<VariableClass::lambda>)
      .def_property_readonly("c", &class_of<VariableClass::c>)
      .def_property_readonly("s", &class_of<VariableClass::s>)
      .def_property_readonly("names", [](const ModelState& s) { return s.variables().names; })
      .def("__getitem__",
           [](const ModelState& s, const std::string& name) {
             return s.all()[index_of_name(s.variables(), name)];
           })
      .def("__len__", [](const ModelState& s) { return s.all().size(); })
      .def("__repr__", [](const ModelState& s) {
        return fmt::format("<daedalus.State t={:g}, {} variables>", s.t(), s.variables().size());
      });
  py::class_<Change>(m, "EventContext",
                     "What an event handler may change: y, modes, and variables by name.")
      .def_property_readonly("t", [](const Change& c) { return c.before.t(); })
      .def_readwrite("y", &Change::y)
      .def_readwrite("modes", &Change::modes)
      .def_property_readonly("q", &range_of<VariableClass::q>)
      .def_property_readonly("v", &range_of<VariableClass::v>)
      .def_property_readonly("z", &range_of<VariableClass::z>)
      .def_property_readonly("lam", &range_of<VariableClass::lambda>)
      .def_property_readonly("c", &range_of<VariableClass::c>)
      .def_property_readonly("s", &range_of<VariableClass::s>)
      .def("__getitem__",
           [](const Change& c, const std::string& name) {
             return c.y.at(index_of_name(c.before.variables(), name));
           })
      .def("__setitem__", [](Change& c, const std::string& name, double value) {
        c.y.mutable_at(index_of_name(c.before.variables(), name)) = value;
      });
}

}  // namespace daedalus::python
