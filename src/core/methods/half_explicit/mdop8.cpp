// SPDX-License-Identifier: BSD-3-Clause
// MDOP8: Dormand and Prince 8(5,3) on the index-1 form of a multibody system: v' and lambda of
// every stage from the constraints at acceleration level; order 8. Its stage order is 1 as that of
// all explicit methods, but with z a function of y alone stages need no conditions of their own.
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::methods {
namespace {

using namespace half_explicit;

// On index 1 there are no constraint points: gamma only says that the last stage is the first one
// of the next step.
HerkTable stages_of(const ExplicitTable& from) {
  HerkTable table;
  table.name = "mdop8";
  table.a.emplace_back();
  table.a.insert(table.a.end(), from.a.begin(), from.a.end());
  table.gamma.push_back({"0"});
  table.gamma.insert(table.gamma.end(), from.a.begin() + 1, from.a.end());
  table.gamma.emplace_back(table.a.size(), "0");
  table.gamma.back().back() = "1";
  table.b = from.a.back();
  table.d.assign(table.a.size(), "0");
  table.d.back() = "1";
  return table;
}

Configuration configuration() {
  const ExplicitTable& table = order8_table();
  Configuration c{.numbers = HerkNumbers<double>(stages_of(table))};
  c.embedded = c.coarse = c.numbers.b;
  for (std::size_t j = 0; j < table.difference.size(); ++j)
    c.embedded[j] -= number<double>(table.difference[j]);
  for (std::size_t j = 0; j < table.coarse.size(); ++j)
    c.coarse[j] -= number<double>(table.coarse[j]);
  c.error_order = 7;
  c.project_estimate = false;
  c.dense = DenseOutput::later_stages;
  c.continuation = continuation(table, {0.4, 0.6});
  c.index1 = true;
  return c;
}

}  // namespace

const Method& mdop8();
const Method& mdop8() {
  static Configurations configurations(
      [](const Configurations::Parameters&) { return configuration(); });
  static const Method method = index1_method(
      description("mdop8", {8, 8, 7, 7}, "Hairer, Noersett, Wanner (1993), section II.10 (DOP853)"),
      configurations);
  return method;
}

}  // namespace daedalus::methods
