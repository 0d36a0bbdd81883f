// SPDX-License-Identifier: BSD-3-Clause
// What the checks of all problem forms share: refusals that name problem and field, and callables
// that are run once between guards.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/problem.hpp>

#include "formulation/guarded_call.hpp"

namespace daedalus {

inline std::optional<std::string_view> repeated_name(std::vector<std::string_view>& names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::nullopt : std::optional(*twice);
}

class ProblemChecker {
 public:
  ProblemChecker(const std::string& problem, double t0) : problem_(problem), t0_(t0) {}

  [[noreturn]] void fail(const char* field, const std::string& what) const {
    throw InvalidArgument(problem_.empty()
                              ? fmt::format("{}: {}", field, what)
                              : fmt::format("problem '{}', {}: {}", problem_, field, what));
  }
  // Sentences are made where something is wrong; making them all would take longer than a short
  // run.
  void need(bool condition, const char* field, const char* what) const {
    if (!condition) fail(field, what);
  }
  template <class First, class... Rest>
  void need(bool condition, const char* field,
            fmt::format_string<const First&, const Rest&...> text, const First& first,
            const Rest&... rest) const {
    if (!condition) fail(field, fmt::format(text, first, rest...));
  }
  void size(const char* field, long actual, long wanted, const char* counts) const {
    if (actual != wanted)
      fail(field, fmt::format("has {} entries, expected {} ({})", actual, wanted, counts));
  }
  void finite(const char* field, const Eigen::VectorXd& v) const {
    for (int i = 0; i < v.size(); ++i)
      if (!std::isfinite(v[i])) fail(field, fmt::format("entry {} is {}", i + 1, v[i]));
  }
  void names(const char* field, const std::vector<std::string>& list, long wanted) const {
    if (!list.empty()) size(field, static_cast<long>(list.size()), wanted, "one name each");
  }
  void unique(const std::vector<const std::vector<std::string>*>& lists) const {
    std::vector<std::string_view> seen;
    for (const auto* list : lists) seen.insert(seen.end(), list->begin(), list->end());
    if (const auto twice = repeated_name(seen))
      fail("names", fmt::format("'{}' appears twice", *twice));
  }
  void parameters(const std::vector<Parameter>& list) const {
    std::vector<std::string_view> seen;
    seen.reserve(list.size());
    for (const Parameter& p : list) {
      if (!std::isfinite(p.value)) fail("parameters", fmt::format("'{}' is {}", p.name, p.value));
      seen.push_back(p.name);
    }
    if (const auto twice = repeated_name(seen))
      fail("parameters", fmt::format("'{}' appears twice", *twice));
  }
  // Calls once at the start values with guards around inputs and output, and once over dual numbers
  // if it is differentiable.
  template <class Slot>
  void call(const char* field, const Function<Slot>& f, const Arguments<double>& a, int rows,
            int cols = 1) const {
    if (!f || rows * cols == 0) return;
    const auto n = static_cast<std::size_t>(rows * cols);
    guard::Room<double> room;
    std::vector<double>& out = room.numbers;
    if (!guard::run(f, guarded(plain_, a), rows, cols, out)) return;
    for (std::size_t i = 0; i < guard::width; ++i)
      if (!guard::is_untouched(out[i]) || !guard::is_untouched(out[guard::width + n + i]))
        fail(field, fmt::format("writes outside its output of {} entries", n));
    refuse_read<Slot>(field, a, guard::read_outside(out));
    for (std::size_t i = 0; i < n; ++i)
      if (guard::is_untouched(out[guard::width + i]))
        fail(field,
             cols == 1
                 ? fmt::format("leaves entry {} of {} unwritten at the start values", i + 1, n)
                 : fmt::format("leaves entry ({}, {}) of a {} x {} matrix unwritten at the start "
                               "values",
                               i % static_cast<std::size_t>(rows) + 1,
                               i / static_cast<std::size_t>(rows) + 1, rows, cols));
    guard::Room<Dual4> room_of_duals;
    std::vector<Dual4>& duals = room_of_duals.numbers;
    // What a comparison hides of a value shows in derivatives.
    if (f.differentiable() && guard::run(f, guarded(duals_, a), rows, cols, duals))
      refuse_read<Slot>(field, a, guard::read_outside(duals));
  }
  double t0() const { return t0_; }

 private:
  // All callables of a problem get the same arguments: they are laid between guards once.
  template <class S>
  static const guard::Inputs<S>& guarded(std::optional<guard::Inputs<S>>& inputs,
                                         const Arguments<double>& a) {
    if (!inputs) inputs.emplace(a);
    return *inputs;
  }
  template <class Slot>
  void refuse_read(const char* field, const Arguments<double>& a, int input) const {
    if (input < 0) return;
    constexpr std::array<const char*, 5> state{"y", "z", "yp", "", ""},
        multibody{"q", "v", "lambda", "c", "s"};
    const auto k = static_cast<std::size_t>(input);
    if (input >= 5) {
      const int count = input == 5 ? a.parameter_count : a.mode_count;
      fail(field, fmt::format("reads outside of the {} ({} there are)",
                              input == 5 ? "parameters p" : "modes", count));
    }
    const char* name = std::is_base_of_v<slot::Multibody, Slot> ? multibody[k] : state[k];
    fail(field, fmt::format("reads outside of its argument {}, which has {} entries; indices go "
                            "from 0 to {}",
                            name, a.n[k], a.n[k] - 1));
  }
  const std::string& problem_;
  double t0_;
  mutable std::optional<guard::Inputs<double>> plain_;
  mutable std::optional<guard::Inputs<Dual4>> duals_;
};

}  // namespace daedalus
