// SPDX-License-Identifier: BSD-3-Clause
// Which values go to which rank: made once from the global numbers of the ghosts, used for every
// evaluation. One message per neighbour, whatever the number of vectors.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

namespace daedalus::distributed {

class Ghosts {
 public:
  // Collective. `firsts`: first global number of each rank, and the number of all unknowns.
  Ghosts(MPI_Comm world, const std::vector<std::int64_t>& firsts,
         const std::vector<std::int64_t>& ghosts);

  // Each vector holds own values, then room for the ghosts, which is filled.
  void exchange(std::span<double* const> vectors);
  int own() const { return own_; }
  int count() const { return count_; }
  int neighbours() const { return static_cast<int>(from_.size()); }
  long messages() const { return messages_; }
  double bytes() const { return bytes_; }

 private:
  struct Peer {
    int rank, first, count;  // places in the ghosts, or in `sent_`
  };
  MPI_Comm world_;
  int own_ = 0, count_ = 0;
  std::vector<Peer> from_, to_;
  std::vector<int> sent_;  // own numbers, peer by peer
  std::vector<double> out_, in_;
  std::vector<MPI_Request> requests_;
  long messages_ = 0;
  double bytes_ = 0.0;
};

}  // namespace daedalus::distributed
