// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/model_report.hpp>

#include <fmt/format.h>

namespace daedalus {
namespace {

std::string summary(const std::vector<Diagnostic>& all) {
  const Diagnostic* first = nullptr;
  int errors = 0;
  for (const Diagnostic& d : all) {
    if (d.severity != Diagnostic::Severity::error) continue;
    if (!first) first = &d;
    ++errors;
  }
  if (!first) return "the model cannot be built";
  std::string where;
  if (!first->places.empty() && !first->places.front().file.empty())
    where = fmt::format("{}:{}:{}: ", first->places.front().file, first->places.front().line,
                        first->places.front().column);
  std::string text = where + first->message;
  if (errors > 1) text += fmt::format(" (and {} more)", errors - 1);
  return text;
}

}  // namespace

ModelError::ModelError(std::vector<Diagnostic> all)
    : InvalidArgument(summary(all)), diagnostics(std::move(all)) {}

}  // namespace daedalus
