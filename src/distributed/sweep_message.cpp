// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/sweep_message.hpp"

#include <cstring>
#include <stdexcept>

namespace daedalus::distributed {
namespace {

template <class Value>
void put(const Value* values, std::size_t count, std::vector<char>& bytes) {
  const auto* begin = reinterpret_cast<const char*>(values);
  bytes.insert(bytes.end(), begin, begin + count * sizeof(Value));
}

class Reader {
 public:
  explicit Reader(std::span<const char> bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  template <class Value>
  void get(Value* values, std::size_t count) {
    if (count > rest_.size() / sizeof(Value))
      throw std::runtime_error("a message with results of another rank is too short");
    if (count > 0) std::memcpy(values, rest_.data(), count * sizeof(Value));
    rest_ = rest_.subspan(count * sizeof(Value));
  }

 private:
  std::span<const char> rest_;
};

// What all runs have, as it lies in memory.
struct Head {
  std::size_t run, status, message, y, series;  // sizes of what follows
  double t, seconds, functional;
  bool done, ok;
};

}  // namespace

void pack(const NumberedRun& numbered, std::vector<char>& bytes) {
  const EnsembleRun& run = numbered.second;
  Head head{};
  head.run = numbered.first;
  head.status = run.status.size();
  head.message = run.message.size();
  head.y = run.y.size();
  head.series = run.series.size();
  head.t = run.t;
  head.seconds = run.seconds;
  head.functional = run.functional;
  head.done = run.done;
  head.ok = run.ok;
  put(&head, 1, bytes);
  put(run.status.data(), head.status, bytes);
  put(run.message.data(), head.message, bytes);
  put(run.y.data(), head.y, bytes);
  put(run.series.data(), head.series, bytes);
}

std::vector<NumberedRun> unpack(std::span<const char> bytes) {
  std::vector<NumberedRun> runs;
  for (Reader reader(bytes); !reader.empty();) {
    Head head{};
    reader.get(&head, 1);
    EnsembleRun run;
    run.done = head.done;
    run.ok = head.ok;
    run.t = head.t;
    run.seconds = head.seconds;
    run.functional = head.functional;
    run.status.resize(head.status);
    reader.get(run.status.data(), head.status);
    run.message.resize(head.message);
    reader.get(run.message.data(), head.message);
    run.y.resize(head.y);
    reader.get(run.y.data(), head.y);
    run.series.resize(head.series);
    reader.get(run.series.data(), head.series);
    runs.emplace_back(head.run, std::move(run));
  }
  return runs;
}

}  // namespace daedalus::distributed
