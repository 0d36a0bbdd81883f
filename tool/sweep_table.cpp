// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_table.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "tool/numbers.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

constexpr std::size_t max_sweep_rows = 24, first_sweep_rows = 16, last_sweep_rows = 4;
constexpr std::size_t digits_width = 14;  // of -1.23456789e-10, and what separates it

std::vector<std::string> row_of(const SweepPlan& plan, std::size_t k, const EnsembleRun& run,
                                std::size_t columns) {
  std::vector<std::string> row;
  for (const double value : plan.point(k)) row.push_back(brief(value));
  row.push_back(run.done ? run.status : "not done");
  for (std::size_t j = 0; j < columns; ++j)
    row.push_back(run.done && j < run.y.size() ? fmt::format("{:.8g}", run.y[j]) : "-");
  return row;
}

}  // namespace

void print_sweep_table(const SweepPlan& plan, const std::vector<std::string>& names,
                       const std::vector<EnsembleRun>& runs, std::ostream& out) {
  std::vector<std::string> header;
  std::vector<Align> align;
  std::size_t used = 2 + 18;  // indent and status
  for (const std::string& name : plan.names()) {
    header.push_back(name);
    align.push_back(Align::right);
    used += std::max<std::size_t>(name.size(), 9) + 2;
  }
  header.emplace_back("status");
  align.push_back(Align::left);
  std::size_t columns = 0;
  for (; columns < names.size(); ++columns) {
    used += std::max(names[columns].size() + 2, digits_width);
    if (columns > 0 && used > text_width()) break;
    header.push_back(names[columns]);
    align.push_back(Align::right);
  }
  Table table(header, align);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (runs.size() > max_sweep_rows && k == first_sweep_rows) {
      k = runs.size() - last_sweep_rows;
      table.add({"..."});
    }
    table.add(row_of(plan, k, runs[k], columns));
  }
  out << "\nend values\n";
  table.print(out, "  ");
  const bool rows_cut = runs.size() > max_sweep_rows, columns_cut = columns < names.size();
  if (!rows_cut && !columns_cut) return;
  const std::string note = fmt::format(
      "({}{}{}; --out sweep.csv and --json have all)",
      rows_cut ? fmt::format("{} more runs", runs.size() - first_sweep_rows - last_sweep_rows)
               : std::string(),
      rows_cut && columns_cut ? ", " : "",
      columns_cut ? fmt::format("{} more variable{}", names.size() - columns,
                                names.size() - columns == 1 ? "" : "s")
                  : std::string());
  for (const std::string& line : wrapped(note, text_width() - 2)) out << "  " << line << '\n';
}

}  // namespace daedalus::cli
