// SPDX-License-Identifier: BSD-3-Clause
// Trajectories as JSON. The library that reads them has no writer that works in constant memory, so
// that lists of numbers are written here; names and what goes with a run are written by the
// library.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

#include "io/json.hpp"
#include "io/text_writer.hpp"
#include "io/trajectory_formats.hpp"

namespace daedalus::files {
namespace {

using json::Json;

// A run nests five levels (scene, bodies, motion); more is a mistake or an attack.
constexpr std::size_t max_levels = 64;

// The library's events: numbers of the trajectory go straight into columns, the rest becomes a
// document.
class Handler final : public nlohmann::json_sax<Json> {
 public:
  Handler(const std::filesystem::path& file, const std::string& text, const std::size_t& count)
      : file_(file), text_(text), count_(count) {}

  bool null() override {
    if (place_ == Place::column) return push(std::numeric_limits<double>::quiet_NaN());
    return add(nullptr);
  }
  bool boolean(bool truth) override { return add(truth); }
  // Signed integers are the negative ones, and "-0".
  bool number_integer(std::int64_t x) override {
    if (place_ == Place::column) return push(x == 0 ? -0.0 : static_cast<double>(x));
    return add(x);
  }
  bool number_unsigned(std::uint64_t x) override {
    if (place_ == Place::column) return push(static_cast<double>(x));
    return add(x);
  }
  bool number_float(double x, const std::string&) override {
    if (place_ == Place::column) return push(x);
    return add(x);
  }
  bool string(std::string& text) override { return add(std::move(text)); }
  bool binary(Json::binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    enter();
    if (next_ == Place::trajectory || next_ == Place::variables) {
      place_ = *next_;
      next_.reset();
      return true;
    }
    return open(Json::object());
  }
  bool start_array(std::size_t) override {
    enter();
    if (next_ == Place::column) {
      behind_ = place_;
      place_ = Place::column;
      next_.reset();
      return true;
    }
    return open(Json::array());
  }
  bool end_object() override {
    --levels_;
    if (place_ == Place::variables)
      place_ = Place::trajectory;
    else if (place_ == Place::document)
      open_.pop_back();
    else
      end_trajectory();
    return true;
  }
  bool end_array() override {
    --levels_;
    if (place_ != Place::column) {
      open_.pop_back();
      return true;
    }
    place_ = behind_;
    return true;
  }
  bool key(std::string& name) override {
    if (place_ == Place::document) {
      if (open_.size() > 1 || name != "trajectory") {
        key_ = name;
      } else {
        if (found) fail("a second \"trajectory\"");
        found = true;
        next_ = Place::trajectory;
      }
    } else if (place_ == Place::trajectory) {
      if (name != "t" && name != "y") fail("'" + printable(name) + "' in a trajectory");
      bool& seen = name == "t" ? timed_ : listed_;
      if (seen) fail("'" + name + "' stands twice");
      seen = true;
      next_ = name == "t" ? Place::column : Place::variables;
      target_ = &t;
    } else {
      if (!known_.insert(name).second) fail("'" + printable(name) + "' stands twice");
      names.push_back(name);
      target_ = &columns.emplace_back();
      next_ = Place::column;
    }
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& e) override {
    fail(json::mistake_of(text_, position, e));
  }

  [[noreturn]] void fail(const std::string& what) const {
    fail({count_ > 0 ? count_ - 1 : 0, 1, what});
  }

  bool found = false;
  std::vector<double> t;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  Json rest;

 private:
  enum class Place { document, trajectory, variables, column };

  [[noreturn]] void fail(const json::Mistake& mistake) const {
    damaged(file_, json::marked(text_, mistake));
  }
  // Its members may stand in any order.
  void end_trajectory() {
    if (!timed_ || !listed_) fail("a trajectory without \"t\" and \"y\"");
    for (std::size_t j = 0; j < columns.size(); ++j)
      if (columns[j].size() != t.size())
        fail(fmt::format("'{}' has {} values for {} times", printable(names[j]), columns[j].size(),
                         t.size()));
    place_ = Place::document;
  }
  void enter() {
    if (++levels_ > max_levels) fail("nested too deeply");
  }
  bool push(double x) {
    target_->push_back(x);
    return true;
  }
  // A value of the document; in a trajectory there are numbers only.
  Json* put(Json value) {
    if (place_ != Place::document || next_) fail("a trajectory has lists of numbers only");
    if (open_.empty()) return &(rest = std::move(value));
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    // Without a search for the key: a run may have 10^5 variables.
    auto& list = parent.get_ref<Json::object_t&>();
    list.emplace_back(key_, std::move(value));
    return &list.back().second;
  }
  bool add(Json value) {
    put(std::move(value));
    return true;
  }
  bool open(Json container) {
    open_.push_back(put(std::move(container)));
    return true;
  }

  std::filesystem::path file_;
  const std::string& text_;
  const std::size_t& count_;
  std::size_t levels_ = 0;
  Place place_ = Place::document, behind_ = Place::document;
  std::optional<Place> next_;            // what the value behind the last key has to be
  bool timed_ = false, listed_ = false;  // "t" and "y" were there
  std::vector<double>* target_ = nullptr;
  std::unordered_set<std::string> known_;
  std::string key_;
  std::vector<Json*> open_;  // of the document
};

}  // namespace

void write_json(const std::filesystem::path& file, const Rows& rows, const std::string& run) {
  Json head = run.empty() ? Json::object() : Json::parse(run, nullptr, false);
  if (!head.is_object())
    throw InvalidArgument("what goes with a trajectory in a .json file has to be a JSON object");
  if (head.empty()) head["version"] = 1;
  std::string before = json::line(head);
  before.back() = ',';
  TextWriter out(file);
  out.add("{}", before);
  // A column at a time: the states are read once for each, so that memory does not grow.
  const auto column = [&](std::size_t j) {
    bool first = true;
    out.add("[");
    rows.each([&](const double* row) {
      if (!first) out.add(",");
      if (std::isfinite(row[j]))
        out.add("{}", row[j]);
      else
        out.add("null");
      first = false;
    });
    out.add("]");
  };
  out.add("\"trajectory\":{{\"t\":");
  column(0);
  out.add(",\"y\":{{");
  for (std::size_t j = 0; j < rows.names.size(); ++j) {
    out.add("{}{}:", j > 0 ? "," : "", json::line(rows.names[j]));
    column(j + 1);
  }
  out.add("}}}}}}\n");
  out.close();
}

FileTrajectory read_json(const std::filesystem::path& file) {
  const std::string text = contents(file);
  std::size_t count = 0;
  Handler handler(file, text, count);
  Json::sax_parse(json::CountingIterator(text.data(), &count),
                  json::CountingIterator(text.data() + text.size(), &count), &handler);
  if (!handler.found)
    handler.fail("there is no \"trajectory\": not an output file of a run, or not all of it");
  FileTrajectory result;
  result.names = std::move(handler.names);
  result.t = std::move(handler.t);
  result.y.reserve(result.t.size() * result.names.size());
  for (std::size_t i = 0; i < result.t.size(); ++i)
    for (const std::vector<double>& column : handler.columns) result.y.push_back(column[i]);
  result.run = json::line(handler.rest);
  return result;
}

}  // namespace daedalus::files
