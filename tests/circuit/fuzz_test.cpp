// SPDX-License-Identifier: BSD-3-Clause
// Damaged netlists: whatever is in a file, it is read or refused with a message that has a place.
// DAEDALUS_FUZZ=100000 makes a long run of it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include <daedalus/trajectory_file.hpp>

#include "circuit/reference.hpp"

namespace daedalus {
namespace {

const char* const seeds[] = {"rc",      "pulses", "emitter",     "ringosc", "opamp",
                             "chua",    "buck",   "transformer", "nand",    "differentiator",
                             "gatecap", "jfet",   "op_latch",    "zener",   "index3"};
const char* const words[] = {"{",
                             "}",
                             "(",
                             ")",
                             "=",
                             "+",
                             "'",
                             "\n",
                             "\n+",
                             " ",
                             "1e999",
                             "-1",
                             "0",
                             "1meg",
                             "1M",
                             "4k7",
                             "nan",
                             ".param a={a}",
                             ".subckt x a",
                             ".ends",
                             ".include x",
                             ".end",
                             "X9 1 2 inv",
                             "\xC2\xB5",
                             "\xFF",
                             "\\\\",
                             "$ ",
                             ";",
                             "*",
                             "POLY(2)",
                             "V=",
                             "I=v(q)",
                             "v(",
                             "i(",
                             "?",
                             ":",
                             "^",
                             "**",
                             "PULSE(0 1 0 0 0 0 0)",
                             "PWL(0 0 0 1)",
                             "K1 L1 L2 2",
                             ".tran 1 1e9",
                             ".ac dec 10 1 1",
                             ".model",
                             "UIC",
                             ".meas tran x MAX v(a)\n",
                             ".meas tran y TRIG v(a) VAL=1 RISE=1 TARG",
                             ".print tran i(R1) p(C1) v(a,b)\n",
                             "DC 1",
                             "IC=1,2",
                             "\t",
                             ",",
                             "#"};

std::string text_of(const char* name) {
  std::ifstream in(circuits::path(std::string(name) + ".cir"));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

template <class Random>
std::string damaged(const std::vector<std::string>& texts, Random& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::string text = texts[below(texts.size())];
  for (std::size_t k = 0, changes = 1 + below(6); k < changes && !text.empty(); ++k) {
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(20));
        break;
      case 2:
        text.insert(at, words[below(std::size(words))]);
        break;
      case 3:  // a line from elsewhere
      {
        const std::string& other = texts[below(texts.size())];
        const std::size_t from = below(other.size()), line = other.find('\n', from);
        text.insert(at, other.substr(from, line == std::string::npos ? 40 : line - from + 1));
        break;
      }
      case 4:
        text = text.substr(0, at);
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(60)));
    }
  }
  return text;
}

TEST(Fuzz, DamagedNetlistsAreReadOrRefusedWithAPlace) {
  const char* asked = std::getenv("DAEDALUS_FUZZ");
  const long count = asked ? std::atol(asked) : 1500;
  std::vector<std::string> texts;
  for (const char* seed : seeds) texts.push_back(text_of(seed));
  std::mt19937 random(25);
  long read = 0, refused = 0;
  for (long k = 0; k < count; ++k) {
    const std::string text = damaged(texts, random);
    try {
      const Circuit circuit = read_circuit_text(text, "fuzz.cir");
      EXPECT_FALSE(circuit.index().text.empty());
      ++read;
    } catch (const InvalidModel& wrong) {
      ++refused;
      ASSERT_FALSE(wrong.diagnostics.empty()) << text;
      EXPECT_GE(wrong.diagnostics.front().line, 1) << text;
      EXPECT_FALSE(wrong.diagnostics.front().message.empty()) << text;
    } catch (const std::exception& other) {
      ADD_FAILURE() << k << ": " << other.what() << "\n" << text;
    }
  }
  // Both happen, or the damage is of no use.
  EXPECT_GT(read, count / 50);
  EXPECT_GT(refused, count / 10);
}

}  // namespace
}  // namespace daedalus
