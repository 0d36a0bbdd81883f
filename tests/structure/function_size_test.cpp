// SPDX-License-Identifier: BSD-3-Clause
// No function of the layers named here is longer than 60 lines or has more than 24 decisions.
#include "function_size.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace daedalus::structure {
namespace {

constexpr int max_lines = 60, max_complexity = 25;

std::vector<std::string> violations(const std::string& file, const std::string& text) {
  std::vector<std::string> out;
  for (const FunctionSize& f : FunctionSizes(text).found())
    if (f.lines > max_lines || f.complexity > max_complexity) {
      std::ostringstream s;
      s << file << ':' << f.first_line << ": " << f.name << " has " << f.lines
        << " lines and complexity " << f.complexity;
      out.push_back(s.str());
    }
  return out;
}

TEST(FunctionSize, NonlinearEquationsStartValuesAndTheLoop) {
  namespace fs = std::filesystem;
  const std::set<std::string> folders{"nonlinear", "start", "integrate"};
  int functions = 0;
  for (const auto& entry : fs::recursive_directory_iterator(DAEDALUS_SOURCE_DIR "/src")) {
    const fs::path& p = entry.path();
    if (folders.count(p.parent_path().filename().string()) == 0) continue;
    if (p.extension() != ".cpp" && p.extension() != ".hpp") continue;
    std::ostringstream text;
    text << std::ifstream(p).rdbuf();
    functions += static_cast<int>(FunctionSizes(text.str()).found().size());
    for (const std::string& v : violations(p.string(), text.str())) ADD_FAILURE() << v;
  }
  EXPECT_GT(functions, 300);  // the folders were found and read
}

std::string with_body(const std::string& body) {
  return "namespace x {\nclass A {\n  int f(int a) const {\n" + body +
         "    return a;\n  }\n};\n}\n";
}

TEST(FunctionSize, PlantedViolationsAreFound) {
  std::string lines, decisions;
  for (int i = 0; i < 57; ++i) lines += "    a = a;\n";
  EXPECT_TRUE(violations("short", with_body(lines)).empty());  // 60 with head, return and brace
  EXPECT_EQ(violations("long", with_body(lines + "    a = a;\n")).size(), 1U);
  for (int i = 0; i < 12; ++i) decisions += "    if (a && a) a = 1;\n";
  EXPECT_TRUE(violations("simple", with_body(decisions)).empty());  // 1 + 24
  EXPECT_EQ(violations("complex", with_body(decisions + "    a = a ? 1 : 2;\n")).size(), 1U);
}

TEST(FunctionSize, WhatIsNoDecisionDoesNotCount) {
  const std::string text = with_body(
      "    // if (a && a) for while\n    const char* s = \"if ? && ||\";\n    auto&& b = a;\n"
      "    int iffy = 1'000;\n    /* case 1: ? */ char c = '?';\n");
  const auto found = FunctionSizes(text).found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].complexity, 1);
  EXPECT_EQ(found[0].name, "int f");
  EXPECT_EQ(found[0].first_line, 3);
}

TEST(FunctionSize, DefaultsOfTemplatesHideNoFunction) {
  const auto found =
      FunctionSizes("template <int N = 3>\nint f(int a = 0) {\n  return a || N;\n}\n").found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].lines, 4);
  EXPECT_EQ(found[0].complexity, 2);
}

TEST(FunctionSize, LambdasBelongToTheirFunctionAndInitialisersAreNone) {
  const std::string text =
      "std::vector<int> v{1, 2};\nA::A(int a) : b_(a), c_{a} {\n  for (;;) {\n  }\n}\n"
      "void g() {\n  const auto h = [](int x) {\n    return x ? 1 : 2;\n  };\n  h(1);\n}\n";
  const auto found = FunctionSizes(text).found();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.front().name, "A::A");
  EXPECT_EQ(found.front().lines, 4);
  EXPECT_EQ(found.front().complexity, 2);
  EXPECT_EQ(found.back().name, "void g");
  EXPECT_EQ(found.back().lines, 6);
  EXPECT_EQ(found.back().complexity, 2);
}

}  // namespace
}  // namespace daedalus::structure
