// SPDX-License-Identifier: BSD-3-Clause
// Independent sources. The current of a voltage source flows from n+ through it to n-.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "circuit/elements/shapes.hpp"

namespace daedalus::circuit {
namespace {

struct SourceText {
  Value direct;                         // DC value
  double magnitude = 0.0, phase = 0.0;  // AC
  std::string shape;
  std::vector<Value> values;
  double repeat = -1.0, delay = 0.0;
};

bool read_source(Context& c, Cursor& cursor, const Part& head, SourceText& s) {
  while (!cursor.done()) {
    if (cursor.is(WordKind::open) || cursor.is(WordKind::close)) {
      cursor.skip();
      continue;
    }
    const std::string word = cursor.is(WordKind::word) ? cursor.lower() : "";
    Assignment a;
    if (cursor.assignment(a)) {
      if (a.name == "dc")
        s.direct = a.value;
      else if (a.name == "r")
        s.repeat = number_or(c, a.value, -1.0);
      else if (a.name == "td")
        s.delay = number_or(c, a.value, 0.0);
      else
        c.files.error(a.where, fmt::format("{}: '{}' is not known", head.written, a.written));
    } else if (word == "dc") {
      cursor.skip();
      if (cursor.is_value()) s.direct = cursor.value();
    } else if (word == "ac") {
      cursor.skip();
      s.magnitude = 1.0;
      if (cursor.is_value() &&
          (cursor.is(WordKind::expression) || read_number(cursor.text()).value))
        s.magnitude = number_or(c, cursor.value(), 1.0);
      if (cursor.is_value() &&
          (cursor.is(WordKind::expression) || read_number(cursor.text()).value))
        s.phase = number_or(c, cursor.value(), 0.0);
    } else if (is_shape(word)) {
      cursor.skip();
      s.shape = word;
      cursor.skip_parentheses();
      while (cursor.is_value()) s.values.push_back(cursor.value());
    } else if (cursor.is_value()) {
      if (cursor.is(WordKind::word) && !read_number(cursor.text()).value &&
          read_number(cursor.text()).problem.empty()) {
        c.files.error(cursor.where(),
                      fmt::format("{}: '{}' is no shape of a source", head.written, word),
                      model::name_hint(word, {"dc", "ac", "pulse", "sin", "exp", "pwl", "sffm"}));
        return false;
      }
      s.direct = cursor.value();
      if (!s.direct.good()) return false;
    } else {
      c.files.error(cursor.where(), fmt::format("{}: this is not expected here", head.written));
      return false;
    }
  }
  return true;
}

class Source : public Part {
 public:
  SourceText text;

 protected:
  Expr value(Context& c) {
    if (!text.shape.empty()) {
      auto shape = make_shape(c, *this, text.shape, text.values, text.repeat, text.delay);
      if (!shape) return 0.0;
      if (shape->corners) c.network.corners.push_back(std::move(shape->corners));
      return shape->value;
    }
    return text.direct.good() ? settable(c, *this, text.direct) : Expr(0.0);
  }
  // The DC value where a shape says something else over time.
  std::optional<double> direct(Context& c) const {
    if (text.shape.empty() || !text.direct.good()) return std::nullopt;
    return number_or(c, text.direct, 0.0);
  }
  void excite(Context& c, int row, double sign) const {
    if (text.magnitude == 0.0 || row < 0) return;
    const double angle = text.phase * std::numbers::pi / 180.0;
    c.network.excitations.push_back(
        {row, sign * text.magnitude * std::cos(angle), sign * text.magnitude * std::sin(angle)});
  }
};

class VoltageSource final : public Source {
 public:
  int branch = -1;
  void declare(Context& c) override {
    branch = c.network.add_branch(name, false);
    edge(c, EdgeKind::voltage, nodes[0], nodes[1], false, branch);
  }
  void stamp(Context& c) override {
    Network& n = c.network;
    n.branch_current(branch, nodes[0], nodes[1]);
    n.branch_row(branch, n.v(nodes[0], nodes[1]));
    const Expr v = value(c);
    n.branch_source(branch, -v);
    n.sources.push_back({name, n.row_of_branch(branch), ground, -1.0, v, direct(c)});
    if (number < c.settable_limit)
      device(c, "V").quantities = {{"p", n.v(nodes[0], nodes[1]) * n.i(branch)}};
    excite(c, n.row_of_branch(branch), 1.0);
  }
};

class CurrentSource final : public Source {
 public:
  void declare(Context& c) override { edge(c, EdgeKind::current, nodes[0], nodes[1]); }
  void stamp(Context& c) override {
    Network& n = c.network;
    const Expr i = value(c);
    n.source_current(nodes[0], nodes[1], i);
    const int plus = n.row_at(nodes[0]), minus = n.row_at(nodes[1]);
    if (nodes[0] != nodes[1]) n.sources.push_back({name, plus, minus, 1.0, i, direct(c)});
    excite(c, plus, -1.0);
    excite(c, minus, 1.0);
  }
};

template <class Kind>
std::unique_ptr<Part> make_source(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<Kind>();
  if (!read_source(c, cursor, head, part->text)) return nullptr;
  return part;
}

}  // namespace

std::unique_ptr<Part> make_voltage_source(Context& c, Cursor& cursor, const Part& head) {
  return make_source<VoltageSource>(c, cursor, head);
}

std::unique_ptr<Part> make_current_source(Context& c, Cursor& cursor, const Part& head) {
  return make_source<CurrentSource>(c, cursor, head);
}

}  // namespace daedalus::circuit
