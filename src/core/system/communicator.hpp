// SPDX-License-Identifier: BSD-3-Clause
// Who else holds variables of this run. A run over ranks cuts its vectors: each rank has its own
// variables and equations, and all of them take the same decisions because every number that
// decides anything is reduced over ranks. The serial communicator, which every other run has, does
// nothing.
//
// What fails on one rank alone must end or repeat the step on all of them. An evaluation whose
// values go into a reduction anyway does not agree by itself: it postpones its outcome, which
// travels with the next reduction, and whoever decides there asks for what was settled.
#pragma once

#include <span>

#include <daedalus/stepper/outcome.hpp>

namespace daedalus {

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual bool shared() const { return false; }  // over ranks, be it one
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }

  // Sums and maxima over all ranks, in place, in one call, with the same bits on every rank.
  // `worst` becomes the largest over ranks; true: it is this rank's (the lowest one's among equal
  // ones), whose names a message takes. Carries what was postponed.
  virtual bool reduce(std::span<double> sums, std::span<double> maxima, double* worst = nullptr) {
    static_cast<void>(sums), static_cast<void>(maxima), static_cast<void>(worst);
    return true;
  }
  // An outcome of this rank that the next reduction tells to all of them.
  virtual void postpone(Outcome own, const Failure& failure) {
    static_cast<void>(own), static_cast<void>(failure);
  }
  // The gravest outcome that reductions brought since this was last asked, the same on every rank;
  // none: `otherwise`.
  virtual Outcome settle(Outcome otherwise) { return otherwise; }
};

}  // namespace daedalus
