// SPDX-License-Identifier: BSD-3-Clause
#include "peers/classical.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace daedalus::peers {

FortranCall* call_in_progress = nullptr;

namespace {

enum class Kind { linear, residual, mechanical };
struct Code {
  const char *name, *routine;  // the routine in gfortran's spelling
  Kind kind;
};
constexpr std::array<Code, 11> codes{{{"radau5", "radau5_", Kind::linear},
                                      {"radau", "radau_", Kind::linear},
                                      {"rodas", "rodas_", Kind::linear},
                                      {"seulex", "seulex_", Kind::linear},
                                      {"bimd", "bimd_", Kind::linear},
                                      {"gamd", "gamd_", Kind::linear},
                                      {"dop853", "dop853_", Kind::linear},
                                      {"daskr", "ddaskr_", Kind::residual},
                                      {"mebdfi", "mebdfi_", Kind::residual},
                                      {"hem5", "hem5_", Kind::mechanical},
                                      {"phem56", "phem56_", Kind::mechanical}}};

}  // namespace

std::vector<std::string> classical_names() {
  std::vector<std::string> names;
  for (const Code& code : codes) names.emplace_back(code.name);
  return names;
}

void add_classical(Peers& list, const std::string& specification) {
  const std::size_t equals = specification.find('=');
  const std::string name = specification.substr(0, equals);
  const auto* code =
      std::find_if(codes.begin(), codes.end(), [&](const Code& c) { return name == c.name; });
  if (equals == std::string::npos || code == codes.end())
    throw std::runtime_error(
        fmt::format("--peer: '{}' is not understood; it is NAME=PATH with a NAME of {}",
                    specification, fmt::join(classical_names(), ", ")));
  const std::string path = specification.substr(equals + 1);
  // Each with its own symbols: several of these codes bring routines of the same names.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(fmt::format("--peer: {}", dlerror()));
  void* routine = dlsym(library, code->routine);
  if (!routine)
    throw std::runtime_error(fmt::format("--peer: '{}' has no routine {}", path, code->routine));
  // DASKR prints what it also returns.
  if (void* messages = dlsym(library, "xsetf_")) {
    const int off = 0;
    reinterpret_cast<void (*)(const int*)>(messages)(&off);
  }
  switch (code->kind) {
    case Kind::linear:
      list.push_back(linear_code(name, routine));
      break;
    case Kind::residual:
      for (auto& peer : residual_codes(name, routine)) list.push_back(std::move(peer));
      break;
    case Kind::mechanical:
      list.push_back(mechanical_code(name, routine));
      break;
  }
}

}  // namespace daedalus::peers
