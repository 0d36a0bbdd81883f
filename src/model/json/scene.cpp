// SPDX-License-Identifier: BSD-3-Clause
// Bodies of a "scene" section; places are formulas of variables, sizes of parameters.
#include <fmt/format.h>

#include "model/json/reader.hpp"
#include "model/json/scene_values.hpp"

namespace daedalus::model {
namespace {

constexpr std::array<std::string_view, 6> known_shapes{"sphere", "rod",      "spring",
                                                       "box",    "cylinder", "curve"};

// Rows of the formulas that a body consists of.
struct BodyRows {
  std::string name, shape, colour;
  bool trail = false;
  std::vector<int> points;  // first of three rows each
  std::vector<int> sizes;
  int angle = -1;
};

struct SceneData {
  Scene empty;  // directions and ground
  std::vector<BodyRows> bodies;
  std::vector<Expr> rows;
};

Body made(const BodyRows& b, const std::shared_ptr<const SceneValues>& numbers,
          const Values& values, const std::vector<double>& sizes) {
  using namespace shapes;
  const auto point = [&](std::size_t k) -> PointOf {
    return [numbers, values, row = static_cast<std::size_t>(b.points[k])](const StateView& s) {
      const std::vector<double> all = numbers->at(values, s);
      return Eigen::Vector3d(all[row], all[row + 1], all[row + 2]);
    };
  };
  const PoseOf pose = [numbers, values, b](const StateView& s) {
    const std::vector<double> all = numbers->at(values, s);
    const auto row = static_cast<std::size_t>(b.points[0]);
    return Pose{{all[row], all[row + 1], all[row + 2]},
                planar_rotation(b.angle < 0 ? 0.0 : all[static_cast<std::size_t>(b.angle)])};
  };
  if (b.shape == "sphere") return sphere(b.name, sizes[0], point(0));
  if (b.shape == "rod") return rod(b.name, sizes[0], point(0), point(1));
  if (b.shape == "spring") return spring(b.name, sizes[0], point(0), point(1));
  if (b.shape == "box") return box(b.name, {sizes[0], sizes[1], sizes[2]}, pose);
  if (b.shape == "cylinder") return cylinder(b.name, sizes[0], sizes[1], pose);
  return curve(b.name, sizes[0], sizes[1], static_cast<int>(b.points.size()),
               [numbers, values, b](const StateView& s, Eigen::Vector3d* out) {
                 const std::vector<double> all = numbers->at(values, s);
                 for (std::size_t k = 0; k < b.points.size(); ++k) {
                   const auto row = static_cast<std::size_t>(b.points[k]);
                   out[k] = {all[row], all[row + 1], all[row + 2]};
                 }
               });
}

class SceneReader {
 public:
  using Number = std::function<std::optional<Expr>(const JsonValue&, std::string_view)>;
  SceneReader(Diagnostics& diagnostics, Number number)
      : diagnostics_(diagnostics), number_(std::move(number)) {}

  SceneData data;

  void body(const JsonValue& value) {
    const Fields fields(value, "a body",
                        {"name", "shape", "radius", "length", "edges", "bead", "at", "from", "to",
                         "angle", "points", "colour", "trail"},
                        diagnostics_);
    const JsonValue* shape = fields.need("shape", JsonValue::Kind::string);
    if (!shape) return;
    if (std::find(known_shapes.begin(), known_shapes.end(), shape->string) == known_shapes.end()) {
      diagnostics_.error(shape->span, fmt::format("there is no shape '{}'", shape->string),
                         name_hint(shape->string, {known_shapes.begin(), known_shapes.end()}));
      return;
    }
    BodyRows b;
    b.shape = shape->string;
    b.name = fields.text("name", b.shape);
    b.colour = fields.text("colour");
    b.trail = fields.truth("trail", false);
    sizes(fields, value, b);
    places(fields, value, b);
    if (const JsonValue* angle = fields.find("angle")) b.angle = row(*angle, "'angle'");
    data.bodies.push_back(std::move(b));
  }

 private:
  int row(const JsonValue& value, std::string_view what) {
    data.rows.push_back(number_(value, what).value_or(0.0));
    return static_cast<int>(data.rows.size()) - 1;
  }

  const JsonValue* needed(const Fields& fields, const JsonValue& body, const char* key) {
    const JsonValue* value = fields.find(key);
    if (!value) diagnostics_.error(body.span, fmt::format("this body needs '{}'", key));
    return value;
  }

  void sizes(const Fields& fields, const JsonValue& body, BodyRows& b) {
    const auto add = [&](const char* key) {
      if (const JsonValue* value = needed(fields, body, key))
        b.sizes.push_back(row(*value, fmt::format("'{}'", key)));
    };
    if (b.shape == "box") {
      const JsonValue* edges = fields.need("edges", JsonValue::Kind::array);
      if (!edges) return;
      if (edges->items.size() != 3)
        diagnostics_.error(edges->span, "'edges' must be three numbers");
      for (const JsonValue& edge : edges->items) b.sizes.push_back(row(edge, "an edge"));
      return;
    }
    add("radius");
    if (b.shape == "cylinder") add("length");
    if (b.shape != "curve") return;
    data.rows.push_back(0.0);
    const JsonValue* bead = fields.find("bead");
    b.sizes.push_back(bead ? row(*bead, "'bead'") : static_cast<int>(data.rows.size()) - 1);
  }

  void place(const JsonValue& value, BodyRows& b) {
    if (!is_kind(value, JsonValue::Kind::array, "a point", diagnostics_)) return;
    if (value.items.size() != 2 && value.items.size() != 3) {
      diagnostics_.error(value.span, "a point has two or three coordinates");
      return;
    }
    const int first = static_cast<int>(data.rows.size());
    for (const JsonValue& item : value.items) row(item, "a coordinate");
    if (value.items.size() == 2) data.rows.push_back(0.0);
    b.points.push_back(first);
  }

  void places(const Fields& fields, const JsonValue& body, BodyRows& b) {
    const bool two = b.shape == "rod" || b.shape == "spring";
    if (b.shape == "curve") {
      if (const JsonValue* list = fields.need("points", JsonValue::Kind::array))
        for (const JsonValue& point : list->items) place(point, b);
      return;
    }
    const std::vector<const char*> keys =
        two ? std::vector<const char*>{"from", "to"} : std::vector<const char*>{"at"};
    for (const char* key : keys)
      if (const JsonValue* value = needed(fields, body, key)) place(*value, b);
  }

  Diagnostics& diagnostics_;
  Number number_;
};

}  // namespace

void Reader::scene(const JsonValue& section, Entry& entry) {
  const Fields fields(section, "'scene'", {"up", "view", "ground", "bodies"}, diagnostics_);
  SceneReader reader(diagnostics_, [this](const JsonValue& value, std::string_view what) {
    return expression(value, what);
  });
  const auto direction = [&](const char* key, Eigen::Vector3d& out) {
    const JsonValue* list = fields.of(key, Kind::array);
    if (!list) return;
    if (list->items.size() != 3) {
      diagnostics_.error(list->span, fmt::format("'{}' must be three numbers", key));
      return;
    }
    for (int k = 0; k < 3; ++k)
      if (is_kind(list->items[static_cast<std::size_t>(k)], Kind::number, "a direction",
                  diagnostics_))
        out[k] = list->items[static_cast<std::size_t>(k)].number;
  };
  direction("up", reader.data.empty.up);
  direction("view", reader.data.empty.view);
  if (fields.find("ground")) reader.data.empty.ground = fields.number("ground", 0.0);
  if (const JsonValue* bodies = fields.need("bodies", Kind::array))
    for (const JsonValue& body : bodies->items) reader.body(body);
  if (diagnostics_.errors() > 0) return;
  entry.scene = [numbers = std::make_shared<const SceneValues>(builder_, reader.data.rows, entry),
                 data = reader.data](const Values& values) {
    Scene scene = data.empty;
    for (const BodyRows& b : data.bodies) {
      const std::vector<double> all = numbers->sizes(values);
      std::vector<double> own;
      for (const int row : b.sizes) own.push_back(all[static_cast<std::size_t>(row)]);
      scene.bodies.push_back(made(b, numbers, values, own));
      scene.bodies.back().colour = b.colour;
      scene.bodies.back().trail = b.trail;
    }
    return scene;
  };
}

}  // namespace daedalus::model
