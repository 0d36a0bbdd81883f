// SPDX-License-Identifier: BSD-3-Clause
// Where in a document a diagnostic stands: /joints/1/axis, or the byte where the text ends to be
// JSON.
#pragma once

#include <functional>
#include <vector>

#include "model/json/document.hpp"

namespace daedalus::mechanism_files {

// The same diagnostics; those of this source end with their path. document: null where it could
// not be read.
std::vector<SourceDiagnostic> with_paths(std::vector<SourceDiagnostic> list,
                                         const model::Source& source,
                                         const model::JsonValue* document);

// What `make` returns; an InvalidModel that it throws tells paths.
template <class Make>
auto telling_paths(const model::Source& source, const model::JsonValue* document, Make&& make) {
  try {
    return make();
  } catch (const InvalidModel& wrong) {
    throw InvalidModel(with_paths(wrong.diagnostics, source, document));
  }
}

}  // namespace daedalus::mechanism_files
