// SPDX-License-Identifier: BSD-3-Clause
// The messages of a distributed ensemble. All but `results` are small: they leave without waiting
// for their receiver, so that no two ranks wait for each other.
#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "distributed/sweep_crew.hpp"

namespace daedalus::distributed {

enum class Word : int {
  request = 1,  // to rank 0: more runs
  results,      // to rank 0: finished runs
  done,         // to rank 0: nothing will follow
  stop,         // to rank 0: I was cancelled; from it: end
  chunk,        // from rank 0: [begin, end) of the open runs; empty: there are no more
  end           // from rank 0: every rank is done
};

struct Heard {
  Word word;
  int from;
  std::vector<char> bytes;
};

class Talk {
 public:
  explicit Talk(MPI_Comm world) : world_(world) {}
  // What is there, without waiting.
  std::optional<Heard> hear();
  void say(Word word, int to, const void* bytes = nullptr, std::size_t count = 0);
  std::size_t messages() const { return messages_; }

 private:
  MPI_Comm world_;
  std::size_t messages_ = 0;
};

using Chunk = std::array<std::uint64_t, 2>;

// Pauses between looks, from short ones to a millisecond: processors are for those who compute.
class Patience {
 public:
  void reset() { pause_ = shortest; }
  void wait(Crew& crew) {
    crew.pause(pause_);
    pause_ = std::min(2 * pause_, longest);
  }

 private:
  static constexpr std::chrono::microseconds shortest{20}, longest{1000};
  std::chrono::microseconds pause_ = shortest;
};

}  // namespace daedalus::distributed
