// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "circuit/elements/device_model.hpp"

namespace daedalus::circuit {
namespace {

const ModelType diode_type{
    "D",
    {{"is", 1e-14},
     {"n", 1.0},
     {"rs", 0.0},
     {"cjo", 0.0, "cj0 cj"},
     {"vj", 1.0, "pb"},
     {"m", 0.5, "mj"},
     {"fc", 0.5},
     {"tt", 0.0},
     {"bv", 0.0},
     {"ibv", 1e-3},
     {"nbv", 0.0},
     {"eg", 1.11},
     {"xti", 3.0},
     {"tnom", 27.0}},
    "kf af nlev imax tm1 tm2 tbv1 tbv2 trs1 trs2 vpk mfg type iave",
    "isw jsw cjsw cjp ikf ik ikr isr nr jtun jtunsw ntun vp rth0 cth0 lm lp"};

class Diode final : public Part {
 public:
  DeviceText text;
  ModelValues model;
  int inner = ground;

  void declare(Context& c) override {
    model = ModelValues(c, *text.model, *text.model_level, diode_type);
    scale_ = text.area * text.multiplier;
    temperature_ = text.option(c, "temp", c.network.temperature - zero_celsius) + zero_celsius;
    const double nominal = nominal_temperature(c);
    const double vt = thermal_voltage(temperature_), ratio = temperature_ / nominal;
    n_vt_ = model["n"] * vt;
    saturation_ = scale_ * model["is"] * std::pow(ratio, model["xti"] / model["n"]) *
                  std::exp((ratio - 1.0) * model["eg"] / n_vt_);
    inner = model["rs"] > 0.0 ? c.network.node(name + "#p") : nodes[0];
    if (inner != nodes[0]) edge(c, EdgeKind::conducting, nodes[0], inner);
    edge(c, EdgeKind::conducting, inner, nodes[1]);
    if (model["cjo"] > 0.0 || model["tt"] > 0.0) edge(c, EdgeKind::capacitive, inner, nodes[1]);
    c.network.junctions.push_back(junction_of(inner, nodes[1], 1.0, n_vt_, saturation_));
  }

  void stamp(Context& c) override {
    Network& n = c.network;
    if (inner != nodes[0])
      n.current(nodes[0], inner, n.v(nodes[0], inner) * (scale_ / model["rs"]));
    const Expr v = n.v(inner, nodes[1]);
    const Expr i = diode_current(v, saturation_, n_vt_) + n.gmin * v - breakdown(c, v);
    n.current(inner, nodes[1], i);
    describe(c, v, i);
    const Depletion layer =
        Depletion{scale_ * model["cjo"], model["vj"], model["m"], model["fc"]}.at(
            temperature_, nominal_temperature(c));
    if (layer.c == 0.0 && model["tt"] == 0.0) return;
    Charge charge;
    charge.name = fmt::format("q({})", name);
    charge.value = layer.charge(v) + model["tt"] * i;
    charge.plus = charge.node_a = inner;
    charge.minus = charge.node_b = nodes[1];
    charge.nominal = layer.c + model["tt"] * 1e-3;
    charge.has_start = !text.initial.empty();
    if (charge.has_start) charge.start = text.initial[0];
    n.add_charge(std::move(charge));
  }

  std::vector<int> all_nodes() const override { return {nodes[0], nodes[1], inner}; }

 private:
  void describe(Context& c, const Expr& v, const Expr& i) {
    Device& d = device(c, "D");
    d.quantities = {{"v", v},
                    {"i", i},
                    {"gd", i, DeviceQuantity::slope, inner},
                    {"p", c.network.v(nodes[0], nodes[1]) * i}};
    const double bv = model.given("bv") && model["bv"] > 0.0 ? model["bv"] : HUGE_VAL;
    d.region = [bv](const std::vector<double>& x) {
      return x[0] > 0.0 ? "forward" : x[0] < -bv ? "breakdown" : "reverse";
    };
  }

  double nominal_temperature(Context& c) const {
    return model.given("tnom") ? model["tnom"] + zero_celsius : c.network.nominal_temperature;
  }

  // IS exp(-(v + x)/(n vt)) with x such that the current at -BV is IBV.
  Expr breakdown(Context& c, const Expr& v) {
    if (!model.given("bv") || !(model["bv"] > 0.0)) return 0.0;
    const double vt = thermal_voltage(temperature_), bv = model["bv"];
    const double slope = (model.given("nbv") ? model["nbv"] : model["n"]) * vt;
    const double knee = scale_ * model["ibv"];
    double x = bv;
    if (knee < saturation_ * bv / vt) {
      c.files.warning(
          where, fmt::format("{}: IBV is below the reverse current at BV, taken is {:g}", written,
                             saturation_ * bv / vt));
    } else {
      x = bv - slope * std::log(1.0 + knee / saturation_);
      for (int k = 0; k < 50; ++k) x = bv - slope * std::log(knee / saturation_ + 1.0 - x / vt);
    }
    return saturation_ * limited_exp(-(v + x) / slope);
  }

  double scale_ = 1.0, temperature_ = room_temperature, n_vt_ = 0.026, saturation_ = 1e-14;
};

}  // namespace

std::unique_ptr<Part> make_diode(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<Diode>();
  if (!read_device(c, cursor, head, {"d"}, {"temp"}, part->text)) return nullptr;
  return part;
}

}  // namespace daedalus::circuit
