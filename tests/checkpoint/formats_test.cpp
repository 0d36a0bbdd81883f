// SPDX-License-Identifier: BSD-3-Clause
// Trajectory files: what is read is what was written, by our reader and by NumPy and HDF5's own,
// and a file that is not whole is refused with the place.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/trajectory_file.hpp>
#ifdef DAEDALUS_TEST_HAS_HDF5
#include <daedalus/hdf5.hpp>
#endif

#include "scratch_folder.hpp"

namespace daedalus::formats_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Formats : public ::testing::Test {
 protected:
  Formats() {
    variables_.names = {"x", "odd, \"name\"", "\xce\xbb"};
#ifdef DAEDALUS_TEST_HAS_HDF5
    enable_hdf5();
#endif
  }

  std::string path(const std::string& name) const { return folder_ / name; }

  // Numbers that need all digits, the smallest and largest ones, and both zeros.
  void write(const std::string& name, int count = 1000, const std::string& run = R"({"a":1})") {
    TrajectoryFile file(path(name));
    for (int i = 0; i < count; ++i) {
      const double y[3] = {std::sin(0.1 * i) / 3.0,
                           i == 5 ? 4.9e-324 : 1.7976931348623157e308 / (i + 1),
                           i % 2 == 0 ? 0.0 : -0.0};
      file.add(StateView(variables_, 0.1 * i, y));
    }
    EXPECT_EQ(file.commit(run), path(name));
  }
  std::string bytes(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::string refusal(const std::string& name) const {
    try {
      read_trajectory(path(name));
    } catch (const FileError& e) {
      return e.what();
    }
    return "accepted";
  }
  std::size_t files() const { return folder_.files(); }
  std::vector<std::string> formats() const {
    std::vector<std::string> all{"run.csv", "run.json", "run.npz"};
    if (hdf5_enabled()) all.push_back("run.h5");
    return all;
  }
  // The first Python that has the module; empty: none. That of the distribution may not be the
  // first in the path.
  static std::string python_with(const std::string& module) {
    for (const std::string python : {"python3", "/usr/bin/python3"})
      if (std::system((python + " -c 'import " + module + "' > /dev/null 2>&1").c_str()) == 0)
        return python;
    return {};
  }
  int run(const std::string& python, const std::string& code) const {
    std::ofstream(path("check.py")) << code;
    return std::system(
        ("cd '" + folder_.path().string() + "' && " + python + " check.py > log 2>&1").c_str());
  }

  const ScratchFolder folder_;
  Variables variables_;
};

TEST_F(Formats, GiveTheSameBitsWhenReadAgain) {
  for (const std::string& name : formats()) {
    write(name);
    const FileTrajectory read = read_trajectory(path(name));
    ASSERT_EQ(read.t.size(), 1000u) << name;
    EXPECT_EQ(read.names, variables_.names) << name;
    for (std::size_t i = 0; i < 1000; ++i) {
      ASSERT_EQ(read.t[i], 0.1 * static_cast<double>(i)) << name;
      ASSERT_EQ(read.at(i, 0), std::sin(0.1 * static_cast<double>(i)) / 3.0) << name;
      ASSERT_EQ(std::signbit(read.at(i, 2)), i % 2 == 1) << name << i;
    }
    EXPECT_EQ(read.at(5, 1), 4.9e-324) << name;
    EXPECT_EQ(read.run, name == "run.csv" ? "" : R"({"a":1})") << name;
  }
  EXPECT_EQ(files(), formats().size());
}

TEST_F(Formats, EqualRunsGiveEqualFiles) {
  for (const std::string& name : formats()) {
    write(name);
    const std::string first = bytes(name);
    write(name);
    EXPECT_TRUE(first == bytes(name)) << name;
  }
}

TEST_F(Formats, ARunWithoutStatesIsStillAFile) {
  for (const std::string& name : formats()) {
    write(name, 0);
    EXPECT_EQ(read_trajectory(path(name)).t.size(), 0u) << name;
  }
}

TEST_F(Formats, DamageIsFoundAndPlaced) {
  for (const std::string& name : formats()) {
    write(name, 50);
    const std::string good = bytes(name);
    for (std::size_t k = 1; k < good.size(); k += 1 + good.size() / 61) {
      std::ofstream(path(name), std::ios::binary) << good.substr(0, k);
      const std::string message = refusal(name);
      // A text may end at the end of a line by chance, and then nothing is missing in it.
      if (name == "run.csv" && good[k - 1] == '\n') continue;
      EXPECT_THAT(message, HasSubstr("'" + path(name) + "'")) << name << " cut at " << k;
    }
    std::ofstream(path(name), std::ios::binary) << "%PDF-1.4 something else";
    EXPECT_THAT(refusal(name), HasSubstr(name == "run.json" ? "line 1, column 1: " : "byte "))
        << name;
  }
}

TEST_F(Formats, ChangedBitsAreFoundWhereThereAreCheckSums) {
  for (const std::string& name : formats()) {
    if (name == "run.csv" || name == "run.json") continue;
    write(name, 400);
    const std::string good = bytes(name);
    std::string bad = good;
    const double value = std::sin(0.1 * 200) / 3.0;
    const std::size_t place =
        good.find(std::string(reinterpret_cast<const char*>(&value), sizeof value));
    ASSERT_NE(place, std::string::npos) << name;
    bad[place] = static_cast<char>(bad[place] ^ 1);
    std::ofstream(path(name), std::ios::binary) << bad;
    // Of HDF5 the hash over all of it is looked at before the library sees a byte.
    EXPECT_THAT(refusal(name), HasSubstr(name == "run.h5" ? "the hash of its contents" : "'y"));
  }
}

// A limit on the size of files, in a process of its own, stands for a full disk. The message names
// the file that was asked for, the old one stays, and the process ends as others do: closing what
// could not be written must not crash.
TEST_F(Formats, AFullDiskIsNamed) {
  for (const char* ending : {".csv", ".json", ".npz", ".h5"}) {
    if (std::string(ending) == ".h5" && !hdf5_enabled()) continue;
    const std::string name = std::string("full") + ending;
    std::ofstream(path(name)) << "old";
    const pid_t child = fork();
    if (child == 0) {
      signal(SIGXFSZ, SIG_IGN);
      try {
        TrajectoryFile file(path(name));
        const double y[3] = {1.0 / 3.0, 2.0 / 3.0, 1e300 / 7.0};
        for (int i = 0; i < 1000; ++i) file.add(StateView(variables_, i / 7.0, y));
        file.mark();  // the states lie beside the target; making it from them is what fails
        std::ofstream message(path("message"));
        const rlimit small{8192, 8192};
        setrlimit(RLIMIT_FSIZE, &small);
        try {
          file.commit("{}");
        } catch (const FileError& e) {
          message << e.what() << std::flush;
        }
      } catch (...) {
      }
      std::exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << ending;
    EXPECT_EQ(bytes("message"), "'" + path(name) + "' could not be written: File too large");
    EXPECT_EQ(bytes(name), "old");
  }
}

// Any name comes back; in CSV none begins with what a spreadsheet takes for a formula.
TEST_F(Formats, NamesComeBackAndAreNoFormulas) {
  Variables names;
  names.names = {"=1+1", "+x",     "-x",   "@x",      "'=x",    "'x",
                 "\tx",  "a\r\nb", "q\"q", "\033[2J", "\u03c6", "a,b"};
  const std::vector<double> y(names.names.size(), 1.0);
  for (const std::string& name : formats()) {
    TrajectoryFile file(path(name));
    file.add(StateView(names, 0.0, y.data()));
    file.commit("{}");
    EXPECT_EQ(read_trajectory(path(name)).names, names.names) << name;
  }
  const std::string csv = bytes("run.csv");
  EXPECT_TRUE(csv.starts_with("t,'=1+1,'+x,'-x,'@x,''=x,'x,'\tx,\"a\r\nb\",")) << csv;
}

TEST_F(Formats, ForeignBytesDoNotReachTheTerminal) {
  std::ofstream(path("foreign.csv"), std::ios::binary) << "\x7f"
                                                       << "ELF\x1b[31m\xff,x\n1,2\n";
  EXPECT_THAT(refusal("foreign.csv"), HasSubstr("this one is '?ELF?[31m?'"));
  std::ofstream(path("foreign.csv"), std::ios::binary) << "t,x\n1,\x1b[2J\n";
  EXPECT_THAT(refusal("foreign.csv"), HasSubstr("line 2, column 3, byte 6: '?[2J?' is no number"));
}

// Files of other programs: escapes, any order of members, any white space.
TEST_F(Formats, JsonOfOthersIsRead) {
  std::ofstream(path("other.json")) << R"({"note": {"trajectory": [1]}, "trajectory": {
               "t": [0, 1e0],
               "y": {"\u03c6": [-0, null], "a\"b": [1.5, 18446744073709551616]}},
              "after": "\u00e9"})";
  const FileTrajectory read = read_trajectory(path("other.json"));
  EXPECT_EQ(read.names, (std::vector<std::string>{"\xcf\x86", "a\"b"}));
  EXPECT_EQ(read.t, (std::vector<double>{0.0, 1.0}));
  EXPECT_TRUE(std::signbit(read.at(0, 0)));
  EXPECT_TRUE(std::isnan(read.at(1, 0)));
  EXPECT_EQ(read.at(1, 1), 18446744073709551616.0);
  EXPECT_EQ(read.run, "{\"note\":{\"trajectory\":[1]},\"after\":\"\xc3\xa9\"}");
}

TEST_F(Formats, WrongJsonIsPlaced) {
  const auto refused = [&](const std::string& text) {
    std::ofstream(path("wrong.json"), std::ios::binary) << text;
    return refusal("wrong.json");
  };
  const auto at = [](int line, int column) {
    return HasSubstr(fmt::format("line {}, column {}: ", line, column));
  };
  const std::string head = "{\"trajectory\":\n{\"t\":[0,1],\n";
  EXPECT_THAT(refused(head + "\"y\":{\"x\":[1,1e400]}}}"), AllOf(at(3, 13), HasSubstr("1e400")));
  EXPECT_THAT(refused(head + "\"y\":{\"x\":[1,2,3]}}}"),
              AllOf(at(3, 18), HasSubstr("3"), HasSubstr("2 times")));
  EXPECT_THAT(refused(head + "\"y\":{\"x\":[1,\"a\"]}}}"), at(3, 15));
  EXPECT_THAT(refused(head + "\"y\":{\"x\":[1,[2]]}}}"), at(3, 13));
  EXPECT_THAT(refused(head + "\"y\":{\"x\":[1,2],\"x\":[1,2]}}}"),
              AllOf(at(3, 18), HasSubstr("'x'")));
  EXPECT_THAT(refused(head + "\"y\":{},\"y\":{}}}"), AllOf(at(3, 10), HasSubstr("'y'")));
  EXPECT_THAT(refused(head + "\"z\":{}}}"), AllOf(at(3, 3), HasSubstr("'z'")));
  EXPECT_THAT(refused("{\"trajectory\":{\"y\":{}}}"), HasSubstr("\"t\""));
  EXPECT_THAT(refused("{\"trajectory\":{\"t\":[]}}"), HasSubstr("\"y\""));
  EXPECT_THAT(refused("{\"trajectory\":7}"), at(1, 16));
  EXPECT_THAT(refused("{\"a\":1}"), HasSubstr("\"trajectory\""));
  EXPECT_THAT(refused("{\"a\":1} {}"), at(1, 9));
  const std::string deep(100000, '[');
  EXPECT_THAT(refused("{\"a\":" + deep), at(1, 69));  // no more than 64 levels, the first is '{'
}

TEST_F(Formats, WhatGoesWithJsonIsAnObject) {
  EXPECT_THROW(write("run.json", 3, "[1]"), InvalidArgument);
  EXPECT_THROW(write("run.json", 3, "{"), InvalidArgument);
  write("run.json", 3, "");
  EXPECT_EQ(read_trajectory(path("run.json")).run, R"({"version":1})");
}

TEST_F(Formats, AFailedRunReplacesNothing) {
  write("run.csv", 3);
  const std::string good = bytes("run.csv");
  TrajectoryFile file(path("run.csv"));
  const double y[3] = {1.0, 2.0, 3.0};
  file.add(StateView(variables_, 0.0, y));
  EXPECT_EQ(file.commit({}, false), path("run.failed.csv"));
  EXPECT_EQ(bytes("run.csv"), good);
  TrajectoryFile again(path("run.csv"));
  again.add(StateView(variables_, 0.0, y));
  EXPECT_EQ(again.commit({}, false), path("run.failed-2.csv"));
}

TEST_F(Formats, UnknownEndingsAreRefused) {
  EXPECT_THROW(TrajectoryFile(path("run.txt")), InvalidArgument);
  EXPECT_THROW(read_trajectory(path("run")), InvalidArgument);
  EXPECT_THAT(refusal("missing.csv"), HasSubstr("missing.csv"));
}

TEST_F(Formats, NumpyReadsThem) {
  const std::string numpy = python_with("numpy");
  if (numpy.empty()) GTEST_SKIP() << "python3-numpy is not installed";
  write("run.npz");
  EXPECT_EQ(run(numpy,
                "import numpy, json, math\n"
                "r = numpy.load('run.npz')\n"
                "assert r['t'].shape == (1000,) and r['y'].shape == (1000, 3)\n"
                "assert list(r['names']) == ['x', 'odd, \"name\"', '\\u03bb'], r['names']\n"
                "assert all(r['t'][i] == 0.1 * i for i in range(1000))\n"
                "assert r['y'][7, 0] == math.sin(0.1 * 7) / 3.0 and r['y'][5, 1] == 4.9e-324\n"
                "assert json.loads(str(r['run']))['a'] == 1\n"),
            0)
      << bytes("log");
}

TEST_F(Formats, Hdf5ToolsReadThem) {
  if (!hdf5_enabled()) GTEST_SKIP() << "built without HDF5 (libhdf5-dev)";
  write("run.h5");
  const std::string h5py = python_with("h5py");
  const bool h5dump = std::system("h5dump --version > /dev/null 2>&1") == 0;
  if (h5py.empty() && !h5dump) GTEST_SKIP() << "neither python3-h5py nor hdf5-tools is installed";
  if (!h5py.empty()) {
    EXPECT_EQ(run(h5py,
                  "import h5py, math\n"
                  "f = h5py.File('run.h5', 'r')\n"
                  "assert f['t'].shape == (1000,) and f['y'].shape == (1000, 3)\n"
                  "assert f['names'][2].decode() == '\\u03bb'\n"
                  "assert f['y'][7, 0] == math.sin(0.1 * 7) / 3.0\n"
                  "assert f['run'][()].decode() == '{\"a\":1}'\n"),
              0)
        << bytes("log");
  }
  if (h5dump) {
    EXPECT_EQ(std::system(("h5dump -d t '" + path("run.h5") + "' > /dev/null").c_str()), 0);
  }
}

}  // namespace
}  // namespace daedalus::formats_test
