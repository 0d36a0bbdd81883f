// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer's program for all readers: `daedalus_fuzz --reader=csv [options of libFuzzer]
// folder...`;
// `--readers` lists them. One program, since fifteen of them with the sanitizers take longer to
// link than to run in the tests.
#include <cstdio>

#include "fuzz/target.hpp"
#include "fuzz/words.hpp"

namespace daedalus::fuzz {

#define TARGET(name) extern const Target name##_target;
DAEDALUS_FUZZ_TARGETS
#undef TARGET

namespace {

#define TARGET(name) &name##_target,
constexpr const Target* targets[] = {DAEDALUS_FUZZ_TARGETS};
#undef TARGET

const Target* chosen = nullptr;

void choose(std::string_view name) {
  for (const Target* target : targets)
    if (name == target->name) chosen = target;
}

}  // namespace
}  // namespace daedalus::fuzz

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" int LLVMFuzzerInitialize(const int* argc, char*** argv) {
  using namespace daedalus::fuzz;
  constexpr std::string_view reader = "--reader=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view word = (*argv)[i];
    if (word.starts_with(reader)) choose(word.substr(reader.size()));
    if (word != "--readers") continue;
    for (const Target* target : targets) std::puts(target->name);
    std::exit(0);
  }
  if (chosen) return 0;
  std::fputs("daedalus_fuzz: name one with --reader=NAME; --readers lists them\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  daedalus::fuzz::chosen->read(data, size);
  return 0;
}

// Seven times of eight the sums are repaired, once they are left as they are.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  const daedalus::fuzz::Target& target = *daedalus::fuzz::chosen;
  const bool words = target.words && seed % 2 == 0;
  if (!words) size = LLVMFuzzerMutate(data, size, max_size);
  std::string bytes = daedalus::fuzz::text(data, size);
  if (words) daedalus::fuzz::mutate_words(bytes, seed);
  if (target.repair && seed % 8 != 0) target.repair(bytes);
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
