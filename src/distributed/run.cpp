// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "distributed/check.hpp"
#include "distributed/cut_system.hpp"
#include "distributed/petsc.hpp"
#include "distributed/start.hpp"
#include "integrate/loop.hpp"
#include "kernel/quiet_denormals.hpp"
#include "solve/check_options.hpp"

namespace daedalus::distributed {
namespace {

// Neither success, nor a failed run, nor wrong usage.
constexpr int exit_of_abort = 3;

[[noreturn]] void abort_all(const MpiCommunicator& ranks, const std::string& text) {
  std::fprintf(stderr, "daedalus: rank %d of %d: %s; all ranks end\n", ranks.rank(), ranks.size(),
               text.c_str());
  std::fflush(stderr);
  MPI_Abort(ranks.world(), exit_of_abort);
  std::abort();
}

// Once per attempted step: whether anybody wants to end, and whether all ranks are where they
// should be. They decide from reduced numbers alone; where they do not, the results are worthless.
class Agreement {
 public:
  Agreement(MpiCommunicator& ranks, std::function<bool()> cancel)
      : ranks_(ranks), cancel_(std::move(cancel)) {}
  void watch(const Loop& loop) { loop_ = &loop; }

  bool operator()() {
    bool wanted = false;
    try {
      wanted = cancel_ && cancel_();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    const double t = loop_->t(), h = loop_->next_step();
    const auto steps = static_cast<double>(loop_->data().statistics.steps());
    double maxima[] = {wanted ? 1.0 : 0.0, thrown_ ? 1.0 : 0.0, t, -t, h, -h, steps, -steps};
    ranks_.reduce({}, maxima);
    if (t != maxima[2] || t != -maxima[3] || h != maxima[4] || h != -maxima[5] ||
        steps != maxima[6] || steps != -maxima[7])
      abort_all(ranks_,
                fmt::format("ranks have come apart: t = {}, h = {}, {} steps here, t = {} ... {}, "
                            "h = {} ... {} elsewhere; a callable may not be the same function on "
                            "all calls",
                            t, h, steps, -maxima[3], maxima[2], -maxima[5], maxima[4]));
    if (thrown_) std::rethrow_exception(thrown_);
    if (maxima[1] != 0.0) throw std::runtime_error("'cancel' threw on another rank");
    return maxima[0] != 0.0;
  }

 private:
  MpiCommunicator& ranks_;
  std::function<bool()> cancel_;
  std::exception_ptr thrown_;
  const Loop* loop_ = nullptr;
};

// A sink that throws on one rank ends the run on all, at the next agreement.
std::function<void(const StateView&)> postponing(std::function<void(const StateView&)> sink,
                                                 MpiCommunicator& ranks) {
  if (!sink) return {};
  return [sink = std::move(sink), &ranks](const StateView& s) {
    Failure failure;
    const Outcome o = guarded(failure, s.t(), [&] {
      sink(s);
      return Eval::ok;
    });
    failure.function = "sink";
    if (o != Outcome::ok) ranks.postpone(Outcome::callback_failed, failure);
  };
}

Options for_rank(Options o, MpiCommunicator& ranks, const std::shared_ptr<Agreement>& agreement) {
  o.cancel = [agreement] { return (*agreement)(); };
  o.sink = postponing(std::move(o.sink), ranks);
  if (ranks.rank() != 0) {
    o.progress = {};
    o.trace = {};
  }
  return o;
}

// The message of the rank that knows the names, on all of them.
void share_message(SolutionData& data, MpiCommunicator& ranks) {
  if (data.status == Status::success || data.status == Status::cancelled) return;
  const int from = ranks.blamed();
  std::string text = ranks.size() > 1
                         ? fmt::format("rank {} of {}: {}", from, ranks.size(), data.message)
                         : data.message;
  ranks.broadcast(text, from);
  data.message = std::move(text);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Prepared {
  std::shared_ptr<SolutionData> data = std::make_shared<SolutionData>();
  CutSystem* system = nullptr;
  std::unique_ptr<Loop> loop;
};

Prepared prepare(std::shared_ptr<const DistributedProblem> problem, const Method& method,
                 const Options& options, const Distribution& distribution, MpiCommunicator& ranks,
                 std::vector<std::int64_t> firsts, const std::shared_ptr<Agreement>& agreement) {
  Prepared p;
  auto system = std::make_unique<CutSystem>(std::move(problem), ranks, std::move(firsts),
                                            method.view, options, make_solvers(distribution));
  p.system = system.get();
  std::string wrong;
  try {
    check_options(options, *system->variables, method);
  } catch (const InvalidArgument& e) {
    wrong = e.what();
  }
  refuse_together(std::move(wrong), ranks);
  MethodChoice choice{method.name, "", "",
                      options.method == "auto"
                          ? "over ranks: from the form and the declared index alone"
                          : "as asked for",
                      1.0};
  StartRequest start;
  start.own = start_over_ranks;
  p.loop = std::make_unique<Loop>(std::move(system), method, for_rank(options, ranks, agreement),
                                  std::move(choice), std::move(start), StructureAnalysis{}, p.data);
  agreement->watch(*p.loop);
  return p;
}

}  // namespace

DistributedSolution solve_cut(MPI_Comm world, const DistributedProblem& problem, Interval interval,
                              const Options& options, const Distribution& distribution) {
  MpiCommunicator ranks(world);
  const std::vector<std::int64_t> firsts = checked_cut(problem, ranks);
  const Method& method = checked_method(problem, interval, options, ranks);
  const QuietDenormals quiet;
  const auto clock = std::chrono::steady_clock::now();
  try {
    const auto agreement = std::make_shared<Agreement>(ranks, options.cancel);
    Prepared p = prepare(std::make_shared<const DistributedProblem>(problem), method, options,
                         distribution, ranks, firsts, agreement);
    State state;
    state.t = interval.from;
    state.x = problem.y0;
    state.xd = problem.yp0.size() > 0 ? problem.yp0 : Eigen::VectorXd::Zero(problem.rows);
    const Status started = p.loop->start(std::move(state), interval.to);
    DistributedCounts counts;
    counts.reductions = -ranks.reductions();
    counts.messages = -p.system->ghosts().messages();
    counts.bytes = -p.system->ghosts().bytes();
    if (started == Status::success) p.loop->run(interval.to);
    counts.reductions += ranks.reductions();
    counts.messages += p.system->ghosts().messages();
    counts.bytes += p.system->ghosts().bytes();
    counts.preconditioner_setups = p.system->solver().setups();
    Solution own(p.loop->result(seconds_since(clock)));
    share_message(*p.data, ranks);
    return {std::move(own), counts, firsts[static_cast<std::size_t>(ranks.rank())], firsts.back()};
  } catch (const InvalidArgument&) {
    throw;  // the same on all ranks: options that a method refuses
  } catch (const std::exception& e) {
    abort_all(ranks, e.what());
  }
}

}  // namespace daedalus::distributed
