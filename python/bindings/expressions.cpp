// SPDX-License-Identifier: BSD-3-Clause
// Expr: a number to numpy, a formula to the library. numpy's loops over objects call the methods
// sin, exp, sqrt, arctan2, ... of the elements.
#include "expressions.hpp"

#include <fmt/format.h>

#include <daedalus/graph_table.hpp>

namespace daedalus::python {
namespace {

Formula made(const Expr& value, const Formula& a) { return {value, a.owner}; }
Formula made(const Expr& value, const Formula& a, const Formula& b) {
  return {value, a.owner ? a.owner : b.owner};
}

[[noreturn]] void not_traceable(const char* what) {
  const py::object error = py::module_::import("daedalus._trace_error").attr("TraceError");
  PyErr_SetString(error.ptr(), what);
  throw py::error_already_set();
}

double number_of(const Formula& f, const char* what) {
  if (!f.value.is_number()) not_traceable(what);
  return f.value.number();
}

using Unary = Expr (*)(const Expr&);
using Binary = Expr (*)(const Expr&, const Expr&);

void unary(py::class_<Formula>& c, const char* name, Unary f) {
  c.def(name, [f](const Formula& a) { return made(f(a.value), a); });
}

// Not a number and not an expression: Python asks the other operand.
void binary(py::class_<Formula>& c, const char* name, Binary f, bool turned = false) {
  c.def(
      name,
      [f, turned](const Formula& a, const Formula& b) {
        return made(turned ? f(b.value, a.value) : f(a.value, b.value), a, b);
      },
      py::is_operator());
  c.def(
      name,
      [f, turned](const Formula& a, double b) {
        return made(turned ? f(b, a.value) : f(a.value, b), a);
      },
      py::is_operator());
}

Expr power(const Expr& x, const Expr& y) { return pow(x, y); }
Expr square(const Expr& x) { return x * x; }
Expr reciprocal(const Expr& x) { return 1.0 / x; }
Expr radians(const Expr& x) { return x * (3.14159265358979323846 / 180.0); }
Expr degrees(const Expr& x) { return x * (180.0 / 3.14159265358979323846); }
Expr floor_divide(const Expr& x, const Expr& y) { return floor(x / y); }

void add_operators(py::class_<Formula>& c) {
  const auto both = [&](const char* name, const char* reflected, Binary f) {
    binary(c, name, f);
    binary(c, reflected, f, true);
  };
  both("__add__", "__radd__", [](const Expr& a, const Expr& b) { return a + b; });
  both("__sub__", "__rsub__", [](const Expr& a, const Expr& b) { return a - b; });
  both("__mul__", "__rmul__", [](const Expr& a, const Expr& b) { return a * b; });
  both("__truediv__", "__rtruediv__", [](const Expr& a, const Expr& b) { return a / b; });
  both("__floordiv__", "__rfloordiv__", floor_divide);
  both("__pow__", "__rpow__", power);
  both("__mod__", "__rmod__", [](const Expr& a, const Expr& b) { return mod(a, b); });
  binary(c, "__lt__", [](const Expr& a, const Expr& b) { return a < b; });
  binary(c, "__le__", [](const Expr& a, const Expr& b) { return a <= b; });
  binary(c, "__gt__", [](const Expr& a, const Expr& b) { return a > b; });
  binary(c, "__ge__", [](const Expr& a, const Expr& b) { return a >= b; });
  binary(c, "__eq__", [](const Expr& a, const Expr& b) { return a == b; });
  binary(c, "__ne__", [](const Expr& a, const Expr& b) { return a != b; });
  both("__and__", "__rand__", [](const Expr& a, const Expr& b) { return a && b; });
  both("__or__", "__ror__", [](const Expr& a, const Expr& b) { return a || b; });
  unary(c, "__invert__", [](const Expr& a) { return !a; });
  unary(c, "__neg__", [](const Expr& a) { return -a; });
  unary(c, "__pos__", [](const Expr& a) { return a; });
  unary(c, "__abs__", abs);
}

// The names that numpy asks for.
void add_functions(py::class_<Formula>& c) {
  const std::pair<const char*, Unary> list[] = {
      {"sqrt", sqrt},
      {"cbrt", cbrt},
      {"exp", exp},
      {"exp2", exp2},
      {"expm1", expm1},
      {"log", log},
      {"log2", log2},
      {"log10", log10},
      {"log1p", log1p},
      {"sin", sin},
      {"cos", cos},
      {"tan", tan},
      {"arcsin", asin},
      {"arccos", acos},
      {"arctan", atan},
      {"sinh", sinh},
      {"cosh", cosh},
      {"tanh", tanh},
      {"arcsinh", asinh},
      {"arccosh", acosh},
      {"arctanh", atanh},
      {"fabs", abs},
      {"sign", sign},
      {"floor", floor},
      {"ceil", ceil},
      {"rint", round},
      {"trunc", trunc},
      {"__floor__", floor},
      {"__ceil__", ceil},
      {"__trunc__", trunc},
      {"square", square},
      {"reciprocal", reciprocal},
      {"radians", radians},
      {"degrees", degrees},
      {"deg2rad", radians},
      {"rad2deg", degrees},
      {"erf", erf},
      {"erfc", erfc},
      {"no_event", no_event},
      {"conjugate", [](const Expr& a) { return a; }},
      {"logical_not", [](const Expr& a) { return !a; }},
  };
  for (const auto& [name, f] : list) unary(c, name, f);
  binary(c, "arctan2", atan2);
  binary(c, "hypot", hypot);
  binary(c, "copysign", copysign);
  binary(c, "minimum", min);
  binary(c, "maximum", max);
  binary(c, "logical_and", [](const Expr& a, const Expr& b) { return a && b; });
  binary(c, "logical_or", [](const Expr& a, const Expr& b) { return a || b; });
}

Formula where(const py::object& condition, const py::object& a, const py::object& b) {
  const Formula c = formula_from(condition), x = formula_from(a), y = formula_from(b);
  const Formula& owner = c.owner ? c : x.owner ? x : y;
  return {select(c.value, x.value, y.value), owner.owner};
}

Formula look_up(const std::shared_ptr<graph::Table>& table, const py::object& x) {
  const Formula a = formula_from(x);
  if (!a.owner) return {table->at(a.value.number()), nullptr};
  return {a.owner->graph().table(table, a.value), a.owner};
}

void add_tables(py::module_& m) {
  py::class_<graph::Table, std::shared_ptr<graph::Table>>(m, "Table")
      .def(py::init([](const std::string& name, std::vector<double> x, std::vector<double> y,
                       const std::string& kind, bool extrapolate) {
        using Table = graph::Table;
        const auto interpolation = kind == "hold"    ? Table::Interpolation::hold
                                   : kind == "akima" ? Table::Interpolation::akima
                                                     : Table::Interpolation::linear;
        return std::make_shared<Table>(
            name, std::move(x), std::move(y), interpolation,
            extrapolate ? Table::Beyond::extrapolate : Table::Beyond::hold);
      }))
      .def("at", [](const graph::Table& t, double x) { return t.at(x); });
  m.def("look_up", look_up);
}

}  // namespace

Formula formula_from(const py::handle& x) {
  if (py::isinstance<Formula>(x)) return x.cast<Formula>();
  if (py::hasattr(x, "item") && py::hasattr(x, "ndim") && x.attr("ndim").cast<int>() == 0)
    return formula_from(x.attr("item")());
  if (PyComplex_Check(x.ptr()) || !PyNumber_Check(x.ptr()))
    throw py::type_error(fmt::format("a {} is no real number",
                                     std::string(py::str(py::type::of(x).attr("__name__")))));
  return {x.cast<double>(), nullptr};
}

void add_expressions(py::module_& m) {
  py::class_<Formula> c(
      m, "Expr", "A formula in place of a number: what is computed with it is written down.");
  c.def(py::init([](double value) { return Formula{value, nullptr}; }));
  add_operators(c);
  add_functions(c);
  c.def("__bool__", [](const Formula& f) {
    return number_of(f, "a branch depends on a value; use daedalus.where(condition, a, b)") != 0.0;
  });
  c.def("__float__", [](const Formula& f) {
    return number_of(f,
                     "a number is needed where a formula stands: an array of floats is written "
                     "(np.zeros_like(y) takes formulas), or a function outside of numpy is called");
  });
  c.def("__hash__", [](const Formula& f) {
    return py::hash(py::make_tuple(f.value.node(), f.value.number()));
  });
  c.def("same", [](const Formula& a, const Formula& b) { return a.value.same(b.value); });
  c.def_property_readonly("is_number", [](const Formula& f) { return f.value.is_number(); });
  c.def_property_readonly("real", [](const Formula& f) { return f; });
  c.def_property_readonly("imag", [](const Formula&) { return Formula{0.0, nullptr}; });
  c.def("__repr__", [](const Formula& f) { return text(f.value, 500); });
  c.def("_repr_latex_", [](const Formula& f) { return "$" + latex(f.value, 5000) + "$"; });
  // Above ndarray's, so that array * expression goes entry by entry as usual.
  m.def("where", where);
  add_tables(m);
  add_graphs(m);
}

}  // namespace daedalus::python
