// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_journal.hpp"

#include <daedalus/version.hpp>

#include "io/content_hash.hpp"
#include "io/trajectory_formats.hpp"
#include "tool/files.hpp"

namespace daedalus::cli {

Json written_by(int threads, const std::string& shard) {
  std::string processor;
#if defined(__x86_64__)
  const auto add = [&](bool has, const char* name) {
    if (has) processor += (processor.empty() ? "" : " ") + std::string(name);
  };
  add(__builtin_cpu_supports("avx"), "avx");
  add(__builtin_cpu_supports("fma"), "fma");
  add(__builtin_cpu_supports("avx2"), "avx2");
  add(__builtin_cpu_supports("avx512f"), "avx512f");
#endif
  std::string build;
  try {
    build = files::ContentHash::of(files::contents("/proc/self/exe"));
  } catch (const FileError&) {  // where there is no such place
  }
  return Json{{"version", std::string(version)},
              {"build", build},
              {"processor", processor},
              {"threads", threads},
              {"shard", shard}};
}

}  // namespace daedalus::cli
