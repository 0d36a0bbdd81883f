// SPDX-License-Identifier: BSD-3-Clause
// Formulas that are evaluated together, over every number that callables are asked for. Immutable,
// used by many threads; nothing is allocated once as many evaluations were made at a time as ever
// will be.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include <daedalus/function.hpp>

#include "graph/interpreter.hpp"
#include "graph/machine_code.hpp"

namespace daedalus {

// Which inputs of the graph the vectors of a slot are.
using VectorKinds = std::array<graph::InputKind, 5>;
inline constexpr graph::InputKind no_kind = graph::InputKind::count_of_kinds;
inline constexpr VectorKinds state_kinds{graph::InputKind::state, graph::InputKind::algebraic,
                                         graph::InputKind::derivative, no_kind, no_kind};
inline constexpr VectorKinds mechanics_kinds{
    graph::InputKind::position, graph::InputKind::velocity, graph::InputKind::multiplier,
    graph::InputKind::auxiliary, graph::InputKind::contact};

struct FormulaSettings {
  VectorKinds kinds = state_kinds;
  int mode_count = 0;  // behind the modes of a problem come the values of pre()
  bool machine_code = true;
};

// Stands for the thread that asks, as long as it lives.
inline const void* this_thread() {
  static thread_local const char mark = 0;
  return &mark;
}

// Working memory that one evaluation uses at a time. Each thread has its own, so that no evaluation
// waits for an atomic operation; a thread that comes after one that has ended takes over its mark
// and its memory.
template <class Memory>
class PerThread {
 public:
  ~PerThread() {
    for (Place* p = first_.load(); p;) delete std::exchange(p, p->next);
  }
  // `from`: what a Memory is made of.
  template <class From, class Use>
  auto with(const From& from, Use&& use) const {
    const void* const owner = this_thread();
    Place* p = first_.load(std::memory_order_acquire);
    // Busy: an external function of the formulas evaluates the same formulas.
    while (p && (p->owner != owner || p->busy)) p = p->next;
    if (!p) p = add(from, owner);
    p->busy = true;
    struct Release {
      Place* place;
      ~Release() { place->busy = false; }
    } release{p};
    return use(p->memory);
  }

 private:
  struct Place {
    const void* owner;
    bool busy;  // known to the owner alone
    Memory memory;
    Place* next = nullptr;
  };
  template <class From>
  Place* add(const From& from, const void* owner) const {
    auto* fresh = new Place{owner, true, Memory(from), nullptr};
    const std::lock_guard lock(adding_);
    fresh->next = first_.load(std::memory_order_relaxed);
    first_.store(fresh, std::memory_order_release);
    return fresh;
  }
  mutable std::atomic<Place*> first_{nullptr};
  mutable std::mutex adding_;
};

class Formulas {
 public:
  // `outputs` as by lower().
  Formulas(graph::Graph& graph, const graph::Outputs& outputs, const FormulaSettings& settings);

  int count() const { return generic_.output_count(); }
  bool uses_machine_code() const { return code_ != nullptr; }
  const graph::Program& program() const { return generic_; }
  // All rows. Throws Reject with the message of an assertion that fails.
  template <class S>
  void run(const Arguments<S>& a, S* out) const;

 private:
  template <class S>
  graph::Point<S> point(const Arguments<S>& a) const {
    graph::Point<S> x;
    // Written out: -O2 would make a loop of it, whose counting takes as long as the copies.
    [&]<std::size_t... K>(std::index_sequence<K...>) { ((x[places_[K]] = a.x[K]), ...); }
    (std::make_index_sequence<std::tuple_size_v<VectorKinds>>());
    x[graph::InputKind::time] = &a.t;
    x[graph::InputKind::parameter] = a.p;
    x.modes = a.modes;
    x.previous = a.modes ? a.modes + settings_.mode_count : nullptr;
    return x;
  }
  template <class S>
  const PerThread<graph::Workspace<S>>& pool() const {
    return std::get<PerThread<graph::Workspace<S>>>(pools_);
  }

  FormulaSettings settings_;
  VectorKinds places_;  // those of the settings; what is no input goes where parameters come later
  graph::Program generic_, for_code_;
  std::shared_ptr<const graph::MachineCode> code_;
  std::tuple<PerThread<graph::Workspace<double>>, PerThread<graph::Workspace<Dual4>>,
             PerThread<graph::Workspace<Taylor2>>, PerThread<graph::Workspace<Taylor2Dual>>>
      pools_;
};

}  // namespace daedalus
