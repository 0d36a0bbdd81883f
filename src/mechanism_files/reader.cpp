// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism_files/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace daedalus::mechanism_files {
namespace {

// In radians.
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
  }
  // The second word of each pair changes something.
  const auto chosen = [&](const char* key, const char* standard, const char* other) {
    const std::string word = fields.text(key, standard);
    if (word != standard && word != other)
      diagnostics_.error(fields.find(key)->span,
                         fmt::format("'{}' is '{}'; allowed: {}, {}", key, word, standard, other));
    return word == other;
  };
  if (chosen("redundant", "drop", "refuse")) made_.options.redundant = Redundant::refuse;
  if (chosen("singular_start", "refuse", "allow"))
    made_.options.singular_start = SingularStart::allow;
  if (chosen("reactions", "unknown", "least-squares")) made_.options.shared_reactions = true;
  made_.options.rank_tolerance = number(fields, "rank_tolerance", made_.options.rank_tolerance);
  if (const JsonValue* scene = fields.of("scene", Kind::object)) {
    const Fields of(*scene, "a scene", {"up", "view", "ground"}, diagnostics_);
    const auto direction = [&](const char* key, std::optional<Eigen::Vector3d>& to) {
      const JsonValue* given = of.find(key);
      if (!given) return;
      const auto n = numbers(*given, fmt::format("'{}'", key), 3);
      to = Eigen::Vector3d(n[0], n[1], n[2]);
      if (!(to->norm() > 0.0)) diagnostics_.error(given->span, fmt::format("'{}' is zero", key));
    };
    direction("up", made_.scene.up);
    direction("view", made_.scene.view);
    if (of.find("ground")) made_.scene.ground = number(of, "ground", 0.0);
  }
  run_ = fields.of("run", Kind::object);
  if (!run_) return;
  const Fields run(*run_, "a run", {"t_end", "rtol", "atol", "method", "formulation"},
                   diagnostics_);
  made_.run = {number(run, "rtol", 0.0), number(run, "atol", 0.0), run.text("method"),
               run.text("formulation"), number(run, "t_end", 0.0)};
  if (run.find("t_end") && !(made_.run.t_end > 0.0))
    diagnostics_.error(
        run.find("t_end")->span,
        fmt::format("'t_end' is {}; allowed: a time behind 0, where runs begin", made_.run.t_end));
}

// Bodies and joints of another file come first; what follows may name them.
void Reader::include(const JsonValue& path) {
  namespace fs = std::filesystem;
  if (!is_kind(path, Kind::string, "'include'", diagnostics_)) return;
  const fs::path file = (fs::path(folder_) / path.string).lexically_normal();
  std::vector<std::string> chain = chain_;
  if (chain.empty()) chain.push_back(diagnostics_.source().name());
  const auto same = [&](const std::string& other) {
    return fs::path(other).lexically_normal().filename() == file.filename();
  };
  const std::string shown =
      fmt::format("{} includes {}", fmt::join(chain, " includes "), file.string());
  if (std::any_of(chain.begin(), chain.end(), same)) {
    diagnostics_.error(path.span, fmt::format("a circle of includes: {}", shown));
    return;
  }
  if (!files_.allow(file)) {
    diagnostics_.error(path.span,
                       fmt::format("'{}' lies outside the folder of the mechanism", path.string),
                       model::allow_hint);
    return;
  }
  const auto content = model::named_content(file);
  if (!content) {
    diagnostics_.error(path.span, fmt::format("'{}' cannot be read: {}", file.string(), shown));
    return;
  }
  const std::string name = made_.mechanism.name();
  if (file.extension() == ".urdf") {
    UrdfPart part = urdf_part(*content, file.string(), name, given_);
    made_ = std::move(part.mechanism);
    parameters_ = std::move(part.parameters);
    joint_types_ = std::move(part.joint_types);
    return;
  }
  Diagnostics own(std::make_shared<const model::Source>(file.string(), *content));
  auto document = model::read_json(own);
  own.throw_if_any();
  drop_comments(*document);
  chain.push_back(file.string());
  Reader inner(own, given_, files_, file.parent_path().string(), std::move(chain));
  made_ = inner.read(*document);
  if (inner.planar_ != planar_)
    diagnostics_.error(path.span, "one of the two files is planar, the other is not");
  parameters_ = inner.parameters_;
  values_ = inner.values_;
  markers_ = inner.markers_;
  joint_types_ = inner.joint_types_;
  arguments_ = inner.arguments_;
  argument_count_ = inner.argument_count_;
}

void Reader::each(const Fields& fields, std::string_view key,
                  void (Reader::*one)(const JsonValue&)) {
  if (const JsonValue* list = fields.of(key, Kind::array))
    for (const JsonValue& item : list->items) (this->*one)(item);
}

NamedMechanism Reader::read(const JsonValue& document) {
  const Fields fields(
      document, "a mechanism",
      {"daedalus",       "version",   "name",           "title",  "planar",    "coordinates",
       "angle",          "gravity",   "parameters",     "bodies", "markers",   "joints",
       "couplers",       "drives",    "forces",         "limits", "scene",     "redundant",
       "rank_tolerance", "reactions", "singular_start", "run",    "reference", "include"},
      diagnostics_);
  if (header(document)) {
    if (const JsonValue* path = fields.find("include")) include(*path);
    diagnostics_.throw_if_any();
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
