// SPDX-License-Identifier: BSD-3-Clause
// Model files of an enemy, at the door: files of others are not read, a few lines cannot ask for
// all memory, numbers that are too large are refused where they stand, and nothing in a name
// reaches the terminal.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/tool.hpp"

namespace daedalus::cli::hostile_models_test {
namespace {

struct Case {
  const char* name;
  std::string text;
  const char* says;  // in the message
};

std::string doubled(const char* open, const char* line, const char* end, int count) {
  std::string text = open;
  for (int k = 1; k < count; ++k) text += fmt::format(fmt::runtime(line), k, k - 1);
  return text + end;
}

std::vector<Case> cases() {
  const std::string pendulum =
      contents(std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/simple-pendulum.json");
  const auto including = [&](const char* file) {
    return fmt::format("{{\"include\": \"{}\",", file) + pendulum.substr(pendulum.find('{') + 1);
  };
  return {
      {"include.cir", "* a\n.include /etc/passwd\nR1 1 0 1\nV1 1 0 1\n.op\n.end\n",
       "outside the folder"},
      {"library.cir", "* a\n.lib ../x/../../etc/passwd tt\nR1 1 0 1\nV1 1 0 1\n.op\n.end\n",
       "outside the folder"},
      {"device.cir", "* a\n.include /dev/zero\nR1 1 0 1\nV1 1 0 1\n.op\n.end\n",
       "outside the folder"},
      {"include.json", including("../../../../etc/passwd"), "outside the folder"},
      {"number.cir", "* a\nR1 1 0 1e400\nV1 1 0 1\n.op\n.end\n", ":2:"},
      {"number.mo", "model M\n  Real x = 1e400;\nend M;\n", ":2:12"},
      {"whole.mo", "model M\n  Integer i = 1" + std::string(400, '0') + ";\nend M;\n", ":2:15"},
      {"doubled.cir",
       doubled("* a\n.subckt s0 1 2\nR1 1 2 1\n.ends\n",
               ".subckt s{0} 1 2\nX1 1 2 s{1}\nX2 1 2 s{1}\n.ends\n",
               "X1 1 0 s39\nV1 1 0 1\n.op\n.end\n", 40),
       "more than"},
      {"doubled.mo",
       doubled("model A0 Real x = 1; end A0;\n", "model A{0} A{1} a; A{1} b; end A{0};\n", "", 40),
       "more than"},
      {"size.mo", "model M\n  Real x[1000000000](each start = 1);\nend M;\n",
       "1000000000 elements"},
      {"sizes.mo", "model M\n  Real x[100000, 100000];\nend M;\n", "10000000000 elements"},
      {"steps.cir", "* a\nR1 1 0 1\nV1 1 0 1\n.dc V1 0 1 1e-300\n.end\n", "more than"},
      {"frequencies.cir", "* a\nR1 1 0 1\nV1 1 0 ac 1\n.ac dec 1000000000 1 1e300\n.end\n",
       "more than"},
  };
}

TEST(HostileModels, AreRefusedWithLittleMemory) {
  const ScratchFolder folder;
  for (const Case& c : cases()) {
    const std::string path = folder / c.name, told = path + ".told";
    std::ofstream(path) << c.text;
    const pid_t child = fork();
    if (child == 0) {
      const rlimit memory{6UL << 30, 6UL << 30};
      setrlimit(RLIMIT_AS, &memory);
      alarm(60);
      const Answer answer = call({"check", path});
      std::ofstream(told) << answer.err;
      _exit(answer.code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << c.name << ": " << status;
    EXPECT_TRUE(has(contents(told), c.says)) << c.name << ": " << contents(told).substr(0, 400);
  }
}

TEST(HostileModels, AllowedFilesAreRead) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "inner");
  std::ofstream(folder / "parts.inc") << "R1 1 0 1\n";
  const std::string path = folder / "inner/a.cir";
  std::ofstream(path) << "* a\n.include ../parts.inc\nV1 1 0 1\n.op\n.end\n";
  EXPECT_EQ(call({"check", path}).code, 2);
  EXPECT_EQ(call({"--allow", "check", path}).code, 0);
}

TEST(HostileModels, NamesAreHarmlessOnATerminal) {
  const ScratchFolder folder;
  const std::string model = folder / "a.json", circuit = folder / "a.cir",
                    modelica = folder / "a.mo";
  std::ofstream(model)
      << R"({"daedalus": "model", "name": "a\u001b[31mb", "title": "c\u001b]0;d\u0007e\u009bf\u00e9",)"
      << R"( "interval": [0, 1], "variables": {"x": 1}, "equations": ["der(x) = -x"]})";
  std::ofstream(circuit) << "* t\033[2J\nR1 n\033[2J 0 1\nV1 n\033[2J 0 1\n.tran 1m 2m\n.end\n";
  std::ofstream(modelica) << "model M \"t\033[2J\"\n  Real 'x\033[2J'(start = 1);\n"
                          << "equation\n  der('x\033[2J') = -'x\033[2J';\nend M;\n";
  for (const std::string& file : {model, circuit, modelica})
    for (const char* command : {"solve", "check", "show", "explain"}) {
      const Answer answer = call({command, file});
      EXPECT_EQ(answer.code, 0) << command << file << answer.err;
      const std::string text = answer.out + answer.err;
      EXPECT_EQ(text.find_first_of("\033\a\r"), std::string::npos) << command << text;
      EXPECT_EQ(text.find("\u009b"), std::string::npos) << command << text;
    }
  EXPECT_TRUE(has(call({"show", model}).out, "a?[31mb: c?]0;d?e?f\u00e9"));
  // Colours of the tool itself stay, and documents keep what they hold.
  EXPECT_TRUE(has(call({"--color", "always", "solve", "pendulum", "--t-end", "0.1"}).out, "\033["));
  EXPECT_EQ(call({"solve", model, "--json"}).json().at("problem"), "a\033[31mb");
}

}  // namespace
}  // namespace daedalus::cli::hostile_models_test
