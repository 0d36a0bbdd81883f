// SPDX-License-Identifier: BSD-3-Clause
// A problem compiled from one C++ file, for the tool to load: `daedalus new mine` writes such a
// file, `daedalus build mine.cpp` compiles it, and every command takes the mine.so.
//
//   daedalus::Entry mine() { ... }
//   DAEDALUS_PLUGIN(mine)
#pragma once

#include <daedalus/entry.hpp>
#include <daedalus/version.hpp>

namespace daedalus::detail {

// Changes where a type that crosses the border between plug-in and tool has another size.
constexpr unsigned long plugin_layout =
    sizeof(Entry) + 4096UL * (sizeof(Problem) + 4096UL * (sizeof(Event) + sizeof(Options)));

}  // namespace daedalus::detail

// The border is C: names that the tool finds, and a pointer to fill.
#define DAEDALUS_PLUGIN(function)                                                               \
  extern "C" const char* daedalus_plugin_version() { return daedalus::version.data(); }         \
  extern "C" unsigned long daedalus_plugin_layout() { return daedalus::detail::plugin_layout; } \
  extern "C" void daedalus_plugin_entry(daedalus::Entry* entry) { *entry = function(); }
