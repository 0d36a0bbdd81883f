// SPDX-License-Identifier: BSD-3-Clause
// What an evaluation, a solve or an attempted step may come back with, and who is to blame.
#pragma once

#include <exception>
#include <string_view>

#include <daedalus/types.hpp>

namespace daedalus {

enum class Outcome {
  ok,
  newton_failed,
  matrix_singular,
  callback_rejected,  // "outside my domain": a smaller step may help
  callback_failed,    // the callback threw something else: the run ends
  not_finite,
  projection_failed,
  no_start_values,  // a multistep method was not given the values it starts from
  krylov_failed,    // GMRES did not reach its tolerance
  wrong_branch,     // the equations of the step were solved, but not near the last state
};
std::string_view to_string(Outcome outcome);

struct Culprit {
  enum class Kind { none, equation, variable };
  Kind kind = Kind::none;
  int index = -1;
};

// The last failed evaluation: which callable, which row. Filled without allocating, read only when
// a run ends.
struct Failure {
  const char* function = nullptr;
  int row = -1;
  double t = 0.0;
  std::exception_ptr exception{};
  int equation = -1;       // of the system, where it is not the row of the callable
  double reduction = 1.0;  // of the preconditioned residual, where GMRES stopped
};

// Runs a callable: a returned or thrown rejection becomes callback_rejected, anything else thrown
// callback_failed with the exception kept.
template <class Call>
Outcome guarded(Failure& failure, double t, Call&& call) {
  try {
    if (call() == Eval::ok) return Outcome::ok;
    failure.exception = nullptr;
    failure.row = -1;
    failure.t = t;
    return Outcome::callback_rejected;
  } catch (const Reject&) {
    failure.exception = std::current_exception();
    failure.row = -1;
    failure.t = t;
    return Outcome::callback_rejected;
  } catch (...) {
    failure.exception = std::current_exception();
    failure.row = -1;
    failure.t = t;
    return Outcome::callback_failed;
  }
}

// Index of the first entry that is not finite, or -1. One multiplication by zero per entry tests
// the whole array; the search runs only if that test trips.
int first_not_finite(const double* x, int n);

}  // namespace daedalus
