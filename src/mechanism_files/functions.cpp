// SPDX-License-Identifier: BSD-3-Clause
// Numbers, vectors, rotations and functions of time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechanism/profile_data.hpp"
#include "mechanism_files/reader.hpp"

namespace daedalus::mechanism_files {

std::optional<Expr> FormulaScope::name(const model::Written& written, int node,
                                       std::span<const Expr>) {
  constexpr double pi = std::numbers::pi;
  const model::Syntax& syntax = written.formula.at(node);
  const std::string word = written.formula.plain_name(syntax);
  if (word == "pi") return Expr(pi);
  if (time && (word == "t" || word == "time")) return graph.time();
  if (const auto it = numbers.find(word); it != numbers.end()) return Expr(it->second);
  for (auto* list : {&arguments, &variables})
    if (const auto it = list->find(word); it != list->end()) {
      if (it->second < 0) it->second = claim(word);
      return graph.input(graph::InputKind::argument, it->second, word);
    }
  std::vector<std::string> known = keys_of(numbers);
  for (const auto* list : {&arguments, &variables})
    for (const auto& entry : *list) known.push_back(entry.first);
  if (time) known.push_back("t");
  std::string hint = model::name_hint(word, known);
  constexpr std::size_t most = 12;  // names that a reader takes in at once
  if (hint.starts_with("did you mean") && known.size() <= most)
    hint += fmt::format(" known are {}, pi", fmt::join(known, ", "));
  written.error(syntax.span, fmt::format("there is no '{}' here", word), hint);
  return std::nullopt;
}

void Reader::guarded(Span where, const std::function<void()>& make) {
  try {
    make();
  } catch (const InvalidModel&) {
    throw;
  } catch (const InvalidArgument& wrong) {
    diagnostics_.error(where, wrong.what());
  }
}

std::optional<Expr> Reader::expression(const JsonValue& value, FormulaScope& scope) {
  scope.numbers = values_;
  const model::Fragment fragment = value.fragment();
  const auto formula = model::parse(fragment, model::Want::expression, diagnostics_);
  if (!formula) return std::nullopt;
  const auto nodes = model::lower({fragment, *formula, diagnostics_}, scope);
  if (!nodes) return std::nullopt;
  return nodes->back();
}

double Reader::number(const JsonValue& value, std::string_view what) {
  if (value.is(Kind::number)) return value.number;
  if (!value.is(Kind::string)) {
    diagnostics_.error(value.span,
                       fmt::format("{} must be a number or a formula of parameters, not {}", what,
                                   name_of(value.kind)));
    return 0.0;
  }
  FormulaScope scope;
  const auto result = expression(value, scope);
  if (!result) return 0.0;
  if (!result->is_number() || !std::isfinite(result->number())) {
    diagnostics_.error(value.span, fmt::format("{} is no finite number", what));
    return 0.0;
  }
  return result->number();
}

double Reader::number(const Fields& fields, std::string_view key, double standard) {
  const JsonValue* value = fields.find(key);
  return value ? number(*value, fmt::format("'{}'", key)) : standard;
}

std::vector<double> Reader::numbers(const JsonValue& value, std::string_view what,
                                    std::size_t count) {
  std::vector<double> list;
  if (!is_kind(value, Kind::array, what, diagnostics_)) return std::vector<double>(count, 0.0);
  for (const JsonValue& item : value.items) list.push_back(number(item, what));
  if (count > 0 && list.size() != count) {
    diagnostics_.error(value.span,
                       fmt::format("{} has {} numbers; allowed: {}", what, list.size(), count));
    list.resize(count, 0.0);
  }
  return list;
}

Triple Reader::triple(const Fields& fields, std::string_view key) {
  const JsonValue* value = fields.find(key);
  if (!value) return {};
  const std::vector<double> n = numbers(*value, fmt::format("'{}'", key), planar_ ? 2 : 3);
  return {n[0], n[1], planar_ ? 0.0 : n[2]};
}

Rotation Reader::rotation(const JsonValue& value) {
  const Fields fields(value, "a rotation", {"quaternion", "rpy", "axis", "angle", "matrix"},
                      diagnostics_);
  Rotation result;
  guarded(value.span, [&] {
    if (const JsonValue* q = fields.find("quaternion")) {
      const auto p = numbers(*q, "'quaternion'", 4);
      result = Rotation::quaternion(p[0], p[1], p[2], p[3]);
    } else if (const JsonValue* r = fields.find("rpy")) {
      const auto a = numbers(*r, "'rpy'", 3);
      result = Rotation::rpy(unit_ * a[0], unit_ * a[1], unit_ * a[2]);
    } else if (const JsonValue* m = fields.find("matrix")) {
      Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
      if (m->items.size() == 3)
        for (int i = 0; i < 3; ++i) {
          const auto row = numbers(m->items[static_cast<std::size_t>(i)], "a row of 'matrix'", 3);
          R.row(i) << row[0], row[1], row[2];
        }
      if (!((R.transpose() * R - Eigen::Matrix3d::Identity()).norm() < 1e-6) || R.determinant() < 0)
        throw InvalidArgument("'matrix' is no rotation; allowed: orthonormal rows, right-handed");
      result = Rotation(R);
    } else if (const JsonValue* axis = fields.find("axis")) {
      const auto a = numbers(*axis, "'axis'", 3);
      const JsonValue* by = fields.find("angle");
      result = Rotation::about({a[0], a[1], a[2]}, by ? angle(*by, "'angle'") : 0.0);
    }
  });
  return result;
}

TimeFunction Reader::written(const JsonValue& value, bool force, double unit) {
  FormulaScope scope;
  scope.time = true;
  if (force) scope.arguments = arguments_;
  scope.claim = [this](const std::string& word) { return claim_argument(word); };
  const auto result = expression(value, scope);
  if (!result) return {};
  const TimeFunction f = formula(unit == 1.0 ? *result : *result * unit);
  // What depends on time alone is known at the start of a run; drives are asked with their rates.
  const bool of_time = f.data().formula[0].max_argument < 0;
  if (force && of_time && !std::isfinite(f(0.0)))
    diagnostics_.error(value.span, fmt::format("this is {} at t = 0", f(0.0)),
                       "a function that begins later may be a table or a step");
  return f;
}

TimeFunction Reader::table(const JsonValue& value, double unit) {
  const Fields fields(value, "a table", {"t", "x", "y", "kind", "end"}, diagnostics_);
  const JsonValue *t = fields.find("t") ? fields.find("t") : fields.find("x"),
                  *y = fields.find("y");
  if (!t || !y) {
    diagnostics_.error(value.span, "a table needs 't' and 'y'");
    return {};
  }
  const std::string kind = fields.text("kind", "spline"), end = fields.text("end", "hold");
  if (kind != "spline" && kind != "linear")
    diagnostics_.error(value.span, fmt::format("'kind' is '{}'; allowed: spline, linear", kind));
  if (end != "hold" && end != "periodic" && end != "error")
    diagnostics_.error(value.span,
                       fmt::format("'end' is '{}'; allowed: hold, periodic, error", end));
  std::vector<double> values = numbers(*y, "'y'");
  for (double& number : values) number *= unit;
  return daedalus::table(numbers(*t, "'t'"), values,
                         kind == "linear" ? TableKind::linear : TableKind::spline,
                         end == "periodic" ? TableEnd::periodic
                         : end == "error"  ? TableEnd::error
                                           : TableEnd::hold);
}

TimeFunction Reader::profile(const JsonValue& value, bool force, double unit) {
  if (value.is(Kind::number)) return TimeFunction(unit * value.number);
  if (value.is(Kind::string)) return written(value, force, unit);
  const Fields fields(value, "a function of time",
                      {"polynomial", "harmonic", "expression", "table", "step"}, diagnostics_);
  TimeFunction result;
  guarded(value.span, [&] {
    if (const JsonValue* c = fields.find("polynomial")) {
      std::vector<double> list = numbers(*c, "'polynomial'");
      for (double& number : list) number *= unit;
      result = polynomial(list);
    } else if (const JsonValue* h = fields.find("harmonic")) {
      const Fields f(*h, "a harmonic", {"offset", "amplitude", "omega", "phase"}, diagnostics_);
      result = harmonic(unit * number(f, "offset", 0.0), unit * number(f, "amplitude", 0.0),
                        number(f, "omega", 0.0), number(f, "phase", 0.0));
    } else if (const JsonValue* e = fields.of("expression", Kind::string)) {
      result = written(*e, force, unit);
    } else if (const JsonValue* points = fields.find("table")) {
      result = table(*points, unit);
    } else if (const JsonValue* s = fields.find("step")) {
      const Fields f(*s, "a step", {"t0", "t1", "y0", "y1"}, diagnostics_);
      result = smooth_step(number(f, "t0", 0.0), number(f, "t1", 1.0), unit * number(f, "y0", 0.0),
                           unit * number(f, "y1", 1.0));
    } else {
      diagnostics_.error(value.span,
                         "a function of time is a number, polynomial, harmonic, "
                         "expression, table or step");
    }
  });
  return result;
}

// x stands where profiles have the time.
TimeFunction Reader::of_variable(const JsonValue& value) {
  if (const JsonValue* points = value.find("table")) return table(*points, 1.0);
  const JsonValue* text = value.is(Kind::string) ? &value : value.find("expression");
  if (!text) {
    diagnostics_.error(value.span, "a law of force is a table or an expression in x");
    return {};
  }
  FormulaScope scope;
  scope.numbers = values_;
  const model::Fragment fragment = text->fragment();
  class OfX : public model::Scope {
   public:
    FormulaScope* inner;
    std::optional<Expr> name(const model::Written& w, int node,
                             std::span<const Expr> values) override {
      if (w.formula.plain_name(w.formula.at(node)) == "x") return inner->graph.time();
      return inner->name(w, node, values);
    }
  } of_x;
  of_x.inner = &scope;
  const auto parsed = model::parse(fragment, model::Want::expression, diagnostics_);
  if (!parsed) return {};
  const auto nodes = model::lower({fragment, *parsed, diagnostics_}, of_x);
  return nodes ? formula(nodes->back()) : TimeFunction();
}

}  // namespace daedalus::mechanism_files
