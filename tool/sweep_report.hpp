// SPDX-License-Identifier: BSD-3-Clause
// What the runs of a sweep say together: quantiles in the text, and a page with bands over time,
// end values over parameters, and failures.
#pragma once

#include <iosfwd>

#include "tool/files.hpp"
#include "tool/session.hpp"
#include "tool/sweep_document.hpp"

namespace daedalus::cli {

// Of a sample whose report asks for bands without saying at how many times.
inline constexpr std::size_t standard_band_times = 101;

void print_quantiles(const Sweep& sweep, const std::vector<std::string>& names, std::ostream& out);

// Throws where the name is none of a page, or no page can be made: before the first run.
void need_sweep_report(const SweepSettings& settings);
Json sweep_page_document(const SweepSettings& settings, const PreparedRun& standard,
                         const SweepPlan& plan, const std::vector<std::string>& names,
                         const Sweep& sweep);
void write_sweep_report(const SweepSettings& settings, const PreparedRun& standard,
                        const SweepPlan& plan, const std::vector<std::string>& names,
                        const Sweep& sweep, AtomicFile& file, Session& io);

}  // namespace daedalus::cli
