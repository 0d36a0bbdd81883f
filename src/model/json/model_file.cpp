// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/model_file.hpp>

#include <filesystem>

#include "io/trajectory_formats.hpp"
#include "model/json/reader.hpp"

namespace daedalus {

ModelFile read_model_text(std::string text, const std::string& name,
                          const ModelFileOptions& options, const std::string& folder) {
  const auto source = std::make_shared<const model::Source>(name, std::move(text));
  const auto with_reader = [source, options, folder](auto&& use) {
    model::Diagnostics diagnostics(source);
    const std::optional<model::JsonValue> document = model::read_json(diagnostics);
    diagnostics.throw_if_any();
    model::Reader reader(diagnostics, options, folder);
    return use(reader, *document);
  };
  ModelFile file =
      with_reader([](model::Reader& reader, const model::JsonValue& d) { return reader.read(d); });
  file.builder = [with_reader] {
    return with_reader(
        [](model::Reader& reader, const model::JsonValue& d) { return reader.build(d); });
  };
  return file;
}

ModelFile read_model_file(const std::string& path, const ModelFileOptions& options) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  ModelFile file =
      read_model_text(files::contents(path), path, options, folder.empty() ? "." : folder.string());
  return file;
}

}  // namespace daedalus
