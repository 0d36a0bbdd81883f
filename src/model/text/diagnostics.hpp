// SPDX-License-Identifier: BSD-3-Clause
// Collects what is wrong in the text of a model while its readers go on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/model_file.hpp>

#include "model/text/source.hpp"

namespace daedalus::model {

// More help nobody: they are mostly consequences of the first ones.
inline constexpr int max_errors = 20;

class Diagnostics {
 public:
  explicit Diagnostics(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  const Source& source() const { return *source_; }
  void error(Span where, std::string message, std::string hint = {}) {
    add(Diagnostic::Severity::error, where, std::move(message), std::move(hint));
  }
  void warning(Span where, std::string message, std::string hint = {}) {
    add(Diagnostic::Severity::warning, where, std::move(message), std::move(hint));
  }
  int errors() const { return errors_; }
  bool full() const { return errors_ >= max_errors; }

  // In the order of the text, errors before warnings.
  std::vector<SourceDiagnostic> sorted() const;
  void throw_if_any() const;  // InvalidModel, if there are errors
  void add(Diagnostic::Severity severity, Span where, std::string message, std::string hint);

 private:
  std::shared_ptr<const Source> source_;
  std::vector<SourceDiagnostic> list_;
  int errors_ = 0;
};

// "did you mean 'velocity'?", or the known names themselves if they are few, or nothing.
std::string name_hint(std::string_view typed, const std::vector<std::string>& known);

}  // namespace daedalus::model
