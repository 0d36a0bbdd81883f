// SPDX-License-Identifier: BSD-3-Clause
#include "tool/mode_history.hpp"

#include <variant>

namespace daedalus::cli {

const std::vector<double>* ModeHistory::at(double t) const {
  const std::vector<double>* last = nullptr;
  for (const auto& change : changes_)
    if (!last || change.first <= t) last = &change.second;
  return last;
}

std::shared_ptr<ModeHistory> remember_modes(const Problem& problem, double t0, Options& options) {
  auto history = std::make_shared<ModeHistory>();
  std::visit([&](const auto& form) { history->add(t0, form.modes); }, problem);
  for (Event& event : options.events) {
    if (!event.handler) continue;
    event.handler = [history, handler = event.handler](EventContext& context) {
      handler(context);
      history->add(context.t, {context.modes.data(), context.modes.data() + context.modes.size()});
    };
  }
  return history;
}

}  // namespace daedalus::cli
