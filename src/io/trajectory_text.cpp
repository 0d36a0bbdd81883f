// SPDX-License-Identifier: BSD-3-Clause
// Trajectories as CSV (RFC 4180) and JSON.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "io/trajectory_formats.hpp"

namespace daedalus::files {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string json_number(double x) { return std::isfinite(x) ? fmt::format("{}", x) : "null"; }

// Buffers lines; a stream's own formatting takes most of the time of long files.
class TextWriter {
 public:
  explicit TextWriter(const std::filesystem::path& file)
      : file_(file), stream_(file, std::ios::binary | std::ios::trunc) {}
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<T>(values)...);
    if (buffer_.size() > (1u << 20)) flush();
  }
  void close() {
    flush();
    stream_.close();
    if (!stream_)
      throw FileError("'" + file_.string() + "' could not be written: " + std::strerror(errno));
  }

 private:
  void flush() {
    stream_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }
  std::filesystem::path file_;
  std::ofstream stream_;
  fmt::memory_buffer buffer_;
};

// A reader that knows where it is.
class Text {
 public:
  Text(const std::filesystem::path& file, const std::string& text) : file_(file), text_(text) {}
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::size_t position() const { return at_; }
  void move_to(std::size_t position) { at_ = position; }
  void skip_space() {
    while (!at_end() && std::strchr(" \t\r\n", text_[at_])) ++at_;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    skip_space();
    if (!take(c))
      fail(at_end() ? fmt::format("the file ends where '{}' should follow", c)
                    : fmt::format("'{}' instead of '{}'", peek(), c));
  }
  double number() {
    double value = 0.0;
    const char* begin = text_.data() + at_;
    if (text_.compare(at_, 4, "null") == 0) {
      at_ += 4;
      return not_a_number;
    }
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() && error != std::errc::result_out_of_range)
      fail(at_end() ? std::string("the file ends in the middle of the numbers")
                    : fmt::format("'{}' is no number", printable(text_.substr(at_, 12))));
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  std::string json_string() {
    expect('"');
    std::string s;
    while (!at_end() && peek() != '"') {
      char c = text_[at_++];
      if (c == '\\' && !at_end()) c = text_[at_++];
      s += c;
    }
    expect('"');
    return s;
  }
  [[noreturn]] void fail(const std::string& what) const {
    const std::size_t line = 1 + static_cast<std::size_t>(std::count(
                                     text_.begin(), text_.begin() + static_cast<long>(at_), '\n'));
    damaged(file_, fmt::format("line {}, byte {}: {}", line, at_, what));
  }

 private:
  std::filesystem::path file_;
  const std::string& text_;
  std::size_t at_ = 0;
};

std::vector<double> json_numbers(Text& text) {
  std::vector<double> list;
  text.expect('[');
  text.skip_space();
  if (text.take(']')) return list;
  do {
    text.skip_space();
    list.push_back(text.number());
    text.skip_space();
  } while (text.take(','));
  text.expect(']');
  return list;
}

}  // namespace

std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string printable(std::string_view text) {
  constexpr std::size_t most = 160;
  std::string result;
  for (const char c : text.substr(0, most)) result += c >= 0x20 && c < 0x7f ? c : '?';
  return text.size() > most ? result + "..." : result;
}

std::string json_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      result += c;
  }
  return result + '"';
}

void write_csv(const std::filesystem::path& file, const Rows& rows) {
  TextWriter out(file);
  out.add("t");
  for (const std::string& name : rows.names) out.add(",{}", csv_field(name));
  out.add("\n");
  const std::size_t columns = rows.names.size();
  rows.each([&](const double* row) {
    out.add("{:.17g}", row[0]);
    for (std::size_t j = 1; j <= columns; ++j) out.add(",{:.17g}", row[j]);
    out.add("\n");
  });
  out.close();
}

void write_json(const std::filesystem::path& file, const Rows& rows, const std::string& run) {
  TextWriter out(file);
  const std::size_t end = run.find_last_of('}');
  if (end == std::string::npos || run.find_first_of('{') == end)
    out.add("{{\"version\":1,");
  else
    out.add("{},", run.substr(0, end));
  // A column at a time: the states are read once for each, so that memory does not grow.
  const auto column = [&](std::size_t j) {
    bool first = true;
    out.add("[");
    rows.each([&](const double* row) {
      out.add("{}{}", first ? "" : ",", json_number(row[j]));
      first = false;
    });
    out.add("]");
  };
  out.add("\"trajectory\":{{\"t\":");
  column(0);
  out.add(",\"y\":{{");
  for (std::size_t j = 0; j < rows.names.size(); ++j) {
    out.add("{}{}:", j > 0 ? "," : "", json_text(rows.names[j]));
    column(j + 1);
  }
  out.add("}}}}}}\n");
  out.close();
}

FileTrajectory read_csv(const std::filesystem::path& file) {
  const std::string text = contents(file);
  Text in(file, text);
  FileTrajectory result;
  if (text.empty()) in.fail("the file is empty");
  std::vector<std::string> header;
  do {
    std::string field;
    if (in.take('"')) {
      while (!in.at_end()) {
        if (in.take('"') && in.peek() != '"') break;
        field += in.peek();
        in.move_to(in.position() + 1);
      }
    } else {
      while (!in.at_end() && in.peek() != ',' && in.peek() != '\n' && in.peek() != '\r') {
        field += in.peek();
        in.move_to(in.position() + 1);
      }
    }
    header.push_back(field);
  } while (in.take(','));
  in.take('\r');
  if (header.front() != "t")
    in.fail("the first column of a trajectory is 't', this one is '" + printable(header.front()) +
            "'");
  if (!in.take('\n')) in.fail("the file ends after the names");
  result.names.assign(header.begin() + 1, header.end());
  while (!in.at_end()) {
    result.t.push_back(in.number());
    for (std::size_t j = 0; j < result.names.size(); ++j) {
      if (!in.take(','))
        in.fail(fmt::format("the line has {} values instead of {}", j + 1, header.size()));
      result.y.push_back(in.number());
    }
    in.take('\r');
    if (!in.take('\n'))
      in.fail(in.at_end() ? std::string("the last line is not complete")
                          : fmt::format("the line has more than {} values", header.size()));
  }
  return result;
}

FileTrajectory read_json(const std::filesystem::path& file) {
  const std::string text = contents(file);
  Text in(file, text);
  const std::string key = "\"trajectory\"";
  const std::size_t place = text.rfind(key);
  if (place == std::string::npos) {
    in.move_to(text.size());
    in.fail("there is no \"trajectory\": not an output file of a run, or not all of it");
  }
  in.move_to(place + key.size());
  FileTrajectory result;
  in.expect(':');
  in.expect('{');
  in.skip_space();
  if (in.json_string() != "t") in.fail("\"t\" has to come first");
  in.expect(':');
  result.t = json_numbers(in);
  in.expect(',');
  in.skip_space();
  if (in.json_string() != "y") in.fail("\"y\" has to follow \"t\"");
  in.expect(':');
  in.expect('{');
  in.skip_space();
  std::vector<std::vector<double>> columns;
  if (in.peek() != '}') do {
      in.skip_space();
      result.names.push_back(in.json_string());
      in.expect(':');
      columns.push_back(json_numbers(in));
      if (columns.back().size() != result.t.size())
        in.fail(fmt::format("'{}' has {} values for {} times", result.names.back(),
                            columns.back().size(), result.t.size()));
      in.skip_space();
    } while (in.take(','));
  for (int k = 0; k < 3; ++k) in.expect('}');
  for (std::size_t i = 0; i < result.t.size(); ++i)
    for (const std::vector<double>& column : columns) result.y.push_back(column[i]);
  std::size_t before = text.find_last_not_of(" \t\r\n,", place - 1);
  result.run = text.substr(0, before + 1) + "}";
  return result;
}

}  // namespace daedalus::files
