// SPDX-License-Identifier: BSD-3-Clause
#include "tool/table.hpp"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <sstream>
#include <utility>

namespace daedalus::cli {
namespace {

constexpr std::size_t plain_width = 100, min_width = 40, max_width = 200;
constexpr std::size_t label_width = 13;
constexpr std::size_t gap = 2;          // between columns
constexpr std::size_t min_column = 12;  // of text that is broken
constexpr std::size_t help_column = 30;

std::size_t terminal = 0;

std::size_t sum_of(const std::vector<std::size_t>& widths, const std::vector<std::size_t>& which) {
  std::size_t sum = 0;
  for (const std::size_t j : which) sum += widths[j] + gap;
  return sum - gap;
}

// Columns of text give way, the widest first.
void squeeze(std::vector<std::size_t>& widths, const std::vector<Align>& align,
             std::size_t allowed) {
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
  };
  while (total() > allowed) {
    std::size_t widest = widths.size();
    for (std::size_t j = 1; j < widths.size(); ++j)
      if (align[j] == Align::left && widths[j] > min_column &&
          (widest == widths.size() || widths[j] > widths[widest]))
        widest = j;
    if (widest == widths.size()) return;
    const std::size_t excess = total() - allowed, room = widths[widest] - min_column;
    widths[widest] -= std::min(excess, room);
  }
}

// The first column stands in every part, so that it has to leave room for the widest other one.
void leave_room(std::vector<std::size_t>& widths, std::size_t allowed) {
  if (widths.size() < 2) return;
  const std::size_t other = gap + *std::max_element(widths.begin() + 1, widths.end());
  if (widths[0] + other > allowed)
    widths[0] = std::min(widths[0], std::max(min_column, allowed - std::min(allowed, other)));
}

}  // namespace

void use_terminal_width(std::size_t columns) {
  terminal = columns == 0 ? 0 : std::clamp(columns, min_width, max_width);
}
std::size_t text_width() { return terminal == 0 ? plain_width : terminal; }
std::size_t table_width() { return terminal; }

// Continuation bytes of UTF-8 do not count.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    // A name that is longer than a line is broken between its characters.
    while (width_of(word) > width) {
      if (!lines.back().empty()) lines.emplace_back();
      std::size_t end = 0;
      for (std::size_t shown = 0; end < word.size(); ++end)
        if ((static_cast<unsigned char>(word[end]) & 0xC0U) != 0x80U && shown++ == width) break;
      lines.back() = word.substr(0, end);
      word.erase(0, end);
    }
    if (word.empty()) continue;
    if (!lines.back().empty() && width_of(lines.back()) + 1 + width_of(word) > width)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

Table::Table(std::vector<std::string> header, std::vector<Align> align)
    : header_(std::move(header)), align_(std::move(align)) {
  align_.resize(header_.size(), Align::left);
}

void Table::add(std::vector<std::string> row) {
  row.resize(header_.size());
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t j = 0; j < header_.size(); ++j) {
    widths.push_back(width_of(header_[j]));
    for (const auto& row : rows_) widths[j] = std::max(widths[j], width_of(row[j]));
  }
  return widths;
}

void Table::print_part(std::ostream& out, const std::string& indent,
                       const std::vector<std::size_t>& columns,
                       const std::vector<std::size_t>& widths) const {
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const std::size_t j : columns) {
      cells.push_back(width_of(row[j]) > widths[j] ? wrapped(row[j], widths[j])
                                                   : std::vector<std::string>{row[j]});
      height = std::max(height, cells.back().size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      std::string text = indent;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::string cell = k < cells[c].size() ? cells[c][k] : std::string();
        const std::size_t wide = widths[columns[c]], used = std::min(wide, width_of(cell));
        const std::string space(wide - used, ' ');
        text += align_[columns[c]] == Align::right ? space + cell : cell + space;
        text += std::string(gap, ' ');
      }
      text.erase(text.find_last_not_of(' ') + 1);
      out << text << '\n';
    }
  };
  print_row(header_);
  for (const auto& row : rows_) print_row(row);
}

void Table::print(std::ostream& out, const std::string& indent) const {
  if (header_.empty()) return;
  std::vector<std::size_t> wide = widths();
  const std::size_t allowed =
      terminal == 0 ? std::string::npos : terminal - std::min(terminal / 2, indent.size());
  if (terminal > 0) {
    squeeze(wide, align_, allowed);
    leave_room(wide, allowed);
  }
  std::vector<std::size_t> part{0};
  bool first = true;
  const auto print_collected = [&] {
    if (!first) out << '\n';
    first = false;
    print_part(out, indent, part, wide);
    part = {0};
  };
  for (std::size_t j = 1; j < header_.size(); ++j) {
    part.push_back(j);
    if (part.size() == 2 || sum_of(wide, part) <= allowed) continue;
    part.pop_back();
    print_collected();
    part.push_back(j);
  }
  print_collected();
}

std::string labelled(const std::string& label, const std::string& text) {
  std::string result = label;
  result.resize(std::max(label_width, label.size() + 1), ' ');
  std::size_t used = result.size();
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && used + 1 + width_of(word) > text_width()) {
      result += '\n' + std::string(label_width, ' ');
      used = label_width;
    } else if (!first) {
      result += ' ';
      ++used;
    }
    result += word;
    used += width_of(word);
  }
  return result + '\n';
}

std::string indented(const std::string& text, const std::string& indent) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += indent + line + '\n';
  return result;
}

std::string wrapped_help(const std::string& text) {
  if (terminal == 0) return text;
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (width_of(line) <= terminal) {
      result += line + '\n';
      continue;
    }
    // "  --option TEXT        what it does": on narrow terminals the text goes below.
    const std::size_t begin = line.find_first_not_of(' ');
    const std::size_t space = line.find("  ", begin);
    const bool entry = begin > 0 && space != std::string::npos && space < help_column;
    const std::size_t column =
        entry ? (terminal < 2 * help_column + 10 ? begin + 4 : help_column) : begin;
    std::string head = entry ? line.substr(0, space) : std::string(begin, ' ');
    const std::string rest = entry ? line.substr(space) : line;
    if (entry && (column < help_column || width_of(head) >= column)) {
      result += head + '\n';
      head.clear();
    }
    for (const std::string& part : wrapped(rest, terminal - column)) {
      head.resize(column, ' ');
      result += head + part + '\n';
      head.clear();
    }
  }
  return result;
}

}  // namespace daedalus::cli
