// SPDX-License-Identifier: BSD-3-Clause
// Models with a mistake: found where it stands, with a hint. An @ marks the place and is taken out
// before the model is read.
#include <gtest/gtest.h>

#include <daedalus/model_file.hpp>

namespace daedalus {
namespace {

struct WrongModel {
  std::string title, text;
  std::string message, hint;  // parts of them
};

// {0} is put into a model that is right otherwise.
std::string in_model(const std::string& equation_or_section) {
  return "{\n  \"daedalus\": \"model\",\n  \"name\": \"wrong\",\n  \"parameters\": {\"damping\": "
         "0.1, \"mass\": 2},\n  \"variables\": {\"position\": 1, \"velocity\": 0},\n" +
         equation_or_section + "\n}\n";
}

std::string with_equation(const std::string& second) {
  return in_model("  \"equations\": [\n    \"der(position) = velocity\",\n    \"" + second +
                  "\"\n  ]");
}

const std::string good_equations =
    "  \"equations\": [\"der(position) = velocity\", \"mass*der(velocity) = -position\"]";

std::vector<WrongModel> wrong_models() {
  return {
      {"unknown variable", with_equation("der(velocity) = -position - damping*@velosity"),
       "there is no variable or parameter 'velosity'", "did you mean 'velocity'?"},
      {"unknown function", with_equation("der(velocity) = -@sim(position)"),
       "there is no function 'sim'", "did you mean 'sin'?"},
      {"arity", with_equation("der(velocity) = -@atan2(position)"),
       "atan2 takes 2 arguments, 1 is given", ""},
      {"missing parenthesis", with_equation("der(velocity) = -(position + velocity@"),
       "expected ')'", "closes the '('"},
      {"stray parenthesis", with_equation("der(velocity) = -position@)"), "no '(' for this ')'",
       ""},
      {"no equation", with_equation("der(velocity) + position@"), "an equation needs '='",
       "left = right"},
      {"two equal signs", with_equation("der(velocity) = position @= velocity"), "a second '='",
       "'==' compares"},
      {"missing operator", with_equation("der(velocity) = -2 @position"), "expected an operator",
       "products need '*'"},
      {"number and letters", with_equation("der(velocity) = -@2position"),
       "a number is followed by letters", "2*position"},
      {"powers", with_equation("der(velocity) = -position^2@^2"), "powers do not chain", "a^(b^c)"},
      {"behind an escape", with_equation("\\u0064er(velocity) = -@posision"),
       "there is no variable or parameter 'posision'", "did you mean 'position'?"},
      {"derivative of a number's place", with_equation("der(velocity) = -der(@speed)"),
       "there is no variable or parameter 'speed'", ""},
      {"second derivative", with_equation("@der(der(position)) = -position"),
       "only states have one. Give the first derivative a name of its own (v = der(x))", ""},
      {"sum of a number", with_equation("der(velocity) = sum(@position)"),
       "sum of one argument takes an array", "size"},
      {"sum of an unknown name", with_equation("der(velocity) = sum(@posision)"),
       "there is no variable or parameter 'posision'", "did you mean 'position'?"},
      {"quotes where a name is declared", in_model("  \"discrete\": {@\"'a b'\": 0}"),
       "declared without single quotes", "write \"a b\" here"},
      {"too few outputs",
       in_model(good_equations + ",\n  \"outputs\": {\"y\": {\"size\": 3, \"value\": @[1, 2]}}"),
       "'value' has 2 values, 'y' has size 3", ""},
      {"formula of an array of outputs",
       in_model(good_equations +
                ",\n  \"outputs\": {\"y\": {\"size\": 3, \"value\": \"i*@speed\"}}"),
       "there is no variable or parameter 'speed'", ""},
      {"function without arguments", with_equation("der(velocity) = -@sin"),
       "there is no variable or parameter 'sin'", "is a function"},
      {"subscripts of a matrix",
       in_model("  \"discrete\": {\"m\": {\"size\": [2, 3]}},\n  \"equations\": [\"der(position) = "
                "velocity\", \"der(velocity) = @m[1]\"]"),
       "'m' has 2 subscripts, one is given", "from 1 to 2, and from 1 to 3"},
      {"beyond a matrix",
       in_model("  \"discrete\": {\"m\": {\"size\": [2, 3]}},\n  \"equations\": [\"der(position) = "
                "velocity\", \"der(velocity) = @m[3,1]\"]"),
       "there is no 'm[3,1]'", "from 1 to 2, and from 1 to 3"},
      {"rows of a start value",
       in_model("  \"discrete\": {\"m\": {\"size\": [2, 2], \"start\": [[1, 2], @[3]]}},\n" +
                good_equations),
       "a row of", ""},
      {"unknown section", in_model("  @\"equation\": []"), "a model has no 'equation'",
       "did you mean 'equations'?"},
      {"unknown section without a neighbour", in_model("  @\"span\": []"), "a model has no 'span'",
       "known are"},
      {"comma too many", in_model("  \"equations\": [\"der(position) = velocity\"@, ]"),
       "this is not JSON: a comma before the closing ']'", ""},
      {"missing comma", in_model("  \"title\": \"x\" @\"equations\": []"),
       "this is not JSON: a text where JSON has a comma", ""},
      {"cut off", "{\"daedalus\": \"model\", \"name\":@ ",
       "this is not JSON: the text ends here, and the '{' of line 1, column 1 is not closed", ""},
      {"key twice", in_model(good_equations + ",\n  @\"name\": \"again\""), "stands twice", ""},
      {"type of start",
       "{\"daedalus\": \"model\", \"variables\": {\"x\": {\"start\": @[1]}}, \"equations\": []}",
       "a start value must be a number or a formula, not a list", ""},
      {"start depends on a variable",
       "{\"daedalus\": \"model\", \"variables\": {\"x\": 1, \"y\": \"@x + 1\"}, \"equations\": []}",
       "there is no parameter 'x'", ""},
      {"unknown attribute",
       "{\"daedalus\": \"model\", \"variables\": {\"x\": {@\"strat\": 1}}, \"equations\": []}",
       "a variable has no 'strat'", "did you mean 'start'?"},
      {"name twice",
       "{\"daedalus\": \"model\", \"parameters\": {\"x\": 1}, \"variables\": {@\"x\": 1}}",
       "there is a 'x' already", "share"},
      {"parameters in a circle",
       "{\"daedalus\": \"model\", \"parameters\": {@\"a\": \"2*b\", \"b\": \"a\"}}",
       "in a circle: a, b", ""},
      {"parameter outside its bounds",
       "{\"daedalus\": \"model\", \"parameters\": {\"a\": {\"value\": @2, \"max\": 1}}}",
       "parameter 'a' is 2", ""},
      {"nominal", "{\"daedalus\": \"model\", \"variables\": {\"x\": {\"nominal\": @0}}}",
       "'nominal' must be positive", ""},
      {"subscript out of range",
       "{\"daedalus\": \"model\", \"variables\": {\"u\": {\"size\": 4}},\n \"equations\": "
       "[{\"for\": "
       "{\"i\": [1, 4]}, \"equation\": \"der(u[i]) = @u[i + 1]\"}]}",
       "there is no 'u[5]' at i = 4", "run from 1 to 4"},
      {"subscript missing",
       "{\"daedalus\": \"model\", \"variables\": {\"u\": {\"size\": 4}}, \"equations\": [\"@u = "
       "1\"]}",
       "'u' is an array, a subscript is missing", "u[1]"},
      {"range",
       "{\"daedalus\": \"model\", \"variables\": {\"u\": {\"size\": 4}},\n \"equations\": "
       "[{\"for\": "
       "{\"i\": @[1, 2.5]}, \"equation\": \"u[i] = 1\"}]}",
       "must be two integers", "for"},
      {"event without condition",
       in_model(good_equations + ",\n  \"events\": [@{\"name\": \"e\"}]"),
       "needs one of 'when', 'at' and 'sample'", ""},
      {"event changes an unknown name",
       in_model(
           good_equations +
           ",\n  \"events\": [{\"when\": \"position < 0\", \"reinit\": {\"@velocty\": \"1\"}}]"),
       "there is no variable or parameter 'velocty'", "did you mean 'velocity'?"},
      {"newer version", "{\"daedalus\": \"model\", \"version\": @2}", "newer than this program",
       ""},
      {"another kind of document", "{\"daedalus\": @\"run\"}", "\"daedalus\": \"model\"", ""},
      {"size of the mass matrix",
       "{\"daedalus\": \"model\", \"multibody\": {\"q\": [\"x\"], \"v\": [\"u\"],\n  \"mass\": "
       "@[1, 2], "
       "\"force\": [0]}}",
       "'mass' has 2 rows for 1 velocities", ""},
      {"velocities",
       "{\"daedalus\": \"model\", \"multibody\": {\"q\": [\"x\", \"y\"], \"v\": @[\"u\"], "
       "\"mass\": [1], \"force\": [0]}}",
       "'q' has 2 coordinates, 'v' has 1", "rate"},
      {"unsymmetric mass matrix",
       "{\"daedalus\": \"model\", \"multibody\": {\"q\": [\"x\", \"y\"], \"v\": [\"u\", \"w\"],\n "
       "\"mass\": [[1, @\"2\"], [3, 1]], \"force\": [0, 0]}}",
       "not symmetric", ""},
      {"shape",
       in_model(good_equations +
                ",\n  \"scene\": {\"bodies\": [{\"shape\": @\"spere\", \"radius\": 1}]}"),
       "there is no shape 'spere'", "did you mean 'sphere'?"}};
}

TEST(WrongModels, HaveTheirPlaceAndAHint) {
  ASSERT_GE(wrong_models().size(), 30u);
  for (const WrongModel& w : wrong_models()) {
    std::string text = w.text;
    const std::size_t mark = text.find('@');
    ASSERT_NE(mark, std::string::npos) << w.title;
    text.erase(mark, 1);
    int line = 1, column = 1;
    for (std::size_t i = 0; i < mark; ++i) text[i] == '\n' ? (++line, column = 1) : ++column;
    try {
      read_model_text(text, "wrong.json");
      ADD_FAILURE() << w.title << ": nothing was found";
    } catch (const InvalidModel& wrong) {
      ASSERT_FALSE(wrong.diagnostics.empty()) << w.title;
      const SourceDiagnostic& d = wrong.diagnostics.front();
      EXPECT_EQ(wrong.diagnostics.size(), 1u) << w.title << '\n' << wrong.what();
      EXPECT_EQ(d.file, "wrong.json");
      EXPECT_EQ(d.line, line) << w.title << '\n' << wrong.what();
      EXPECT_EQ(d.column, column) << w.title << '\n' << wrong.what();
      EXPECT_NE(d.message.find(w.message), std::string::npos) << w.title << '\n' << wrong.what();
      EXPECT_NE(d.hint.find(w.hint), std::string::npos) << w.title << '\n' << wrong.what();
    }
  }
}

// Structure is judged by the builder; its words lead to the places, too.
TEST(WrongModels, UnbalancedOnesAreNamed) {
  for (const std::string& section :
       {std::string("  \"equations\": [\"der(position) = velocity\"]"),
        good_equations.substr(0, good_equations.size() - 1) + ", \"velocity = 1\"]"}) {
    try {
      read_model_text(in_model(section), "wrong.json");
      ADD_FAILURE() << section;
    } catch (const InvalidModel& wrong) {
      EXPECT_EQ(wrong.diagnostics.front().severity, Diagnostic::Severity::error);
      EXPECT_NE(std::string(wrong.what()).find("wrong.json"), std::string::npos);
    }
  }
}

TEST(WrongModels, SeveralMistakesInOneRun) {
  try {
    read_model_text(
        in_model("  \"equations\": [\"der(position) = velosity\", \"der(velocity) = -posision\", "
                 "\"x = (\"]"),
        "wrong.json");
    ADD_FAILURE();
  } catch (const InvalidModel& wrong) {
    EXPECT_EQ(wrong.diagnostics.size(), 3u) << wrong.what();
  }
}

}  // namespace
}  // namespace daedalus
