// SPDX-License-Identifier: BSD-3-Clause
// Bipolar transistors after Gummel and Poon (1970); Ebers-Moll is the case without Early voltages
// and knee currents.
#include <fmt/format.h>

#include <cmath>

#include "circuit/elements/device_model.hpp"

namespace daedalus::circuit {
namespace {

const ModelType bipolar_type{
    "NPN",
    {{"is", 1e-16},       {"bf", 100.0},      {"nf", 1.0},  {"vaf", 0.0, "va"},
     {"ikf", 0.0, "ik"},  {"ise", 0.0},       {"ne", 1.5},  {"br", 1.0},
     {"nr", 1.0},         {"var", 0.0, "vb"}, {"ikr", 0.0}, {"isc", 0.0},
     {"nc", 2.0},         {"rb", 0.0},        {"rbm", 0.0}, {"irb", 0.0},
     {"re", 0.0},         {"rc", 0.0},        {"cje", 0.0}, {"vje", 0.75, "pe"},
     {"mje", 0.33, "me"}, {"tf", 0.0},        {"xtf", 0.0}, {"vtf", 0.0},
     {"itf", 0.0},        {"ptf", 0.0},       {"cjc", 0.0}, {"vjc", 0.75, "pc"},
     {"mjc", 0.33, "mc"}, {"xcjc", 1.0},      {"tr", 0.0},  {"cjs", 0.0, "ccs"},
     {"vjs", 0.75, "ps"}, {"mjs", 0.0, "ms"}, {"xtb", 0.0}, {"eg", 1.11},
     {"xti", 3.0},        {"fc", 0.5},        {"c2", 0.0},  {"c4", 0.0},
     {"tnom", 27.0}},
    "kf af nlev imax subs type mfg vceo icrating",
    "iss ns rco vo gamma qco nkf nk"};

class Bipolar final : public Part {
 public:
  DeviceText text;
  ModelValues model;
  int substrate = ground;
  double sign = 1.0;
  int ci = ground, bi = ground, ei = ground;  // inner nodes

  void declare(Context& c) override {
    model = ModelValues(c, *text.model, *text.model_level, bipolar_type);
    sign = text.model->type == "pnp" ? -1.0 : 1.0;
    scale_ = text.area * text.multiplier;
    if (model["ptf"] != 0.0)
      c.files.warning(text.model->where, fmt::format("{}: PTF is ignored", text.model->written));
    inner(c, ci, "c", "rc", nodes[0]);
    inner(c, bi, "b", "rb", nodes[1]);
    inner(c, ei, "e", "re", nodes[2]);
    temperatures(c);
    edge(c, EdgeKind::conducting, bi, ei);
    edge(c, EdgeKind::conducting, bi, ci);
    if (model["cje"] > 0.0 || model["tf"] > 0.0) edge(c, EdgeKind::capacitive, bi, ei);
    if (model["tr"] > 0.0 || model["cjc"] * model["xcjc"] > 0.0)
      edge(c, EdgeKind::capacitive, bi, ci);
    if (model["cjc"] * (1.0 - model["xcjc"]) > 0.0) edge(c, EdgeKind::capacitive, nodes[1], ci);
    if (model["cjs"] > 0.0) edge(c, EdgeKind::capacitive, substrate, ci);
    c.network.junctions.push_back(junction_of(bi, ei, sign, model["nf"] * vt_, is_));
    c.network.junctions.push_back(junction_of(bi, ci, sign, model["nr"] * vt_, is_));
  }

  void stamp(Context& c) override {
    Network& n = c.network;
    const Expr vbe = sign * n.v(bi, ei), vbc = sign * n.v(bi, ci);
    const Expr forward = diode_current(vbe, is_, model["nf"] * vt_);
    const Expr reverse = diode_current(vbc, is_, model["nr"] * vt_);
    const Expr leak_e = diode_current(vbe, ise_, model["ne"] * vt_) + n.gmin * vbe;
    const Expr leak_c = diode_current(vbc, isc_, model["nc"] * vt_) + n.gmin * vbc;
    const Expr qb = base_charge(vbe, vbc, forward, reverse);
    const Expr ic = (forward - reverse) / qb - reverse / br_ - leak_c;
    const Expr ib = forward / bf_ + reverse / br_ + leak_e + leak_c;
    n.current(ci, ei, sign * ic);
    n.current(bi, ei, sign * ib);
    describe(c, vbe, vbc, sign * ic, sign * ib);
    resistances(c, qb, ib);
    charges(c, vbe, vbc, forward, reverse, qb);
  }

  std::vector<int> all_nodes() const override {
    return {nodes[0], nodes[1], nodes[2], substrate, ci, bi, ei};
  }

 private:
  void describe(Context& c, const Expr& vbe, const Expr& vbc, const Expr& ic, const Expr& ib) {
    const Network& n = c.network;
    Device& d = device(c, sign > 0.0 ? "NPN" : "PNP");
    d.quantities = {{"vbe", sign * vbe},
                    {"vbc", sign * vbc},
                    {"ic", ic},
                    {"ib", ib},
                    {"gm", ic, DeviceQuantity::slope, bi},
                    {"rpi", ib, DeviceQuantity::resistance, bi},
                    {"ro", ic, DeviceQuantity::resistance, ci},
                    {"p", n.v(nodes[0], nodes[2]) * ic + n.v(nodes[1], nodes[2]) * ib}};
    d.region = [s = sign](const std::vector<double>& x) {
      const bool emitter = s * x[0] > 0.0, collector = s * x[1] > 0.0;
      if (emitter) return collector ? "saturation" : "active";
      return collector ? "reverse" : "cutoff";
    };
  }

  void inner(Context& c, int& node, const char* letter, const char* resistance, int outer) {
    node = model[resistance] > 0.0 ? c.network.node(fmt::format("{}#{}", name, letter)) : outer;
    if (node != outer) edge(c, EdgeKind::conducting, outer, node);
  }

  void temperatures(Context& c) {
    t_ = text.option(c, "temp", c.network.temperature - zero_celsius) + zero_celsius;
    nominal_ = model.given("tnom") ? model["tnom"] + zero_celsius : c.network.nominal_temperature;
    vt_ = thermal_voltage(t_);
    const double ratio = t_ / nominal_;
    const double f = (ratio - 1.0) * model["eg"] / vt_ + model["xti"] * std::log(ratio);
    const double gain = std::pow(ratio, model["xtb"]);
    is_ = scale_ * model["is"] * std::exp(f);
    bf_ = model["bf"] * gain;
    br_ = model["br"] * gain;
    const double e =
        model.given("c2") && !model.given("ise") ? model["c2"] * model["is"] : model["ise"];
    const double k =
        model.given("c4") && !model.given("isc") ? model["c4"] * model["is"] : model["isc"];
    ise_ = scale_ * e * std::exp(f / model["ne"]) / gain;
    isc_ = scale_ * k * std::exp(f / model["nc"]) / gain;
  }

  Expr base_charge(const Expr& vbe, const Expr& vbc, const Expr& forward, const Expr& reverse) {
    const Expr d = 1.0 - vbc * model.inverse("vaf") - vbe * model.inverse("var");
    Expr q1 = 1.0;
    if (!d.is_number()) {
      // Voltages of Newton iterates may pass the zero of d: continued by an exponential.
      constexpr double min_d = 1e-4;
      q1 = 1.0 / no_event(select(d >= min_d, d, min_d * exp(d / min_d - 1.0)));
    }
    const Expr q2 =
        forward * (model.inverse("ikf") / scale_) + reverse * (model.inverse("ikr") / scale_);
    if (q2.is_number(0.0)) return q1;
    return q1 * (1.0 + sqrt(max(1.0 + 4.0 * q2, 1e-30))) / 2.0;
  }

  void resistances(Context& c, const Expr& qb, const Expr& ib) {
    Network& n = c.network;
    if (ci != nodes[0]) n.current(nodes[0], ci, n.v(nodes[0], ci) * (scale_ / model["rc"]));
    if (ei != nodes[2]) n.current(nodes[2], ei, n.v(nodes[2], ei) * (scale_ / model["re"]));
    if (bi == nodes[1]) return;
    const double full = model["rb"], least = model.given("rbm") ? model["rbm"] : full;
    Expr rb = least + (full - least) / qb;
    if (model["irb"] > 0.0) {
      const Expr x = max(ib / (model["irb"] * scale_), 1e-9);
      const Expr root = sqrt(x);
      const Expr z = (sqrt(1.0 + 14.59025 * x) - 1.0) / (2.4317 * root);
      const Expr slope = tan(z);
      rb = least + 3.0 * (full - least) * (slope - z) / (z * slope * slope);
    }
    n.current(nodes[1], bi, n.v(nodes[1], bi) * scale_ / rb);
  }

  void charges(Context& c, const Expr& vbe, const Expr& vbc, const Expr& forward,
               const Expr& reverse, const Expr& qb) {
    const double fc = model["fc"];
    const Depletion be{scale_ * model["cje"], model["vje"], model["mje"], fc};
    const Depletion bc{scale_ * model["cjc"], model["vjc"], model["mjc"], fc};
    const Depletion sc{scale_ * model["cjs"], model["vjs"], model["mjs"], 0.0};
    const double tf = model["tf"], tr = model["tr"], inside = model["xcjc"];
    Expr w = 0.0;
    if (model["xtf"] > 0.0) {
      const double itf = model["itf"] * scale_;
      w = model["xtf"] * exp(vbc * (model.inverse("vtf") / 1.44));
      if (itf > 0.0) {
        const Expr part = forward / (forward + itf);
        w = w * part * part;
      }
      w = no_event(select(vbe > 0.0, w, 0.0));
    }
    if (be.c > 0.0 || tf > 0.0) {
      charge(c, "be", bi, ei, tf * forward * (1.0 + w) / qb + be.at(t_, nominal_).charge(vbe),
             be.c + tf * 1e-3);
      begin(c, 0, 0.0);
    }
    if (tr > 0.0 || bc.c * inside > 0.0) {
      Depletion part = bc.at(t_, nominal_);
      part.c *= inside;
      charge(c, "bc", bi, ci, tr * reverse + part.charge(vbc), part.c + tr * 1e-3);
      begin(c, 1, text.initial.empty() ? 0.0 : text.initial[0]);
    }
    if (bc.c * (1.0 - inside) > 0.0) {
      Depletion part = bc.at(t_, nominal_);
      part.c *= 1.0 - inside;
      charge(c, "bx", nodes[1], ci, part.charge(sign * c.network.v(nodes[1], ci)), part.c);
    }
    if (sc.c > 0.0)
      charge(c, "sc", substrate, ci, sc.at(t_, nominal_).charge(sign * c.network.v(substrate, ci)),
             sc.c);
  }

  // IC=vbe,vce holds the voltage of the last charge with UIC; of bc it is vbe - vce.
  void begin(Context& c, std::size_t number_of_value, double minuend) {
    if (text.initial.size() <= number_of_value) return;
    Charge& q = c.network.charges.back();
    q.has_start = true;
    q.start = number_of_value == 0 ? text.initial[0] : minuend - text.initial[1];
  }

  void charge(Context& c, const char* which, int a, int b, const Expr& value, double nominal) {
    Charge q;
    q.name = fmt::format("q({},{})", name, which);
    q.value = sign * value;
    q.plus = q.node_a = a;
    q.minus = q.node_b = b;
    q.nominal = nominal;
    c.network.add_charge(std::move(q));
  }

  double scale_ = 1.0, t_ = room_temperature, nominal_ = room_temperature, vt_ = 0.0258;
  double is_ = 0.0, ise_ = 0.0, isc_ = 0.0, bf_ = 100.0, br_ = 1.0;
};

}  // namespace

std::unique_ptr<Part> make_bipolar(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<Bipolar>();
  // Q1 c b e model, or Q1 c b e substrate model.
  const Level* level = nullptr;
  if (cursor.is_word() && !c.model(cursor.lower(), &level)) {
    Cursor next = cursor;
    next.skip();
    if (next.is_word() && c.model(next.lower(), &level)) {
      part->substrate = c.node(cursor.lower());
      cursor = next;
    }
  }
  if (!read_device(c, cursor, head, {"npn", "pnp"}, {"temp"}, part->text)) return nullptr;
  return part;
}

}  // namespace daedalus::circuit
