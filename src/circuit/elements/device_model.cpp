// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/elements/device_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/nearest.hpp"

namespace daedalus::circuit {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t k = words.find(word); k != std::string_view::npos; k = words.find(word, k + 1))
    if ((k == 0 || words[k - 1] == ' ') &&
        (k + word.size() == words.size() || words[k + word.size()] == ' '))
      return true;
  return false;
}

// Parameters that people remember from other programs or text books.
std::string_view textbook_name(std::string_view name) {
  if (name == "beta" || name == "hfe" || name == "bn") return "bf";
  if (name == "vth" || name == "vt0" || name == "vt") return "vto";
  if (name == "i0" || name == "js") return "is";
  return {};
}

}  // namespace

ModelValues::ModelValues(Context& context, const ModelCard& card, const Level& at,
                         const ModelType& type) {
  std::vector<std::string> known;
  for (const ModelParameter& p : type.parameters) {
    items_.push_back({p.name, p.value, false});
    known.emplace_back(p.name);
  }
  std::vector<std::string> ignored;
  for (const Assignment& a : card.values) {
    const auto found = std::find_if(
        type.parameters.begin(), type.parameters.end(),
        [&](const ModelParameter& p) { return p.name == a.name || has_word(p.aliases, a.name); });
    if (found != type.parameters.end()) {
      Item& item = items_[static_cast<std::size_t>(found - type.parameters.begin())];
      if (const auto value = at.parameters->number(a.value)) {
        item.value = *value;
        item.given = true;
      }
    } else if (a.name == "level") {
      if (at.parameters->number(a.value).value_or(0.0) != 1.0)
        context.files.error(a.where, fmt::format("{}: only level 1 is supported", card.written),
                            "take the parameters of a level 1 model");
    } else if (has_word(type.ignored, a.name)) {
      ignored.push_back(a.written);
    } else if (has_word(type.refused, a.name)) {
      context.files.error(
          a.where, fmt::format("{}: the effect of {} is not supported", card.written, a.written));
    } else {
      std::string_view near = textbook_name(a.name);
      if (std::find(known.begin(), known.end(), near) == known.end()) near = {};
      context.files.error(
          a.where, fmt::format("{}: {} has no parameter {}", card.written, type.name, a.written),
          near.empty() ? model::name_hint(a.name, known) : fmt::format("did you mean {}?", near));
    }
  }
  if (!ignored.empty())
    context.files.warning(
        card.where, fmt::format("{}: ignored are {}", card.written, fmt::join(ignored, ", ")));
}

double ModelValues::operator[](std::string_view name) const {
  for (const Item& i : items_)
    if (i.name == name) return i.value;
  return 0.0;
}

bool ModelValues::given(std::string_view name) const {
  for (const Item& i : items_)
    if (i.name == name) return i.given;
  return false;
}

void ModelValues::set(std::string_view name, double value) {
  for (Item& i : items_)
    if (i.name == name) i.value = value;
}

double DeviceText::option(Context& c, std::string_view name, double otherwise) const {
  for (const Assignment& a : options)
    if (a.name == name) return number_or(c, a.value, otherwise);
  return otherwise;
}

bool read_device(Context& context, Cursor& cursor, const Part& head,
                 std::initializer_list<std::string_view> types,
                 std::initializer_list<std::string_view> option_names, DeviceText& text) {
  if (!cursor.is_word()) {
    context.files.error(head.where, fmt::format("{} has no model", head.written),
                        fmt::format("expected {}", element_kind(head.kind)->usage));
    return false;
  }
  const Where where = cursor.where();
  const std::string written(cursor.text());
  text.model = context.model(cursor.take_lower(), &text.model_level);
  if (!text.model) {
    std::vector<std::string> models = context.models();
    const std::string nearest = nearest_name(written, models);
    context.files.error(where, fmt::format("model {} is not defined", written),
                        models.empty()
                            ? "no model is defined"
                            : fmt::format("defined are {}{}", fmt::join(models, ", "),
                                          nearest.empty() ? "" : "; nearest " + nearest));
    return false;
  }
  if (std::find(types.begin(), types.end(), text.model->type) == types.end()) {
    context.files.error(where, fmt::format("{} needs a model of type {}, {} is {}", head.written,
                                           fmt::join(types, " or "), written, text.model->type));
    return false;
  }
  while (!cursor.done()) {
    Assignment a;
    if (cursor.assignment(a)) {
      if (a.name == "area")
        text.area = number_or(context, a.value, 1.0);
      else if (a.name == "m")
        text.multiplier = number_or(context, a.value, 1.0);
      else if (a.name == "ic") {
        text.initial.push_back(number_or(context, a.value, 0.0));
        while (cursor.is_value() &&
               (cursor.is(WordKind::expression) || read_number(cursor.text()).value))
          text.initial.push_back(number_or(context, cursor.value(), 0.0));
      } else if (std::find(option_names.begin(), option_names.end(), a.name) == option_names.end())
        context.files.error(a.where,
                            fmt::format("{} has no parameter {}", head.written, a.written));
      else
        text.options.push_back(std::move(a));
    } else if (cursor.is(WordKind::word) && (cursor.lower() == "off" || cursor.lower() == "on")) {
      text.on = cursor.take_lower() == "on";
      text.off = !text.on;
    } else if (cursor.is_value()) {
      text.area = number_or(context, cursor.value(), 1.0);
    } else {
      context.files.error(cursor.where(),
                          fmt::format("{}: this is not expected here", head.written));
      return false;
    }
  }
  return true;
}

}  // namespace daedalus::circuit
