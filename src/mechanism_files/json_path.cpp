// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism_files/json_path.hpp"

#include <fmt/format.h>

namespace daedalus::mechanism_files {
namespace {

using model::JsonValue;

// The innermost member or item that begins at or before the offset; values know where they begin.
std::string path_to(const JsonValue& value, std::size_t offset) {
  const JsonValue* next = nullptr;
  std::string step;
  for (const JsonValue::Member& m : value.members)
    if (m.span.begin <= offset) next = &m.value, step = m.name;
  for (std::size_t k = 0; k < value.items.size(); ++k)
    if (value.items[k].span.begin <= offset) next = &value.items[k], step = std::to_string(k);
  return next ? "/" + step + path_to(*next, offset) : std::string();
}

}  // namespace

std::vector<SourceDiagnostic> with_paths(std::vector<SourceDiagnostic> list,
                                         const model::Source& source, const JsonValue* document) {
  for (SourceDiagnostic& d : list) {
    if (d.file != source.name() || d.line < 1) continue;
    const std::size_t offset = source.span_of(d.line, d.column).begin;
    if (!document)
      d.message += fmt::format(" (byte {})", offset);
    else if (const std::string path = path_to(*document, offset); !path.empty())
      d.message += fmt::format(" (at {})", path);
  }
  return list;
}

}  // namespace daedalus::mechanism_files
