// SPDX-License-Identifier: BSD-3-Clause
// What is not supported says so: the table of docs/from-modelica.md, row by row.
#include <gtest/gtest.h>

#include "modelica/run_model.hpp"

namespace daedalus {
namespace {

struct Row {
  const char* text;
  const char* message;
};

const Row rows[] = {
    {"model M Real x = delay(time, 1 + time); end M;",
     "not supported yet: a delay by a time that varies"},
    {"connector C Real p; flow Real m; stream Real h; end C; model A C c; equation c.p = 1; end A; "
     "model M A a; A b; equation connect(a.c, b.c); end M;",
     "not supported yet: stream connectors"},
    {"connector C Real p; flow Real m; stream Real h; end C; "
     "model M C c; Real x = inStream(c.h); end M;",
     "not supported yet: inStream"},
    {"model M Real x = spatialDistribution(1, 2, time, true); end M;",
     "not supported yet: spatialDistribution"},
    {"connector C Real p; flow Real m; end C; model M C c; equation Connections.root(c); end M;",
     "not supported yet: Connections.root"},
    {"function f input Real x; output Real y; external \"C\"; end f; model M Real x = f(time); end "
     "M;",
     "not supported yet: external function 'f'"},
    {"expandable connector B end B; connector O = output Real; block S O y = time; end S; model M "
     "B "
     "bus; S s; equation connect(s.y, bus.speed); end M;",
     "not supported yet: 'speed' of the expandable connector 'bus'"},
    {"model M String s(start = \"a\"); Real x(start = 0, fixed = true); equation der(x) = 1; when "
     "x > "
     "0.5 then s = \"b\"; end when; end M;",
     "not supported yet: the String variable 's'"},
    {"model M Real x(start = 0, fixed = true); discrete Real y(start = 0); equation der(x) = 1; if "
     "x "
     "> 0.5 then when x > 0.7 then y = 1; end when; else end if; end M;",
     "a when-clause stands in an if-equation that variables decide"},
    {"model M Real x(start = 1, fixed = true); equation der(der(x)) = -x; end M;",
     "not supported yet: the derivative of a derivative, 'der(der(x))'"},
    {"model M Real a[3] = {1, 2, 3}; Integer k = if time > 0.5 then 2 else 1; Real x[2] = a[{k, "
     "3}]; "
     "end M;",
     "a subscript depends on variables"},
    {"model M discrete Real u(start = 0); Real x = der(u); equation when time > 0.5 then u = 1; "
     "end "
     "when; end M;",
     "changes at events only; it has no derivative"},
};

TEST(Unsupported, EveryRowOfTheTableGetsItsMessage) {
  for (const Row& row : rows) {
    std::string found = "no error";
    try {
      modelica_test::read_text(row.text);
    } catch (const InvalidModel& wrong) {
      found = text(wrong.diagnostics);
      EXPECT_GT(wrong.diagnostics.front().line, 0) << row.text;
    }
    EXPECT_NE(found.find(row.message), std::string::npos) << row.text << "\n" << found;
  }
}

}  // namespace
}  // namespace daedalus
