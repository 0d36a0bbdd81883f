// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/problem_file.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <daedalus/trajectory_file.hpp>

#include "io/trajectory_formats.hpp"

namespace daedalus {
namespace {

namespace fs = std::filesystem;

bool takes(const ProblemReader& reader, const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  return std::find(reader.extensions.begin(), reader.extensions.end(), ending) !=
         reader.extensions.end();
}

const ProblemReader* reader_of(const std::string& path, const std::string& content) {
  for (const ProblemReader& reader : problem_readers())
    if (takes(reader, path) && reader.recognises(content)) return &reader;
  return nullptr;
}

std::string known_kinds() {
  std::string list;
  for (const ProblemReader& reader : problem_readers())
    list += (list.empty() ? "" : ", ") + std::string(reader.kind);
  return list;
}

const ProblemReader& required_reader(const ProblemText& text, const ProblemFileOptions& options) {
  if (!options.kind.empty()) {
    for (const ProblemReader& reader : problem_readers())
      if (reader.kind == options.kind) return reader;
    throw InvalidArgument(fmt::format("{} has '{}'; allowed are {}", options.option_name,
                                      options.kind, known_kinds()));
  }
  if (text.name == "-") {  // of all kinds JSON alone tells what it is
    if (const ProblemReader* reader = reader_of("-.json", text.content)) return *reader;
    throw InvalidArgument(
        fmt::format("a model from standard input needs {} ({}) unless it is JSON with "
                    "\"daedalus\": \"model\" or "
                    "\"mechanism\" at its top",
                    options.option_name, known_kinds()));
  }
  if (const ProblemReader* reader = reader_of(text.name, text.content)) return *reader;
  throw InvalidArgument(fmt::format(
      "'{}' is no model that can be read: a .json model says \"daedalus\": \"model\" at its top; "
      "{} tells what a file is ({})",
      text.name, options.option_name, known_kinds()));
}

}  // namespace

bool has_problem_extension(const std::string& path) {
  const auto readers = problem_readers();
  return std::any_of(readers.begin(), readers.end(),
                     [&](const ProblemReader& reader) { return takes(reader, path); });
}

bool is_problem_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && has_problem_extension(path) &&
         reader_of(path, files::contents(path)) != nullptr;
}

ProblemFile read_problem_text(ProblemText text, const ProblemFileOptions& options) {
  if (text.folder.empty()) text.folder = ".";
  const ProblemReader& reader = required_reader(text, options);
  return reader.read(std::move(text), options);
}

ProblemFile read_problem_file(const std::string& path, const ProblemFileOptions& options) {
  return read_problem_text({path, fs::path(path).parent_path().string(), files::contents(path)},
                           options);
}

}  // namespace daedalus
