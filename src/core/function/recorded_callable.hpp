// SPDX-License-Identifier: BSD-3-Clause
// One callable of a problem as an expression graph with guards: recorded at a point, evaluated and
// differentiated elsewhere as long as the guards hold.
#pragma once

#include <array>
#include <memory>
#include <type_traits>
#include <vector>

#include <daedalus/function.hpp>

#include "function/recording.hpp"
#include "graph/interpreter.hpp"

namespace daedalus {

// Arguments of a callable as plain data.
struct CallPoint {
  double t = 0.0;
  std::array<std::vector<double>, 5> x;  // in the order of its slot
  std::vector<double> p, modes;

  // Over any number type: `storage` keeps the numbers, t first, then the vectors, then p.
  template <class S>
  Arguments<S> over(std::vector<S>& storage) const {
    storage.assign(1, S(t));
    for (const auto& v : x) storage.insert(storage.end(), v.begin(), v.end());
    storage.insert(storage.end(), p.begin(), p.end());
    return arguments(storage.data());
  }
  template <class S>
  Arguments<S> arguments(const S* at) const {
    Arguments<S> a;
    a.t = *at++;
    for (std::size_t k = 0; k < x.size(); ++k) {
      a.x[k] = at;
      a.n[k] = static_cast<int>(x[k].size());
      at += x[k].size();
    }
    a.p = at;
    a.parameter_count = static_cast<int>(p.size());
    a.modes = modes.data();
    a.mode_count = static_cast<int>(modes.size());
    return a;
  }
};

// Which inputs of a graph the vectors of a slot are.
using InputKinds = std::array<graph::InputKind, 5>;
template <class Slot>
constexpr InputKinds input_kinds_of() {
  using K = graph::InputKind;
  if constexpr (std::is_base_of_v<slot::State, Slot>)
    return {K::state, K::algebraic, K::derivative, K::auxiliary, K::contact};
  else
    return {K::position, K::velocity, K::multiplier, K::auxiliary, K::contact};
}

graph::Point<double> graph_point(const CallPoint& at, const InputKinds& kinds);

struct RecordedCallable {
  std::unique_ptr<Recording> recording;
  InputKinds kinds{};
  // Rows of the callable, then one row per guard; nothing where the callable rejected the point.
  graph::Outputs outputs;
  int rows = 0;
  Eval eval = Eval::reject;

  bool guards_hold(const double* values) const;  // of all rows
};

namespace detail {
RecordedCallable start_recording(const CallPoint& at, const InputKinds& kinds,
                                 std::vector<Recorded>& storage);
void finish_recording(RecordedCallable& callable, const std::vector<Recorded>& out);
}  // namespace detail

template <class Slot>
RecordedCallable record(const Function<Slot>& f, const CallPoint& at, int rows, int cols = 1) {
  std::vector<Recorded> storage;
  RecordedCallable callable = detail::start_recording(at, input_kinds_of<Slot>(), storage);
  std::vector<Recorded> out(static_cast<std::size_t>(rows * cols));
  callable.eval =
      f(at.arguments(static_cast<const Recorded*>(storage.data())), out.data(), rows, cols);
  if (callable.eval == Eval::ok) detail::finish_recording(callable, out);
  return callable;
}

}  // namespace daedalus
