// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checkpoint.hpp"

#include <fmt/format.h>

#include <charconv>

#include <daedalus/stepper/archive.hpp>
#include "kernel/quiet_denormals.hpp"
#include "solve/integrator_impl.hpp"

namespace daedalus {

void require_same(std::string_view name, const Identity& there, const Identity& here) {
  const auto value = [](const Identity& list, const std::string& key) {
    for (const auto& [known, text] : list)
      if (known == key) return "'" + text + "'";
    return std::string("not set");
  };
  constexpr int max_named = 3;  // more differences than these do not help to find the mistake
  std::string differences;
  int count = 0;
  const auto compare = [&](const Identity& list, bool new_only) {
    for (const auto& [key, text] : list) {
      const std::string a = value(there, key), b = value(here, key);
      if (a == b || (new_only && a != "not set")) continue;
      if (++count <= max_named)
        differences +=
            fmt::format("{}{} is {} there and {} here", count > 1 ? "; " : "", key, a, b);
    }
  };
  compare(there, false);
  compare(here, true);
  if (count == 0) return;
  if (count > max_named) differences += fmt::format("; and {} more", count - max_named);
  throw InvalidArgument(fmt::format("resume: {} belongs to another run: {}", name, differences));
}

Checkpoint take_checkpoint(const RunIdentity& which, Run& run, double seconds) {
  Checkpoint c;
  c.identity = identity_of(which, run);
  Archive archive;
  archive(seconds);
  run.archive(archive, which.interval.to);
  c.state = archive.bytes();
  return c;
}

double load_checkpoint(const RunIdentity& which, Run& run, const Checkpoint& checkpoint,
                       std::string_view name) {
  require_same(name, checkpoint.identity, identity_of(which, run));
  Archive archive{std::vector<char>(checkpoint.state)};
  double seconds = 0.0;
  archive(seconds);
  run.archive(archive, which.interval.to);
  archive.end();
  return seconds;
}

Checkpoint Integrator::checkpoint() const {
  Loop& loop = running("checkpoint").loop();
  if (loop.status() != Status::success)
    throw InvalidArgument(
        fmt::format("checkpoint: the run has ended with {}", to_string(loop.status())));
  return take_checkpoint({impl_->problem, {loop.data().start_time, impl_->towards}, {}},
                         *impl_->run, impl_->seconds_before + seconds_since(impl_->clock));
}

void Integrator::resume(const Checkpoint& checkpoint) {
  whole("resume");
  const auto number = [&](const std::string& name) {
    for (const auto& [key, value] : checkpoint.identity) {
      double x = 0.0;
      const char* const end = value.data() + value.size();
      if (key == name && std::from_chars(value.data(), end, x).ptr == end) return x;
    }
    throw InvalidArgument("resume: the checkpoint does not say " + name);
  };
  const double t0 = number("t0"), towards = number("t_end");
  const QuietDenormals quiet;
  auto run = std::make_unique<Run>(impl_->problem, impl_->options, t0);
  run->loop().keep_interpolants();
  run->loop().recorder().mute(true);
  run->start(towards);
  try {
    impl_->seconds_before =
        load_checkpoint({impl_->problem, {t0, towards}, {}}, *run, checkpoint, "the checkpoint");
  } catch (const DamagedArchive& error) {
    throw InvalidArgument(fmt::format("resume: the state of the checkpoint, {}", error.what()));
  }
  run->loop().recorder().mute(false);
  impl_->run = std::move(run);
  impl_->towards = towards;
  impl_->clock = std::chrono::steady_clock::now();
}

}  // namespace daedalus
