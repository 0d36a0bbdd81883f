// SPDX-License-Identifier: BSD-3-Clause
// Configuration spaces.
#include "call.hpp"

#include <fmt/format.h>

#include <daedalus/space.hpp>

namespace daedalus::python {
namespace {

std::vector<double> of_length(py::handle x, const char* what, int n) {
  std::vector<double> v = numbers_from(x, what);
  if (static_cast<int>(v.size()) != n)
    throw py::value_error(fmt::format("{}: {} numbers, expected {}", what, v.size(), n));
  return v;
}

py::array_t<double> made(int n, const std::function<void(double*)>& fill) {
  py::array_t<double> a(n);
  fill(a.mutable_data());
  return a;
}

void add_group(py::class_<Space>& c) {
  c.def("identity",
        [](const Space& s) { return made(s.points(), [&](double* o) { s.identity(o); }); })
      .def("compose",
           [](const Space& s, py::object x, py::object y) {
             const auto a = of_length(x, "x", s.points()), b = of_length(y, "y", s.points());
             return made(s.points(), [&](double* o) { s.compose(a.data(), b.data(), o); });
           })
      .def("inverse",
           [](const Space& s, py::object x) {
             const auto a = of_length(x, "x", s.points());
             return made(s.points(), [&](double* o) { s.inverse(a.data(), o); });
           })
      .def("exp",
           [](const Space& s, py::object w) {
             const auto a = of_length(w, "w", s.tangents());
             return made(s.points(), [&](double* o) { s.exp(a.data(), o); });
           })
      .def("log",
           [](const Space& s, py::object x) {
             const auto a = of_length(x, "x", s.points());
             return made(s.tangents(), [&](double* o) { s.log(a.data(), o); });
           })
      .def("plus",
           [](const Space& s, py::object x, py::object w) {
             const auto a = of_length(x, "x", s.points()), b = of_length(w, "w", s.tangents());
             return made(s.points(), [&](double* o) { s.plus(a.data(), b.data(), o); });
           })
      .def("minus",
           [](const Space& s, py::object from, py::object to) {
             const auto a = of_length(from, "start", s.points());
             const auto b = of_length(to, "end", s.points());
             return made(s.tangents(), [&](double* o) { s.minus(a.data(), b.data(), o); });
           })
      .def("bracket",
           [](const Space& s, py::object x, py::object y) {
             const auto a = of_length(x, "a", s.tangents()), b = of_length(y, "b", s.tangents());
             return made(s.tangents(), [&](double* o) { s.bracket(a.data(), b.data(), o); });
           })
      .def("adjoint",
           [](const Space& s, py::object x, py::object v) {
             const auto a = of_length(x, "x", s.points()), b = of_length(v, "v", s.tangents());
             return made(s.tangents(), [&](double* o) { s.adjoint(a.data(), b.data(), o); });
           })
      .def("defect", [](const Space& s, py::object x) {
        return s.defect(of_length(x, "x", s.points()).data());
      });
}

Space product_of(const std::vector<Space>& factors) {
  Space all;
  for (const Space& s : factors) all = product({all, s});
  return all;
}

py::list blocks_of(const Space& s) {
  py::list list;
  for (const Space::Block& b : s.blocks())
    list.append(py::make_tuple(static_cast<int>(b.kind), b.count));
  return list;
}

Space space_from(const py::list& list) {
  std::vector<Space::Block> blocks;
  for (const py::handle item : list) {
    const auto pair = item.cast<std::pair<int, int>>();
    blocks.push_back({static_cast<SpaceKind>(pair.first), pair.second});
  }
  return Space(blocks);
}

}  // namespace

void add_spaces(py::module_& m) {
  py::class_<Space> c(m, "Space",
                      "A configuration space: points, tangents and the operations of its group.");
  c.def_property_readonly("points", &Space::points)
      .def_property_readonly("tangents", &Space::tangents)
      .def_property_readonly("is_euclidean", &Space::is_euclidean)
      .def_property_readonly("name", &Space::name)
      .def("__eq__",
           [](const Space& a, const Space& b) { return blocks_of(a).equal(blocks_of(b)); })
      .def("__hash__", [](const Space& s) { return py::hash(py::str(s.name())); })
      .def("__repr__", [](const Space& s) { return "<daedalus.Space " + s.name() + ">"; })
      .def("__mul__",
           [](const Space& a, const Space& b) {
             return product({a, b});
           })
      .def("__pow__", [](const Space& a, int n) { return power(a, n); })
      .def(py::pickle([](const Space& s) { return py::make_tuple(blocks_of(s)); },
                      [](const py::tuple& t) { return space_from(t[0].cast<py::list>()); }));
  add_group(c);
  m.def("euclidean", &euclidean, py::arg("n"));
  m.def("so3", &so3_space, py::arg("copies") = 1);
  m.def("s3", &s3_space, py::arg("copies") = 1);
  m.def("se3", &se3_space, py::arg("copies") = 1);
  m.def("s3_semidirect", &s3_semidirect_space, py::arg("copies") = 1);
  m.def("product", product_of, py::arg("factors"));
}

}  // namespace daedalus::python
