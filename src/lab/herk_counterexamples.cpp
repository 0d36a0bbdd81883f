// SPDX-License-Identifier: BSD-3-Clause
#include "lab/herk_counterexamples.hpp"

#include <optional>

#include <daedalus/types.hpp>

#include "kernel/exact_number.hpp"
#include "kernel/herk_families.hpp"
#include "kernel/herk_row.hpp"

namespace daedalus {
namespace {

HerkTable without_explicit_stage(const std::string& name,
                                 const std::vector<std::vector<ExactText>>& a,
                                 const std::vector<ExactText>& b) {
  HerkTable table;
  table.name = name;
  table.a = a;
  table.gamma.assign(a.begin() + 1, a.end());
  table.gamma.push_back(b);
  table.b = b;
  table.d.assign(a.size(), "0");
  table.d.back() = "1";
  return table;
}

HerkTable four_stages_of_henew4() {
  HerkTable table = henew4_table();
  table.a.pop_back();
  table.gamma.pop_back();
  table.d = {"0", "0", "0", "1"};
  return table;
}

}  // namespace

HerkTable rk4_without_explicit_stage() {
  return without_explicit_stage("rk4-without-explicit-stage",
                                {{}, {"1/2"}, {"0", "1/2"}, {"0", "0", "1"}},
                                {"1/6", "1/3", "1/3", "1/6"});
}

HerkTable dopri5_without_explicit_stage() {
  const HerkTable hedop5 = hedop5_table();
  return without_explicit_stage("dopri5-without-explicit-stage",
                                {hedop5.a.begin(), hedop5.a.end() - 1}, hedop5.b);
}

HerkTable henew4_kappa_one() {
  HerkTable table = four_stages_of_henew4();
  table.name = "henew4-kappa-1";
  return table;
}

HerkTable henew4_kappa_three_halves() {
  HerkTable table = four_stages_of_henew4();
  table.name = "henew4-kappa-3/2";
  table.d = {"23/48", "-45/16", "8/3", "2/3"};
  return table;
}

HerkTable dopri5_low_z_order() {
  HerkTable table = hedop5_table();
  table.name = "dopri5-low-z-order";
  table.gamma.pop_back();
  RowConditions conditions{ExactNumber::from_text("4/5"), 2, 3, false, {}};
  conditions.given.resize(7);
  conditions.given[1] = conditions.given[4] = ExactNumber(0);
  conditions.given[6] = ExactNumber::from_text("1/10");
  const auto row = solve_row(table, conditions);
  std::vector<ExactText> texts;
  for (const ExactNumber& x : row.value()) texts.push_back(x.text());
  table.gamma.push_back(std::move(texts));
  return table;
}

}  // namespace daedalus
