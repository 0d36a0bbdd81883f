// SPDX-License-Identifier: BSD-3-Clause
// Streams on GPUs: each thread has a batch, which it fills, has solved and empties; the device
// works on one of them while the others are copied.
#pragma once

#include "ensemble/gpu/engine.hpp"
#include "ensemble/stream_model.hpp"

namespace daedalus::gpu {

class Stream {
 public:
  Stream(const StreamModel& model, std::shared_ptr<const Engine> engine);
  StreamReport run(std::size_t count, const FillBatch& fill, const TakeBatch& take);

 private:
  void make_batches(std::size_t count);

  const StreamModel& model_;
  std::shared_ptr<const Engine> engine_;
  Columns columns_;
  std::vector<std::unique_ptr<Batch>> batches_;
};

}  // namespace daedalus::gpu
