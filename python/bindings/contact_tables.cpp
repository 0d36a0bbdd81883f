// SPDX-License-Identifier: BSD-3-Clause
// Spline tables of quasi-elastic contacts.
#include <daedalus/contact_table.hpp>

#include "keyword_record.hpp"

namespace daedalus::python {

void add_contact_tables(py::module_& m) {
  keyword_record<TableAxis>(m, "TableAxis", "One coordinate of a contact table: its knots.")
      .def_readwrite("name", &TableAxis::name)
      .def_readwrite("breaks", &TableAxis::breaks)
      .def_readwrite("even", &TableAxis::even)
      .def_static("uniform", &TableAxis::uniform, py::arg("name"), py::arg("low"), py::arg("high"),
                  py::arg("intervals"))
      .def_static("parabola", &TableAxis::parabola, py::arg("name"), py::arg("p_0"));
  keyword_record<TableQuantity>(m, "TableQuantity", "One quantity of a contact table.")
      .def_readwrite("name", &TableQuantity::name)
      .def_readwrite("degree", &TableQuantity::degree)
      .def_readwrite("smoothing", &TableQuantity::smoothing);
  keyword_record<TableRequest>(m, "TableRequest", "What a contact table holds.")
      .def_readwrite("axes", &TableRequest::axes)
      .def_readwrite("quantities", &TableRequest::quantities)
      .def_readwrite("samples", &TableRequest::samples)
      .def_readwrite("weight", &TableRequest::weight)
      .def_readwrite("profile", &TableRequest::profile)
      .def_readwrite("grid", &TableRequest::grid)
      .def_readwrite("nu", &TableRequest::nu)
      .def("key", &TableRequest::key);
  py::class_<ContactTable>(m, "ContactTable", "smax and weighted means as splines.")
      .def("save", &ContactTable::save)
      .def_static("load", &ContactTable::load)
      .def_static("file_name", &ContactTable::file_name)
      .def_property_readonly("dimension", &ContactTable::dimension)
      .def_property_readonly("quantities", &ContactTable::quantities)
      .def_property_readonly("request", &ContactTable::request)
      .def("contains", [](const ContactTable& t, const std::vector<double>& p) {
        if (static_cast<int>(p.size()) != t.dimension())
          throw py::value_error("p: the table has another number of coordinates");
        return t.contains(p.data());
      });
}

}  // namespace daedalus::python
