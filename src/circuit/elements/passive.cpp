// SPDX-License-Identifier: BSD-3-Clause
// Resistors, capacitors, coils and their couplings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "circuit/elements/device_model.hpp"

namespace daedalus::circuit {
namespace {

const ModelType resistor_type{
    "R",
    {{"r", 0.0}, {"rsh", 0.0}, {"defw", 1e-5}, {"narrow", 0.0}, {"tc1", 0.0}, {"tc2", 0.0}},
    "kf af tnom",
    ""};
const ModelType capacitor_type{"C",
                               {{"c", 0.0, "cap"},
                                {"cj", 0.0},
                                {"cjsw", 0.0},
                                {"defw", 1e-5},
                                {"narrow", 0.0},
                                {"tc1", 0.0},
                                {"tc2", 0.0}},
                               "tnom",
                               ""};

// value [model] [name=value]...; false, reported: no value.
struct PassiveValues {
  Value value;
  double tc1 = 0.0, tc2 = 0.0;  // of the model
  std::vector<Assignment> options;
  const Assignment* find(std::string_view name) const {
    for (const Assignment& a : options)
      if (a.name == name) return &a;
    return nullptr;
  }
  double option(Context& c, std::string_view name, double otherwise) const {
    const Assignment* a = find(name);
    return a ? number_or(c, a->value, otherwise) : otherwise;
  }
};

// The value by a model: from length and width where it has them, else its own.
void use_model(Context& c, const ModelCard& card, const Level& level, const Part& head,
               PassiveValues& result) {
  const bool resistor = head.kind == 'r';
  const ModelValues model(c, card, level, resistor ? resistor_type : capacitor_type);
  result.tc1 = model["tc1"];
  result.tc2 = model["tc2"];
  if (result.value.good()) return;
  const double length = result.option(c, "l", 0.0) - model["narrow"];
  const double width = result.option(c, "w", model["defw"]) - model["narrow"];
  double value = model[resistor ? "r" : "c"];
  if (result.find("l") && width > 0.0 && length > 0.0)
    value = resistor ? model["rsh"] * length / width
                     : model["cj"] * length * width + 2.0 * model["cjsw"] * (length + width);
  if (value == 0.0) return;  // is reported as missing
  result.value.where = head.where;
  result.value.number = value;
}

// The name of a model of this kind at the cursor.
const ModelCard* take_model(Context& c, Cursor& cursor, char kind, const Level** level) {
  if (!cursor.is_word()) return nullptr;
  const ModelCard* model = c.model(cursor.lower(), level);
  if (!model || model->type != std::string(1, kind)) return nullptr;
  cursor.skip();
  return model;
}

bool read_passive(Context& c, Cursor& cursor, const Part& head, const char* own_name,
                  PassiveValues& result) {
  const Level* level = nullptr;
  const ModelCard* model = take_model(c, cursor, head.kind, &level);
  if (!model && cursor.is_value()) {
    result.value = cursor.value();
    model = take_model(c, cursor, head.kind, &level);
  }
  Assignment a;
  while (cursor.assignment(a)) {
    if (a.name == own_name || a.name == std::string(1, head.kind))
      result.value = a.value;
    else
      result.options.push_back(std::move(a));
    a = {};
  }
  constexpr std::string_view known[] = {"tc1", "tc2", "m", "ic", "l", "w"};
  for (const Assignment& o : result.options)
    if (std::find(std::begin(known), std::end(known), o.name) == std::end(known))
      c.files.warning(o.where, fmt::format("{}: {} has no effect here", head.written, o.written));
  if (model) use_model(c, *model, *level, head, result);
  if (!cursor.done())
    c.files.error(cursor.where(), fmt::format("{}: this is not expected here", head.written));
  if (!result.value.good() && result.value.where.file < 0)
    c.files.error(head.where, fmt::format("{} has 2 nodes but no value", head.written),
                  fmt::format("expected {}", element_kind(head.kind)->usage));
  return result.value.good();
}

class Resistor final : public Part {
 public:
  PassiveValues values;
  void declare(Context& c) override {
    edge(c, EdgeKind::conducting, nodes[0], nodes[1]);
    const double r = number_or(c, values.value, 1.0);
    if (r == 0.0)
      c.files.error(where, fmt::format("{} has no resistance", written),
                    "use a voltage source of 0 V");
    if (r < 0.0) c.files.warning(where, fmt::format("{} is negative: {:g} Ohm", written, r));
    if (values.value.text.capital_milli && std::fabs(r) < 1.0)
      c.files.warning(values.value.where,
                      fmt::format("{} is {:g} milliohm: M means milli", written, r * 1e3),
                      fmt::format("write {:g}meg", r * 1e3));
  }
  void stamp(Context& c) override {
    const double dt = c.network.temperature - c.network.nominal_temperature;
    const double factor = (1.0 + values.option(c, "tc1", values.tc1) * dt +
                           values.option(c, "tc2", values.tc2) * dt * dt) /
                          values.option(c, "m", 1.0);
    const Expr r = settable(c, *this, values.value) * factor;
    if (is_tabled(c) && r.is_number())
      c.network.conductance(nodes[0], nodes[1], 1.0 / r.number());
    else
      c.network.current(nodes[0], nodes[1], c.network.v(nodes[0], nodes[1]) / r);
    if (number >= c.settable_limit) return;
    const Expr v = c.network.v(nodes[0], nodes[1]);
    device(c, "R").quantities = {{"i", v / r}, {"p", v * (v / r)}};
  }
};

class Capacitor final : public Part {
 public:
  PassiveValues values;
  bool nonlinear = false;
  void declare(Context& c) override {
    edge(c, EdgeKind::capacitive, nodes[0], nodes[1]);
    if (values.value.text.plain_femto)
      c.files.warning(
          values.value.where,
          fmt::format("{} is {:g} F: F means femto", written, number_or(c, values.value, 0.0)),
          "leave the F out, or write f");
  }
  void stamp(Context& c) override {
    Charge charge;
    charge.name = fmt::format("q({})", name);
    charge.plus = charge.node_a = nodes[0];
    charge.minus = charge.node_b = nodes[1];
    const Expr v = c.network.v(nodes[0], nodes[1]);
    if (nonlinear) {
      const Parameters::Signals x = [&](const std::string& n, Where) -> std::optional<Expr> {
        if (n == "x") return v;
        return std::nullopt;
      };
      c.network.compares = true;
      charge.value = c.level.parameters->formula(values.value, &x).value_or(0.0);
      charge.nominal = 1e-9;
    } else {
      charge.linear = true;
    }
    charge.has_start = values.find("ic") != nullptr;
    charge.start = values.option(c, "ic", 0.0);
    if (nonlinear) return c.network.add_charge(std::move(charge));
    const double dt = c.network.temperature - c.network.nominal_temperature;
    const double factor =
        values.option(c, "m", 1.0) * (1.0 + values.option(c, "tc1", values.tc1) * dt +
                                      values.option(c, "tc2", values.tc2) * dt * dt);
    const Expr capacitance = settable(c, *this, values.value) * factor;
    if (is_tabled(c) && capacitance.is_number())
      return c.network.add_capacitance(std::move(charge), capacitance.number());
    charge.value = capacitance * v;
    charge.nominal = std::fabs(number_or(c, values.value, 1.0));
    c.network.add_charge(std::move(charge));
  }
};

class Coil final : public Part {
 public:
  PassiveValues values;
  bool nonlinear = false;
  int branch = -1;
  void declare(Context& c) override {
    branch = c.network.add_branch(name, true);
    c.network.branches.back().start = values.option(c, "ic", 0.0);
    edge(c, EdgeKind::coil, nodes[0], nodes[1], false, branch);
  }
  void stamp(Context& c) override {
    Network& n = c.network;
    n.branch_current(branch, nodes[0], nodes[1]);
    n.branch_row(branch, -n.v(nodes[0], nodes[1]));
    Charge flux;
    flux.name = fmt::format("phi({})", name);
    flux.plus = n.row_of_branch(branch);
    if (nonlinear) {
      const Parameters::Signals x = [&](const std::string& s, Where) -> std::optional<Expr> {
        if (s == "x") return n.i(branch);
        return std::nullopt;
      };
      n.compares = true;
      flux.value = c.level.parameters->formula(values.value, &x).value_or(0.0);
      flux.nominal = 1e-3;
    } else {
      Branch& own = n.branches[static_cast<std::size_t>(branch)];
      own.inductance = settable(c, *this, values.value);
      own.flux = static_cast<int>(n.charges.size());
      flux.linear = true;
      flux.value = own.inductance * n.i(branch);
      flux.nominal = 1e-3 * std::fabs(number_or(c, values.value, 1.0));
    }
    n.add_charge(std::move(flux));
  }
};

class Coupling final : public Part {
 public:
  std::vector<std::pair<std::string, Where>> coils;
  Value coefficient;
  void stamp(Context& c) override {
    const double k = number_or(c, coefficient, 0.0);
    if (!(std::fabs(k) <= 1.0) || k == 0.0) {
      std::string names;
      for (const auto& [coil, at] : coils) names += (names.empty() ? "" : ", ") + coil;
      c.files.error(coefficient.where,
                    fmt::format("coupling {:g} of {} must lie in [-1, 1] and not be 0", k, names));
      return;
    }
    const Expr factor = settable(c, *this, coefficient);
    for (std::size_t a = 0; a < coils.size(); ++a)
      for (std::size_t b = a + 1; b < coils.size(); ++b) couple(c, a, b, factor);
  }

 private:
  // The branch of a coil; -1, reported: there is none.
  int coil(Context& c, std::size_t k) {
    const int branch = c.branch_of(coils[k].first);
    if (branch >= 0 && c.network.branches[static_cast<std::size_t>(branch)].flux >= 0)
      return branch;
    c.files.error(coils[k].second,
                  fmt::format("{} couples {}, which is no coil", written, coils[k].first));
    return -1;
  }
  void couple(Context& c, std::size_t a, std::size_t b, const Expr& factor) {
    const int first = coil(c, a), second = coil(c, b);
    if (first < 0 || second < 0) return;
    Network& n = c.network;
    const Branch& one = n.branches[static_cast<std::size_t>(first)];
    const Branch& two = n.branches[static_cast<std::size_t>(second)];
    const Expr m = factor * sqrt(one.inductance * two.inductance);
    n.charges[static_cast<std::size_t>(one.flux)].value += m * n.i(second);
    n.charges[static_cast<std::size_t>(two.flux)].value += m * n.i(first);
    n.couplings.push_back({first, second, number_or(c, coefficient, 0.0), number});
  }
};

}  // namespace

std::unique_ptr<Part> make_resistor(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<Resistor>();
  if (!read_passive(c, cursor, head, "r", part->values)) return nullptr;
  return part;
}

std::unique_ptr<Part> make_capacitor(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<Capacitor>();
  if (!read_passive(c, cursor, head, "q", part->values)) return nullptr;
  part->nonlinear = part->values.value.expression &&
                    lower_case(cursor.statement().fragment.text()).find("q=") != std::string::npos;
  return part;
}

std::unique_ptr<Part> make_coil(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<Coil>();
  if (!read_passive(c, cursor, head, "flux", part->values)) return nullptr;
  part->nonlinear =
      part->values.value.expression &&
      lower_case(cursor.statement().fragment.text()).find("flux=") != std::string::npos;
  return part;
}

std::unique_ptr<Part> make_coupling(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<Coupling>();
  std::vector<std::pair<std::string, Where>> words;
  while (cursor.is_word() && (cursor.lower()[0] == 'l')) {
    const Where where = cursor.where();
    words.emplace_back(cursor.take_lower(), where);
  }
  if (words.size() < 2 || !cursor.is_value()) {
    c.files.error(head.where, fmt::format("{} needs two coils and a coupling", head.written),
                  fmt::format("expected {}", element_kind('k')->usage));
    return nullptr;
  }
  part->coils = std::move(words);
  part->coefficient = cursor.value();
  if (!part->coefficient.good()) return nullptr;
  return part;
}

}  // namespace daedalus::circuit
