// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_shard.hpp"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include <daedalus/ensemble.hpp>
#include <daedalus/types.hpp>

namespace daedalus::cli {
namespace {

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// The places of batch systems that number the processes they start.
struct Numbering {
  const char *index, *first, *last, *step;  // null: first is 1, the count is DAEDALUS_SHARDS
  std::size_t begin;                        // of indices, where `first` is null
};
constexpr const char* shards_variable = "DAEDALUS_SHARDS";
constexpr Numbering numberings[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
     0},
    {"SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", 0},
    {"LSB_JOBINDEX", nullptr, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", 1},
    {"PBS_ARRAY_INDEX", nullptr, nullptr, nullptr, 1},
    {"JOB_COMPLETION_INDEX", nullptr, nullptr, nullptr, 0},
    {"PARALLEL_SEQ", nullptr, nullptr, nullptr, 1}};

std::optional<Shard> shard_of(const Numbering& from, const Environment& environment) {
  const auto read = [&](const char* name) -> std::optional<std::size_t> {
    const char* text = name == nullptr ? nullptr : environment(name);
    return text == nullptr ? std::nullopt : whole_number(text);
  };
  const std::optional<std::size_t> index = read(from.index);  // "undefined" outside of arrays
  if (!index) return std::nullopt;
  const std::size_t step = std::max<std::size_t>(1, read(from.step).value_or(1));
  const std::size_t first = read(from.first).value_or(from.begin);
  const std::optional<std::size_t> last = read(from.last), count = read(shards_variable);
  if (!last && !count)
    throw InvalidArgument(
        fmt::format("--shard auto: {} is {}, and {} does not say how many there are", from.index,
                    *index, shards_variable));
  const Shard shard{*index < first ? 0 : (*index - first) / step + 1,
                    last ? (std::max(*last, first) - first) / step + 1 : *count};
  if (shard.index < 1 || shard.index > shard.count)
    throw InvalidArgument(
        fmt::format("--shard auto: {} is {}, beyond {} shards", from.index, *index, shard.count));
  return shard;
}

Shard shard_of_environment(const Environment& environment) {
  std::string looked_for;
  for (const Numbering& from : numberings) {
    if (const std::optional<Shard> found = shard_of(from, environment)) return *found;
    looked_for += fmt::format("{}{}{}", looked_for.empty() ? "" : ", ", from.index,
                              from.last == nullptr ? " with DAEDALUS_SHARDS" : "");
  }
  throw InvalidArgument("--shard auto finds no batch system; the variables it looks for are " +
                        looked_for);
}

}  // namespace

std::string Shard::text() const { return fmt::format("{}/{}", index, count); }

Shard parse_shard(const std::string& text, const Environment& environment) {
  if (text.empty()) return {};
  if (text == "auto") return shard_of_environment(environment);
  const std::size_t slash = std::min(text.find('/'), text.size());
  // 0 is no shard: what is no number is refused with it.
  const Shard shard{whole_number(text.substr(0, slash)).value_or(0),
                    whole_number(text.substr(std::min(slash + 1, text.size()))).value_or(0)};
  if (shard.index < 1 || shard.index > shard.count || shard.count > ParameterGrid::max_runs)
    throw InvalidArgument(fmt::format("--shard has '{}'; allowed is I/N with 1 <= I <= N", text));
  return shard;
}

std::filesystem::path shard_folder(const std::string& journal) { return journal + ".d"; }

std::filesystem::path shard_file(const std::string& journal, const Shard& shard) {
  return shard_folder(journal) /
         fmt::format("shard-{:03}-of-{:03}.jsonl", shard.index, shard.count);
}

}  // namespace daedalus::cli
