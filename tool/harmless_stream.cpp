// SPDX-License-Identifier: BSD-3-Clause
#include "tool/harmless_stream.hpp"

namespace daedalus::cli {
namespace {

constexpr char escape = '\033', lead = '\xc2';  // of U+0080 to U+00BF in UTF-8

bool is_control(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u < 0x20 && c != '\n' && c != '\t') || u == 0x7f;
}
bool is_high_control(char second) {
  const auto u = static_cast<unsigned char>(second);
  return u >= 0x80 && u < 0xa0;
}

}  // namespace

HarmlessBuffer::~HarmlessBuffer() {
  give_up();
  to_.write(ready_.data(), static_cast<std::streamsize>(ready_.size()));
}

void HarmlessBuffer::give_up() {
  for (const char c : held_) ready_ += is_control(c) ? '?' : c;
  held_.clear();
}

void HarmlessBuffer::take(char c) {
  if (!held_.empty() && held_.front() == lead) {
    ready_ += is_high_control(c) ? std::string("?") : held_ + c;
    held_.clear();
    return;
  }
  if (!held_.empty()) {  // ESC [ digits and semicolons, then m or K
    const bool inside = held_.size() > 1;
    if (inside ? held_.size() < 8 && ((c >= '0' && c <= '9') || c == ';') : c == '[') {
      held_ += c;
      return;
    }
    if (inside && (c == 'm' || c == 'K')) {
      ready_ += held_ + c;
      held_.clear();
      return;
    }
    give_up();
  }
  if ((c == escape && colours) || c == lead)
    held_ += c;
  else
    ready_ += is_control(c) && !(c == '\r' && colours) ? '?' : c;
}

HarmlessBuffer::int_type HarmlessBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize HarmlessBuffer::xsputn(const char* text, std::streamsize count) {
  if (everything) {
    to_.write(text, count);
  } else {
    for (std::streamsize i = 0; i < count; ++i) take(text[i]);
    to_.write(ready_.data(), static_cast<std::streamsize>(ready_.size()));
    ready_.clear();
  }
  return to_ ? count : 0;
}

int HarmlessBuffer::sync() { return to_.flush() ? 0 : -1; }

}  // namespace daedalus::cli
