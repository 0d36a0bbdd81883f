// SPDX-License-Identifier: BSD-3-Clause
// Raw files: the same numbers come back from both kinds, damaged files are refused with the place.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <daedalus/raw_file.hpp>
#include <daedalus/trajectory_file.hpp>

namespace daedalus {
namespace {

std::filesystem::path place(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

std::vector<RawPlot> two_plots() {
  RawPlot real;
  real.title = "a title";
  real.name = "Transient Analysis";
  real.names = {"time", "v(out)", "i(v1)", "q(d1)"};
  real.set_rows({{0.0, 1.0, -1e-3, 1e-12}, {1.0 / 3.0, M_PI, 1e-300, -0.0}});
  RawPlot complex_plot;
  complex_plot.title = "a title";
  complex_plot.name = "AC Analysis";
  complex_plot.complex_values = true;
  complex_plot.names = {"frequency", "v(out)"};
  complex_plot.set_rows({{10.0, 0.0, 0.5, -0.25}});
  return {real, complex_plot};
}

TEST(RawFiles, GiveBackEveryBitAsTextAndBinary) {
  for (const char* name : {"two.raw", "two.ascii.raw"}) {
    const auto file = place(name);
    write_raw(file, two_plots(), raw_as_text(file));
    const std::vector<RawVectors> plots = read_raw(file);
    ASSERT_EQ(plots.size(), 2U) << name;
    EXPECT_EQ(plots[0].title, "a title");
    EXPECT_EQ(plots[0].names, (std::vector<std::string>{"time", "v(out)", "i(v1)", "q(d1)"}));
    EXPECT_EQ(plots[0].kinds, (std::vector<std::string>{"time", "voltage", "current", "notype"}));
    EXPECT_EQ(plots[0].values,
              (std::vector<double>{0.0, 1.0, -1e-3, 1e-12, 1.0 / 3.0, M_PI, 1e-300, -0.0}));
    EXPECT_TRUE(plots[1].complex_values);
    EXPECT_EQ(plots[1].values, (std::vector<double>{10.0, 0.0, 0.5, -0.25}));
  }
}

// As SPICE 3 lays them out, byte by byte.
TEST(RawFiles, AreWrittenAsViewersExpect) {
  RawPlot plot = two_plots()[0];
  plot.set_rows({{0.0, 1.0, 2.0, 3.0}});
  const auto file = place("layout.raw");
  write_raw(file, {plot}, true);
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const std::string expected =
      "Title: a title\nDate: Thu Jan  1 00:00:00 1970\nPlotname: Transient Analysis\nFlags: real\n"
      "No. Variables: 4\nNo. Points: 1\nVariables:\n\t0\ttime\ttime\n\t1\tv(out)\tvoltage\n"
      "\t2\ti(v1)\tcurrent\n\t3\tq(d1)\tnotype\nValues:\n 0\t0.00000000000000000e+00\n";
  EXPECT_EQ(text.substr(0, expected.size()), expected);
  write_raw(file, {plot}, false);
  EXPECT_EQ(std::filesystem::file_size(file), expected.find("Values:") + 8 + 4 * sizeof(double));
}

TEST(RawFiles, DamagedOnesAreRefusedWithThePlace) {
  const auto file = place("damaged.raw");
  write_raw(file, two_plots(), false);
  std::ifstream in(file, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    std::ofstream(file, std::ios::binary) << whole.substr(0, length);
    try {
      // Cut between two plots it is a file of one.
      EXPECT_EQ(read_raw(file).size(), 1U) << length;
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find("byte"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace daedalus
