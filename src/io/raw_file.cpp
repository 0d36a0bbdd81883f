// SPDX-License-Identifier: BSD-3-Clause
// Raw files as SPICE 3 writes them (Quarles, Newton, Pederson, Sangiovanni-Vincentelli, SPICE3
// User's Manual, 1993): lines "Key: value", a table of vectors, then text or binary numbers.
#include <daedalus/raw_file.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>

#include "io/atomic_file.hpp"
#include "io/trajectory_formats.hpp"

namespace daedalus {
namespace {

// Viewers want the line; a real date would make the files of equal runs differ.
constexpr const char* date = "Thu Jan  1 00:00:00 1970";

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return text;
}
// Blanks separate the columns of the table of vectors.
std::string one_word(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) <= 0x20) c = '_';
  return text.empty() ? "_" : text;
}

std::string head(const RawPlot& p, bool as_text) {
  std::string text = fmt::format(
      "Title: {}\nDate: {}\nPlotname: {}\nFlags: {}\nNo. Variables: {}\nNo. Points: {}\n"
      "Variables:\n",
      one_line(p.title), date, one_line(p.name), p.complex_values ? "complex" : "real",
      p.names.size(), p.count);
  for (std::size_t k = 0; k < p.names.size(); ++k)
    text += fmt::format("\t{}\t{}\t{}\n", k, one_word(p.names[k]),
                        k < p.kinds.size() ? p.kinds[k] : raw_kind(p.names[k]));
  return text + (as_text ? "Values:\n" : "Binary:\n");
}

void put_text(std::ostream& out, const RawPlot& p, long number, const double* row) {
  fmt::memory_buffer line;
  for (std::size_t k = 0; k < p.names.size(); ++k) {
    if (k == 0) fmt::format_to(std::back_inserter(line), " {}", number);
    if (p.complex_values)
      fmt::format_to(std::back_inserter(line), "\t{:.17e},{:.17e}\n", row[2 * k], row[2 * k + 1]);
    else
      fmt::format_to(std::back_inserter(line), "\t{:.17e}\n", row[k]);
  }
  line.push_back('\n');
  out.write(line.data(), static_cast<std::streamsize>(line.size()));
}

class RawReader {
 public:
  RawReader(const std::filesystem::path& file, const std::string& text)
      : file_(file), text_(text) {}

  std::vector<RawVectors> run() {
    std::vector<RawVectors> plots;
    while (skip_blank(), at_ < text_.size()) plots.push_back(one());
    if (plots.empty()) fail("it holds no plot");
    return plots;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    files::damaged(file_, fmt::format("byte {}: {}", at_, what));
  }
  void skip_blank() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_])) ++at_;
  }
  std::string line() {
    if (at_ >= text_.size()) fail("it ends before its values");
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string result = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    if (!result.empty() && result.back() == '\r') result.pop_back();
    return result;
  }
  long count_of(const std::string& value) const {
    long count = -1;
    std::from_chars(value.data(), value.data() + value.size(), count);
    // A file cannot hold more than it has bytes.
    if (count < 0 || static_cast<std::size_t>(count) > text_.size())
      fail(fmt::format("'{}' is no number of this file", files::printable(value)));
    return count;
  }
  std::string word() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !std::strchr(" \t\r\n", text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  RawVectors one() {
    RawVectors p;
    long variables = -1, points = -1;
    for (;;) {
      const std::string text = line();
      const std::size_t colon = text.find(':');
      if (colon == std::string::npos)
        fail(fmt::format("'{}' is no line of a raw file", files::printable(text)));
      const std::string key = text.substr(0, colon);
      const std::size_t first = text.find_first_not_of(" \t", colon + 1);
      const std::string value = first == std::string::npos ? "" : text.substr(first);
      if (key == "Title")
        p.title = value;
      else if (key == "Plotname")
        p.name = value;
      else if (key == "Flags")
        p.complex_values = value.find("complex") != std::string::npos;
      else if (key == "No. Variables")
        variables = count_of(value);
      else if (key == "No. Points")
        points = count_of(value);
      else if (key == "Variables")
        table(p, variables);
      else if (key == "Binary" || key == "Values") {
        if (variables < 0 || points < 0 || p.names.empty()) fail("counts or variables are missing");
        const auto all =
            static_cast<std::size_t>(points) * p.names.size() * (p.complex_values ? 2 : 1);
        key == "Binary" ? binary(p, all) : values(p, all);
        return p;
      }
    }
  }
  void table(RawVectors& p, long variables) {
    if (variables <= 0) fail("the number of variables is missing");
    for (long k = 0; k < variables; ++k) {
      skip_blank();
      word();
      p.names.push_back(word());
      p.kinds.push_back(word());
      if (p.kinds.back().empty()) fail("the table of variables is cut off");
      line();
    }
  }
  void binary(RawVectors& p, std::size_t all) {
    if (all > (text_.size() - at_) / sizeof(double))
      fail(fmt::format("it ends after {} of {} numbers", (text_.size() - at_) / sizeof(double),
                       all));
    p.values.resize(all);
    if (all > 0) std::memcpy(p.values.data(), text_.data() + at_, all * sizeof(double));
    at_ += all * sizeof(double);
  }
  double number() {
    while (at_ < text_.size() && std::strchr(" \t\r\n,", text_[at_])) ++at_;
    double value = 0.0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("a number is out of range");
    if (error != std::errc()) fail("a number is missing");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  void values(RawVectors& p, std::size_t all) {
    const std::size_t each = p.names.size() * (p.complex_values ? 2 : 1);
    for (std::size_t k = 0; k < all; ++k) {
      if (k % each == 0) number();  // of the point
      p.values.push_back(number());
    }
  }

  std::filesystem::path file_;
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

void RawPlot::set_rows(std::vector<std::vector<double>> rows) {
  count = static_cast<long>(rows.size());
  const auto kept = std::make_shared<const std::vector<std::vector<double>>>(std::move(rows));
  each = [kept](const std::function<void(const double*)>& use) {
    for (const std::vector<double>& row : *kept) use(row.data());
  };
}

std::string raw_kind(const std::string& name) {
  if (name == "time" || name == "frequency") return name;
  if (name.rfind("v(", 0) == 0) return "voltage";
  if (name.rfind("i(", 0) == 0) return "current";
  return "notype";
}

bool raw_as_text(const std::filesystem::path& file) {
  return file.extension() == ".raw" && file.stem().extension() == ".ascii";
}

void write_raw(const std::filesystem::path& file, const std::vector<RawPlot>& plots, bool as_text) {
  AtomicFile target(file);
  std::ostream& out = target.stream();
  for (const RawPlot& p : plots) {
    out << head(p, as_text);
    long number = 0;
    const std::size_t numbers = p.names.size() * (p.complex_values ? 2 : 1);
    p.each([&](const double* row) {
      if (as_text)
        put_text(out, p, number++, row);
      else
        out.write(reinterpret_cast<const char*>(row),
                  static_cast<std::streamsize>(numbers * sizeof(double)));
    });
  }
  target.commit();
}

std::vector<RawVectors> read_raw(const std::filesystem::path& file) {
  const std::string text = files::contents(file);
  return RawReader(file, text).run();
}

namespace files {

void write_raw_trajectory(const std::filesystem::path& file, const Rows& rows,
                          const std::string& title, bool as_text) {
  RawPlot plot;
  plot.title = title;
  plot.name = "Transient Analysis";
  plot.names = {"time"};
  plot.names.insert(plot.names.end(), rows.names.begin(), rows.names.end());
  plot.count = rows.count;
  plot.each = rows.each;
  write_raw(file, {plot}, as_text);
}

FileTrajectory read_raw_trajectory(const std::filesystem::path& file) {
  for (RawVectors& plot : read_raw(file)) {
    if (plot.complex_values || plot.names.front() != "time") continue;
    FileTrajectory result;
    result.names.assign(plot.names.begin() + 1, plot.names.end());
    for (std::size_t k = 0; k < plot.values.size(); k += plot.names.size()) {
      result.t.push_back(plot.values[k]);
      result.y.insert(result.y.end(), plot.values.begin() + static_cast<long>(k) + 1,
                      plot.values.begin() + static_cast<long>(k + plot.names.size()));
    }
    return result;
  }
  damaged(file, "it has no plot over time");
}

}  // namespace files
}  // namespace daedalus
