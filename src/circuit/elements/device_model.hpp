// SPDX-License-Identifier: BSD-3-Clause
// Values of a .model line by name, and the pieces that all semiconductor devices share.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "circuit/elements/part.hpp"
#include "circuit/netlist/constants.hpp"

namespace daedalus::circuit {

struct ModelParameter {
  std::string_view name;
  double value;                   // default
  std::string_view aliases = {};  // "pb mj": other names of it
};

// What a type of model knows: parameters, those that are ignored with a remark, and those whose
// effect is missing, which are refused.
struct ModelType {
  std::string_view name;  // for messages: "NPN"
  std::vector<ModelParameter> parameters;
  std::string_view ignored, refused;  // separated by blanks
};

class ModelValues {
 public:
  ModelValues() = default;
  // Wrong names and values are reported.
  ModelValues(Context& context, const ModelCard& card, const Level& at, const ModelType& type);

  double operator[](std::string_view name) const;
  bool given(std::string_view name) const;
  void set(std::string_view name, double value);
  // 0 and absent switch an effect off: 1/value, or 0.
  double inverse(std::string_view name) const {
    const double x = (*this)[name];
    return x > 0.0 ? 1.0 / x : 0.0;
  }

 private:
  struct Item {
    std::string_view name;
    double value;
    bool given;
  };
  std::vector<Item> items_;
};

// name model [area] [OFF] [IC=...] [key=value]... of a device line.
struct DeviceText {
  const ModelCard* model = nullptr;
  const Level* model_level = nullptr;
  double area = 1.0, multiplier = 1.0;
  bool off = false, on = false;
  std::vector<double> initial;  // IC=
  std::vector<Assignment> options;
  double option(Context& c, std::string_view name, double otherwise) const;
};
// False, reported: wrong. `types`: types of models that fit.
bool read_device(Context& context, Cursor& cursor, const Part& head,
                 std::initializer_list<std::string_view> types,
                 std::initializer_list<std::string_view> option_names, DeviceText& text);

// exp, continued by its tangent from 150 on: never overflows.
Expr limited_exp(const Expr& x);
// IS (exp(v/(n vt)) - 1)
Expr diode_current(const Expr& v, double saturation, double n_vt);

// Charge of a depletion layer, continued by a parabola of capacitance above fc vj.
struct Depletion {
  double c = 0.0, vj = 1.0, m = 0.5, fc = 0.5;
  Expr charge(const Expr& v) const;
  // At another temperature than where the values were given.
  Depletion at(double temperature, double nominal) const;
};
double gap_energy(double temperature);                              // of silicon, eV
double potential_at(double v, double temperature, double nominal);  // built-in voltage

Junction junction_of(int a, int b, double sign, double n_vt, double saturation);

}  // namespace daedalus::circuit
