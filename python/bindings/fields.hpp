// SPDX-License-Identifier: BSD-3-Clause
// The fields of problems as a table: one function per form visits all of them, to read them from
// keywords or to list them with what they take.
#pragma once

#include "call.hpp"
#include "graph_function.hpp"
#include "sparse_function.hpp"

namespace daedalus::python {

inline constexpr const char* state_vectors[] = {"y", "z", "yp"};
inline constexpr const char* body_vectors[] = {"q", "v", "lambda", "c", "s"};

// ---- slots: which vectors the accepted short forms have ----
template <int... I>
std::vector<int> numbers_of(slot::Form<I...>) {
  return {I...};
}
template <class... F>
std::vector<std::vector<int>> forms_of(slot::Forms<F...>) {
  return {numbers_of(F{})...};
}
template <class Slot>
py::dict slot_facts() {
  constexpr bool state = std::is_base_of_v<slot::State, Slot>;
  py::list forms;
  for (const auto& form : forms_of(typename Slot::Accepted{})) forms.append(py::cast(form));
  py::list names;
  if (state)
    for (const char* n : state_vectors) names.append(n);
  else
    for (const char* n : body_vectors) names.append(n);
  py::dict facts;
  facts["kind"] = "function";
  facts["forms"] = forms;
  facts["vectors"] = names;
  facts["matrix"] = Slot::matrix;
  return facts;
}

// Lists the fields.
struct FieldList {
  py::dict fields;
  void plain(const char* name, const char* kind, py::object standard) {
    py::dict facts;
    facts["kind"] = kind;
    facts["standard"] = standard;
    fields[name] = facts;
  }
  void operator()(const char* n, std::string& x) { plain(n, "text", py::cast(x)); }
  void operator()(const char* n, int& x) { plain(n, "integer", py::cast(x)); }
  void operator()(const char* n, Eigen::VectorXd&) { plain(n, "vector", py::none()); }
  void operator()(const char* n, SparseMatrix&) { plain(n, "matrix", py::none()); }
  void operator()(const char* n, Space&) { plain(n, "space", py::none()); }
  void operator()(const char* n, std::vector<int>&) { plain(n, "integers", py::none()); }
  void operator()(const char* n, std::vector<std::int64_t>&) { plain(n, "integers", py::none()); }
  void operator()(const char* n, std::function<std::string(std::int64_t)>&) {
    plain(n, "naming", py::none());
  }
  void operator()(const char* n, std::vector<double>&) { plain(n, "numbers", py::none()); }
  void operator()(const char* n, std::vector<std::string>&) { plain(n, "names", py::none()); }
  void operator()(const char* n, std::vector<Parameter>&) { plain(n, "parameters", py::none()); }
  template <class Slot>
  void operator()(const char* n, Function<Slot>&) {
    fields[n] = slot_facts<Slot>();
  }
  template <class Slot>
  void operator()(const char* n, std::vector<Invariant<Slot>>&) {
    py::dict facts = slot_facts<Slot>();
    facts["kind"] = "invariants";
    fields[n] = facts;
  }
};

// Reads them from a dictionary that the Python side has checked and converted.
struct FieldReader {
  py::dict from;

  template <class T>
  bool take(const char* name, T& x) const {
    if (!from.contains(name)) return false;
    x = from[name].cast<T>();
    return true;
  }
  void operator()(const char* n, std::string& x) const { take(n, x); }
  void operator()(const char* n, int& x) const { take(n, x); }
  void operator()(const char* n, Space& x) const { take(n, x); }
  void operator()(const char* n, std::vector<int>& x) const { take(n, x); }
  void operator()(const char* n, std::vector<std::int64_t>& x) const { take(n, x); }
  void operator()(const char* n, std::function<std::string(std::int64_t)>& x) const { take(n, x); }
  void operator()(const char* n, std::vector<double>& x) const { take(n, x); }
  void operator()(const char* n, std::vector<std::string>& x) const { take(n, x); }
  void operator()(const char* n, Eigen::VectorXd& x) const;
  void operator()(const char* n, SparseMatrix& x) const;
  void operator()(const char* n, std::vector<Parameter>& x) const;
  template <class Slot>
  void operator()(const char* n, Function<Slot>& f) const {
    if (from.contains(n)) f = function<Slot>(from[n]);
  }
  template <class Slot>
  void operator()(const char* n, std::vector<Invariant<Slot>>& list) const {
    if (!from.contains(n)) return;
    const py::dict given(from[n]);
    for (const std::pair<py::handle, py::handle> item : given)
      list.push_back({std::string(py::str(item.first)), function<Slot>(item.second)});
  }
  // A tuple describes a Python function, anything else is made of formulas.
  template <class Slot>
  static Function<Slot> function(const py::handle& value) {
    if (py::isinstance<GraphFunction>(value)) return as_function<Slot>(value.cast<GraphFunction>());
    const auto description = py::reinterpret_borrow<py::tuple>(value);
    if (description.size() > 6) return Function<Slot>(sparse_function(description));
    return Callback<Slot>{python_function(description)};
  }
};

}  // namespace daedalus::python
