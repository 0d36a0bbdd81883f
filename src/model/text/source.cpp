// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/source.hpp"

#include <algorithm>

namespace daedalus::model {
namespace {

// Bytes between two counts: a model may be one line of megabytes with many places on it.
constexpr std::size_t block = 1024;

}  // namespace

Source::Source(std::string name, std::string content)
    : name_(std::move(name)), content_(std::move(content)), line_starts_{0} {
  for (std::size_t i = 0; i < content_.size(); ++i)
    if (content_[i] == '\n') line_starts_.push_back(i + 1);
  std::size_t total = 0;
  for (std::size_t i = 0; i < content_.size(); i += block) {
    before_block_.push_back(total);
    total += character_count(std::string_view(content_).substr(i, block));
  }
  before_block_.push_back(total);
}

std::size_t Source::characters_before(std::size_t offset) const {
  const std::size_t k = offset / block;
  return before_block_[k] +
         character_count(std::string_view(content_).substr(k * block, offset - k * block));
}

Source::Place Source::place(std::size_t offset) const {
  offset = std::min(offset, content_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *(next - 1);
  const std::size_t before =
      offset - start <= block
          ? character_count(std::string_view(content_).substr(start, offset - start))
          : characters_before(offset) - characters_before(start);
  return {static_cast<int>(next - line_starts_.begin()), static_cast<int>(before) + 1};
}

std::string_view Source::line(int number) const {
  const auto k = static_cast<std::size_t>(number - 1);
  if (number < 1 || k >= line_starts_.size()) return {};
  const std::size_t start = line_starts_[k];
  const std::size_t end = k + 1 < line_starts_.size() ? line_starts_[k + 1] - 1 : content_.size();
  auto line = std::string_view(content_).substr(start, end - start);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

Span Source::span_of(int number, int column) const {
  const std::string_view text = line(number);
  if (text.data() == nullptr) return {};
  std::size_t i = 0;
  for (int passed = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && ++passed == column) break;
  return {static_cast<std::size_t>(text.data() - content_.data()) + i, 1};
}

int Source::visible_length(Span span) const {
  if (span.begin >= content_.size()) return 1;
  auto piece = std::string_view(content_).substr(span.begin, span.length);
  piece = piece.substr(0, piece.find('\n'));
  return std::max(1, static_cast<int>(character_count(piece)));
}

std::size_t Fragment::in_source(std::size_t own) const {
  const auto next = std::upper_bound(shifts_.begin(), shifts_.end(), own,
                                     [](std::size_t at, const Shift& s) { return at < s.at; });
  return offset_ + own + (next == shifts_.begin() ? 0 : (next - 1)->skipped);
}

Span Fragment::in_source(Span own) const {
  const std::size_t begin = in_source(own.begin);
  // The end is that of the last character: what is skipped behind it does not belong to it.
  const std::size_t end = own.length > 0 ? in_source(own.begin + own.length - 1) + 1 : begin;
  return {begin, end - begin};
}

}  // namespace daedalus::model
