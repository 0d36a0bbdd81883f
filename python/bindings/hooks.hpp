// SPDX-License-Identifier: BSD-3-Clause
// Python functions as the hooks of Options and as events. What they raise goes through the library,
// which keeps it with the solution.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include <daedalus/krylov.hpp>

#include "bindings.hpp"
#include "held.hpp"
#include "states.hpp"

namespace daedalus::python {

void read_krylov(const py::dict& from, KrylovOptions& options);

template <class F>
struct HookOf;

template <>
struct HookOf<bool()> {
  Held f;
  bool operator()() const {
    const py::gil_scoped_acquire lock;
    begin_run();
    return py::bool_((*f)());
  }
};
template <>
struct HookOf<void(const Progress&)> {
  Held f;
  void operator()(const Progress& p) const {
    const py::gil_scoped_acquire lock;
    begin_run();
    (*f)(p);
  }
};
template <>
struct HookOf<void(const StepRecord&)> {
  Held f;
  void operator()(const StepRecord& r) const {
    const py::gil_scoped_acquire lock;
    py::dict d;
    d["number"] = r.number;
    d["t"] = r.t;
    d["h"] = r.h;
    d["order"] = r.order;
    d["error"] = r.error;
    d["newton_iterations"] = r.newton_iterations;
    d["outcome"] = std::string(r.outcome);
    d["worst_variable"] = r.worst_variable;
    d["worst_name"] = std::string(r.worst_name);
    begin_run();
    (*f)(d);
  }
};
template <>
struct HookOf<void(const StateView&)> {
  Held f;
  std::shared_ptr<VariablesCache> cache = std::make_shared<VariablesCache>();
  void operator()(const StateView& s) const {
    const py::gil_scoped_acquire lock;
    begin_run();
    (*f)(cache->state(s));
  }
};
template <>
struct HookOf<void(const DefectSite&, Out)> {
  Held f;
  void operator()(const DefectSite& site, Out rows) const;
};
template <>
struct HookOf<bool(double, Out)> {
  Held f;
  bool operator()(double t, Out y) const;
};

// Ends runs of other threads; asking it needs no lock.
class CancelFlag {
 public:
  void set() const { *flag_ = true; }
  bool is_set() const { return *flag_; }

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

template <class F>
std::function<F> hook(const py::handle& function) {
  if constexpr (std::is_same_v<F, bool()>)
    if (py::isinstance<CancelFlag>(function))
      return [flag = function.cast<CancelFlag>()] { return flag.is_set(); };
  return HookOf<F>{hold(function)};
}

}  // namespace daedalus::python
