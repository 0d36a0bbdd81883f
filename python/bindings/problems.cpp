// SPDX-License-Identifier: BSD-3-Clause
// Problems from keywords, and what can be asked of one.
#include <fmt/format.h>

#include "fields.hpp"
#include "visit_problem.hpp"

namespace daedalus::python {

void FieldReader::operator()(const char* n, Eigen::VectorXd& x) const {
  if (!from.contains(n)) return;
  const std::vector<double> list = numbers_from(from[n], n);
  x = Eigen::Map<const Eigen::VectorXd>(list.data(), static_cast<Eigen::Index>(list.size()));
}

// (rows, columns, values, shape)
void FieldReader::operator()(const char* n, SparseMatrix& x) const {
  if (!from.contains(n)) return;
  const auto parts = from[n].cast<py::tuple>();
  const auto rows = parts[0].cast<std::vector<int>>(), cols = parts[1].cast<std::vector<int>>();
  const auto values = parts[2].cast<std::vector<double>>();
  const auto shape = parts[3].cast<std::pair<int, int>>();
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < values.size(); ++k) entries.emplace_back(rows[k], cols[k], values[k]);
  x.resize(shape.first, shape.second);
  x.setFromTriplets(entries.begin(), entries.end());
}

void FieldReader::operator()(const char* n, std::vector<Parameter>& x) const {
  if (!from.contains(n)) return;
  for (const auto& [name, value] : from[n].cast<py::dict>())
    x.push_back({name.cast<std::string>(), value.cast<double>()});
}

namespace {

template <class Run>
void with_form(const std::string& form, Run&& run) {
  if (form == "implicit") return run(ImplicitProblem{});
  if (form == "mass-matrix") return run(MassMatrixProblem{});
  if (form == "semi-explicit") return run(SemiExplicitProblem{});
  if (form == "multibody") return run(MultibodyProblem{});
  throw InvalidArgument(fmt::format("there is no problem form '{}'", form));
}

py::dict problem_fields(const std::string& form) {
  FieldList list;
  with_form(form, [&](auto problem) { visit_fields(list, problem); });
  return list.fields;
}

NativeProblem build_problem(const std::string& form, const py::dict& fields) {
  NativeProblem native;
  const FieldReader read{fields};
  with_form(form, [&](auto problem) {
    visit_fields(read, problem);
    native.problem = std::move(problem);
  });
  return native;
}

py::dict parameters_of(const NativeProblem& native) {
  py::dict all;
  std::visit(
      [&](const auto& p) {
        for (const Parameter& q : p.parameters) all[py::str(q.name)] = q.value;
      },
      native.problem);
  return all;
}

NativeProblem with_parameters(const NativeProblem& native, const py::dict& values) {
  NativeProblem other = native;
  for (const auto& [name, value] : values)
    set_parameter(other.problem, name.cast<std::string>(), value.cast<double>());
  return other;
}

}  // namespace

void add_problems(py::module_& m) {
  py::class_<NativeProblem, std::shared_ptr<NativeProblem>>(m, "Problem")
      .def_property_readonly("name", [](const NativeProblem& p) { return name_of(p.problem); })
      .def_property_readonly("form",
                             [](const NativeProblem& p) { return std::string(form_of(p.problem)); })
      .def_property_readonly("index", [](const NativeProblem& p) { return index_of(p.problem); })
      .def_property_readonly("parameters", parameters_of)
      .def("with_parameters", with_parameters)
      .def("validate", [](const NativeProblem& p, double t0) {
        begin_run();
        validate(p.problem, t0);
      });
  m.def("problem_fields", problem_fields);
  m.def("build_problem", build_problem);
  m.def("seconds_per_call", seconds_per_call);
}

}  // namespace daedalus::python
