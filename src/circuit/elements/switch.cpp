// SPDX-License-Identifier: BSD-3-Clause
// Switches with hysteresis. Being on or off is a discrete variable that changes at located events.
#include <fmt/format.h>

#include <cmath>

#include "circuit/elements/device_model.hpp"

namespace daedalus::circuit {
namespace {

const ModelType voltage_switch_type{
    "SW", {{"vt", 0.0}, {"vh", 0.0}, {"ron", 1.0}, {"roff", 1e12}}, "", ""};
const ModelType current_switch_type{
    "CSW", {{"it", 0.0}, {"ih", 0.0}, {"ron", 1.0}, {"roff", 1e12}}, "", ""};

class SwitchPart final : public Part {
 public:
  DeviceText text;
  std::string controller;  // of a W switch
  Where controller_where{};
  bool starts_on = false;

  void declare(Context& c) override { edge(c, EdgeKind::conducting, nodes[0], nodes[1]); }

  void stamp(Context& c) override {
    Network& n = c.network;
    const bool by_voltage = kind == 's';
    const ModelValues model(c, *text.model, *text.model_level,
                            by_voltage ? voltage_switch_type : current_switch_type);
    const double threshold = model[by_voltage ? "vt" : "it"];
    const double width = model[by_voltage ? "vh" : "ih"];
    if (width < 0.0) {
      c.files.error(text.model->where,
                    fmt::format("{}: a negative hysteresis means a smooth switch, which is not "
                                "supported",
                                text.model->written),
                    "write B1 n+ n- I=v(n+,n-)*(g0 + g1*(1 + tanh(k*(v(c) - vt)))/2)");
      return;
    }
    Expr control;
    if (by_voltage) {
      control = n.v(nodes[2], nodes[3]);
    } else {
      const int branch = c.branch_of(controller);
      if (branch < 0) {
        c.files.error(controller_where, fmt::format("{} is controlled by {}, which is not a "
                                                    "voltage source",
                                                    written, controller));
        return;
      }
      control = n.i(branch);
    }
    const Expr on = n.builder.graph().mode(fmt::format("on({})", name));
    const double closed = 1.0 / model["ron"], open = 1.0 / model["roff"];
    n.current(nodes[0], nodes[1], n.v(nodes[0], nodes[1]) * (open + on * (closed - open)));
    Device& d = device(c, by_voltage ? "SW" : "CSW");
    const Expr i = n.v(nodes[0], nodes[1]) * (open + on * (closed - open));
    d.quantities = {{"on", on}, {"i", i}, {"p", n.v(nodes[0], nodes[1]) * i}};
    d.region = [](const std::vector<double>& x) { return x[0] != 0.0 ? "closed" : "open"; };
    if (width == 0.0)
      c.files.warning(text.model->where,
                      fmt::format("{} has no hysteresis: a control that stays near the threshold "
                                  "makes {} chatter",
                                  text.model->written, written),
                      by_voltage ? "give VH" : "give IH");
    n.switches.push_back(
        {name, on, control, threshold + width, threshold - width, starts_on, where});
  }
};

}  // namespace

std::unique_ptr<Part> make_switch(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<SwitchPart>();
  if (head.kind == 'w') {
    if (cursor.is_word()) {
      part->controller_where = cursor.where();
      part->controller = cursor.take_lower();
    }
    if (!read_device(c, cursor, head, {"csw"}, {}, part->text)) return nullptr;
  } else if (!read_device(c, cursor, head, {"sw"}, {}, part->text)) {
    return nullptr;
  }
  part->starts_on = part->text.on;
  return part;
}

}  // namespace daedalus::circuit
