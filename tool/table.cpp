// SPDX-License-Identifier: BSD-3-Clause
#include "tool/table.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <utility>

namespace daedalus::cli {
namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t label_width = 13;

// Characters, not bytes: continuation bytes of UTF-8 do not count.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

}  // namespace

Table::Table(std::vector<std::string> header, std::vector<Align> align)
    : header_(std::move(header)), align_(std::move(align)) {
  align_.resize(header_.size(), Align::left);
}

void Table::add(std::vector<std::string> row) {
  row.resize(header_.size());
  rows_.push_back(std::move(row));
}

void Table::print(std::ostream& out, const std::string& indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t j = 0; j < header_.size(); ++j) {
    widths.push_back(width(header_[j]));
    for (const auto& row : rows_) widths[j] = std::max(widths[j], width(row[j]));
  }
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string text = indent;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string space(widths[j] - width(row[j]), ' ');
      text += align_[j] == Align::right ? space + row[j] : row[j] + space;
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  print_row(header_);
  for (const auto& row : rows_) print_row(row);
}

std::string labelled(const std::string& label, const std::string& text) {
  std::string result = label;
  result.resize(std::max(label_width, label.size() + 1), ' ');
  std::size_t used = result.size();
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && used + 1 + width(word) > line_width) {
      result += '\n' + std::string(label_width, ' ');
      used = label_width;
    } else if (!first) {
      result += ' ';
      ++used;
    }
    result += word;
    used += width(word);
  }
  return result + '\n';
}

std::string indented(const std::string& text, const std::string& indent) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += indent + line + '\n';
  return result;
}

}  // namespace daedalus::cli
