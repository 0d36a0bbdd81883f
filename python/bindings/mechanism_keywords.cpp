// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism_keywords.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "call.hpp"
#include "expressions.hpp"

namespace daedalus::python {

std::vector<const char*> words(CoordinateOf) { return {"automatic", "length", "angle"}; }
std::vector<const char*> words(ForceFrame) { return {"ground", "body"}; }
std::vector<const char*> words(LimitAction) { return {"record", "stop", "bounce"}; }
std::vector<const char*> words(MechanismSpace) {
  return {"r3xso3", "se3", "r3xs3", "s3_semidirect", "planar"};
}
std::vector<const char*> words(Redundant) { return {"drop", "refuse"}; }
std::vector<const char*> words(SingularStart) { return {"refuse", "allow"}; }
std::vector<const char*> words(TableKind) { return {"spline", "linear"}; }
std::vector<const char*> words(TableEnd) { return {"hold", "periodic", "error"}; }

int word_number(const std::string& word, const std::vector<const char*>& allowed,
                const char* what) {
  for (std::size_t k = 0; k < allowed.size(); ++k)
    if (word == allowed[k]) return static_cast<int>(k);
  throw py::value_error(
      fmt::format("{}: '{}' is given; allowed are {}", what, word, fmt::join(allowed, ", ")));
}

Triple triple_from(const py::handle& x, const char* what) {
  const std::vector<double> n = numbers_from(x, what);
  if (n.size() != 2 && n.size() != 3)
    throw py::value_error(
        fmt::format("{}: {} numbers are given, expected three (in the plane two)", what, n.size()));
  return {n[0], n[1], n.size() == 3 ? n[2] : 0.0};
}

Rotation rotation_from(const py::handle& x, const char* what) {
  const std::vector<double> n = numbers_from(x, what);
  if (n.size() == 1) return Rotation::planar(n[0]);
  if (n.size() == 4) return Rotation::quaternion(n[0], n[1], n[2], n[3]);
  if (n.size() == 9)
    return Rotation(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(n.data()));
  throw py::value_error(fmt::format(
      "{}: {} numbers are given, expected a 3 x 3 matrix, a quaternion or the angle in the plane",
      what, n.size()));
}

TimeFunction profile_from(const py::handle& x, const char* what) {
  if (py::isinstance<TimeFunction>(x)) return x.cast<TimeFunction>();
  if (py::isinstance<Formula>(x)) return formula(formula_from(x).value);
  const std::vector<double> n = numbers_from(x, what);
  if (n.size() != 1)
    throw py::value_error(fmt::format("{}: {} numbers are given, expected one", what, n.size()));
  return n[0];
}

void MechanismKeywords::read(const py::handle& x, const char* name, double& to) {
  const std::vector<double> n = numbers_from(x, name);
  if (n.size() != 1)
    throw py::value_error(fmt::format("{}: {} numbers are given, expected one", name, n.size()));
  to = n[0];
}

// The diagonal, the matrix, or the only moment in the plane.
void MechanismKeywords::read(const py::handle& x, const char* name, Inertia& to) {
  const std::vector<double> n = numbers_from(x, name);
  if (n.size() == 1) {
    to = planar_inertia(n[0]);
  } else if (n.size() == 3) {
    to = diagonal(n[0], n[1], n[2]);
  } else if (n.size() == 9) {
    if (n[1] != n[3] || n[2] != n[6] || n[5] != n[7])
      throw py::value_error(fmt::format("{}: the matrix is not symmetric", name));
    to = {n[0], n[4], n[8], n[1], n[2], n[5]};
  } else {
    throw py::value_error(fmt::format(
        "{}: {} numbers are given, expected three moments or a 3 x 3 matrix", name, n.size()));
  }
}

void MechanismKeywords::read(const py::handle& x, const char* name, std::vector<double>& to) {
  to = numbers_from(x, name);
}

void MechanismKeywords::read(const py::handle& x, const char* name, std::vector<Triple>& to) {
  to.clear();
  for (const py::handle one : x) to.push_back(triple_from(one, name));
}

void MechanismKeywords::read(const py::handle& x, const char* name, std::vector<TimeFunction>& to) {
  to.clear();
  if (!py::isinstance<py::sequence>(x) || py::isinstance<py::str>(x)) {
    to.push_back(profile_from(x, name));
    return;
  }
  for (const py::handle one : py::reinterpret_borrow<py::sequence>(x))
    to.push_back(profile_from(one, name));
}

void MechanismKeywords::read(const py::handle& x, const char* name, Shape& to) {
  // Springs and curves belong to no single body.
  constexpr std::array all{Shape::sphere, Shape::box,      Shape::cylinder,
                           Shape::plate,  Shape::revolved, Shape::rod};
  std::vector<const char*> allowed;
  for (const Shape s : all) allowed.push_back(to_string(s).data());
  to = all[static_cast<std::size_t>(word_number(py::str(x), allowed, name))];
}

void MechanismKeywords::read(const py::handle& x, const char* name, std::vector<BodyShape>& to) {
  to.clear();
  for (const py::handle one : x) {
    if (!py::isinstance<py::dict>(one))
      throw py::type_error(fmt::format("{}: a shape is a dictionary with shape, size, ...", name));
    const MechanismKeywords keywords{py::reinterpret_borrow<py::dict>(one)};
    BodyShape s;
    keywords("shape", s.shape);
    keywords("size", s.size);
    keywords("position", s.position);
    keywords("rotation", s.rotation);
    keywords("from", s.from);
    keywords("to", s.to);
    keywords("colour", s.colour);
    to.push_back(std::move(s));
  }
}

}  // namespace daedalus::python
