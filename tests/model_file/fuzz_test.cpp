// SPDX-License-Identifier: BSD-3-Clause
// Any text ends in a model or in errors with places: no crash, no endless run. A few hundred
// inputs, and 10^5 of them with the slow tests, which the sanitizer build runs as well.
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include <daedalus/model_file.hpp>

namespace daedalus {
namespace {

std::string example(const std::string& name) {
  std::ifstream file(std::string(DAEDALUS_SOURCE_DIR) + "/examples/models/" + name + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Bytes changed, pieces taken out, doubled or moved.
std::string damaged(std::string text, std::mt19937& random) {
  static const std::string bytes = "{}[]\",:\\()+-*/^<>=0123456789.eEx_ \n\t'\"#\x80";
  for (unsigned k = 1 + random() % 4; k-- > 0 && !text.empty();) {
    const std::size_t at = random() % text.size(), length = random() % 30;
    switch (random() % 4) {
      case 0:
        text[at] = bytes[random() % bytes.size()];
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(random() % text.size(), text.substr(at, length));
        break;
      default:
        text.insert(at, 1, static_cast<char>(random() % 256));
    }
  }
  return text;
}

void every_text_ends(int count, unsigned seed) {
  const std::vector<std::string> good{example("pendulum"), example("bouncing-ball"),
                                      example("pendulum-equations"), example("sampled-controller")};
  for (const std::string& text : good) ASSERT_FALSE(text.empty());
  std::mt19937 random(seed);
  int wrong_count = 0;
  ModelFileOptions options;
  options.model.machine_code = false;
  for (int k = 0; k < count; ++k) {
    const std::string text = damaged(good[random() % good.size()], random);
    try {
      read_model_text(text, "fuzz.json", options);
    } catch (const InvalidModel& wrong) {
      ++wrong_count;
      ASSERT_FALSE(wrong.diagnostics.empty()) << text;
      for (const SourceDiagnostic& d : wrong.diagnostics) ASSERT_FALSE(d.message.empty()) << text;
    }
  }
  EXPECT_GT(wrong_count, count / 2);
}

TEST(FuzzModels, EveryTextEnds) { every_text_ends(300, 5); }
TEST(SlowFuzzModels, EveryTextOfHundredThousandEnds) { every_text_ends(100000, 6); }

TEST(FuzzModels, HostileSizesAreRefused) {
  const auto refused = [](const std::string& text) {
    EXPECT_THROW(read_model_text(text, "hostile.json"), InvalidModel) << text.substr(0, 80);
  };
  refused(std::string(100000, '['));
  // A number that no integer holds, found by the sanitizer build.
  refused(
      "{\"daedalus\": \"model\", \"variables\": {\"u\": 1}, \"equations\": [\"der(u) = 1\"], "
      "\"reference\": {\"t\": 1, \"digits\": 7.5e9, \"values\": {\"u\": 2}}}");
  refused("{\"daedalus\": \"model\", \"variables\": {\"u\": {\"size\": 1e300}}}");
  refused(
      "{\"daedalus\": \"model\", \"variables\": {\"u\": 1}, \"equations\": [{\"for\": {\"i\": [1, "
      "1e9]}, \"equation\": \"u = i\"}]}");
  refused("{\"daedalus\": \"model\", \"parameters\": {\"a\": \"" + std::string(100000, '(') +
          "\"}}");
  std::string chain;
  for (int i = 0; i < 20000; ++i)
    chain += (i ? ", \"p" : "\"p") + std::to_string(i) + "\": \"p" + std::to_string(i + 1) + "\"";
  refused("{\"daedalus\": \"model\", \"parameters\": {" + chain + "}}");
}

}  // namespace
}  // namespace daedalus
