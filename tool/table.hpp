// SPDX-License-Identifier: BSD-3-Clause
// Text tables with aligned columns.
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
  // Missing alignments are left; the last column is not padded.
  void print(std::ostream& out, const std::string& indent = "") const;

 private:
  std::vector<std::string> header_;
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;
};

// "method       rodas4 ...": a label of fixed width and text wrapped under itself at 100 columns.
std::string labelled(const std::string& label, const std::string& text);
std::string indented(const std::string& text, const std::string& indent);

}  // namespace daedalus::cli
