// SPDX-License-Identifier: BSD-3-Clause
// MOS transistors, level 1 (Shichman, Hodges 1968). Channel charges after Ward and Dutton (1978):
// they are functions of the voltages, so that no charge is lost on isolated nodes.
#include <fmt/format.h>

#include <cmath>

#include "circuit/elements/device_model.hpp"

namespace daedalus::circuit {
namespace {

constexpr double vacuum_permittivity = 8.854214871e-12;  // as in SPICE
constexpr double intrinsic_density = 1.45e16;            // 1/m3, of silicon at room temperature

const ModelType mos_type{
    "NMOS",
    {{"vto", 0.0},  {"kp", 2e-5},  {"gamma", 0.0}, {"phi", 0.6},  {"lambda", 0.0}, {"rd", 0.0},
     {"rs", 0.0},   {"rsh", 0.0},  {"cbd", 0.0},   {"cbs", 0.0},  {"is", 1e-14},   {"js", 0.0},
     {"pb", 0.8},   {"cgso", 0.0}, {"cgdo", 0.0},  {"cgbo", 0.0}, {"cj", 0.0},     {"mj", 0.5},
     {"cjsw", 0.0}, {"mjsw", 0.5}, {"fc", 0.5},    {"tox", 0.0},  {"ld", 0.0},     {"uo", 600.0},
     {"nsub", 0.0}, {"nss", 0.0},  {"tpg", 1.0},   {"tnom", 27.0}},
    "kf af nlev imax xj ucrit uexp utra vmax neff xqc delta theta eta kappa nfs gdsnoi",
    "capmod"};

struct MosValues {
  double kp, gamma, phi, vbi, lambda, width, length, beta;
  double cox = 0.0;  // of the whole channel
  double t, nominal, vt;
};

// What follows from process parameters where electrical ones are not given.
void complete_from_process(ModelValues& m, double sign, double nominal) {
  if (!(m["tox"] > 0.0)) return;
  const double cox = 3.9 * vacuum_permittivity / m["tox"];
  if (!m.given("kp")) m.set("kp", m["uo"] * cox * 1e-4);
  if (!(m["nsub"] > 1.45e10)) return;
  const double vt = thermal_voltage(nominal), density = m["nsub"] * 1e6;
  if (!m.given("phi"))
    m.set("phi", std::max(0.1, 2.0 * vt * std::log(density / intrinsic_density)));
  const double gap = gap_energy(nominal), phi = m["phi"];
  if (!m.given("gamma"))
    m.set("gamma", std::sqrt(2.0 * 11.7 * vacuum_permittivity * elementary_charge * density) / cox);
  if (m.given("vto")) return;
  const double work = m["tpg"] == 0.0 ? 3.2 : 3.25 + gap / 2.0 - sign * m["tpg"] * gap / 2.0;
  const double difference = work - (3.25 + gap / 2.0 + sign * phi / 2.0);
  m.set("vto", difference - elementary_charge * m["nss"] * 1e4 / cox +
                   sign * (m["gamma"] * std::sqrt(phi) + phi));
}

class Mos final : public Part {
 public:
  DeviceText text;
  ModelValues model;
  double sign = 1.0;
  int di = ground, si = ground;

  void declare(Context& c) override {
    model = ModelValues(c, *text.model, *text.model_level, mos_type);
    sign = text.model->type == "pmos" ? -1.0 : 1.0;
    values(c);
    const double rsh = model["rsh"];
    rd_ = model["rd"] > 0.0 ? model["rd"] : rsh * text.option(c, "nrd", 1.0);
    rs_ = model["rs"] > 0.0 ? model["rs"] : rsh * text.option(c, "nrs", 1.0);
    di = rd_ > 0.0 ? c.network.node(name + "#d") : nodes[0];
    si = rs_ > 0.0 ? c.network.node(name + "#s") : nodes[2];
    if (di != nodes[0]) edge(c, EdgeKind::conducting, nodes[0], di);
    if (si != nodes[2]) edge(c, EdgeKind::conducting, nodes[2], si);
    edge(c, EdgeKind::conducting, nodes[3], si);
    edge(c, EdgeKind::conducting, nodes[3], di);
    capacitive_edges(c);
    const double is = std::max(drain_.saturation, 1e-30);
    c.network.junctions.push_back(junction_of(nodes[3], si, sign, v_.vt, is));
    c.network.junctions.push_back(junction_of(nodes[3], di, sign, v_.vt, is));
  }

  void stamp(Context& c) override {
    Network& n = c.network;
    const int g = nodes[1], b = nodes[3];
    if (di != nodes[0]) n.current(nodes[0], di, n.v(nodes[0], di) * (m_ / rd_));
    if (si != nodes[2]) n.current(nodes[2], si, n.v(nodes[2], si) * (m_ / rs_));
    const Expr vgs = sign * n.v(g, si), vds = sign * n.v(di, si), vbs = sign * n.v(b, si);
    const Expr id = sign * m_ * channel(vgs, vds, vbs);
    n.current(di, si, id);
    describe(c, vgs, vds, vbs, id);
    wall(c, source_, si, "bs");
    wall(c, drain_, di, "bd");
    linear(c, "gs", g, si, model["cgso"] * v_.width);
    linear(c, "gd", g, di, model["cgdo"] * v_.width);
    linear(c, "gb", g, b, model["cgbo"] * v_.length);
    if (v_.cox > 0.0) channel_charges(c, vgs, vds, vbs);
  }

  std::vector<int> all_nodes() const override {
    return {nodes[0], nodes[1], nodes[2], nodes[3], di, si};
  }

 private:
  void describe(Context& c, const Expr& vgs, const Expr& vds, const Expr& vbs, const Expr& id) {
    Device& d = device(c, sign > 0.0 ? "NMOS" : "PMOS");
    const Expr threshold = v_.vbi + sign * v_.gamma * body_root(vbs);
    d.quantities = {{"vgs", sign * vgs},
                    {"vds", sign * vds},
                    {"vbs", sign * vbs},
                    {"vth", threshold},
                    {"id", id},
                    {"gm", id, DeviceQuantity::slope, nodes[1]},
                    {"rds", id, DeviceQuantity::resistance, di},
                    {"gmb", id, DeviceQuantity::slope, nodes[3]},
                    {"p", c.network.v(nodes[0], nodes[2]) * id}};
    d.region = [s = sign](const std::vector<double>& x) {
      // With vds below zero drain and source change their parts.
      const double across = s * x[1], over = s * (x[0] - x[3]) - std::min(across, 0.0);
      if (over <= 0.0) return "off";
      return over <= std::fabs(across) ? "saturation" : "triode";
    };
  }

  struct Wall {  // a junction between bulk and source or drain
    double saturation = 0.0;
    Depletion bottom, side;
    double capacitance() const { return bottom.c + side.c; }
  };

  void values(Context& c) {
    v_.t = text.option(c, "temp", c.network.temperature - zero_celsius) + zero_celsius;
    v_.nominal = model.given("tnom") ? model["tnom"] + zero_celsius : c.network.nominal_temperature;
    v_.vt = thermal_voltage(v_.t);
    complete_from_process(model, sign, v_.nominal);
    m_ = text.multiplier;
    v_.width = text.option(c, "w", 1e-4);
    v_.length = text.option(c, "l", 1e-4) - 2.0 * model["ld"];
    if (!(v_.length > 0.0) || !(v_.width > 0.0))
      c.files.error(where, fmt::format("{}: width and L - 2 LD must be positive", written));
    const double phi = model["phi"], gamma = model["gamma"];
    v_.gamma = gamma;
    v_.lambda = model["lambda"];
    v_.phi = potential_at(phi, v_.t, v_.nominal);
    v_.vbi = model["vto"] - sign * gamma * std::sqrt(phi) +
             (gap_energy(v_.nominal) - gap_energy(v_.t)) / 2.0 + sign * (v_.phi - phi) / 2.0;
    v_.kp = model["kp"] * std::pow(v_.t / v_.nominal, -1.5);
    v_.beta = v_.kp * v_.width / v_.length;
    if (model["tox"] > 0.0)
      v_.cox = m_ * 3.9 * vacuum_permittivity / model["tox"] * v_.width * v_.length;
    source_ = wall_values(c, "cbs", "as", "ps");
    drain_ = wall_values(c, "cbd", "ad", "pd");
  }

  Wall wall_values(Context& c, const char* given, const char* area, const char* perimeter) {
    Wall w;
    const double a = text.option(c, area, 0.0), p = text.option(c, perimeter, 0.0);
    const double heat =
        std::exp(-gap_energy(v_.t) / v_.vt + gap_energy(v_.nominal) / thermal_voltage(v_.nominal));
    w.saturation = m_ * heat * (model["js"] > 0.0 && a > 0.0 ? model["js"] * a : model["is"]);
    const double bottom = model.given(given) ? model[given] : model["cj"] * a;
    w.bottom = Depletion{m_ * bottom, model["pb"], model["mj"], model["fc"]}.at(v_.t, v_.nominal);
    w.side = Depletion{m_ * model["cjsw"] * p, model["pb"], model["mjsw"], model["fc"]}.at(
        v_.t, v_.nominal);
    return w;
  }

  void capacitive_edges(Context& c) {
    const int g = nodes[1], b = nodes[3];
    const auto add = [&](bool there, int x, int y) {
      if (there) edge(c, EdgeKind::capacitive, x, y);
    };
    add(model["cgso"] > 0.0, g, si);
    add(model["cgdo"] > 0.0, g, di);
    add(model["cgbo"] > 0.0 || v_.cox > 0.0, g, b);
    add(source_.capacitance() > 0.0 || v_.cox > 0.0, b, si);
    add(drain_.capacitance() > 0.0 || v_.cox > 0.0, b, di);
  }

  Expr body_root(const Expr& vb) const {
    const double root = std::sqrt(v_.phi);
    return no_event(select(vb <= 0.0, sqrt(v_.phi - vb), max(root - vb / (2.0 * root), 0.0)));
  }

  // Drain current; with vds < 0 source and drain change their parts.
  Expr channel(const Expr& vgs, const Expr& vds, const Expr& vbs) const {
    const Expr forward = vds >= 0.0;
    const Expr vd = select(forward, vds, -vds);
    const Expr vg = select(forward, vgs, vgs - vds), vb = select(forward, vbs, vbs - vds);
    const Expr over = vg - sign * v_.vbi - v_.gamma * body_root(vb);
    const Expr b = v_.beta * (1.0 + v_.lambda * vd);
    const Expr i = select(over <= 0.0, 0.0,
                          select(over <= vd, b * over * over / 2.0, b * vd * (over - vd / 2.0)));
    return no_event(select(forward, i, -i));
  }

  void wall(Context& c, const Wall& w, int node, const char* which) {
    Network& n = c.network;
    const int b = nodes[3];
    if (node == b) return;
    const Expr v = sign * n.v(b, node);
    n.current(b, node, sign * (diode_current(v, w.saturation, v_.vt) + n.gmin * v));
    if (w.capacitance() > 0.0)
      charge(c, which, b, node, sign * (w.bottom.charge(v) + w.side.charge(v)), w.capacitance());
  }

  void linear(Context& c, const char* which, int a, int b, double capacitance) {
    if (capacitance == 0.0 || a == b) return;
    Charge q = charge_between(which, a, b, 1.0);
    q.linear = true;
    if (is_tabled(c)) return c.network.add_capacitance(std::move(q), m_ * capacitance);
    q.value = m_ * capacitance * c.network.v(a, b);
    c.network.add_charge(std::move(q));
  }

  void charge(Context& c, const char* which, int a, int b, const Expr& value, double nominal) {
    if (a == b) return;
    Charge q = charge_between(which, a, b, nominal);
    q.value = value;
    c.network.add_charge(std::move(q));
  }
  Charge charge_between(const char* which, int a, int b, double nominal) const {
    Charge q;
    q.name = fmt::format("q({},{})", name, which);
    q.plus = q.node_a = a;
    q.minus = q.node_b = b;
    q.nominal = nominal;
    return q;
  }

  Expr depletion_of_gate(const Expr& u) const {
    const double g = v_.gamma;
    if (g == 0.0) return v_.cox * soft_plus(-u);
    return no_event(
        select(u < 0.0, -v_.cox * u, -v_.cox * g * (sqrt(g * g / 4.0 + max(u, 0.0)) - g / 2.0)));
  }
  Expr soft_plus(const Expr& x) const {
    const double eps = 2.0 * v_.vt;
    return no_event(select(x > 0.0, x + eps * log1p(exp(-x / eps)), eps * log1p(exp(x / eps))));
  }

  void channel_charges(Context& c, const Expr& vgs, const Expr& vds, const Expr& vbs) {
    const Expr vgd = vgs - vds, vbd = vbs - vds;
    const Expr a = soft_plus(vgs - sign * v_.vbi - v_.gamma * body_root(vbs));
    const Expr b = soft_plus(vgd - sign * v_.vbi - v_.gamma * body_root(vbd));
    const Expr sum = a + b, f = -(2.0 / 15.0) * v_.cox / (sum * sum);
    const Expr qd = f * (a * a * (2.0 * a + 4.0 * b) + b * b * (6.0 * a + 3.0 * b));
    const Expr qs = f * (a * a * (3.0 * a + 6.0 * b) + b * b * (4.0 * a + 2.0 * b));
    const Expr vgb = vgs - vbs - (sign * v_.vbi - v_.phi);
    const Expr qb = (depletion_of_gate(vgb - a) + depletion_of_gate(vgb - b)) / 2.0;
    const int bulk = nodes[3];
    charge(c, "g", nodes[1], bulk, -sign * (qs + qd + qb), v_.cox);
    charge(c, "d", di, bulk, sign * qd, v_.cox);
    charge(c, "s", si, bulk, sign * qs, v_.cox);
  }

  double m_ = 1.0, rd_ = 0.0, rs_ = 0.0;
  MosValues v_{};
  Wall source_, drain_;
};

}  // namespace

std::unique_ptr<Part> make_mos(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<Mos>();
  if (!read_device(c, cursor, head, {"nmos", "pmos"},
                   {"w", "l", "ad", "as", "pd", "ps", "nrd", "nrs", "temp"}, part->text))
    return nullptr;
  return part;
}

}  // namespace daedalus::circuit
