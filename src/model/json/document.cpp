// SPDX-License-Identifier: BSD-3-Clause
// nlohmann's events, with a count of the characters that it has read: strings and literals end
// where the count stands, and begin at the first sign of their kind behind the token before.
#include "model/json/document.hpp"

#include <unordered_set>

#include "io/json.hpp"

namespace daedalus::model {
namespace {

// A model nests four or five levels; more is a mistake or an attack.
constexpr std::size_t max_levels = 64;

// Where bytes of the source are left out in the text of a string.
std::vector<Fragment::Shift> escapes(std::string_view raw) {
  std::vector<Fragment::Shift> shifts;
  std::size_t text = 0, skipped = 0;
  for (std::size_t i = 0; i < raw.size();) {
    std::size_t source_bytes = 1, text_bytes = 1;
    if (raw[i] == '\\') {
      source_bytes = 2;
      if (i + 5 < raw.size() && raw[i + 1] == 'u') {
        const unsigned long code = std::stoul(std::string(raw.substr(i + 2, 4)), nullptr, 16);
        const bool pair = code >= 0xD800 && code < 0xDC00;
        source_bytes = pair ? 12 : 6;
        text_bytes = pair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
      }
    }
    i += source_bytes;
    text += text_bytes;
    if (source_bytes == text_bytes) continue;
    skipped += source_bytes - text_bytes;
    shifts.push_back({text, skipped});
  }
  return shifts;
}

class Handler {
 public:
  using Kind = JsonValue::Kind;

  Handler(Diagnostics& diagnostics, const std::size_t& count)
      : diagnostics_(diagnostics), text_(diagnostics.source().content()), count_(count) {}

  bool null() { return add(literal(Kind::null)); }
  bool boolean(bool truth) {
    JsonValue value = literal(Kind::boolean);
    value.truth = truth;
    return add(std::move(value));
  }
  bool number_integer(std::int64_t x) { return number(static_cast<double>(x)); }
  bool number_unsigned(std::uint64_t x) { return number(static_cast<double>(x)); }
  bool number_float(double x, const std::string&) { return number(x); }
  bool string(std::string& text) {
    JsonValue value = literal(Kind::string);
    value.span.length = count_ - value.span.begin;
    const auto raw = std::string_view(text_).substr(value.span.begin + 1, value.span.length - 2);
    if (raw.find('\\') != std::string_view::npos) value.shifts = escapes(raw);
    value.string = std::move(text);
    return add(std::move(value));
  }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Kind::object); }
  bool start_array(std::size_t) { return open(Kind::array); }
  bool end_object() { return shut(); }
  bool end_array() { return shut(); }
  bool key(std::string& name) {
    const std::size_t begin = token_begin();
    last_ = count_;
    const Span span{begin, count_ - begin};
    if (!open_.back().names.insert(name).second)
      diagnostics_.error(span, "'" + name + "' stands twice in this object");
    open_.back().value.members.push_back({name, span, {}});
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& e) {
    const json::Mistake mistake = json::mistake_of(text_, position, e);
    diagnostics_.error({mistake.byte, mistake.length}, "this is not JSON: " + mistake.text);
    return false;
  }

  std::optional<JsonValue> result;

 private:
  struct Open {
    JsonValue value;
    std::unordered_set<std::string> names;
  };

  std::size_t token_begin() const {
    std::size_t i = last_;
    while (i < text_.size() &&
           std::string_view(" \t\r\n,:").find(text_[i]) != std::string_view::npos)
      ++i;
    return i;
  }

  JsonValue literal(Kind kind) {
    JsonValue value;
    value.kind = kind;
    value.span.begin = token_begin();
    // Numbers are known to end only by the sign behind them.
    std::size_t end = value.span.begin;
    while (end < text_.size() && end < count_ &&
           std::string_view(" \t\r\n,:]}").find(text_[end]) == std::string_view::npos)
      ++end;
    value.span.length = end - value.span.begin;
    last_ = count_;
    return value;
  }

  bool number(double x) {
    JsonValue value = literal(Kind::number);
    value.number = x;
    return add(std::move(value));
  }

  bool open(Kind kind) {
    if (open_.size() >= max_levels) {
      diagnostics_.error({count_ - 1, 1}, "the document is nested too deeply");
      return false;
    }
    open_.push_back({});
    open_.back().value.kind = kind;
    open_.back().value.span = {count_ - 1, 1};
    last_ = count_;
    return true;
  }

  bool shut() {
    last_ = count_;
    JsonValue value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  bool add(JsonValue value) {
    if (open_.empty()) {
      result = std::move(value);
    } else if (JsonValue& parent = open_.back().value; parent.is(Kind::array)) {
      parent.items.push_back(std::move(value));
    } else {
      parent.members.back().value = std::move(value);
    }
    return true;
  }

  Diagnostics& diagnostics_;
  const std::string& text_;
  const std::size_t& count_;
  std::size_t last_ = 0;  // behind the token before
  std::vector<Open> open_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const Member& member : members)
    if (member.name == key) return &member.value;
  return nullptr;
}

std::string_view name_of(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::null:
      return "null";
    case JsonValue::Kind::boolean:
      return "true or false";
    case JsonValue::Kind::number:
      return "a number";
    case JsonValue::Kind::string:
      return "a text";
    case JsonValue::Kind::array:
      return "a list";
    default:
      return "an object";
  }
}

std::optional<JsonValue> read_json(Diagnostics& diagnostics) {
  const std::string& text = diagnostics.source().content();
  std::size_t count = 0;
  Handler handler(diagnostics, count);
  const bool good = nlohmann::json::sax_parse(
      json::CountingIterator(text.data(), &count),
      json::CountingIterator(text.data() + text.size(), &count), &handler);
  if (!good || diagnostics.errors() > 0) return std::nullopt;
  return std::move(handler.result);
}

}  // namespace daedalus::model
