// SPDX-License-Identifier: BSD-3-Clause
// A formula ends in an expression or in an error that stands inside of it, and never in both.
#include "fuzz/target.hpp"
#include "tests/model_text/formulas.hpp"

namespace daedalus::fuzz {

static void formula_read(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const std::string content = text(data + 1, size - 1);
  graph::Graph g;
  model::NamedScope scope(g);
  for (const char* name : {"x", "y", "u[3]"}) scope.state(name);
  const model::ReadFormula result = model::read_formula(
      content, scope, data[0] % 2 ? model::Want::equation : model::Want::expression);
  if (result.value.has_value() == !result.wrong.empty()) std::abort();
  const model::Source source("formula", content);
  for (const SourceDiagnostic& wrong : result.wrong)
    if (wrong.line < 1 || wrong.line > source.place(content.size()).line || wrong.column < 1 ||
        daedalus::text(wrong).empty())
      std::abort();
}

extern const Target formula_target{"formula", formula_read, nullptr, true};

}  // namespace daedalus::fuzz
