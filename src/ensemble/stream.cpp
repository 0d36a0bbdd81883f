// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <limits>

#include <fmt/format.h>

#include "ensemble/gpu/stream.hpp"
#include "ensemble/quantity.hpp"
#include "ensemble/stream_model.hpp"
#include "formulation/parameters.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using Clock = std::chrono::steady_clock;

// Of the engines of the processor, whose runs are objects.
constexpr std::size_t runs_per_batch = 16384;

template <class AnyProblem>
auto& parameters_of(AnyProblem& problem) {
  return std::visit(
      [](auto& p) -> auto& { return p.parameters; }, problem);
}

// Start values one after another: y, or (y, z), or (q, v).
template <class Use>
void each_start(Problem& problem, Use&& use) {
  if (auto* m = std::get_if<MassMatrixProblem>(&problem)) use(m->y0);
  if (auto* s = std::get_if<SemiExplicitProblem>(&problem)) use(s->y0), use(s->z0);
  if (auto* b = std::get_if<MultibodyProblem>(&problem)) use(b->q0), use(b->v0);
  if (auto* i = std::get_if<ImplicitProblem>(&problem)) use(i->y0);
}

std::size_t variables_of(const Problem& problem, std::size_t starts) {
  const auto* multibody = std::get_if<MultibodyProblem>(&problem);
  return starts + (multibody ? at(multibody->multipliers()) : 0);
}

}  // namespace

StreamModel::StreamModel(const Problem& p, Interval i, const Options& o, const StreamSettings& s)
    : problem(p), interval(i), options(o), settings(s) {
  const std::vector<Parameter>& has = parameters_of(problem);
  for (const std::string& name : settings.parameters) {
    const auto found = std::find_if(has.begin(), has.end(),
                                    [&](const Parameter& known) { return known.name == name; });
    if (found == has.end())
      throw InvalidArgument(
          fmt::format("problem '{}' has no parameter '{}'", name_of(problem), name));
    places.push_back(at(static_cast<int>(found - has.begin())));
  }
  start_function =
      std::visit([](const auto& any) { return static_cast<bool>(any.start); }, problem);
  if (start_function && settings.starts)
    std::visit([](auto& any) { any.start = {}; }, problem);  // the columns are in its place
  start_function = start_function && !settings.starts;
  start_count = starts().size();
  variables = variables_of(problem, start_count);
}

EnsembleTask StreamModel::task(const BatchInput& in, std::size_t i) const {
  EnsembleTask made = plain_task();
  for (std::size_t k = 0; k < places.size(); ++k)
    parameters_of(made.problem)[places[k]].value = in.parameter(k)[i];
  std::size_t next = 0;
  if (in.starts)
    each_start(made.problem, [&](Eigen::VectorXd& v) {
      for (double& x : v) x = in.start(next++)[i];
    });
  return made;
}

EnsembleTask StreamModel::plain_task() const {
  return {problem, interval, options, settings.times, settings.stops, settings.functional};
}

std::vector<EnsembleTask> StreamModel::probes() const { return {plain_task()}; }

double StreamModel::functional(const BatchInput& in, std::size_t i, double t, const double* x,
                               std::vector<double>& p) const {
  p.clear();
  for (const Parameter& parameter : parameters_of(problem)) p.push_back(parameter.value);
  for (std::size_t k = 0; k < places.size(); ++k) p[places[k]] = in.parameter(k)[i];
  return value_of(settings.functional, parts_of(problem), t, x, p.data(),
                  static_cast<int>(p.size()));
}

void StreamModel::starts(const BatchInput& in,
                         const std::function<double*(std::size_t)>& column) const {
  Problem copy = problem;
  for (std::size_t i = 0; i < in.count; ++i) {
    for (std::size_t k = 0; k < places.size(); ++k)
      parameters_of(copy)[places[k]].value = in.parameter(k)[i];
    apply_start(copy);
    std::size_t next = 0;
    each_start(copy, [&](const Eigen::VectorXd& v) {
      for (const double x : v) column(next++)[i] = x;
    });
  }
}

std::vector<double> StreamModel::starts() const {
  Problem copy = problem;
  std::vector<double> values;
  each_start(copy,
             [&](const Eigen::VectorXd& v) { values.insert(values.end(), v.begin(), v.end()); });
  return values;
}

std::vector<char> StreamModel::varied() const {
  std::vector<char> which(parameters_of(problem).size(), 0);
  for (const std::size_t place : places) which[place] = 1;
  return which;
}

struct EnsembleStream::Parts {
  Parts(const Problem& problem, Interval interval, const Options& options,
        const StreamSettings& settings)
      : model(problem, interval, options, settings) {}

  StreamReport on_host(std::size_t count, const FillBatch& fill, const TakeBatch& take);
  StreamReport one_batch(const BatchInput& in, std::size_t whole, const TakeBatch& take);

  StreamModel model;
  std::unique_ptr<gpu::Stream> on_gpu;
  Engine engine = Engine::threads;
  std::string reason;
};

// The runs of a batch are an ensemble of their own, made from the same probes.
StreamReport EnsembleStream::Parts::one_batch(const BatchInput& in, std::size_t whole,
                                              const TakeBatch& take) {
  EnsembleSettings how{.threads = model.settings.threads, .cancel = model.settings.cancel};
  how.engine = engine;
  how.whole = whole;
  how.probes = [this] { return model.probes(); };
  EnsembleResult result = solve_ensemble(
      in.count, [&](std::size_t i) { return model.task(in, i); }, how);
  StreamReport report;
  // Machine code is made for whole batches, not for the run that the constructor asked about.
  if (engine == Engine::lanes) reason = result.reason;
  if (result.done < in.count) return report;  // cancelled
  report = {in.count, result.failed, result.handed_over, 0.0};
  const std::size_t rows = model.settings.times.size() * model.variables;
  std::vector<double> out((model.variables + rows + 2) * in.count,
                          std::numeric_limits<double>::quiet_NaN());
  const auto column = [&](std::size_t k) { return out.data() + k * in.count; };
  std::vector<LibraryRun> left;
  for (std::size_t i = 0; i < in.count; ++i) {
    EnsembleRun& run = result.runs[i];
    for (std::size_t k = 0; run.ok && k < model.variables; ++k) column(k)[i] = run.y[k];
    for (std::size_t k = 0; k < run.series.size(); ++k)
      column(model.variables + k)[i] = run.series[k];
    column(model.variables + rows)[i] = run.t;
    column(model.variables + rows + 1)[i] = run.functional;
    if (run.engine == Engine::threads) left.push_back({in.first + i, std::move(run)});
  }
  BatchOutput made{in.first, in.count, model.variables, out.data(), left};
  if (rows > 0) made.series = column(model.variables);
  if (!model.settings.stops.empty()) made.ended = column(model.variables + rows);
  if (model.settings.functional) made.functional = column(model.variables + rows + 1);
  take(made);
  return report;
}

StreamReport EnsembleStream::Parts::on_host(std::size_t count, const FillBatch& fill,
                                            const TakeBatch& take) {
  const std::size_t size = model.settings.batch > 0 ? model.settings.batch : runs_per_batch;
  const std::size_t columns = model.places.size();
  std::vector<double> in((columns + model.start_count) * std::min(size, count));
  StreamReport all;
  for (std::size_t first = 0; first < count; first += size) {
    const std::size_t here = std::min(size, count - first);
    const BatchInput batch{first, here, in.data(),
                           model.settings.starts ? in.data() + columns * here : nullptr};
    fill(batch);
    const StreamReport part = one_batch(batch, std::max(count, model.settings.expected), take);
    all.done += part.done;
    all.failed += part.failed;
    all.handed_over += part.handed_over;
    if (part.done < here) break;
  }
  return all;
}

EnsembleStream::EnsembleStream(const Problem& problem, Interval interval, const Options& options,
                               const StreamSettings& settings)
    : parts_(std::make_unique<Parts>(problem, interval, options, settings)) {
  Parts& p = *parts_;
  p.engine = settings.engine;
  if (settings.engine == Engine::gpu || settings.engine == Engine::automatic) {
    const bool forced = settings.engine == Engine::gpu;
    std::string why;
    if (auto made = gpu::make_engine(p.model.probes(), forced, why, p.model.varied())) {
      p.reason = made->processor.description;
      p.engine = Engine::gpu;
      p.on_gpu = std::make_unique<gpu::Stream>(p.model, std::move(made));
      return;
    }
    if (forced) throw InvalidArgument("engine gpu: " + why);
    p.reason = "no GPU: " + why;
  }
  // What the processor takes is seen with no run at all to be made.
  if (settings.engine == Engine::threads) {
    p.reason = "asked for";
    return;
  }
  const auto task = [&](std::size_t) { return p.model.probes().front(); };
  EnsembleSettings how{.threads = 1, .cancel = [] { return true; }};
  how.engine = settings.engine;
  how.whole = settings.expected;
  const EnsembleResult seen = solve_ensemble(1, task, how);
  p.engine = seen.engine;
  p.reason = seen.reason + (p.reason.empty() ? "" : "; " + p.reason);
}

EnsembleStream::~EnsembleStream() = default;
EnsembleStream::EnsembleStream(EnsembleStream&&) noexcept = default;
EnsembleStream& EnsembleStream::operator=(EnsembleStream&&) noexcept = default;

Engine EnsembleStream::engine() const { return parts_->engine; }
const std::string& EnsembleStream::reason() const { return parts_->reason; }
std::size_t EnsembleStream::variables() const { return parts_->model.variables; }

StreamReport EnsembleStream::run(std::size_t count, const FillBatch& fill, const TakeBatch& take) {
  const Clock::time_point begin = Clock::now();
  StreamReport report =
      parts_->on_gpu ? parts_->on_gpu->run(count, fill, take) : parts_->on_host(count, fill, take);
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return report;
}

}  // namespace daedalus
