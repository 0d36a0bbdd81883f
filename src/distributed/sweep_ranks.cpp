// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/sweep_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "distributed/sweep_talk.hpp"

namespace daedalus::distributed {
namespace {

using Clock = std::chrono::steady_clock;

// Results of short runs travel together, those of long ones as they come.
constexpr std::size_t full_message = 1'000'000;
constexpr std::chrono::milliseconds oldest_result{50};
// Runs this short are asked for before the last ones have ended: an answer takes up to a
// millisecond. Longer ones are not, so that none waits behind another while a rank is idle.
constexpr double short_run = 0.01;

struct Shared {
  MPI_Comm world;
  int rank = 0, size = 1, threads = 1;
  std::size_t workers = 1;          // of all ranks
  std::vector<std::size_t> open{};  // numbers of the runs to be made
};

// Runs that rank 0 knows are known to all: chunks are places in one list.
void agree_on_open(Shared& shared, std::vector<EnsembleRun>& runs) {
  std::vector<char> known(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k) known[k] = runs[k].done ? 1 : 0;
  constexpr std::size_t most = std::numeric_limits<int>::max();
  for (std::size_t begin = 0; begin < known.size(); begin += most)
    MPI_Bcast(known.data() + begin, static_cast<int>(std::min(most, known.size() - begin)),
              MPI_CHAR, 0, shared.world);
  for (std::size_t k = 0; k < known.size(); ++k)
    if (known[k] == 0) shared.open.push_back(k);
}

class Member {  // a rank that is not 0
 public:
  Member(const Shared& shared, Crew& crew, const EnsembleSettings& settings, EnsembleResult& result)
      : shared_(shared), crew_(crew), settings_(settings), result_(result), talk_(shared.world) {}

  void run() {
    while (!(no_more_ && crew_.idle() && bytes_.empty())) {
      const bool news = listen() || collect();
      if (settings_.cancel && settings_.cancel() && !told_) {
        talk_.say(Word::stop, 0);
        told_ = true;
        stop();
      }
      const bool wanted = crew_.idle() || crew_.mean_seconds() < short_run;
      if (!no_more_ && !asked_ && !crew_.waiting() && wanted) {
        send_results();
        talk_.say(Word::request, 0);
        asked_ = true;
      } else if (!news) {
        patience_.wait(crew_);
      }
      if (news) patience_.reset();
    }
    talk_.say(Word::done, 0);
    while (!ended_)
      if (!listen()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  void stop() {
    crew_.stop();
    no_more_ = true;
  }
  bool listen() {
    const std::optional<Heard> heard = talk_.hear();
    if (!heard) return false;
    if (heard->word == Word::stop) stop();
    if (heard->word == Word::end) ended_ = true;
    if (heard->word == Word::chunk) {
      asked_ = false;
      Chunk chunk{};
      std::memcpy(chunk.data(), heard->bytes.data(), sizeof chunk);
      if (chunk[0] == chunk[1]) no_more_ = true;
      crew_.give(std::span(shared_.open).subspan(chunk[0], chunk[1] - chunk[0]));
    }
    return true;
  }
  bool collect() {
    const std::vector<NumberedRun> ended = crew_.take();
    for (const NumberedRun& run : ended) {
      pack(run, bytes_);
      if (bytes_.size() >= full_message) send_results();
      ++result_.done;
      result_.failed += run.second.ok ? 0 : 1;
      result_.runs[run.first] = run.second;
    }
    if (!bytes_.empty() && (crew_.idle() || Clock::now() - sent_ > oldest_result)) send_results();
    return !ended.empty();
  }
  void send_results() {
    if (bytes_.empty()) return;
    talk_.say(Word::results, 0, bytes_.data(), bytes_.size());
    bytes_.clear();
    sent_ = Clock::now();
  }

  const Shared& shared_;
  Crew& crew_;
  const EnsembleSettings& settings_;
  EnsembleResult& result_;
  Talk talk_;
  Patience patience_;
  std::vector<char> bytes_;
  Clock::time_point sent_ = Clock::now();
  bool asked_ = false, no_more_ = false, told_ = false, ended_ = false;
};

class First {  // rank 0
 public:
  First(const Shared& shared, Crew& crew, const EnsembleSettings& settings, EnsembleResult& result)
      : shared_(shared), crew_(crew), settings_(settings), result_(result), talk_(shared.world) {}

  void run() {
    for (const EnsembleRun& run : result_.runs) count(run);
    int others = shared_.size - 1;
    while (others > 0 || (!stopped_ && next_ < shared_.open.size()) || !crew_.idle()) {
      bool news = false;
      for (std::optional<Heard> heard = talk_.hear(); heard; heard = talk_.hear()) {
        news = true;
        answer(*heard, others);
      }
      for (NumberedRun& run : crew_.take()) {
        news = true;
        keep(std::move(run));
      }
      if (settings_.cancel && settings_.cancel()) stop();
      const bool wanted = crew_.idle() || crew_.mean_seconds() < short_run;
      if (!stopped_ && next_ < shared_.open.size() && !crew_.waiting() && wanted) {
        const Chunk own = next_chunk();
        crew_.give(std::span(shared_.open).subspan(own[0], own[1] - own[0]));
        news = true;
      }
      if (news)
        patience_.reset();
      else
        patience_.wait(crew_);
    }
    for (int rank = 1; rank < shared_.size; ++rank) talk_.say(Word::end, rank);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  // Large pieces first, single runs at the end: all ranks end at nearly the same time.
  Chunk next_chunk() {
    const std::size_t left = stopped_ ? 0 : shared_.open.size() - next_;
    const std::size_t size = std::min(left, std::max<std::size_t>(1, left / (4 * shared_.workers)));
    const Chunk chunk{next_, next_ + size};
    next_ += size;
    return chunk;
  }
  void answer(const Heard& heard, int& others) {
    if (heard.word == Word::done) --others;
    if (heard.word == Word::stop) stop();
    if (heard.word == Word::results)
      for (NumberedRun& run : unpack(heard.bytes)) keep(std::move(run));
    if (heard.word == Word::request) {
      const Chunk chunk = next_chunk();
      talk_.say(Word::chunk, heard.from, chunk.data(), sizeof chunk);
    }
  }
  void stop() {
    if (stopped_) return;
    stopped_ = true;
    crew_.stop();
    for (int rank = 1; rank < shared_.size; ++rank) talk_.say(Word::stop, rank);
  }
  void count(const EnsembleRun& run) {
    result_.done += run.done ? 1 : 0;
    result_.failed += run.done && !run.ok ? 1 : 0;
  }
  void keep(NumberedRun run) {
    EnsembleRun& kept = result_.runs[run.first] = std::move(run.second);
    count(kept);
    try {
      if (settings_.finished && !error_) settings_.finished(run.first, kept);
    } catch (...) {
      error_ = std::current_exception();
      stop();
    }
  }

  const Shared& shared_;
  Crew& crew_;
  const EnsembleSettings& settings_;
  EnsembleResult& result_;
  Talk talk_;
  Patience patience_;
  std::size_t next_ = 0;
  bool stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace

EnsembleResult solve_over_ranks(MPI_Comm world, std::size_t count,
                                const std::function<EnsembleTask(std::size_t)>& task,
                                const EnsembleSettings& settings) {
  if (settings.threads < 0)
    throw InvalidArgument(fmt::format("threads is {}; 0 means one", settings.threads));
  const Clock::time_point begin = Clock::now();
  Shared shared{world};
  MPI_Comm_rank(world, &shared.rank);
  MPI_Comm_size(world, &shared.size);
  shared.threads = std::max(1, settings.threads);
  unsigned long own = static_cast<unsigned long>(shared.threads), workers = own;
  MPI_Allreduce(&own, &workers, 1, MPI_UNSIGNED_LONG, MPI_SUM, world);
  shared.workers = workers;
  EnsembleResult result;
  if (shared.rank == 0) result.runs = settings.known;
  result.runs.resize(count);
  agree_on_open(shared, result.runs);
  Crew crew(shared.threads, task, settings.cancel);
  if (shared.rank == 0)
    First(shared, crew, settings, result).run();
  else
    Member(shared, crew, settings, result).run();
  result.threads = static_cast<int>(workers);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

}  // namespace daedalus::distributed
