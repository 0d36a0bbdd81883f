// SPDX-License-Identifier: BSD-3-Clause
// What the catalogue's files share: named parameters as plain structures, lists of names, values
// by name.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <catalogue/catalogue.hpp>

namespace daedalus::problems {

// Callables capture a structure of doubles, never a map: a field ties its name to its place.
template <class P>
struct Field {
  const char* name;
  double P::*member;
};

// The defaults are the structure's own initialisers.
template <class P, std::size_t N>
std::vector<Parameter> defaults(const std::array<Field<P>, N>& fields) {
  const P original;
  std::vector<Parameter> list;
  for (const Field<P>& field : fields) list.push_back({field.name, original.*field.member});
  return list;
}

// Names missing in `values` keep their defaults.
template <class P, std::size_t N>
P read(const std::array<Field<P>, N>& fields, const Values& values) {
  P result;
  for (const Field<P>& field : fields) {
    const auto found = values.find(field.name);
    if (found != values.end()) result.*field.member = found->second;
  }
  return result;
}

// Throws InvalidArgument naming problem, parameter, value and what is allowed.
void need(bool good, const std::string& problem, const char* field, double value,
          const char* allowed);

// numbered("y", 3): y1 y2 y3.
std::vector<std::string> numbered(const std::string& stem, int count);
// prefixed("d", {"x", "y"}): dx dy.
std::vector<std::string> prefixed(const std::string& prefix, const std::vector<std::string>& names);
std::vector<std::string> joined(std::initializer_list<std::vector<std::string>> lists);

// Pairs names with values in order; both must have the same length.
std::vector<std::pair<std::string, double>> named(const std::vector<std::string>& names,
                                                  std::initializer_list<double> values);

// units({{"m", "x y length"}, {"kg", "mass"}}): SI units by the names of variables and parameters.
// "U1..U8": U1, U2, ..., U8. Names that nobody measures (angles between 0 and 1, model problems)
// have none.
std::map<std::string, std::string> units(
    std::initializer_list<std::pair<const char*, const char*>> names_of_units);

// The exact solution at the end time with default parameters.
Reference exact_reference(const Entry& entry);

Eigen::VectorXd vector(std::initializer_list<double> values);

// Bodies in the plane z = 0, y up, seen from the front and a little from above.
Scene planar_scene(std::vector<Body> bodies);

}  // namespace daedalus::problems
