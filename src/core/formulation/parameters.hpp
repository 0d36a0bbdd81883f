// SPDX-License-Identifier: BSD-3-Clause
// Parameter values over every scalar a callable may be asked for, and the modes of the run.
#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include <daedalus/function.hpp>
#include <daedalus/problem.hpp>

namespace daedalus {

// Shared with the system: event handlers change modes during a run.
using Modes = std::shared_ptr<const std::vector<double>>;

class ParameterSet {
 public:
  ParameterSet(const std::vector<Parameter>& parameters, Modes modes) : modes_(std::move(modes)) {
    std::apply([&](auto&... set) { (fill(set, parameters), ...); }, sets_);
  }

  template <class S>
  void apply(Arguments<S>& a) const {
    const auto& set = std::get<std::vector<S>>(sets_);
    a.p = set.data();
    a.parameter_count = static_cast<int>(set.size());
    a.modes = modes_->data();
    a.mode_count = static_cast<int>(modes_->size());
  }

 private:
  template <class S>
  static void fill(std::vector<S>& set, const std::vector<Parameter>& parameters) {
    set.reserve(parameters.size());
    for (const Parameter& p : parameters) set.emplace_back(p.value);
  }
  std::tuple<std::vector<double>, std::vector<Dual4>, std::vector<Taylor2>,
             std::vector<Taylor2Dual>, std::vector<Recorded>>
      sets_;
  Modes modes_;
};

// Arguments of a first-order problem's callable.
template <class S>
Arguments<S> state_arguments(const ParameterSet& parameters, const S& t, const S* y, int ny,
                             const S* z = nullptr, int nz = 0, const S* yp = nullptr, int np = 0) {
  Arguments<S> a;
  a.t = t;
  a.x = {y, z, yp, nullptr, nullptr};
  a.n = {ny, nz, np, 0, 0};
  parameters.apply(a);
  return a;
}

}  // namespace daedalus
