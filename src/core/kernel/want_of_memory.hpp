// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <new>

#include <daedalus/stepper/outcome.hpp>

namespace daedalus {

// Want of memory is no property of a problem: a search that tries something else where an
// evaluation failed hands it on.
inline void hand_on_want_of_memory(const Failure& failure) {
  if (!failure.exception) return;
  try {
    std::rethrow_exception(failure.exception);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {  // what the callable threw is for the search
  }
}

}  // namespace daedalus
