// SPDX-License-Identifier: BSD-3-Clause
// Text of a model with positions, and pieces of it: a fragment is what a parser reads, and knows
// for each of its characters where it stands in the file, escapes included.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/excerpt.hpp"

namespace daedalus::model {

// Bytes [begin, begin + length) of a source or of a fragment.
struct Span {
  std::size_t begin = 0, length = 0;
};

class Source {
 public:
  Source(std::string name, std::string content);

  const std::string& name() const { return name_; }
  const std::string& content() const { return content_; }

  struct Place {
    int line, column;  // from 1; columns count characters, not bytes
  };
  Place place(std::size_t offset) const;
  std::string_view line(int number) const;   // without its end
  Span span_of(int line, int column) const;  // one character, or the word that begins there
  // Characters of the span that are on its first line; at least 1.
  int visible_length(Span span) const;

 private:
  std::size_t characters_before(std::size_t offset) const;

  std::string name_, content_;
  std::vector<std::size_t> line_starts_, before_block_;
};

class Fragment {
 public:
  Fragment() = default;
  // `shifts` holds pairs of places where the text leaves out bytes of the source (escapes): from
  // offset `at` of the text on, `skipped` more bytes than before lie between the two.
  struct Shift {
    std::size_t at, skipped;
  };
  Fragment(std::string text, std::size_t source_offset, std::vector<Shift> shifts = {})
      : text_(std::move(text)), offset_(source_offset), shifts_(std::move(shifts)) {}

  const std::string& text() const { return text_; }
  Span in_source(Span own) const;
  Span whole() const { return in_source({0, text_.size()}); }

 private:
  std::size_t in_source(std::size_t own) const;

  std::string text_;
  std::size_t offset_ = 0;
  std::vector<Shift> shifts_;  // ascending
};

using files::character_count;

}  // namespace daedalus::model
