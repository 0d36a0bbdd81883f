// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/ast.hpp"

#include <array>

namespace daedalus::modelica::ast {

std::string Name::text() const {
  std::string all = global ? "." : "";
  for (std::size_t i = 0; i < parts.size(); ++i) all += (i ? "." : "") + parts[i];
  return all;
}

std::string Expression::plain_name() const {
  std::string all = global ? "." : "";
  for (std::size_t i = 0; i < parts.size(); ++i) all += (i ? "." : "") + parts[i].name;
  return all;
}

std::string_view to_string(ClassKind kind) {
  static constexpr std::array<std::string_view, 9> words{
      "class", "model", "record", "block", "connector", "type", "package", "function", "operator"};
  return words[static_cast<std::size_t>(kind)];
}

const Argument* find(const Modification* modification, std::string_view name) {
  if (modification)
    for (const Argument& a : modification->arguments)
      if (a.name.parts.size() == 1 && a.name.parts.front() == name) return &a;
  return nullptr;
}

}  // namespace daedalus::modelica::ast
