// SPDX-License-Identifier: BSD-3-Clause
// Checks and analyses, as dictionaries by the names of C++.
#include <daedalus/analysis.hpp>

#include <fmt/format.h>
#include <pybind11/complex.h>

#include "analysis/structure_start.hpp"
#include "call.hpp"
#include "system/model_size.hpp"

namespace daedalus::python {
namespace {

// Runs without the interpreter's lock; callbacks take it.
template <class Call>
auto unlocked(Call&& call) {
  const py::gil_scoped_release released;
  return call();
}

#define DAEDALUS_COPY(name) d[#name] = r.name
py::dict check_problem(const NativeProblem& p, double t0, const py::dict& keywords) {
  const Options o = options_from(keywords);
  const Check r = unlocked([&] { return check(p.problem, t0, o); });
  py::dict d;
  DAEDALUS_COPY(structural_index);
  DAEDALUS_COPY(numerical_index);
  DAEDALUS_COPY(gap);
  DAEDALUS_COPY(why);
  DAEDALUS_COPY(degrees_of_freedom);
  DAEDALUS_COPY(redundant);
  DAEDALUS_COPY(consistent);
  DAEDALUS_COPY(jacobian_error);
  DAEDALUS_COPY(worst_entry);
  DAEDALUS_COPY(stiffness);
  DAEDALUS_COPY(advice);
  DAEDALUS_COPY(warnings);
  py::list residuals;
  for (const Check::Residual& x : r.residuals)
    residuals.append(py::make_tuple(x.equation, x.value));
  d["residuals"] = residuals;
  return d;
}

py::dict block_of(const StructuralAnalysis::Block& b) {
  return py::dict(py::arg("equations") = b.equations, py::arg("variables") = b.variables);
}

py::dict structure(const NativeProblem& p, double t0, const py::dict& keywords) {
  const Options o = options_from(keywords);
  const StructuralAnalysis r = unlocked([&] { return structural_analysis(p.problem, t0, o); });
  py::dict d;
  DAEDALUS_COPY(formulation);
  DAEDALUS_COPY(equations);
  DAEDALUS_COPY(variables);
  DAEDALUS_COPY(transversal);
  DAEDALUS_COPY(singular);
  DAEDALUS_COPY(equation_offsets);
  DAEDALUS_COPY(variable_offsets);
  DAEDALUS_COPY(index);
  DAEDALUS_COPY(degrees_of_freedom);
  DAEDALUS_COPY(regular);
  DAEDALUS_COPY(regular_nearby);
  DAEDALUS_COPY(gap);
  DAEDALUS_COPY(warnings);
  py::list signature, blocks;
  for (const StructuralAnalysis::Entry& e : r.signature)
    signature.append(py::make_tuple(e.equation, e.variable, e.order));
  for (const StructuralAnalysis::Block& b : r.blocks) blocks.append(block_of(b));
  d["signature"] = signature;
  d["blocks"] = blocks;
  d["overdetermined"] = block_of(r.overdetermined);
  d["underdetermined"] = block_of(r.underdetermined);
  d["jacobian"] = array_of(r.jacobian);
  d["text"] = r.text();
  return d;
}

py::dict index_of_problem(const NativeProblem& p, double t0, double tolerance, int max_size) {
  begin_run();
  const IndexAnalysis r =
      unlocked([&] { return index_analysis(p.problem, t0, tolerance, max_size); });
  py::dict d;
  DAEDALUS_COPY(equations);
  DAEDALUS_COPY(variables);
  DAEDALUS_COPY(index);
  DAEDALUS_COPY(degrees_of_freedom);
  DAEDALUS_COPY(gap);
  DAEDALUS_COPY(differentiated);
  DAEDALUS_COPY(determined_after);
  DAEDALUS_COPY(redundant);
  DAEDALUS_COPY(warnings);
  py::list constraints;
  for (const IndexAnalysis::Constraint& c : r.constraints)
    constraints.append(py::dict(py::arg("differentiations") = c.differentiations,
                                py::arg("text") = c.text, py::arg("equations") = c.equations,
                                py::arg("variables") = c.variables,
                                py::arg("residual") = c.residual));
  d["constraints"] = constraints;
  d["x"] = array_of(r.x);
  d["rates"] = array_of(r.rates);
  d["text"] = r.text();
  return d;
}

py::dict along(const NativeProblem& p, double t0, double t1, const py::dict& keywords, int points) {
  const Options o = options_from(keywords);
  const IndexAlong r = unlocked([&] { return index_along(p.problem, t0, t1, o, points); });
  py::dict d;
  py::list list;
  for (const IndexAlong::Point& x : r.points)
    list.append(py::dict(py::arg("t") = x.t, py::arg("index") = x.index,
                         py::arg("degrees_of_freedom") = x.degrees_of_freedom,
                         py::arg("gap") = x.gap));
  d["points"] = list;
  DAEDALUS_COPY(changes);
  DAEDALUS_COPY(reached);
  DAEDALUS_COPY(ended);
  d["text"] = r.text();
  return d;
}

py::dict describe(const SteadyState& r) {
  py::dict d;
  DAEDALUS_COPY(found);
  DAEDALUS_COPY(message);
  DAEDALUS_COPY(t);
  DAEDALUS_COPY(names);
  DAEDALUS_COPY(residual);
  DAEDALUS_COPY(worst_equation);
  DAEDALUS_COPY(family);
  DAEDALUS_COPY(newton_iterations);
  DAEDALUS_COPY(transient_steps);
  d["x"] = array_of(r.x);
  return d;
}

py::dict steady(const NativeProblem& p, double t0, const py::dict& keywords) {
  const Options o = options_from(keywords);
  return describe(unlocked([&] { return steady_state(p.problem, t0, o); }));
}

// At a time, or at the equilibrium found from the start values (t is None).
py::dict eigen(const NativeProblem& p, double t0, const py::object& t, const py::dict& keywords) {
  const Options o = options_from(keywords);
  const bool at_rest = t.is_none();
  const double time = at_rest ? t0 : t.cast<double>();
  const Eigenvalues r = unlocked([&] {
    return at_rest ? eigenvalues(p.problem, steady_state(p.problem, t0, o), o)
                   : eigenvalues(p.problem, t0, time, o);
  });
  py::dict d;
  DAEDALUS_COPY(found);
  DAEDALUS_COPY(message);
  DAEDALUS_COPY(t);
  DAEDALUS_COPY(equilibrium);
  DAEDALUS_COPY(names);
  DAEDALUS_COPY(degrees_of_freedom);
  DAEDALUS_COPY(index);
  DAEDALUS_COPY(gap);
  DAEDALUS_COPY(warnings);
  d["state"] = array_of(r.state);
  d["values"] = r.values;
  d["stable"] = r.found && r.stable();
  return d;
}

Eigen::MatrixXd matrix_from(
    const py::array_t<double, py::array::c_style | py::array::forcecast>& a) {
  return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(a.data(), a.shape(0),
                                                                          a.shape(1));
}

py::dict pencil(const py::array_t<double>& a, const py::array_t<double>& b, double tolerance) {
  const WeierstrassForm r = weierstrass_form(matrix_from(a), matrix_from(b), tolerance);
  py::dict d;
  DAEDALUS_COPY(regular);
  DAEDALUS_COPY(index);
  DAEDALUS_COPY(finite);
  DAEDALUS_COPY(nilpotent_blocks);
  DAEDALUS_COPY(ranks);
  DAEDALUS_COPY(gap);
  DAEDALUS_COPY(warnings);
  d["left"] = array_of(r.left);
  d["right"] = array_of(r.right);
  d["C"] = array_of(r.C);
  d["N"] = array_of(r.N);
  d["eigenvalues"] = r.eigenvalues();
  return d;
}
#undef DAEDALUS_COPY

// (start of columns, rows, values, shape), as scipy.sparse.csc_matrix takes them.
py::tuple columns_of(const SparsePattern& p, std::span<const double> values) {
  return py::make_tuple(py::array_t<int>(static_cast<py::ssize_t>(p.start.size()), p.start.data()),
                        py::array_t<int>(static_cast<py::ssize_t>(p.row.size()), p.row.data()),
                        py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data()),
                        py::make_tuple(p.rows, p.cols));
}

// E and J of E x' + J x at the start, or at given values of the variables.
py::dict linearised(const NativeProblem& p, double t, const py::object& y,
                    const py::dict& keywords) {
  const Options o = options_from(keywords);
  const std::string formulation = natural_formulation(p.problem);
  const std::vector<double> given = y.is_none() ? std::vector<double>{} : numbers_from(y, "y");
  const Eigen::VectorXd at =
      Eigen::Map<const Eigen::VectorXd>(given.data(), static_cast<Eigen::Index>(given.size()));
  AnalysedSystem a = unlocked([&] { return analysed_at_start(p.problem, formulation, t, o); });
  if (!y.is_none()) {
    const int n = model_size(*a.system->variables);
    if (at.size() != n)
      throw InvalidArgument(
          fmt::format("y: {} numbers are given, the problem has {} variables", at.size(), n));
    a = unlocked([&] { return analysed_at(p.problem, formulation, t, at, o); });
  }
  Eigen::VectorXd rates =
      Eigen::VectorXd::Zero(std::max(a.size(), a.view().differentiated_count()));
  rates.head(a.state.xd.size()) = a.state.xd;
  const Outcome outcome =
      unlocked([&] { return a.view().linearise(a.state.t, a.state.x.data(), rates.data()); });
  if (outcome != Outcome::ok)
    throw InvalidArgument(fmt::format("the equations could not be linearised at t = {:g}", t));
  const Pencil& pencil = a.view().residual_pencil();
  py::dict d;
  d["E"] = columns_of(pencil.pattern_e(), pencil.e());
  d["J"] = columns_of(pencil.pattern_j(), pencil.j());
  d["equations"] = a.system->equations;
  d["consistent"] = a.consistent;
  d["message"] = a.message;
  return d;
}

}  // namespace

void add_analysis(py::module_& m) {
  m.def("linearise", linearised);
  m.def("check", check_problem);
  m.def("structural_analysis", structure);
  m.def("index_analysis", index_of_problem);
  m.def("index_along", along);
  m.def("steady_state", steady);
  m.def("eigenvalues", eigen);
  m.def("weierstrass_form", pencil);
}

}  // namespace daedalus::python
