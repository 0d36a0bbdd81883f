// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/ghosts.hpp"

#include <algorithm>

#include "distributed/wait.hpp"

namespace daedalus::distributed {
namespace {
constexpr int tag_of_lists = 7301, tag_of_values = 7302;  // any two that differ
}

Ghosts::Ghosts(MPI_Comm world, const std::vector<std::int64_t>& firsts,
               const std::vector<std::int64_t>& ghosts)
    : world_(world), count_(static_cast<int>(ghosts.size())) {
  int rank = 0, size = 1;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  const auto first = firsts[static_cast<std::size_t>(rank)];
  own_ = static_cast<int>(firsts[static_cast<std::size_t>(rank) + 1] - first);
  std::vector<int> wanted(static_cast<std::size_t>(size), 0), asked(wanted);
  for (int k = 0; k < count_; ++k) {
    const auto owner = static_cast<int>(
        std::upper_bound(firsts.begin(), firsts.end(), ghosts[static_cast<std::size_t>(k)]) -
        firsts.begin() - 1);
    if (from_.empty() || from_.back().rank != owner) from_.push_back({owner, k, 0});
    ++from_.back().count;
    ++wanted[static_cast<std::size_t>(owner)];
  }
  MPI_Alltoall(wanted.data(), 1, MPI_INT, asked.data(), 1, MPI_INT, world);
  int total = 0;
  for (int r = 0; r < size; ++r)
    if (const int n = asked[static_cast<std::size_t>(r)]; n > 0) {
      to_.push_back({r, total, n});
      total += n;
    }
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(total));
  requests_.resize(from_.size() + to_.size());
  std::size_t k = 0;
  for (const Peer& p : to_)
    MPI_Irecv(numbers.data() + p.first, p.count, MPI_INT64_T, p.rank, tag_of_lists, world,
              &requests_[k++]);
  for (const Peer& p : from_)
    MPI_Isend(ghosts.data() + p.first, p.count, MPI_INT64_T, p.rank, tag_of_lists, world,
              &requests_[k++]);
  wait_all(static_cast<int>(k), requests_.data());
  for (const std::int64_t number : numbers) sent_.push_back(static_cast<int>(number - first));
}

void Ghosts::exchange(std::span<double* const> vectors) {
  if (requests_.empty()) return;
  const std::size_t columns = vectors.size();
  out_.resize(columns * sent_.size());
  in_.resize(columns * static_cast<std::size_t>(count_));
  std::size_t k = 0;
  for (const Peer& p : from_)
    MPI_Irecv(in_.data() + columns * static_cast<std::size_t>(p.first),
              static_cast<int>(columns) * p.count, MPI_DOUBLE, p.rank, tag_of_values, world_,
              &requests_[k++]);
  for (const Peer& p : to_) {
    double* out = out_.data() + columns * static_cast<std::size_t>(p.first);
    for (std::size_t c = 0; c < columns; ++c)
      for (int i = 0; i < p.count; ++i)
        *out++ = vectors[c][sent_[static_cast<std::size_t>(p.first + i)]];
    const int count = static_cast<int>(columns) * p.count;
    MPI_Isend(out - count, count, MPI_DOUBLE, p.rank, tag_of_values, world_, &requests_[k++]);
    ++messages_;
    bytes_ += static_cast<double>(sizeof(double)) * count;
  }
  wait_all(static_cast<int>(k), requests_.data());
  for (const Peer& p : from_) {
    const double* in = in_.data() + columns * static_cast<std::size_t>(p.first);
    for (std::size_t c = 0; c < columns; ++c, in += p.count)
      std::copy_n(in, p.count, vectors[c] + own_ + p.first);
  }
}

}  // namespace daedalus::distributed
