// SPDX-License-Identifier: BSD-3-Clause
// The figures of the sources, drawn with our data.
#pragma once

#include <filesystem>
#include <string>

#include "tool/session.hpp"

namespace daedalus::cli {

// reproduce --figures
int list_figures(Session& io, bool as_json);
// reproduce --figure ID [--plot FILE]: exit code 1 when it does not show what the source says.
int reproduce_figure(const std::string& id, const std::filesystem::path& plot, Session& io,
                     bool as_json);

}  // namespace daedalus::cli
