// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace daedalus::distributed {
namespace {

constexpr std::array methods{"bdf",     "implicit-euler", "rodas3",   "rodas3p",
                             "rodas4",  "rodas4p",        "rodas4p2", "rodas5",
                             "rodas5p", "rodas6p",        "ros34pw2"};

std::string wrong_numbers(const char* field, const Eigen::VectorXd& v, int rows, bool may_lack,
                          std::int64_t first, const std::string& where) {
  if (may_lack && v.size() == 0) return {};
  if (v.size() != rows)
    return fmt::format("{}: {} has {} values for {} rows", field, where, v.size(), rows);
  for (int i = 0; i < rows; ++i)
    if (!std::isfinite(v[i]))
      return fmt::format("{}: [{}] = {} on {} (unknown {}) is not finite", field, i, v[i], where,
                         first + i);
  return {};
}

std::string wrong_ghosts(const DistributedProblem& p, const std::vector<std::int64_t>& firsts,
                         int rank) {
  const std::int64_t from = firsts[static_cast<std::size_t>(rank)],
                     to = firsts[static_cast<std::size_t>(rank) + 1];
  for (std::size_t k = 0; k < p.ghosts.size(); ++k) {
    const std::int64_t g = p.ghosts[k];
    const auto say = [&](const std::string& what) {
      return fmt::format("ghosts[{}] = {} on rank {} {}", k, g, rank, what);
    };
    if (g < 0 || g >= firsts.back())
      return say(fmt::format("is no unknown (0 ... {})", firsts.back() - 1));
    if (g >= from && g < to)
      return say(fmt::format("is its own unknown ({} ... {})", from, to - 1));
    if (k > 0 && g == p.ghosts[k - 1]) return say("is there twice");
    if (k > 0 && g < p.ghosts[k - 1]) return say("is not in ascending order");
  }
  return {};
}

std::string wrong_shape(const DistributedProblem& p, const std::string& where) {
  if (p.rows < 0) return fmt::format("rows: {} on {} is negative", p.rows, where);
  if (static_cast<bool>(p.residual) == static_cast<bool>(p.rhs))
    return fmt::format("{}: give either 'residual' or 'rhs'", where);
  if (p.mass.size() > 0 && (p.mass.rows() != p.rows || p.mass.cols() != p.rows))
    return fmt::format("mass: {} x {} on {}; own rows x own columns are {} x {}", p.mass.rows(),
                       p.mass.cols(), where, p.rows, p.rows);
  for (const auto& [name, list] :
       {std::pair{"variable_index", &p.variable_index}, std::pair{"field", &p.field}})
    if (!list->empty() && list->size() != static_cast<std::size_t>(p.rows))
      return fmt::format("{}: {} has {} entries for {} rows", name, where, list->size(), p.rows);
  for (const int i : p.variable_index)
    if (i < 1 || i > std::max(1, p.index))
      return fmt::format("variable_index: {} on {} is not allowed; 1 to index = {}", i, where,
                         p.index);
  return {};
}

std::string unfit(const Options& o) {
  const auto no = [](const char* what, const char* instead) {
    return fmt::format(
        "{} over ranks is not supported; {}. Over ranks work: error control, order and step "
        "control, given or completed start values, output, cancel, progress and trace",
        what, instead);
  };
  if (!o.events.empty()) return no("'events'", "run it without");
  if (o.start == StartStrategy::solve)
    return no("start = solve", "'automatic' (index 1) and 'given' are");
  if (o.projector.size() > 0) return no("'projector'", "error_test 'index_weighted' is");
  if (o.error_test != ErrorPolicy::automatic && o.error_test != ErrorPolicy::all &&
      o.error_test != ErrorPolicy::index_weighted)
    return no("this 'error_test'", "'all' and 'index_weighted' are");
  if (!o.break_times.empty()) return no("'break_times'", "run the pieces one after another");
  if (!o.project_invariants.empty()) return no("'project_invariants'", "run it without");
  if (o.watch_drift) return no("'watch_drift'", "run it without");
  if (o.known) return no("'known'", "run it without");
  if (o.defect) return no("'defect'", "run it without");
  if (o.krylov.preconditioner.apply)
    return no("krylov.preconditioner", "see Distribution::preconditioner");
  for (int i = 0; i < o.atol.size(); ++i)
    if (!(o.atol[i] > 0.0))
      return fmt::format("atol: {} is not allowed over ranks; give a number above 0", o.atol[i]);
  return {};
}

std::string list_of_methods() {
  std::string text;
  for (const char* m : methods) text += fmt::format("{}{}", text.empty() ? "" : ", ", m);
  return text;
}

// What has to be the same everywhere, as text.
std::vector<std::pair<std::string, std::string>> common(const DistributedProblem& p,
                                                        Interval interval, const Options& o) {
  std::vector<std::pair<std::string, std::string>> list{
      {"name", p.name},
      {"index", std::to_string(p.index)},
      {"the form", p.residual ? "F(t, x, x')" : "M x' = f"},
      {"the interval", fmt::format("[{}, {}]", interval.from, interval.to)},
      {"method", o.method},
      {"rtol", fmt::format("{}", o.rtol)},
      {"initial_step", fmt::format("{}", o.initial_step)},
      {"max_step", fmt::format("{}", o.max_step)},
      {"min_step", fmt::format("{}", o.min_step)},
      {"max_steps", fmt::format("{}", o.max_steps)},
      {"fixed_step", fmt::format("{}", o.fixed_step)},
      {"control", o.control},
      {"norm", o.norm == ErrorNorm::rms ? "rms" : "maximum"},
      {"index_weights", o.index_weights ? "on" : "off"},
      {"start", std::to_string(static_cast<int>(o.start))},
      {"output", std::to_string(static_cast<int>(o.output))},
      {"output_times", fmt::format("{}", fmt::join(o.output_times, " "))},
      {"step_sequence", fmt::format("{}", fmt::join(o.step_sequence, " "))}};
  if (o.atol.scalar()) list.emplace_back("atol", fmt::format("{}", o.atol[0]));
  for (const auto& [key, value] : o.method_options)
    list.emplace_back(key, fmt::format("{}", value));
  for (const Parameter& q : p.parameters)
    list.emplace_back("parameter " + q.name, fmt::format("{}", q.value));
  return list;
}

}  // namespace

void refuse_together(std::string text, MpiCommunicator& ranks) {
  if (ranks.first_to_say(text) >= 0) throw InvalidArgument(text);
}

std::vector<std::int64_t> checked_cut(const DistributedProblem& p, MpiCommunicator& ranks) {
  const std::string where = fmt::format("rank {}", ranks.rank());
  refuse_together(wrong_shape(p, where), ranks);
  const auto size = static_cast<std::size_t>(ranks.size());
  const std::int64_t rows = p.rows;
  std::vector<std::int64_t> firsts(size + 1, 0);
  MPI_Allgather(&rows, 1, MPI_INT64_T, firsts.data() + 1, 1, MPI_INT64_T, ranks.world());
  for (std::size_t r = 0; r < size; ++r) firsts[r + 1] += firsts[r];
  if (firsts.back() == 0) throw InvalidArgument("rows: 0 on every rank: there are no unknowns");
  const std::int64_t first = firsts[static_cast<std::size_t>(ranks.rank())];
  std::string wrong = wrong_numbers("y0", p.y0, p.rows, false, first, where);
  if (wrong.empty())
    wrong = wrong_numbers("yp0", p.yp0, p.rows, static_cast<bool>(p.rhs), first, where);
  if (wrong.empty()) wrong = wrong_ghosts(p, firsts, ranks.rank());
  refuse_together(std::move(wrong), ranks);
  return firsts;
}

const Method& checked_method(const DistributedProblem& p, Interval interval, const Options& o,
                             MpiCommunicator& ranks) {
  const auto own = common(p, interval, o);
  std::string all;
  for (const auto& [key, value] : own) all += fmt::format("{}\n{}\n", key, value);
  std::string first = all;
  ranks.broadcast(first, 0);
  std::string wrong;
  if (first != all) {
    wrong = "ranks have different options or parameters";
    for (const auto& [key, value] : own) {
      const std::string line = fmt::format("\n{}\n", key);
      const std::size_t at = ("\n" + first).find(line);
      if (at == std::string::npos) continue;
      const std::string there = first.substr(
          at + line.size() - 1, first.find('\n', at + line.size() - 1) - (at + line.size() - 1));
      if (there != value)
        wrong =
            fmt::format("{} is {} on rank 0 and {} on rank {}", key, there, value, ranks.rank());
    }
  }
  refuse_together(std::move(wrong), ranks);
  refuse_together(unfit(o), ranks);
  const std::string name = o.method != "auto" ? o.method : "bdf";
  const Method* method = find_method(name);
  const bool known = std::find(methods.begin(), methods.end(), name) != methods.end();
  if (!method || !known)
    throw InvalidArgument(fmt::format("method '{}' over ranks is not supported; those that are: {}",
                                      name, list_of_methods()));
  if (p.index > method->max_index)
    throw InvalidArgument(
        fmt::format("method '{}' solves index {} at most, the problem has index {}", name,
                    method->max_index, p.index));
  if (p.residual && method->view == View::linear)
    throw InvalidArgument(fmt::format(
        "method '{}' needs M x' = f ('rhs', 'mass'); F(t, x, x') = 0 is solved by 'bdf'", name));
  return *method;
}

}  // namespace daedalus::distributed
