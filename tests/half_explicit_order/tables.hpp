// SPDX-License-Identifier: BSD-3-Clause
// Tables as the literature prints them, read independently of the families and methods.
#pragma once

#include <string>
#include <vector>

#include "kernel/herk_table.hpp"

namespace daedalus::printed {

using Rows = std::vector<std::vector<ExactText>>;

inline std::vector<ExactText> unit(std::size_t length) {
  std::vector<ExactText> result(length, "0");
  result.back() = "1";
  return result;
}

// gamma_ij = a_{i+1,j} from row `first` on (counted from 1), gamma_11 = 0 if that is 2.
inline HerkTable next_point(const std::string& name, Rows rows, std::size_t weights_row,
                            std::size_t first) {
  HerkTable table;
  table.name = name;
  table.b = rows[weights_row];
  if (first == 2) table.gamma.push_back({"0"});
  table.gamma.insert(table.gamma.end(), rows.begin() + static_cast<std::ptrdiff_t>(first),
                     rows.end());
  rows.pop_back();
  table.a = std::move(rows);
  table.d = unit(table.a.size());
  return table;
}

inline const Rows& dormand_prince() {
  static const Rows rows{{},
                         {"1/5"},
                         {"3/40", "9/40"},
                         {"44/45", "-56/15", "32/9"},
                         {"19372/6561", "-25360/2187", "64448/6561", "-212/729"},
                         {"9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"},
                         {"35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"}};
  return rows;
}

inline std::vector<ExactText> dormand_prince_embedded() {
  return {"5179/57600", "0", "7571/16695", "393/640", "-92097/339200", "187/2100", "1/40"};
}

// Arnold (1998), Table 3.4.
inline HerkTable hedop5() {
  Rows rows = dormand_prince();
  rows.push_back({"-18611506045861/19738176307200", "59332529/14479296",
                  "-2509441598627/893904224850", "2763523204159/3289696051200",
                  "-41262869588913/116235927142400", "46310205821/287848404480", "-3280/75413"});
  HerkTable table = next_point("hedop5", rows, 6, 2);
  table.embedded = dormand_prince_embedded();
  return table;
}

// Arnold (1998), Example 22 c with c_2 = 2/5.
inline HerkTable henew4() {
  return next_point(
      "henew4",
      {{},
       {"2/5"},
       {"3/16", "5/16"},
       {"1/4", "-5/4", "2"},
       {"1/6", "0", "2/3", "1/6"},
       {"1/6 - sqrt(3)/108", "0", "1/3 - 4*sqrt(3)/27", "-7*sqrt(3)/108", "sqrt(3)/18"}},
      4, 2);
}

// Murua (1997).
inline HerkTable phem56() {
  HerkTable table;
  table.name = "phem56";
  table.a = dormand_prince();
  table.b = dormand_prince().back();
  table.gamma = {{"0"},
                 {"3/40", "9/40"},
                 {"21/256", "45/256", "15/128"},
                 {"19235/98784", "-225/392", "6235/6174", "2755/32928"},
                 {"-293/1152", "85/48", "-2275/1908", "35/32", "-2835/6784"},
                 table.b,
                 {"10752038939/66307507200", "-19259/50160", "19581770468/24023520675",
                  "9941999/650073600", "180060831/4820710400", "-11331659/439538400", "1/76"}};
  table.d = unit(7);
  table.embedded = dormand_prince_embedded();
  return table;
}

// Brasey, Hairer (1993).
inline HerkTable hem4() {
  return next_point(
      "hem4",
      {{},
       {"3/10"},
       {"1/30 + 1/30 sqrt(6)", "11/30 - 4/30 sqrt(6)"},
       {"-79/150 - 31/150 sqrt(6)", "-1/30 - 4/30 sqrt(6)", "24/25 + 11/25 sqrt(6)"},
       {"14/6 + 5/6 sqrt(6)", "-8/6 + 7/6 sqrt(6)", "-9/4 - 7/4 sqrt(6)", "9/4 - 1/4 sqrt(6)"},
       {"0", "0", "16/36 - 1/36 sqrt(6)", "16/36 + 1/36 sqrt(6)", "1/9"}},
      5, 1);
}

// Brasey (1992), the 16 digits of the code HEM5.
inline HerkTable hem5() {
  return next_point(
      "hem5",
      {{},
       {"0.1"},
       {"0.0375", "0.1125"},
       {"0.3222169236216038", "-1.188883322987607", "1.228145134023366"},
       {"-0.03501123898129943", "0.3725420601086163", "-0.2721053535582034", "0.01993037578575077"},
       {"-0.5576547055042005", "1.367307289645883", "-1.732236360460725", "0.4587772007467548",
        "0.9638065755722880"},
       {"0.08654517193566155", "-0.08810082847945416", "0.1981275547329404", "-0.4645422679331083",
        "0.1615170091109488", "0.9064533606330119"},
       {"0", "0", "0", "3.624477248753816", "-0.4617724189181256", "-3.198024628164272",
        "1.035319798328740"},
       {"0", "0", "0", "0.2467760667636791", "0.2106594087489728", "0.1769218149125021",
        "0.3064446444147922", "0.05919806516005373"}},
      8, 1);
}

// What its digits leave in the conditions of T_y up to order 5 and of T_z up to order 2.
inline constexpr double hem5_residual_y = 1.4e-12, hem5_residual_z = 6e-12;

}  // namespace daedalus::printed
