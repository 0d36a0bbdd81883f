// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism_files/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedalus::mechanism_files {
namespace {

constexpr double degree = 0.017453292519943295769;

std::optional<MechanismSpace> space_named(const std::string& name) {
  if (name == "r3xso3") return MechanismSpace::r3xso3;
  if (name == "se3") return MechanismSpace::se3;
  if (name == "r3xs3") return MechanismSpace::r3xs3;
  if (name == "s3-semidirect") return MechanismSpace::s3_semidirect;
  return std::nullopt;
}

}  // namespace

void drop_comments(JsonValue& value) {
  std::erase_if(value.members,
                [](const JsonValue::Member& m) { return !m.name.empty() && m.name[0] == '_'; });
  for (JsonValue::Member& m : value.members) drop_comments(m.value);
  for (JsonValue& item : value.items) drop_comments(item);
}

bool Reader::header(const JsonValue& document) {
  if (!is_kind(document, Kind::object, "a mechanism", diagnostics_)) return false;
  const JsonValue* version = document.find("version");
  if (version && version->number > 1.0)
    diagnostics_.error(
        version->span,
        fmt::format("version {} is newer than this program, which knows 1", version->number));
  const JsonValue* planar = document.find("planar");
  planar_ = planar && planar->truth;
  MechanismSpace space = planar_ ? MechanismSpace::planar : MechanismSpace::r3xso3;
  if (const JsonValue* c = document.find("coordinates"); c && !planar_) {
    if (const auto named = space_named(c->string))
      space = *named;
    else
      diagnostics_.error(c->span,
                         fmt::format("there are no coordinates '{}'; allowed: r3xso3, se3, "
                                     "r3xs3, s3-semidirect",
                                     c->string));
  }
  const JsonValue* name = document.find("name");
  made_.mechanism = Mechanism(name ? name->string : "mechanism", space);
  return diagnostics_.errors() == 0;
}

void Reader::settings(const Fields& fields) {
  const std::string angles = fields.text("angle", "rad");
  if (angles == "deg")
    unit_ = degree;
  else if (angles != "rad")
    diagnostics_.error(fields.find("angle")->span,
                       fmt::format("'angle' is '{}'; allowed: rad, deg", angles));
  if (fields.find("gravity")) {
    const Triple g = triple(fields, "gravity");
    made_.mechanism.gravity(g);
    const double size = g.vector().norm();
    if (!(size <= 2.0 || (size >= 9.7 && size <= 9.9)))
      diagnostics_.warning(
          fields.find("gravity")->span,
          fmt::format("gravity {:.6g}: in {}?", size, size > 5000.0 ? "mm/s^2" : "cm/s^2"));
  }
  if (fields.text("redundant") == "refuse") made_.options.redundant = Redundant::refuse;
  if (fields.text("singular_start") == "allow") made_.options.singular_start = SingularStart::allow;
  made_.options.rank_tolerance = number(fields, "rank_tolerance", made_.options.rank_tolerance);
  made_.options.shared_reactions = fields.text("reactions") == "least-squares";
  run_ = fields.of("run", Kind::object);
}

void Reader::each(const Fields& fields, std::string_view key,
                  void (Reader::*one)(const JsonValue&)) {
  if (const JsonValue* list = fields.of(key, Kind::array))
    for (const JsonValue& item : list->items) (this->*one)(item);
}

NamedMechanism Reader::read(const JsonValue& document) {
  const Fields fields(
      document, "a mechanism",
      {"daedalus",       "version",   "name",           "title",  "planar",   "coordinates",
       "angle",          "gravity",   "parameters",     "bodies", "markers",  "joints",
       "couplers",       "drives",    "forces",         "limits", "scene",    "redundant",
       "rank_tolerance", "reactions", "singular_start", "run",    "reference"},
      diagnostics_);
  if (header(document)) {
    if (const JsonValue* p = fields.find("parameters")) read_parameters(*p);
    settings(fields);
    each(fields, "bodies", &Reader::body);
    each(fields, "markers", &Reader::marker);
    each(fields, "joints", &Reader::joint);
    each(fields, "couplers", &Reader::coupler);
    list_coordinates();
    each(fields, "drives", &Reader::drive);
    each(fields, "forces", &Reader::force);
    each(fields, "limits", &Reader::limit);
    if (made_.bodies.empty() && diagnostics_.errors() == 0)
      diagnostics_.error(document.span, "a mechanism needs 'bodies'");
  }
  diagnostics_.throw_if_any();
  return std::move(made_);
}

}  // namespace daedalus::mechanism_files
