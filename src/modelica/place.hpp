// SPDX-License-Identifier: BSD-3-Clause
// Where something stands in a text, texts by number, and mistakes that point to them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/model_file.hpp>

#include "model/text/source.hpp"

namespace daedalus::modelica {

struct Place {
  int file = -1;  // number in Files; -1: nowhere
  std::uint32_t begin = 0, length = 0;
};

// From the beginning of one to the end of the other.
Place joined(const Place& from, const Place& to);

// The texts that a compilation has read. Numbers stay valid while it lives.
class Files {
 public:
  int add(std::string name, std::string content);
  const model::Source& source(int file) const { return *sources_[static_cast<std::size_t>(file)]; }
  int count() const { return static_cast<int>(sources_.size()); }
  int line(const Place& place) const;
  int column(const Place& place) const;
  std::string text(const Place& place) const;   // as it was written
  std::string where(const Place& place) const;  // "tank.mo:12"
  // "line 12" of the same file, "tank.mo:12" of another one.
  std::string seen_from(const Place& here, const Place& other) const;
  SourceDiagnostic diagnostic(const Place& place) const;  // without a message

 private:
  std::vector<std::shared_ptr<const model::Source>> sources_;
};

enum class Phase {
  parse,
  load,
  lookup,
  modify,
  instantiate,
  types,
  parameters,
  expand,
  connect,
  balance,
  structure,
  start,
  events,
  units
};
std::string_view to_string(Phase phase);

// Thrown where a text cannot mean anything; caught where the next piece can be looked at.
struct Mistake {
  Phase phase;
  Place place;
  std::string message;
  std::string hint{};
};

// What is wrong, sorted by place, errors before warnings, the same text once.
class Mistakes {
 public:
  explicit Mistakes(const Files& files) : files_(files) {}
  void error(const Mistake& mistake);
  void warning(const Mistake& mistake);
  int errors() const { return errors_; }
  bool full() const { return errors_ >= max_errors; }
  std::vector<SourceDiagnostic> sorted() const;
  std::vector<std::string> phases() const;  // in the same order
  const Files& files() const { return files_; }

  static constexpr int max_errors = 10;  // more are mostly consequences of the first ones

 private:
  struct Entry {
    SourceDiagnostic diagnostic;
    Phase phase;
    int more = 0;  // of its kind
  };
  void add(const Mistake& mistake, Diagnostic::Severity severity);
  std::vector<Entry> ordered() const;

  const Files& files_;
  std::vector<Entry> list_;
  int errors_ = 0;
};

}  // namespace daedalus::modelica
