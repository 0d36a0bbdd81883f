// SPDX-License-Identifier: BSD-3-Clause
// Runs that are solved together, as columns of numbers in the memory of the host. One batch is used
// again and again; several of them keep a device busy while others are filled and emptied.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ensemble/gpu/source.hpp"

namespace daedalus::gpu {

struct Columns {
  int numbers = 0, given = 0, variables = 0, state = 0;
  bool one_start = false, one_interval = false;  // for all runs
  int inside = 0;                                // times at which states are asked for
  bool ended = false;                            // conditions may end runs earlier
};

class Batch {
 public:
  Batch(const Columns& columns, std::size_t capacity);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  virtual ~Batch() = default;

  std::size_t capacity() const { return capacity_; }
  std::size_t count() const { return count_; }
  void begin(std::size_t count);  // so many runs, at most `capacity`; all columns are to be written
  // Columns of `count` numbers, or of one where all runs share them.
  double* number(int k) { return in_ + offset(k) * count_; }
  double* given(int k);
  double* time(int which);  // 0: beginnings, 1: ends
  double* inside();         // the times of all runs
  // After solve().
  double* y(int k) { return out_ + offset(k) * count_; }
  double* series(int j, int k);  // variable k at time j
  double* ended();
  const unsigned char* outcome() const;

  // States at times that a run did not reach are NaN, on the host.
  void clear_unreached();

  // So many batches are solved at once: each takes its share of the device, and so many runs per
  // thread that few threads wait for others at its end.
  void use_share_of(std::size_t batches) { batches_at_once_ = batches; }

  // Throws InvalidArgument with the words of the device.
  virtual void solve() = 0;

 protected:
  static std::size_t offset(int k) { return static_cast<std::size_t>(k); }
  std::size_t in_numbers() const;  // to be copied to the device
  std::size_t out_bytes() const;   // to be copied from it
  std::size_t most_in_bytes() const, most_out_bytes() const, most_state_bytes() const;
  // With the tables at these places.
  Arguments arguments(double* in, double* state, double* out, unsigned int* next) const;

  std::size_t batches_at_once_ = 1;
  double *in_ = nullptr, *out_ = nullptr;  // in the memory of the host: of the derived class

 private:
  std::size_t given_rows() const { return columns_.one_start ? 1 : count_; }
  std::size_t time_rows() const { return columns_.one_interval ? 1 : count_; }
  std::size_t out_numbers() const {  // of a run
    return offset(columns_.variables) * (1 + offset(columns_.inside)) + (columns_.ended ? 1 : 0);
  }

  Columns columns_;
  std::size_t capacity_, count_ = 0;
};

// Where batches are solved: a function per device that makes them.
struct Processor {
  std::string description{};
  std::vector<std::function<std::unique_ptr<Batch>(const Columns&, std::size_t capacity)>>
      devices{};
};

}  // namespace daedalus::gpu
