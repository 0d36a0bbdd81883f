// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/netlist/files.hpp"

#include <fmt/format.h>

namespace daedalus::circuit {

int Files::add(std::string name, std::string content) {
  list_.emplace_back(std::make_shared<model::Source>(std::move(name), std::move(content)));
  return static_cast<int>(list_.size()) - 1;
}

void Files::error(Where where, std::string message, std::string hint) {
  list_[at(std::max(where.file, 0))].error(where.span, std::move(message), std::move(hint));
}

void Files::warning(Where where, std::string message, std::string hint) {
  // A circuit may be put together several times.
  if (!said_.emplace(where.file, where.span.begin, message).second) return;
  list_[at(std::max(where.file, 0))].warning(where.span, std::move(message), std::move(hint));
}

bool Files::full() const {
  int errors = 0;
  for (const model::Diagnostics& d : list_) errors += d.errors();
  return errors >= model::max_errors;
}

bool Files::wrong() const {
  for (const model::Diagnostics& d : list_)
    if (d.errors() > 0) return true;
  return false;
}

int Files::line(Where where) const { return source(where.file).place(where.span.begin).line; }

std::string Files::place(Where where) const {
  if (where.file <= 0) return fmt::format("line {}", where.file < 0 ? 0 : line(where));
  return fmt::format("line {} of {}", line(where), source(where.file).name());
}

std::vector<SourceDiagnostic> Files::sorted() const {
  std::vector<SourceDiagnostic> all;
  for (const model::Diagnostics& d : list_)
    for (SourceDiagnostic& one : d.sorted()) all.push_back(std::move(one));
  return all;
}

void Files::throw_if_wrong() const {
  if (wrong()) throw InvalidModel(sorted());
}

}  // namespace daedalus::circuit
