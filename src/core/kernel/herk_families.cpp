// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/herk_families.hpp"

#include <array>
#include <initializer_list>

#include <daedalus/types.hpp>

#include "kernel/exact_number.hpp"
#include "kernel/herk_row.hpp"

namespace daedalus {
namespace {

using Texts = std::vector<ExactText>;

// `rows` are a_2, a_3, ...; the last one is b.
HerkTable explicit_first_table(const std::string& name, const std::vector<Texts>& rows) {
  HerkTable table;
  table.name = name;
  table.a.emplace_back();
  table.gamma.push_back({"0"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 1 < rows.size()) table.a.push_back(rows[i]);
    if (i > 0) table.gamma.push_back(rows[i]);
  }
  table.b = rows.back();
  return table;
}

// One more stage at y_{n+1} for z_{n+1} alone; its row of gamma is still to be added.
void add_last_stage(HerkTable& table) {
  table.a.push_back(table.b);
  table.d.assign(table.a.size(), "0");
  table.d.back() = "1";
}

ExactNumber parameter(const char* name, const ExactText& text,
                      std::initializer_list<const char*> forbidden) {
  const ExactNumber value = [&] {
    try {
      return ExactNumber::from_text(text);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(std::string(name) + ": " + error.what());
    }
  }();
  for (const char* singular : forbidden) {
    if (value != ExactNumber::from_text(singular)) continue;
    std::string list;
    for (const char* each : forbidden) list += (list.empty() ? "" : ", ") + std::string(each);
    throw InvalidArgument(std::string(name) + " = " + text + ": must be " +
                          (forbidden.size() == 1 ? "other than " : "none of ") + list);
  }
  return value;
}

ExactText text(const ExactNumber& x) { return x.text(); }

// The last row of gamma; `cause` names the parameter if there is none.
void add_row(HerkTable& table, const RowConditions& conditions, const std::string& cause) {
  const auto row = solve_row(table, conditions);
  if (!row || row->back().is_zero())
    throw InvalidArgument(cause + ": there is no constraint row for these parameters");
  Texts texts;
  for (const ExactNumber& x : *row) texts.push_back(text(x));
  table.gamma.push_back(std::move(texts));
}

ExactNumber fraction(long long numerator, long long denominator) {
  return ExactNumber(numerator) / ExactNumber(denominator);
}

const std::vector<Texts>& dormand_prince_rows() {
  static const std::vector<Texts> rows{
      {"1/5"},
      {"3/40", "9/40"},
      {"44/45", "-56/15", "32/9"},
      {"19372/6561", "-25360/2187", "64448/6561", "-212/729"},
      {"9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"},
      {"35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"}};
  return rows;
}

}  // namespace

HerkTable herk2_table(const ExactText& c2) {
  const ExactNumber c = parameter("c2", c2, {"0"});
  const ExactNumber b2 = fraction(1, 2) / c;
  HerkTable table =
      explicit_first_table("herk2", {{text(c)}, {text(ExactNumber(1) - b2), text(b2)}});
  table.d = table.b;
  return table;
}

HerkTable herk3_table(const ExactText& c2) {
  const ExactNumber c = parameter("c2", c2, {"0"});
  const ExactNumber a32 = fraction(2, 9) / c, inverse = ExactNumber(1) / c;
  HerkTable table = explicit_first_table(
      "herk3", {{text(c)}, {text(fraction(2, 3) - a32), text(a32)}, {"1/4", "0", "3/4"}});
  // The only solution of sum d = 1, sum d c = 1, kappa = 0.
  table.d = {text(inverse - ExactNumber(2)), text(-inverse), "3"};
  return table;
}

HerkTable henew4_table(const ExactText& c2, const ExactText& c6, const ExactText& a62) {
  const ExactNumber c = parameter("c2", c2, {"0"});
  const ExactNumber a32 = fraction(1, 8) / c, a42 = fraction(-1, 2) / c;
  HerkTable table = explicit_first_table("henew4", {{text(c)},
                                                    {text(fraction(1, 2) - a32), text(a32)},
                                                    {text(-a42 - ExactNumber(1)), text(a42), "2"},
                                                    {"1/6", "0", "2/3", "1/6"}});
  add_last_stage(table);
  RowConditions row{parameter("c6", c6, {"0", "1/2", "1"}), 2, 3, false, {}};
  row.given.resize(5);
  row.given[1] = parameter("a62", a62, {});
  // With a62 = 0 the new row does not see the root of c2.
  ExactNumber::common_root(ExactNumber::common_root(c.root(), row.c.root()), row.given[1]->root());
  add_row(table, row, "c6 = " + c6);
  return table;
}

HerkTable hedop5_table(const ExactText& c8, const ExactText& a87) {
  HerkTable table = explicit_first_table("hedop5", dormand_prince_rows());
  add_last_stage(table);
  table.embedded = {"5179/57600",    "0",        "7571/16695", "393/640",
                    "-92097/339200", "187/2100", "1/40"};
  RowConditions row{parameter("c8", c8, {"1"}), 3, 4, true, {}};
  row.given.resize(7);
  row.given[6] = parameter("a87", a87, {"0"});
  add_row(table, row, "c8 = " + c8);
  return table;
}

std::vector<ExactText> hedop5_dense_weights(const ExactText& theta) {
  static constexpr std::array<const char*, 7> last{
      "-12715105075/11282082432",  "0",
      "87487479700/32700410799",   "-10690763975/1880347072",
      "701980252875/199316789632", "-1453857185/822651844",
      "69997945/29380423"};
  const ExactNumber t = parameter("theta", theta, {}), rest = ExactNumber(1) - t;
  std::vector<ExactText> weights;
  for (std::size_t j = 0; j < last.size(); ++j) {
    // y_n + t (r2 + (1-t) (r3 + t (r4 + (1-t) r5))), each r a combination of the slopes.
    const Texts& b = dormand_prince_rows().back();
    const ExactNumber r2 = j < b.size() ? ExactNumber::from_text(b[j]) : ExactNumber(0);
    const ExactNumber r3 = ExactNumber(j == 0 ? 1 : 0) - r2;
    const ExactNumber r4 = r2 - r3 - ExactNumber(j + 1 == last.size() ? 1 : 0);
    const ExactNumber r5 = ExactNumber::from_text(last[j]);
    weights.push_back(text(t * (r2 + rest * (r3 + t * (r4 + rest * r5)))));
  }
  return weights;
}

std::span<const HerkFamily> herk_families() {
  using Parameters = std::span<const ExactText>;
  static const std::vector<HerkFamily> families{
      {"herk2", {{"c2", ""}}, [](Parameters p) { return herk2_table(p[0]); }},
      {"herk3", {{"c2", ""}}, [](Parameters p) { return herk3_table(p[0]); }},
      {"henew4",
       {{"c2", "2/5"}, {"c6", "1/2 - 1/6 sqrt(3)"}, {"a62", "0"}},
       [](Parameters p) { return henew4_table(p[0], p[1], p[2]); }},
      {"hedop5", {{"c8", "19/20"}, {"a87", "-3280/75413"}}, [](Parameters p) {
         return hedop5_table(p[0], p[1]);
       }}};
  return families;
}

}  // namespace daedalus
