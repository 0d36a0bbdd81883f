// SPDX-License-Identifier: BSD-3-Clause
// Measured data as CSV: names in the first line, times in the first column, comments, missing
// values.
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>

#include <daedalus/fit.hpp>
#include <daedalus/trajectory_file.hpp>

#include "io/trajectory_formats.hpp"
#include "kernel/nearest.hpp"

namespace daedalus {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view blanks = " \t\r";
constexpr std::string_view sigma_ending = ".sigma";

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

// Cells of a line; quoted ones may hold commas, and "" for a quote. `quoted`: the last one has no
// end.
std::vector<std::string> cells_of(std::string_view line, bool& quoted) {
  std::vector<std::string> cells;
  std::string cell;
  quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cell += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += c;
    }
  }
  cells.push_back(trimmed(cell));
  return cells;
}

bool is_number(const std::string& text, double& value) {
  const char *begin = text.data(), *end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin + (text.starts_with('+') ? 1 : 0), end, value);
  return error == std::errc() && stop == end && std::isfinite(value);
}

// Why it is none.
std::string no_number(const std::string& text) {
  double ignored = 0.0;
  const char *begin = text.data(), *end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin + (text.starts_with('+') ? 1 : 0), end, ignored);
  const bool large = error == std::errc::result_out_of_range && stop == end;
  return fmt::format("'{}' is {}", files::printable(text),
                     large ? "out of the range of numbers" : "no number");
}

bool is_missing(const std::string& text) {
  return text.empty() || text == "nan" || text == "NaN" || text == "NAN" || text == "NA";
}

struct Column {
  enum class Role { time, value, sigma, none } role = Role::none;
  std::string label{};     // as the file has it
  std::size_t output = 0;  // which measurement, of values and sigmas
  double scale = 1.0;
};

class Reader {
 public:
  Reader(const std::string& file, const DataOptions& options) : file_(file), options_(options) {}

  Experiment read(std::string_view text) {
    experiment_.file = file_;
    experiment_.name =
        options_.name.empty() ? std::filesystem::path(file_).stem().string() : options_.name;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // mark of UTF-8
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      ++line_;
      line(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    if (columns_.empty()) fail("there is no line of names");
    if (experiment_.t.empty()) fail("there are no data behind the names");
    for (const auto& [name, value] : options_.set) experiment_.set[name] = value;
    check_used("sigma", options_.sigma);
    check_used("scale", options_.scale);
    check_used("weight", options_.weight);
    return std::move(experiment_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(fmt::format("'{}', line {}: {}", file_, line_, what));
  }
  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw FileError(fmt::format("'{}', line {}, column {}: {}", file_, line_, column + 1, what));
  }

  void line(std::string_view text) {
    const std::string whole = trimmed(text);
    if (whole.empty()) return;
    if (whole.front() == '#') return comment(whole);
    bool open = false;
    const std::vector<std::string> cells = cells_of(text, open);
    if (open) fail(cells.size() - 1, "a quote is not closed");
    columns_.empty() ? names(cells) : row(cells);
  }

  // "# set: S0 = 0.3"; all other comments are for people.
  void comment(const std::string& text) {
    const std::string body = trimmed(std::string_view(text).substr(1));
    constexpr std::string_view key = "set:";
    if (!body.starts_with(key)) return;
    const std::size_t sign = body.find('=');
    double value = 0.0;
    if (sign == std::string::npos || !is_number(trimmed(body.substr(sign + 1)), value))
      fail(fmt::format("'{}' is not understood; write # set: name = number",
                       files::printable(text)));
    const std::string name = trimmed(body.substr(key.size(), sign - key.size()));
    if (name.empty()) fail("'# set:' names no parameter");
    experiment_.set[name] = value;
  }

  // "x [mm]": a label with a unit.
  static std::pair<std::string, std::string> split_label(const std::string& label) {
    const std::size_t open = label.rfind('[');
    if (open == std::string::npos || open == 0 || label.back() != ']' || label[open - 1] != ' ')
      return {label, ""};
    return {trimmed(label.substr(0, open)),
            trimmed(label.substr(open + 1, label.size() - open - 2))};
  }

  void names(const std::vector<std::string>& cells) {
    std::set<std::string> seen;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      const auto [name, unit] = split_label(cells[j]);
      if (name.empty()) fail(j, "the column has no name");
      if (!seen.insert(name).second)
        fail(j, fmt::format("there are two columns '{}'", files::printable(name)));
      Column column{.label = name};
      if (j == 0) {
        if (name != "t" && name != "time")
          fail(j, fmt::format("the first column is '{}'; it must be 't' or 'time'",
                              files::printable(name)));
        column.role = Column::Role::time;
      } else if (std::find(options_.ignore.begin(), options_.ignore.end(), name) ==
                 options_.ignore.end()) {
        column.role = name.ends_with(sigma_ending) ? Column::Role::sigma : Column::Role::value;
      }
      if (column.role == Column::Role::value) {
        column.output = experiment_.outputs.size();
        experiment_.outputs.push_back(
            {.name = name,
             .unit = options_.scale.contains(name) ? "" : unit,
             .place = fmt::format("'{}', line {}, column {}", file_, line_, j + 1)});
        set_given(experiment_.outputs.back());
      }
      columns_.push_back(column);
    }
    for (std::size_t j = 0; j < columns_.size(); ++j) pair_up(j);
    if (experiment_.outputs.empty()) fail("there is no column of data behind the times");
  }

  void set_given(Measurement& m) const {
    if (const auto w = options_.weight.find(m.name); w != options_.weight.end())
      m.weight = w->second;
    if (const auto s = options_.sigma.find(m.name); s != options_.sigma.end()) {
      if (!(s->second > 0.0)) fail(fmt::format("the sigma of '{}' is {}", m.name, s->second));
      m.sigma = {s->second};
    }
  }

  // Columns of standard deviations belong to a column of values, and are scaled as that one is.
  void pair_up(std::size_t j) {
    Column& column = columns_[j];
    std::string name = column.label;
    if (column.role == Column::Role::sigma) {
      name.resize(name.size() - sigma_ending.size());
      const auto is_of = [&](const Measurement& m) { return m.name == name; };
      const auto found =
          std::find_if(experiment_.outputs.begin(), experiment_.outputs.end(), is_of);
      if (found == experiment_.outputs.end())
        fail(j, fmt::format("'{}' belongs to no column '{}'", column.label, name));
      column.output = static_cast<std::size_t>(found - experiment_.outputs.begin());
      found->sigma.clear();  // of each value
      with_sigma_.insert(column.output);
    }
    const auto factor = options_.scale.find(name);
    if (factor != options_.scale.end()) column.scale = factor->second;
  }

  void row(const std::vector<std::string>& cells) {
    if (cells.size() != columns_.size())
      fail(fmt::format("the line has {} values; {} columns have names", cells.size(),
                       columns_.size()));
    double t = 0.0;
    if (!is_number(cells[0], t))
      fail(0, fmt::format("'{}' is no time", files::printable(cells[0])));
    std::vector<double> values(experiment_.outputs.size(), missing), sigmas = values;
    for (std::size_t j = 1; j < cells.size(); ++j) {
      const Column& column = columns_[j];
      if (column.role == Column::Role::none || is_missing(cells[j])) continue;
      double value = 0.0;
      if (!is_number(cells[j], value)) fail(j, no_number(cells[j]));
      if (column.role == Column::Role::sigma && !(value > 0.0))
        fail(j, fmt::format("a standard deviation is positive; '{}' is {}", column.label, value));
      (column.role == Column::Role::sigma ? sigmas : values)[column.output] =
          column.role == Column::Role::sigma ? value * std::abs(column.scale)
                                             : value * column.scale;
    }
    experiment_.t.push_back(t);
    experiment_.line.push_back(line_);
    for (std::size_t k = 0; k < values.size(); ++k) {
      Measurement& m = experiment_.outputs[k];
      m.value.push_back(values[k]);
      if (!with_sigma_.contains(k)) continue;
      if (std::isnan(sigmas[k]) && !std::isnan(values[k]))
        fail(fmt::format("'{}' has a value here, and '{}{}' has none", m.name, m.name,
                         sigma_ending));
      m.sigma.push_back(sigmas[k]);
    }
  }

  void check_used(const char* what, const std::map<std::string, double>& given) const {
    std::vector<std::string> known;
    for (const Measurement& m : experiment_.outputs) known.push_back(m.name);
    for (const auto& [name, value] : given)
      if (std::find(known.begin(), known.end(), name) == known.end() && !options_.shared_names)
        throw InvalidArgument(fmt::format("{} is given for '{}', which is no column of '{}'.{}",
                                          what, name, file_, suggestion(name, known)));
  }

  const std::string& file_;
  const DataOptions& options_;
  Experiment experiment_{};
  std::vector<Column> columns_{};
  std::set<std::size_t> with_sigma_{};
  long line_ = 0;
};

}  // namespace

Experiment parse_experiment(const std::string& text, const std::string& file,
                            const DataOptions& options) {
  return Reader(file, options).read(text);
}

Experiment read_experiment(const std::string& file, const DataOptions& options) {
  return parse_experiment(files::contents(file), file, options);
}

}  // namespace daedalus
