// SPDX-License-Identifier: BSD-3-Clause
// Text tables with aligned columns, as wide as the terminal.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace daedalus::cli {

enum class Align { left, right };

class Table {
 public:
  explicit Table(std::vector<std::string> header, std::vector<Align> align = {});
  void add(std::vector<std::string> row);
  std::size_t rows() const { return rows_.size(); }
  // Missing alignments are left; the last column is not padded. On a terminal that is too narrow
  // long texts are broken inside their columns; then columns go below each other, each part with
  // the first one.
  void print(std::ostream& out, const std::string& indent = "") const;

 private:
  std::vector<std::size_t> widths() const;
  void print_part(std::ostream& out, const std::string& indent,
                  const std::vector<std::size_t>& columns,
                  const std::vector<std::size_t>& widths) const;
  std::vector<std::string> header_;
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns of the terminal that results go to, 40 to 200; 0: a file or a pipe, where text is 100
// wide and tables are as wide as they need.
void use_terminal_width(std::size_t columns);
std::size_t text_width();
// How wide tables may be; 0: as they need.
std::size_t table_width();
// Characters, not bytes.
std::size_t width_of(const std::string& text);
// Lines of at most `width` characters, broken between words where there is a place.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);
// The text of --help: what is too long is broken and goes on below its beginning.
std::string wrapped_help(const std::string& text);

// "method       rodas4 ...": a label of fixed width and text wrapped under itself.
std::string labelled(const std::string& label, const std::string& text);
std::string indented(const std::string& text, const std::string& indent);

}  // namespace daedalus::cli
