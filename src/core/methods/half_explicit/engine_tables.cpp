// SPDX-License-Identifier: BSD-3-Clause
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::half_explicit {

std::shared_ptr<const Configuration> Configurations::with(const Parameters& parameters) {
  // A study over many parameters must not fill the memory: a table has about a kilobyte.
  constexpr std::size_t max_kept = 64;
  const std::lock_guard lock(guard_);
  if (const auto found = made_.find(parameters); found != made_.end()) return found->second;
  auto configuration = std::make_shared<const Configuration>(make_(parameters));
  if (made_.size() >= max_kept) made_.clear();
  made_.emplace(parameters, configuration);
  return configuration;
}

Method index1_method(Method described, Configurations& configurations) {
  described.view_elsewhere.reset();
  described.hessenberg_only = false;
  described.max_index = 1;
  described.formulations = {"index1", "state-space"};
  described.make = [&configurations](System& system,
                                     const MethodSettings&) -> std::unique_ptr<Stepper> {
    return std::make_unique<HalfExplicitStepper>(system, configurations.with());
  };
  return described;
}

}  // namespace daedalus::half_explicit
