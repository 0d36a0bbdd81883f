// SPDX-License-Identifier: BSD-3-Clause
// Numbers with a name say what they bound and why that value: every constant of the library that is
// written as digits has a comment, on its line or above it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace daedalus::structure {
namespace {

bool has_comment(const std::string& line) { return line.find("//") != std::string::npos; }

// Lines of constants without a reason. A comment above counts for the constants that follow it
// without a gap, and one at the end of a declaration for all of its lines.
std::vector<int> unexplained(const std::string& text) {
  static const std::regex constant(
      "\\s*(inline |static )*constexpr (double|int|long|Index|std::size_t|std::uint\\w+) "
      "+[a-z_0-9]+ "
      "= [^;]*[0-9].*");
  static const std::regex declared("std::(numbers|numeric_limits)|sizeof|N - 1 -");
  std::vector<int> found;
  std::istringstream lines(text);
  bool explained = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool comment = line.find_first_not_of(' ') == line.find("//");
    if (std::regex_match(line, constant)) {
      if (!explained && !has_comment(line) && !std::regex_search(line, declared))
        found.push_back(number);
      explained = explained || has_comment(line);
    } else {
      explained = has_comment(line) && (comment || explained);
    }
  }
  return found;
}

TEST(Constants, OfTheLibraryHaveAReason) {
  namespace fs = std::filesystem;
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(DAEDALUS_SOURCE_DIR "/src")) {
    const fs::path& p = entry.path();
    if (p.extension() != ".cpp" && p.extension() != ".hpp") continue;
    std::ostringstream text;
    text << std::ifstream(p).rdbuf();
    ++files;
    for (const int line : unexplained(text.str()))
      ADD_FAILURE() << p.string() << ':' << line << ": what does this number bound, and why?";
  }
  EXPECT_GT(files, 700);  // the folder was found and read
}

TEST(Constants, PlantedOnesAreFound) {
  EXPECT_EQ(unexplained("constexpr int max_iterations = 7;\n"), std::vector<int>{1});
  EXPECT_EQ(unexplained("// Why.\n\nconstexpr double slow = 0.2;\n"), std::vector<int>{3});
  EXPECT_TRUE(unexplained("constexpr double slow = 0.2;  // a new matrix pays\n").empty());
  EXPECT_TRUE(
      unexplained("// Both of them.\nconstexpr int a = 1;\nstatic constexpr int b = 2;\n").empty());
  EXPECT_TRUE(unexplained("constexpr double pi = std::numbers::pi, half = 0.5 * pi;\n").empty());
}

}  // namespace
}  // namespace daedalus::structure
