// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/sweep_talk.hpp"

namespace daedalus::distributed {

std::optional<Heard> Talk::hear() {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_, &there, &status);
  if (there == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  Heard heard{static_cast<Word>(status.MPI_TAG), status.MPI_SOURCE,
              std::vector<char>(static_cast<std::size_t>(size))};
  MPI_Recv(heard.bytes.data(), size, MPI_CHAR, heard.from, status.MPI_TAG, world_,
           MPI_STATUS_IGNORE);
  ++messages_;
  return heard;
}

void Talk::say(Word word, int to, const void* bytes, std::size_t count) {
  MPI_Send(bytes, static_cast<int>(count), MPI_CHAR, to, static_cast<int>(word), world_);
  ++messages_;
}

}  // namespace daedalus::distributed
