// SPDX-License-Identifier: BSD-3-Clause
// How options, method and system become a loop.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "control/measure_options.hpp"
#include "integrate/loop.hpp"
#include "system/model_size.hpp"

namespace daedalus {

Loop::Loop(std::unique_ptr<System> system, const Method& method, Options options,
           MethodChoice choice, StartRequest start_request, StructureAnalysis analyse,
           std::shared_ptr<SolutionData> data)
    : system_(std::move(system)),
      method_(method),
      options_(std::move(options)),
      policy_(control_of(options_, method)),
      data_(data ? std::move(data) : std::make_shared<SolutionData>()),
      measure_(measure_options(options_, policy_, *system_, choice.tolerance_share),
               system_->layout),
      start_request_(std::move(start_request)),
      analyse_(std::move(analyse)),
      accumulation_(options_.events.size(), options_.rtol) {
  data_->choice = std::move(choice);
  if (method_.view_of(system_->mechanical_view() != nullptr) == View::residual)
    round_off_.emplace(system_->layout);
  settings_ = [this](std::string_view key) {
    const auto given = options_.method_options.find(std::string(key));
    if (given != options_.method_options.end()) return given->second;
    for (const MethodOption& o : method_.options)
      if (o.key == key) return o.standard;
    throw InvalidArgument(
        fmt::format("method_options: '{}' has no option '{}'", method_.name, key));
  };
  start_request_.strategy = options_.start;
  configure_control();
  configure_output();
  if (options_.defect) system_->set_defect(&options_.defect);
  if (options_.known)
    known_ = [this](double t, State& s) {
      model_.setZero();  // eta vanishes on exact solutions
      // Not knowing is an answer; what is thrown ends the run (attempt()).
      Failure failure{"known"};
      const Outcome o = guarded(failure, t, [&] {
        const Out out(model_.data(), model_size(*system_->variables));
        return options_.known(t, out) ? Eval::ok : Eval::reject;
      });
      if (o == Outcome::callback_failed) known_failed_ = failure;
      if (o != Outcome::ok) return false;
      system_->from_model(t, model_.data(), s);
      return true;
    };
}

void Loop::configure_control() {
  fixed_ = options_.fixed_step > 0.0 || !options_.step_sequence.empty();
  control_ = fixed_ ? prescribed_control : policy_.decide;
  parameters_.shrink = policy_.shrink;
  parameters_.grow = policy_.grow;
  parameters_.grow_after_rejection = policy_.grows_after_rejection();
  if (options_.safety > 0.0) parameters_.safety = options_.safety;
  if (options_.min_ratio > 0.0) parameters_.shrink = options_.min_ratio;
  if (options_.max_ratio > 0.0) parameters_.grow = options_.max_ratio;
  parameters_.stabilisation = options_.stabilisation;
  parameters_.variable_order = method_.max_order > method_.min_order;
  if (!options_.step_sequence.empty()) parameters_.prescribed = &options_.step_sequence;
}

void Loop::configure_output() {
  const bool fresh = data_->variables == nullptr;
  std::vector<long>& orders = data_->statistics.order_histogram;
  const int highest = std::max({method_.order, method_.max_order, 1});
  orders.resize(std::max(orders.size(), static_cast<std::size_t>(highest + 1)), 0);
  if (fresh) {
    data_->variables = system_->variables;
    data_->layout = system_->model_layout();
    data_->statistics.position_residual = std::numeric_limits<double>::quiet_NaN();
    data_->statistics.velocity_residual = std::numeric_limits<double>::quiet_NaN();
  }
  model_.setZero(system_->variables->size());
  tangent_.resize(system_->layout.tangents());  // written to where an event acts
  scratch_.x.resize(system_->layout.points());
  recorder_ = std::make_unique<Recorder>(options_, *system_, *data_);
  events_ = std::make_unique<EventMonitor>(options_.events, *system_);
}

}  // namespace daedalus
