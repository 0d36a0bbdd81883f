// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/gpu/stream.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>

#include "ensemble/run_task.hpp"
#include "ensemble/workers.hpp"
#include "kernel/at.hpp"

namespace daedalus::gpu {
namespace {

// So many batches keep a device busy while others are filled and emptied; smaller and more of them
// begin and end sooner (HIRES on an H200: 94 million runs per second, 84 with 8 of 16384).
constexpr std::size_t batches_per_device = 16, batches_at_once = 4;
constexpr std::size_t most_per_batch = 8192, most_bytes = 256'000'000;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// One call of run(): what its threads share.
class Pass {
 public:
  Pass(const StreamModel& model, std::size_t count, std::size_t size, const FillBatch& fill,
       const TakeBatch& take)
      : model_(model), count_(count), size_(size), fill_(fill), take_(take) {}

  void work(Batch& batch) {
    try {
      for (;;) {
        const std::size_t number = next_++, first = number * size_;
        if (first >= count_ || stopped()) break;
        one(batch, number, first);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
    turn_changed_.notify_all();
  }
  StreamReport report() const {
    if (error_) std::rethrow_exception(error_);
    return report_;
  }

 private:
  bool stopped() const { return stop_ || (model_.settings.cancel && model_.settings.cancel()); }

  void one(Batch& batch, std::size_t number, std::size_t first) {
    batch.begin(std::min(size_, count_ - first));
    const BatchInput in{first, batch.count(), batch.number(0),
                        model_.settings.starts ? batch.given(0) : nullptr};
    fill_(in);
    if (model_.start_function) {
      model_.starts(in, [&](std::size_t k) { return batch.given(static_cast<int>(k)); });
    } else if (!model_.settings.starts) {
      const std::vector<double> starts = model_.starts();
      for (std::size_t k = 0; k < starts.size(); ++k) *batch.given(static_cast<int>(k)) = starts[k];
    }
    *batch.time(0) = model_.interval.from;
    *batch.time(1) = model_.interval.to;
    const std::vector<double>& times = model_.settings.times;
    std::copy(times.begin(), times.end(), batch.inside());
    bool good = true;
    try {
      batch.solve();
    } catch (const std::exception&) {  // no run is lost with a device
      good = false;
    }
    std::vector<LibraryRun> left;
    for (std::size_t i = 0; i < batch.count() && !stopped(); ++i)
      if (!good || !is_done(batch.outcome()[i])) left.push_back(in_library(batch, in, i));
    if (stopped()) return;
    batch.clear_unreached();
    deliver(number, batch, in, left, functionals(batch, in));
  }

  std::vector<double> functionals(Batch& batch, const BatchInput& in) const {
    if (!model_.settings.functional) return {};
    std::vector<double> found(in.count), x(model_.variables), p;
    for (std::size_t i = 0; i < in.count; ++i) {
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = batch.y(static_cast<int>(k))[i];
      const double t = model_.settings.stops.empty() ? model_.interval.to : batch.ended()[i];
      found[i] = model_.functional(in, i, t, x.data(), p);
    }
    return found;
  }

  LibraryRun in_library(Batch& batch, const BatchInput& in, std::size_t i) const {
    LibraryRun left{in.first + i, run_task([&](std::size_t) { return model_.task(in, i); }, i,
                                           [this] { return stopped(); })};
    for (std::size_t k = 0; k < model_.variables; ++k)
      batch.y(static_cast<int>(k))[i] = left.result.ok ? left.result.y[k] : no_number;
    const std::size_t rows = model_.settings.times.size() * model_.variables;
    for (std::size_t k = 0; k < rows; ++k)
      batch.series(0, static_cast<int>(k))[i] =
          k < left.result.series.size() ? left.result.series[k] : no_number;
    if (!model_.settings.stops.empty()) batch.ended()[i] = left.result.t;
    return left;
  }

  void deliver(std::size_t number, Batch& batch, const BatchInput& in,
               const std::vector<LibraryRun>& left, const std::vector<double>& functionals) {
    std::unique_lock lock(mutex_);
    if (model_.settings.in_order)
      turn_changed_.wait(lock, [&] { return turn_ == number || stop_; });
    if (stop_) return;
    report_.done += in.count;
    report_.handed_over += left.size();
    for (const LibraryRun& run : left) report_.failed += run.result.ok ? 0 : 1;
    BatchOutput out{in.first, in.count, model_.variables, batch.y(0), left};
    if (!model_.settings.times.empty()) out.series = batch.series(0, 0);
    if (!model_.settings.stops.empty()) out.ended = batch.ended();
    if (!functionals.empty()) out.functional = functionals.data();
    if (!model_.settings.in_order) lock.unlock();
    take_(out);
    if (!model_.settings.in_order) return;
    ++turn_;
    lock.unlock();
    turn_changed_.notify_all();
  }

  const StreamModel& model_;
  std::size_t count_, size_;
  const FillBatch& fill_;
  const TakeBatch& take_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable turn_changed_;
  std::size_t turn_ = 0;
  StreamReport report_;
  std::exception_ptr error_;
};

}  // namespace

Stream::Stream(const StreamModel& model, std::shared_ptr<const Engine> engine)
    : model_(model), engine_(std::move(engine)), columns_(columns_of(*engine_->plan)) {
  columns_.one_start = !model.settings.starts && !model.start_function;
  columns_.one_interval = true;
}

void Stream::make_batches(std::size_t count) {
  const std::size_t devices = engine_->processor.devices.size();
  const std::size_t threads =
      model_.settings.threads > 0 ? at(model_.settings.threads) : batches_per_device * devices;
  const std::size_t fits =
      std::min(most_per_batch, most_bytes / (threads * bytes_per_run(*engine_->plan)));
  const std::size_t size = std::max<std::size_t>(
      1, model_.settings.batch > 0 ? model_.settings.batch : std::min(fits, count));
  const std::size_t wanted = std::min(threads, (count + size - 1) / size);
  if (!batches_.empty() && batches_.front()->capacity() < size) batches_.clear();
  while (batches_.size() < wanted)
    batches_.push_back(engine_->processor.devices[batches_.size() % devices](columns_, size));
  for (const auto& batch : batches_)
    batch->use_share_of(std::clamp<std::size_t>(wanted / devices, 1, batches_at_once));
}

StreamReport Stream::run(std::size_t count, const FillBatch& fill, const TakeBatch& take) {
  if (count == 0) return {};
  make_batches(count);
  Pass pass(model_, count, batches_.front()->capacity(), fill, take);
  std::atomic<std::size_t> worker = 0;
  on_threads(batches_.size(), [&] { pass.work(*batches_[worker++]); });
  return pass.report();
}

}  // namespace daedalus::gpu
