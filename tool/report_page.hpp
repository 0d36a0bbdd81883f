// SPDX-License-Identifier: BSD-3-Clause
// The page of reports as scripts/report-page left it in the build: HTML with a mark where the data
// of a run belong, in pieces, since compilers limit the length of one literal. No pieces: it could
// not be made, and `report_page_missing` says why.
#pragma once

#include <cstddef>

namespace daedalus::cli {

extern const char* const report_page_pieces[];
extern const std::size_t report_page_piece_count;
extern const char* const report_page_missing;

}  // namespace daedalus::cli
