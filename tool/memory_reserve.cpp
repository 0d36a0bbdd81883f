// SPDX-License-Identifier: BSD-3-Clause
#include "tool/memory_reserve.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "tool/session.hpp"

namespace daedalus::cli {
namespace {

// Destroying a document takes 16 bytes for each of its values: enough for half a million. Pages
// that are never touched cost no memory.
constexpr std::size_t reserve_bytes = 8 << 20;

std::atomic<void*> reserve{nullptr};
std::terminate_handler terminate_before = nullptr;
std::atomic<bool> was_short{false};

// An allocation that fails fails; only the destructors that run because of that get what they need.
void give_reserve() {
  void* const held = std::uncaught_exceptions() > 0 ? reserve.exchange(nullptr) : nullptr;
  if (!held) {
    was_short = true;
    throw std::bad_alloc();
  }
  std::free(held);
}

[[noreturn]] void say_and_end() {
  constexpr std::string_view text =
      "daedalus: there is not enough memory; what was written before is whole\n";
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
  _exit(exit_run_failed);
}

void end_without_memory() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    // Functions that may not throw end the program before anybody has caught it; those of the
    // standard library that read folders are among them, and allocate.
    if (was_short && std::uncaught_exceptions() > 0) say_and_end();
  } catch (const std::bad_alloc&) {
    say_and_end();
  } catch (...) {
  }
  if (terminate_before) terminate_before();
  std::abort();
}

}  // namespace

MemoryReserve::MemoryReserve() : before_(std::get_new_handler()) {
  std::free(reserve.exchange(std::malloc(reserve_bytes)));
  std::set_new_handler(give_reserve);
  terminate_before = std::set_terminate(end_without_memory);
}

MemoryReserve::~MemoryReserve() {
  std::set_terminate(terminate_before);
  std::set_new_handler(before_);
  std::free(reserve.exchange(nullptr));
}

}  // namespace daedalus::cli
