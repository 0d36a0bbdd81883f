// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/sweep_crew.hpp"

#include "ensemble/run_task.hpp"

namespace daedalus::distributed {

Crew::Crew(int threads, const Make& make, std::function<bool()> cancel)
    : make_(make), cancel_(std::move(cancel)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Crew::~Crew() {
  stop();
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::work() {
  const auto stopped = [this] { return stop_ || (cancel_ && cancel_()); };
  for (;;) {
    std::size_t run = 0;
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [this] { return closed_ || !open_.empty(); });
      if (open_.empty()) return;
      run = open_.front();
      open_.pop_front();
      ++running_;
    }
    NumberedRun made{run, {}};
    std::exception_ptr error;
    try {
      if (!stopped()) made.second = run_task(make_, run, stopped);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    --running_;
    if (error && !error_) error_ = error;
    ++made_;
    seconds_ += made.second.seconds;
    if (made.second.done) finished_.push_back(std::move(made));
    ended_.notify_one();
  }
}

void Crew::give(std::span<const std::size_t> runs) {
  if (stop_) return;
  {
    const std::lock_guard lock(mutex_);
    open_.insert(open_.end(), runs.begin(), runs.end());
  }
  begin_.notify_all();
}

void Crew::stop() {
  stop_ = true;
  const std::lock_guard lock(mutex_);
  open_.clear();
}

std::vector<NumberedRun> Crew::take() {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return std::exchange(finished_, {});
}

bool Crew::waiting() const {
  const std::lock_guard lock(mutex_);
  return !open_.empty();
}

bool Crew::idle() const {
  const std::lock_guard lock(mutex_);
  return open_.empty() && running_ == 0 && finished_.empty();
}

double Crew::mean_seconds() const {
  const std::lock_guard lock(mutex_);
  return made_ == 0 ? 0.0 : seconds_ / static_cast<double>(made_);
}

void Crew::pause(std::chrono::microseconds longest) {
  std::unique_lock lock(mutex_);
  if (finished_.empty()) ended_.wait_for(lock, longest);
}

}  // namespace daedalus::distributed
