// SPDX-License-Identifier: BSD-3-Clause
// Trajectories as CSV (RFC 4180).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/text_writer.hpp"
#include "io/trajectory_formats.hpp"

namespace daedalus::files {
namespace {

// A reader that knows where it is.
class Text {
 public:
  Text(const std::filesystem::path& file, const std::string& text) : file_(file), text_(text) {}
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::size_t position() const { return at_; }
  void move_to(std::size_t position) { at_ = position; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  double number() {
    double value = 0.0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range)
      fail(fmt::format("'{}' is out of the range of numbers",
                       printable(std::string_view(begin, static_cast<std::size_t>(end - begin)))));
    if (error != std::errc())
      fail(at_end() ? std::string("the file ends in the middle of the numbers")
                    : fmt::format("'{}' is no number", printable(text_.substr(at_, 12))));
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  [[noreturn]] void fail(const std::string& what) const {
    const std::size_t line = 1 + static_cast<std::size_t>(std::count(
                                     text_.begin(), text_.begin() + static_cast<long>(at_), '\n'));
    const std::size_t end = at_ == 0 ? std::string::npos : text_.rfind('\n', at_ - 1);
    damaged(file_, fmt::format("line {}, column {}, byte {}: {}", line,
                               at_ - (end == std::string::npos ? 0 : end + 1) + 1, at_, what));
  }

 private:
  std::filesystem::path file_;
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

namespace {

// Behind any apostrophes, what a spreadsheet takes for the beginning of a formula.
bool is_formula(std::string_view name) {
  const std::size_t first = name.find_first_not_of('\'');
  return first != std::string_view::npos &&
         std::string_view("=+-@\t\r").find(name[first]) != std::string_view::npos;
}

}  // namespace

std::string csv_field(const std::string& name) {
  const std::string text = is_formula(name) ? "'" + name : name;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string printable(std::string_view text) {
  // Quoted in messages, on two lines of a terminal.
  constexpr std::size_t most = 160;
  std::string result;
  for (const char c : text.substr(0, most)) result += c >= 0x20 && c < 0x7f ? c : '?';
  return text.size() > most ? result + "..." : result;
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
    // An apostrophe was put before what a spreadsheet would compute.
    if (field.starts_with('\'') && is_formula(field)) field.erase(0, 1);
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

}  // namespace daedalus::files
