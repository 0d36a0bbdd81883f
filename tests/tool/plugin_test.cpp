// SPDX-License-Identifier: BSD-3-Clause
// Plug-ins that are wrong are named, with what is missing; `new` and `build` say what they do. That
// a good one is built and solved is tested with docs/first-problem.md.
#include <sys/stat.h>

#include <daedalus/version.hpp>

#include "tool/program.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

// A shared object of a few lines of C, which compiles at once.
std::string compiled(const ScratchFolder& folder, const std::string& name,
                     const std::string& text) {
  const std::string source = folder / (name + ".c"), target = folder / (name + ".so");
  std::ofstream(source) << text;
  ProgramRun cc{.program = find_program("cc"), .output = folder / "words"};
  cc.arguments = {"-shared", "-fPIC", "-o", target, source};
  EXPECT_EQ(run_program(cc), 0) << contents(folder / "words");
  return target;
}

// As a full disk leaves it: what the loader maps lies behind the end of the file.
std::string cut_off(const ScratchFolder& folder) {
  const std::string path = folder / "cut.so";
  std::filesystem::copy_file(DAEDALUS_TOOL, path);
  std::filesystem::resize_file(path, 100000);
  return path;
}

std::string pipe_at(const std::string& path) {
  EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
  return path;
}

const std::string same_version =
    "const char* daedalus_plugin_version(void) { return \"" + std::string(version) + "\"; }\n";

TEST(Plugins, WrongOnesAreNamed) {
  const ScratchFolder folder;
  std::ofstream(folder / "text.so") << "no shared object\n";
  struct Wrong {
    std::string file, word;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {folder / "nothing.so", "no file"},
           {folder / "text.so", "cannot be loaded"},
           {compiled(folder, "empty", "int x;\n"), "no symbol 'daedalus_plugin_version'"},
           {compiled(folder, "old",
                     "const char* daedalus_plugin_version(void) { return \"0.1.9\"; }\n"),
            "compiled for daedalus 0.1.9, and this is " + std::string(version)},
           {compiled(folder, "layout",
                     same_version + "unsigned long daedalus_plugin_layout(void) { return 7; }\n"),
            "other headers"},
           {compiled(folder, "undefined",
                     "void no_such_function(void);\nvoid f(void) { no_such_function(); }\n"),
            "no_such_function"},
           {compiled(folder, "null", "char* daedalus_plugin_version(void) { return 0; }\n"),
            "no version"},
           {compiled(folder, "aborts",
                     "#include <stdlib.h>\n"
                     "__attribute__((constructor)) static void f(void) { abort(); }\n"),
            "it crashes (signal 6)"},
           {cut_off(folder), "it crashes"},
           {pipe_at(folder / "pipe.so"), "it is no file"}}) {
    const Answer answer = call({"solve", wrong.file});
    EXPECT_EQ(answer.code, 3) << wrong.file << answer.out;
    EXPECT_NE(answer.err.find(wrong.word), std::string::npos) << answer.err;
  }
}

TEST(Plugins, BuildSaysWhatIsWrong) {
  const ScratchFolder folder;
  EXPECT_EQ(call({"build", folder / "nothing.cpp"}).code, 3);
  std::ofstream(folder / "wrong.cpp") << "this is no C++;\n";
  const Answer wrong = call({"build", folder / "wrong.cpp"});
  EXPECT_NE(wrong.code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "wrong.so"));
  EXPECT_EQ(call({"build", folder / "wrong.cpp", "--compiler", "no-such-compiler"}).code, 3);
  EXPECT_EQ(call({"build", folder / "wrong.cpp", "--out", folder / "x.exe"}).code, 2);
}

TEST(Plugins, NewWritesFilesOnce) {
  const ScratchFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Answer first = call({"new", "mine", "--json"}), again = call({"new", "mine"}),
               wrong = call({"new", "no-name"});
  std::filesystem::current_path(before);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.json().at("files").size(), 2u);
  EXPECT_NE(contents(folder / "mine/mine.cpp").find("DAEDALUS_PLUGIN(mine)"), std::string::npos);
  EXPECT_NE(contents(folder / "mine/CMakeLists.txt").find("find_package(daedalus"),
            std::string::npos);
  EXPECT_EQ(again.code, 3);
  EXPECT_EQ(wrong.code, 2);
}

}  // namespace
}  // namespace daedalus::cli
