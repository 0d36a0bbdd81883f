// SPDX-License-Identifier: BSD-3-Clause
#include "files/plugin.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include <daedalus/plugin.hpp>
#include <daedalus/trajectory_file.hpp>

namespace daedalus {
namespace {

namespace fs = std::filesystem;

constexpr const char* rebuild_hint = "'daedalus build FILE.cpp' compiles it for this tool";

// "file: undefined symbol: name" and the like, without the name of the file in front.
std::string loader_words(const std::string& path) {
  const char* said = dlerror();
  std::string text = said == nullptr ? "unknown reason" : said;
  if (text.rfind(path + ": ", 0) == 0) text.erase(0, path.size() + 2);
  return text;
}

template <class Function>
Function plugin_symbol(void* plugin, const std::string& name, const char* wanted) {
  void* found = dlsym(plugin, wanted);
  if (found == nullptr)
    throw FileError(fmt::format(
        "'{}' has no symbol '{}': a plug-in ends with DAEDALUS_PLUGIN(function), where the "
        "function returns a daedalus::Entry; 'daedalus new NAME' writes one",
        name, wanted));
  return reinterpret_cast<Function>(found);
}

void require_same_build(void* plugin, const std::string& name) {
  const std::string_view made_for =
      plugin_symbol<const char* (*)()>(plugin, name, "daedalus_plugin_version")();
  if (made_for != version)
    throw FileError(fmt::format("'{}' was compiled for daedalus {}, and this is {}; {}", name,
                                made_for, version, rebuild_hint));
  if (plugin_symbol<unsigned long (*)()>(plugin, name, "daedalus_plugin_layout")() !=
      detail::plugin_layout)
    throw FileError(
        fmt::format("'{}' was compiled with other headers of daedalus {} than this tool; {}", name,
                    version, rebuild_hint));
}

// What the tool needs to know is there; the rest is checked with the problem.
void require_complete(const Entry& entry, const std::string& name) {
  const auto missing = [&](const char* what) {
    return InvalidArgument(fmt::format("plug-in '{}': its entry has no {}", name, what));
  };
  if (entry.name.empty()) throw missing("name");
  if (!entry.build) throw missing("build, the function that makes the problem");
}

}  // namespace

bool names_plugin(const std::string& name) { return fs::path(name).extension() == ".so"; }

ProblemFile load_plugin(const std::string& name) {
  std::error_code failed;
  const std::string path = fs::absolute(name, failed).string();
  void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr)
    throw FileError(
        fmt::format("'{}' cannot be loaded: {}; {}", name, loader_words(path), rebuild_hint));
  require_same_build(plugin, name);
  ProblemFile file;
  file.kind = plugin_kind;
  file.file = name;
  try {
    plugin_symbol<void (*)(Entry*)>(plugin, name, "daedalus_plugin_entry")(&file.entry);
  } catch (const FileError&) {
    throw;
  } catch (const std::exception& error) {
    throw InvalidArgument(fmt::format("plug-in '{}': its function failed: {}", name, error.what()));
  }
  require_complete(file.entry, name);
  if (file.entry.title.empty()) file.entry.title = file.entry.name;
  if (file.entry.source.empty()) file.entry.source = name;
  return file;
}

}  // namespace daedalus
