// SPDX-License-Identifier: BSD-3-Clause
#include "methods/registry.hpp"

#include <fmt/format.h>

#include <deque>
#include <mutex>

namespace daedalus {
namespace {

// Added methods, and every list of all methods that was ever handed out.
struct Added {
  std::mutex mutex;
  std::deque<Method> methods;
  std::deque<std::vector<const Method*>> lists;
};

Added& added() {
  static Added instance;
  return instance;
}

bool well_formed(std::string_view name) {
  bool inside_word = false;
  for (const char c : name) {
    const bool letter = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
    if (!letter && !digit && !(c == '-' && inside_word)) return false;
    inside_word = letter || digit;
  }
  return inside_word && name.front() >= 'a';
}

// What is wrong with a description, field first; empty: nothing.
std::string fault(const Method& m) {
  if (!well_formed(m.name))
    return fmt::format("name: '{}' is not made of lower-case words and digits joined by '-'",
                       m.name);
  if (m.name == "auto") return "name: 'auto' is the automatic choice";
  if (!m.make) return "make: is empty; it has to return a Stepper";
  if (m.view == View::mechanical || m.view_elsewhere == View::mechanical)
    return "view: mechanical is for the library's own methods; residual, linear and partitioned "
           "are open";
  if (m.order < 1) return fmt::format("order: {} is not a positive order", m.order);
  if (m.error_order < 0) return fmt::format("error_order: {} is negative", m.error_order);
  if (m.error_order == 0 && !m.fixed_step_only)
    return "fixed_step_only: a method without an error estimate (error_order 0) has to set it";
  if (m.max_index < 0) return fmt::format("max_index: {} is negative", m.max_index);
  return {};
}

}  // namespace

std::span<const Method* const> all_methods() {
  Added& a = added();
  const std::lock_guard lock(a.mutex);
  if (a.lists.empty()) return library_methods();
  return a.lists.back();
}

const Method* find_method(std::string_view name) {
  if (const Method* m = find_library_method(name)) return m;
  Added& a = added();
  const std::lock_guard lock(a.mutex);
  for (const Method& m : a.methods)
    if (m.name == name) return &m;
  return nullptr;
}

const Method& add_method(Method method) {
  if (const std::string text = fault(method); !text.empty())
    throw InvalidArgument(fmt::format("add_method: {}", text));
  if (find_method(method.name))
    throw InvalidArgument(
        fmt::format("add_method: name: there is a method '{}' already", method.name));
  const std::span<const Method* const> before = all_methods();
  Added& a = added();
  const std::lock_guard lock(a.mutex);
  const Method& kept = a.methods.emplace_back(std::move(method));
  std::vector<const Method*>& list = a.lists.emplace_back(before.begin(), before.end());
  list.push_back(&kept);
  return kept;
}

}  // namespace daedalus
