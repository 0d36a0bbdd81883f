// SPDX-License-Identifier: BSD-3-Clause
// A file of either kind as an entry: what both readers share.
#pragma once

#include <functional>
#include <string>

#include <daedalus/mechanism_file.hpp>

namespace daedalus::mechanism_files {

using Make = std::function<NamedMechanism(const Values&)>;  // not assembled yet

// Assembles with `make` and fills callables and outputs of the entry.
void complete(MechanismFile& file, const std::string& name, Make make);

}  // namespace daedalus::mechanism_files
