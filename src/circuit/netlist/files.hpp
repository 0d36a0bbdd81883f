// SPDX-License-Identifier: BSD-3-Clause
// The files of a netlist, its included ones too, and what is wrong in them.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/text/diagnostics.hpp"
#include "model/text/source.hpp"

namespace daedalus::circuit {

using model::Fragment;
using model::Span;

// A piece of a file.
struct Where {
  int file = -1;  // -1: nowhere
  Span span{};
};

class Files {
 public:
  int add(std::string name, std::string content);
  const model::Source& source(int file) const { return list_[at(file)].source(); }
  model::Diagnostics& diagnostics(int file) { return list_[at(file)]; }

  void error(Where where, std::string message, std::string hint = {});
  void warning(Where where, std::string message, std::string hint = {});
  bool full() const;
  bool wrong() const;
  int line(Where where) const;
  std::string place(Where where) const;  // "line 7", or "line 7 of other.inc"

  std::vector<SourceDiagnostic> sorted() const;
  void throw_if_wrong() const;  // InvalidModel

 private:
  static std::size_t at(int file) { return static_cast<std::size_t>(file); }
  std::vector<model::Diagnostics> list_;
  std::set<std::tuple<int, std::size_t, std::string>> said_;
};

}  // namespace daedalus::circuit
