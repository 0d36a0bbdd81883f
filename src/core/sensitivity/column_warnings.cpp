// SPDX-License-Identifier: BSD-3-Clause
// What users have to know about their columns beside the numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"
#include "sensitivity/run_columns.hpp"

namespace daedalus {

void RunColumns::tell_differences() {
  const bool asked_for = options_.derivatives == DerivativeSource::differences;
  if (equations_.differentiable() || asked_for || asked_.parameters.empty()) return;
  const std::vector<std::string> plain = plain_callables(equations_.problem());
  if (plain.empty()) return;
  warnings_.push_back(fmt::format(
      "{} {} not generic: derivatives by parameters are differences, good to about 7 digits. "
      "Wrapped in autodiff() they are exact.",
      fmt::join(plain, ", "), plain.size() == 1 ? "is" : "are"));
}

void RunColumns::concluded() {
  if (lost_ || moved_.empty() || steps_ == 0) return;
  const std::vector<SensitivityColumn> columns = described(asked_, equations_.differentiable());
  std::vector<std::string> idle;
  for (std::size_t j = 0; j < std::min(moved_.size(), columns.size()); ++j)
    if (!moved_[j]) idle.push_back("'" + columns[j].name + "'");
  if (!idle.empty() && !told_idle_)
    warnings_.push_back(fmt::format(
        "No variable depends on {}: {} 0 throughout. A parameter that enters through a comparison "
        "alone, or an event that did not happen, has no derivative either.",
        fmt::join(idle, ", "), idle.size() == 1 ? "its derivative is" : "their derivatives are"));
  told_idle_ = told_idle_ || !idle.empty();
}

}  // namespace daedalus
