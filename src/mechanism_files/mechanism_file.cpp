// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/mechanism_file.hpp>

#include <filesystem>

#include "io/atomic_file.hpp"
#include "io/trajectory_formats.hpp"
#include "mechanism_files/entry.hpp"
#include "mechanism_files/json_path.hpp"
#include "mechanism_files/reader.hpp"

namespace daedalus {

using namespace mechanism_files;

MechanismFile read_mechanism_text(std::string text, const std::string& name,
                                  const std::string& folder, bool allow_files) {
  const model::NamedFiles files{folder, allow_files};
  const auto source = std::make_shared<const model::Source>(name, std::move(text));
  Diagnostics diagnostics(source);
  auto read = telling_paths(*source, nullptr, [&] {
    auto value = model::read_json(diagnostics);
    diagnostics.throw_if_any();
    return value;
  });
  drop_comments(*read);
  const auto document = std::make_shared<const JsonValue>(std::move(*read));
  MechanismFile file;
  {
    Reader first(diagnostics, {}, files, folder);
    const NamedMechanism m =
        telling_paths(*source, document.get(), [&] { return first.read(*document); });
    file.entry.parameters = first.parameters();
    file.entry.name = m.mechanism.name();
    if (m.run.t_end > 0.0) file.entry.t_end = m.run.t_end;
  }
  if (const JsonValue* title = document->find("title")) file.entry.title = title->string;
  file.entry.source = name;
  file.warnings = with_paths(diagnostics.sorted(), *source, document.get());
  for (const SourceDiagnostic& w : file.warnings) file.entry.notes.push_back(daedalus::text(w));
  complete(file, name, [document, source, files](const Values& values) {
    Diagnostics own(source);
    return telling_paths(*source, document.get(),
                         [&] { return Reader(own, values, files, files.folder).read(*document); });
  });
  Values standard;
  for (const Parameter& p : file.entry.parameters) standard[p.name] = p.value;
  file.entry.reference = read_reference(*document, *file.assembled(standard));
  return file;
}

MechanismFile read_mechanism_file(const std::string& path, bool allow_files) {
  if (path.ends_with(".urdf")) return read_urdf_text(files::contents(path), path);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return read_mechanism_text(files::contents(path), path, folder.empty() ? "." : folder.string(),
                             allow_files);
}

}  // namespace daedalus
