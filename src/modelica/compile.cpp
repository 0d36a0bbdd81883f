// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/compile.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedalus/modelica.hpp>

#include "modelica/checks.hpp"
#include "modelica/flatten.hpp"

namespace daedalus::modelica {
namespace {

// Each restart takes one more parameter as structural.
constexpr int max_restarts = 100;

// Enumerations that the language knows without a library.
constexpr const char* predefined =
    "type StateSelect = enumeration(never, avoid, default, prefer, always);\n"
    "type AssertionLevel = enumeration(warning, error);\n"
    "partial class ExternalObject end ExternalObject;\n";

bool has_experiment(const ast::Class* c) {
  return ast::find(c->annotation, "experiment") != nullptr;
}

void with_experiment(const ast::Class* c, std::vector<const ast::Class*>& list) {
  if (has_experiment(c)) list.push_back(c);
  for (const ast::Element& e : c->elements)
    if (e.kind == ast::Element::Kind::class_) with_experiment(e.class_, list);
}

bool can_run(const ast::Class* c) {
  return !c->partial && c->form == ast::Class::Form::full &&
         (c->kind == ast::ClassKind::model || c->kind == ast::ClassKind::block ||
          c->kind == ast::ClassKind::class_);
}

}  // namespace

Program::Program(std::vector<std::string> folders, bool roll)
    : library_(std::move(folders), files_, mistakes_), roll_(roll) {
  library_.add_text("predefined", predefined);
}

void Program::fail() { throw InvalidModelica(mistakes_.sorted(), mistakes_.phases()); }

void Program::add_text(std::string name, std::string content) {
  own_ = library_.add_text(std::move(name), std::move(content));
  fail_if_wrong();
}

void Program::choose(const std::string& class_name) {
  if (!class_name.empty()) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t dot; (dot = class_name.find('.', from)) != std::string::npos; from = dot + 1)
      parts.push_back(class_name.substr(from, dot - from));
    parts.push_back(class_name.substr(from));
    const ast::Class* c = nullptr;
    for (const ast::Class* own : own_)
      if (own->name == parts.front()) c = own;
    if (!c) c = library_.top(parts.front());
    for (std::size_t k = 1; c && k < parts.size(); ++k) c = library_.member(c, parts[k]);
    fail_if_wrong();
    if (!c) {
      std::vector<std::string> names;
      for (const ast::Class* own : own_) names.push_back(own->name);
      throw InvalidArgument(fmt::format(
          "there is no class '{}'{}{}", class_name,
          names.empty() ? std::string() : fmt::format("; the file has {}", fmt::join(names, ", ")),
          library_.folders().empty()
              ? std::string(". --library or MODELICAPATH tell where libraries are")
              : fmt::format("; libraries are looked for in {}",
                            fmt::join(library_.folders(), ", "))));
    }
    chosen_ = c;
    return;
  }
  std::vector<const ast::Class*> list;
  for (const ast::Class* c : own_) with_experiment(c, list);
  if (list.size() > 1) {
    std::vector<std::string> names;
    for (const ast::Class* c : list) names.push_back(Library::full_name(c));
    throw InvalidArgument(
        fmt::format("several classes have an experiment: {}. Choose one by "
                    "--model",
                    fmt::join(names, ", ")));
  }
  if (!list.empty()) chosen_ = list.front();
  for (const ast::Class* c : own_)
    if (list.empty() && can_run(c)) chosen_ = c;
  if (!chosen_)
    throw InvalidArgument(
        "the file has no model that can be solved: model, block or class that is "
        "not partial");
}

FlatModel Program::flat(const std::map<std::string, double>& set) {
  for (int k = 0; k < max_restarts; ++k) {
    try {
      return attempt(set);
    } catch (const Restart&) {
      continue;
    } catch (const Mistake& m) {
      mistakes_.error(m);
      fail();
    }
  }
  throw InvalidArgument("modelica: the structure of the model depends on too many parameters");
}

FlatModel Program::attempt(const std::map<std::string, double>& set) {
  Context c(files_, mistakes_, library_);
  c.set = set;
  c.structural = &structural_;
  FlatModel flat;
  flat.name = Library::full_name(chosen_);
  flat.cls = chosen_;
  flat.comment = chosen_->comment;
  if (chosen_->partial)
    throw Mistake{Phase::instantiate, chosen_->name_place,
                  fmt::format("{} is partial", chosen_->name), "choose a class that extends it"};
  if (!can_run(chosen_) && chosen_->form == ast::Class::Form::full)
    throw Mistake{
        Phase::instantiate, chosen_->name_place,
        fmt::format("'{}' is a {}, not a model", chosen_->name, ast::to_string(chosen_->kind)),
        "choose a model by --model"};
  c.root = c.new_instance(nullptr, chosen_->name);
  c.root->state = Instance::State::ready;
  read_experiment(flat);
  c.start_time = flat.start_time;
  Flattener flattener(c, flat, roll_);
  flattener.prepare();
  c.populate(*c.root, {chosen_, c.static_scope(chosen_->parent)}, nullptr);
  flattener.run();
  if (mistakes_.errors() > 0) fail();
  check_model(flat, mistakes_);
  if (mistakes_.errors() > 0) fail();
  check_units(flat, mistakes_);
  ++compilations_;
  return flat;
}

void Program::read_experiment(FlatModel& flat) {
  const ast::Argument* e = ast::find(chosen_->annotation, "experiment");
  if (!e || !e->modification) return;
  const auto read = [&](std::string_view name, double& to) {
    const ast::Argument* a = ast::find(e->modification, name);
    if (!a || !a->modification || !a->modification->value) return false;
    const ast::Expression* x = a->modification->value;
    double sign = 1.0;
    if (x->kind == ast::Kind::negate) sign = -1.0, x = x->operands.front();
    if (x->kind != ast::Kind::number) return false;
    to = sign * x->value;
    return true;
  };
  read("StartTime", flat.start_time);
  flat.stop_time = flat.start_time + 1.0;
  read("StopTime", flat.stop_time);
  flat.has_tolerance = read("Tolerance", flat.tolerance);
  read("Interval", flat.interval);
}

}  // namespace daedalus::modelica
