// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/model_file.hpp>

#include <filesystem>

#include "io/trajectory_formats.hpp"
#include "model/json/reader.hpp"

namespace daedalus {

ModelFile read_model_text(std::string text, const std::string& name,
                          const ModelFileOptions& options, const std::string& folder) {
  model::Diagnostics diagnostics(std::make_shared<model::Source>(name, std::move(text)));
  const std::optional<model::JsonValue> document = model::read_json(diagnostics);
  diagnostics.throw_if_any();
  return model::Reader(diagnostics, options, folder).read(*document);
}

ModelFile read_model_file(const std::string& path, const ModelFileOptions& options) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  ModelFile file =
      read_model_text(files::contents(path), path, options, folder.empty() ? "." : folder.string());
  return file;
}

}  // namespace daedalus
