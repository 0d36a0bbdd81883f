// SPDX-License-Identifier: BSD-3-Clause
// The functions of Modelica.Blocks.Tables.Internal.
#include "modelica/intrinsics.hpp"
#include "modelica/tables.hpp"

namespace daedalus::modelica {
namespace {

Expr scalar_of(const IntrinsicCall& i, const char* name) { return i.frame.find(name)->e.front(); }

int integer_of(const IntrinsicCall& i, const char* name) {
  const Expr e = scalar_of(i, name);
  if (!e.is_number()) i.c.make_structural(e);
  return static_cast<int>(e.number());
}

TableCall table_of(const IntrinsicCall& i) { return {i.c, *i.frame.find("tableID"), i.place}; }

void set(const IntrinsicCall& i, const char* name, const Expr& e, Variability v) {
  *i.frame.find(name) = real_value(e, v);
}

void time_value(const IntrinsicCall& i) {
  set(i, "y",
      table_of(i).at_time(integer_of(i, "icol"), scalar_of(i, "timeIn"),
                          scalar_of(i, "nextTimeEvent")),
      Variability::continuous);
}

void value_1d(const IntrinsicCall& i) {
  set(i, "y", table_of(i).one(integer_of(i, "icol"), scalar_of(i, "u")),
      i.frame.find("u")->variability);
}

void value_2d(const IntrinsicCall& i) {
  set(i, "y", table_of(i).two(scalar_of(i, "u1"), scalar_of(i, "u2")),
      combined(i.frame.find("u1")->variability, i.frame.find("u2")->variability));
}

void next_event(const IntrinsicCall& i) {
  set(i, "nextTimeEvent", table_of(i).next_event(scalar_of(i, "timeIn")), Variability::discrete);
}

Intrinsic limit(const char* name, double (TableCall::*of)() const) {
  return [name, of](const IntrinsicCall& i) {
    const TableCall t = table_of(i);
    set(i, name, (t.*of)(), Variability::parameter);
  };
}

}  // namespace

void add_table_functions(std::unordered_map<std::string, Intrinsic>& all) {
  const std::string in = "Modelica.Blocks.Tables.Internal.";
  for (const char* kind : {"", "NoDer", "NoDer2"}) {
    all[in + "getTimeTableValue" + kind] = time_value;
    all[in + "getTable1DValue" + kind] = value_1d;
    all[in + "getTable2DValue" + kind] = value_2d;
  }
  all[in + "getNextTimeEvent"] = next_event;
  all[in + "getTimeTableTmin"] = limit("timeMin", &TableCall::first);
  all[in + "getTimeTableTmax"] = limit("timeMax", &TableCall::last);
  all[in + "getTable1DAbscissaUmin"] = limit("uMin", &TableCall::first);
  all[in + "getTable1DAbscissaUmax"] = limit("uMax", &TableCall::last);
}

}  // namespace daedalus::modelica
