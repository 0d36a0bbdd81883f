// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "circuit/elements/device_model.hpp"

namespace daedalus::circuit {
namespace {

const ModelType jfet_type{"NJF",
                          {{"vto", -2.0},
                           {"beta", 1e-4},
                           {"lambda", 0.0},
                           {"rd", 0.0},
                           {"rs", 0.0},
                           {"cgs", 0.0},
                           {"cgd", 0.0},
                           {"pb", 1.0},
                           {"is", 1e-14},
                           {"n", 1.0},
                           {"fc", 0.5},
                           {"b", 1.0},
                           {"tnom", 27.0}},
                          "kf af nlev imax",
                          "isr nr alpha vk m vtotc betatce"};

class Jfet final : public Part {
 public:
  DeviceText text;
  ModelValues model;
  double sign = 1.0;
  int di = ground, si = ground;

  void declare(Context& c) override {
    model = ModelValues(c, *text.model, *text.model_level, jfet_type);
    sign = text.model->type == "pjf" ? -1.0 : 1.0;
    scale_ = text.area * text.multiplier;
    t_ = text.option(c, "temp", c.network.temperature - zero_celsius) + zero_celsius;
    nominal_ = model.given("tnom") ? model["tnom"] + zero_celsius : c.network.nominal_temperature;
    n_vt_ = model["n"] * thermal_voltage(t_);
    is_ = scale_ * model["is"] * std::exp((t_ / nominal_ - 1.0) * 1.11 / n_vt_);
    di = model["rd"] > 0.0 ? c.network.node(name + "#d") : nodes[0];
    si = model["rs"] > 0.0 ? c.network.node(name + "#s") : nodes[2];
    if (di != nodes[0]) edge(c, EdgeKind::conducting, nodes[0], di);
    if (si != nodes[2]) edge(c, EdgeKind::conducting, nodes[2], si);
    for (const int side : {si, di}) {
      edge(c, EdgeKind::conducting, nodes[1], side);
      if (model[side == si ? "cgs" : "cgd"] > 0.0) edge(c, EdgeKind::capacitive, nodes[1], side);
      c.network.junctions.push_back(junction_of(nodes[1], side, sign, n_vt_, is_));
    }
  }

  void stamp(Context& c) override {
    Network& n = c.network;
    const int g = nodes[1];
    if (di != nodes[0]) n.current(nodes[0], di, n.v(nodes[0], di) * (scale_ / model["rd"]));
    if (si != nodes[2]) n.current(nodes[2], si, n.v(nodes[2], si) * (scale_ / model["rs"]));
    const Expr vgs = sign * n.v(g, si), vds = sign * n.v(di, si);
    const Expr id = sign * scale_ * channel(vgs, vds);
    n.current(di, si, id);
    describe(c, vgs, vds, id);
    gate(c, si, "gs", model["cgs"]);
    gate(c, di, "gd", model["cgd"]);
  }

  std::vector<int> all_nodes() const override { return {nodes[0], nodes[1], nodes[2], di, si}; }

 private:
  void describe(Context& c, const Expr& vgs, const Expr& vds, const Expr& id) {
    Device& d = device(c, sign > 0.0 ? "NJF" : "PJF");
    d.quantities = {{"vgs", sign * vgs},
                    {"vds", sign * vds},
                    {"id", id},
                    {"gm", id, DeviceQuantity::slope, nodes[1]},
                    {"rds", id, DeviceQuantity::resistance, di},
                    {"p", c.network.v(nodes[0], nodes[2]) * id}};
    d.region = [s = sign, vto = model["vto"]](const std::vector<double>& x) {
      const double across = s * x[1], over = s * x[0] - std::min(across, 0.0) - vto;
      if (over <= 0.0) return "off";
      return over < std::fabs(across) ? "saturation" : "triode";
    };
  }

  void gate(Context& c, int side, const char* which, double capacitance) {
    Network& n = c.network;
    const Expr v = sign * n.v(nodes[1], side);
    n.current(nodes[1], side, sign * (diode_current(v, is_, n_vt_) + n.gmin * v));
    if (capacitance == 0.0) return;
    const Depletion layer =
        Depletion{scale_ * capacitance, model["pb"], 0.5, model["fc"]}.at(t_, nominal_);
    Charge q;
    q.name = fmt::format("q({},{})", name, which);
    q.value = sign * layer.charge(v);
    q.plus = q.node_a = nodes[1];
    q.minus = q.node_b = side;
    q.nominal = layer.c;
    n.add_charge(std::move(q));
  }

  Expr channel(const Expr& vgs, const Expr& vds) const {
    const double vto = model["vto"], b = model["b"];
    const double bf = (1.0 - b) / (model["pb"] - vto);
    const Expr forward = vds >= 0.0;
    const Expr vd = select(forward, vds, -vds);
    const Expr a = select(forward, vgs, vgs - vds) - vto;
    const Expr beta = model["beta"] * (1.0 + model["lambda"] * vd);
    const Expr saturated = beta * a * a * (b + bf * a);
    const Expr linear = beta * vd * (vd * (bf * vd - b) + a * (2.0 * b + 3.0 * bf * (a - vd)));
    const Expr i = select(a <= 0.0, 0.0, select(a < vd, saturated, linear));
    return no_event(select(forward, i, -i));
  }

  double scale_ = 1.0, t_ = room_temperature, nominal_ = room_temperature, n_vt_ = 0.026,
         is_ = 1e-14;
};

}  // namespace

std::unique_ptr<Part> make_jfet(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<Jfet>();
  if (!read_device(c, cursor, head, {"njf", "pjf"}, {"temp"}, part->text)) return nullptr;
  return part;
}

}  // namespace daedalus::circuit
