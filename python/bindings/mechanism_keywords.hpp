// SPDX-License-Identifier: BSD-3-Clause
// Keywords of Python as the option structs of mechanisms.
#pragma once

#include <optional>

#include <daedalus/mechanism.hpp>

#include "bindings.hpp"

namespace daedalus::python {

Triple triple_from(const py::handle& x, const char* what);         // two or three numbers
Rotation rotation_from(const py::handle& x, const char* what);     // matrix, quaternion or angle
TimeFunction profile_from(const py::handle& x, const char* what);  // number, Profile or formula

// The words of an enumeration, in the order of its values.
std::vector<const char*> words(CoordinateOf);
std::vector<const char*> words(ForceFrame);
std::vector<const char*> words(LimitAction);
std::vector<const char*> words(MechanismSpace);
std::vector<const char*> words(Redundant);
std::vector<const char*> words(SingularStart);
std::vector<const char*> words(TableKind);
std::vector<const char*> words(TableEnd);
// Number of the word; ValueError with the allowed ones.
int word_number(const std::string& word, const std::vector<const char*>& allowed, const char* what);
template <class Choice>
Choice choice_from(const std::string& word, const char* what) {
  return static_cast<Choice>(word_number(word, words(Choice{}), what));
}

// Reads what the Python side was given; what is absent keeps its standard.
struct MechanismKeywords {
  py::dict from;

  template <class T>
  void operator()(const char* name, T& to) const {
    if (from.contains(name)) read(from[name], name, to);
  }

 private:
  static void read(const py::handle& x, const char*, std::string& to) { to = py::str(x); }
  static void read(const py::handle& x, const char* name, double& to);
  static void read(const py::handle& x, const char*, int& to) { to = x.cast<int>(); }
  static void read(const py::handle& x, const char*, bool& to) { to = x.cast<bool>(); }
  static void read(const py::handle& x, const char* name, Triple& to) { to = triple_from(x, name); }
  static void read(const py::handle& x, const char* name, Rotation& to) {
    to = rotation_from(x, name);
  }
  static void read(const py::handle& x, const char* name, TimeFunction& to) {
    to = profile_from(x, name);
  }
  static void read(const py::handle& x, const char* name, Inertia& to);
  static void read(const py::handle& x, const char* name, std::vector<TimeFunction>& to);
  static void read(const py::handle& x, const char* name, std::vector<BodyShape>& to);
  static void read(const py::handle& x, const char* name, Shape& to);
  static void read(const py::handle& x, const char* name, std::vector<double>& to);
  static void read(const py::handle& x, const char* name, std::vector<Triple>& to);
  static void read(const py::handle& x, const char*, BodyId& to) { to = x.cast<BodyId>(); }
  static void read(const py::handle& x, const char*, MarkerId& to) { to = x.cast<MarkerId>(); }
  template <int rows, int cols>
  static void read(const py::handle& x, const char* name, Eigen::Matrix<double, rows, cols>& to) {
    std::vector<double> list;
    read(x, name, list);
    if (list.size() != static_cast<std::size_t>(rows * cols))
      throw py::value_error(std::string(name) + ": expected " + std::to_string(rows * cols) +
                            " numbers");
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) to(i, j) = list[static_cast<std::size_t>(i * cols + j)];
  }
  template <class T>
  static void read(const py::handle& x, const char* name, std::optional<T>& to) {
    T value{};
    read(x, name, value);
    to = value;
  }
  template <class Choice>
  requires std::is_enum_v<Choice>
  static void read(const py::handle& x, const char* name, Choice& to) {
    to = choice_from<Choice>(py::str(x), name);
  }
};

}  // namespace daedalus::python
