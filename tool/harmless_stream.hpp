// SPDX-License-Identifier: BSD-3-Clause
// A stream for terminals: names and titles come from files, and may hold control characters that
// move the cursor, rename the window or answer in the user's place. They are shown as '?'; the ends
// of lines and tabs stay, and, where the tool uses them itself, colours.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace daedalus::cli {

class HarmlessBuffer : public std::streambuf {
 public:
  explicit HarmlessBuffer(std::ostream& to) : to_(to) {}
  ~HarmlessBuffer() override;

  bool everything = false;  // documents, which escape what they hold
  bool colours = false;     // ESC [ ... m, and what wipes the line of progress

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

  void take(char c);
  void give_up();  // what was held back was no colour

  std::ostream& to_;
  std::string ready_;
  std::string held_;  // the beginning of what may be a colour, or of a character
};

class HarmlessStream : public std::ostream {
 public:
  explicit HarmlessStream(std::ostream& to) : std::ostream(nullptr), filter(to) { rdbuf(&filter); }
  HarmlessBuffer filter;
};

}  // namespace daedalus::cli
