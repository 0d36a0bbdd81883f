// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/run_memory.hpp"

#include <utility>

#include <daedalus/stepper/archive.hpp>

namespace daedalus {
namespace {

thread_local RunMemory* in_force = nullptr;

}  // namespace

RunMemory* RunMemory::current() { return in_force; }

RunMemory::Scope::Scope(RunMemory& memory) : before_(std::exchange(in_force, &memory)) {}
RunMemory::Scope::~Scope() { in_force = before_; }

void RunMemory::archive(Archive& a) {
  std::vector<int> numbers;
  for (const auto& [number, list] : lists_) numbers.push_back(number);
  a.grows(numbers);
  if (!a.saving()) lists_.clear();
  for (const int number : numbers) a.grows(lists_[number]);
}

}  // namespace daedalus
