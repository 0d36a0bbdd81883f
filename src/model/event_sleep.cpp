// SPDX-License-Identifier: BSD-3-Clause
// Relations that decide nothing at present are not watched: a < b in 'c or a < b' while c holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/at.hpp"
#include "model/event_run.hpp"

namespace daedalus {
namespace {

// Rows with more relations stay awake: all combinations are tried.
constexpr std::size_t max_together = 6;
// A crossing function beyond so much of its largest variable is on its side, whatever the
// tolerance.
constexpr double clearly = 1e-2;
// A crossing function within so much of the nominal values is at the event that is handled.
constexpr double crossing_now = 1e-9;

}  // namespace

// By relation: whether the row has the same value with its other outcome, whatever the outcomes of
// the others are.
std::vector<char> EventRun::indifferent(int row, const std::vector<int>& relations) {
  const std::size_t count = relations.size();
  if (count > max_together) return std::vector<char>(count, 0);
  std::vector<double> kept, values;
  for (const int i : relations) kept.push_back(modes_[e_.relations[at(i)].mode]);
  for (unsigned bits = 0; bits < 1u << count; ++bits) {
    for (std::size_t k = 0; k < count; ++k)
      modes_[e_.relations[at(relations[k])].mode] = bits >> k & 1u;
    evaluate_values();
    values.push_back(values_[at(row)]);
  }
  for (std::size_t k = 0; k < count; ++k) modes_[e_.relations[at(relations[k])].mode] = kept[k];
  std::vector<char> same(count, 1);
  for (unsigned bits = 0; bits < values.size(); ++bits)
    for (std::size_t k = 0; k < count; ++k)
      if (values[bits] != values[bits ^ 1u << k]) same[k] = 0;
  return same;
}

// Modes of higher index are found with algebraic values before the event. Where the run shows that
// one was wrong it ends: what lies behind it was computed with the wrong equations.
void EventRun::check_sides(int fired) {
  double& last = modes_[e_.last_time()];
  if (std::exchange(last, t_) == t_) return;  // values within an event need not fit yet
  // All values of the last event were solved for.
  if (d_.common_index <= 1 || modes_[e_.unsolved()] == 0.0) return;
  evaluate_crossings();
  for (int i = 0; i < static_cast<int>(e_.relations.size()); ++i) {
    if (i == fired || modes_[e_.first_sleeper() + i] != 0.0) continue;
    const graph::Relation& r = e_.relations[at(i)];
    const double z = crossing_[at(i)].v;
    double size = 0.0, nominal = 0.0;
    for (const int j : e_.depends[at(i)]) {
      const auto given = d_.nominal.find(d_.names[at(j)]);
      size = std::max(size, std::abs(y_[j]));
      nominal = std::max(nominal, given == d_.nominal.end() ? 1.0 : given->second);
    }
    if (size == 0.0 || !std::isfinite(z)) continue;
    if (std::abs(z) <= std::max(clearly * size, crossing_now * nominal)) continue;
    if (graph::outcome(r.op, z) == (modes_[r.mode] != 0.0)) continue;
    throw InvalidArgument(fmt::format(
        "'{}' changed its side at the event before t = {:.10g}, and the run went on as if it had "
        "not: values between the two may be wrong. Events that change algebraic variables are not "
        "solved where the index is above 1",
        r.text, t_));
  }
}

void EventRun::find_sleepers() {
  // Modes that are found with algebraic values from before an event have to stay watched.
  if (!d_.solves_events()) return;
  std::vector<std::vector<int>> by_row(values_.size());
  for (std::size_t i = 0; i < e_.decides.size(); ++i)
    for (const int r : e_.decides[i]) by_row[at(r)].push_back(static_cast<int>(i));
  std::vector<char> quiet(e_.relations.size(), 1);
  for (std::size_t r = 0; r < by_row.size(); ++r) {
    if (by_row[r].empty()) continue;
    const std::vector<char> same = indifferent(static_cast<int>(r), by_row[r]);
    for (std::size_t k = 0; k < same.size(); ++k)
      if (!same[k]) quiet[at(by_row[r][k])] = 0;
  }
  for (std::size_t i = 0; i < e_.relations.size(); ++i)
    modes_[e_.first_sleeper() + static_cast<int>(i)] = !e_.decides[i].empty() && quiet[i];
}

}  // namespace daedalus
