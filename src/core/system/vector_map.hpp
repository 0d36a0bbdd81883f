// SPDX-License-Identifier: BSD-3-Clause
// The function behind a system: r = F(t, x, x') or r = f(t, x), over doubles and dual numbers.
#pragma once

#include <optional>

#include <daedalus/dual.hpp>
#include <daedalus/types.hpp>

#include "linalg/sparse_pattern.hpp"
#include "system/archive.hpp"

namespace daedalus {

class VectorMap {
 public:
  virtual ~VectorMap() = default;
  virtual Eval value(double t, const double* x, const double* xd, double* r) = 0;
  // Called only if differentiable().
  virtual Eval dual(const Dual4& t, const Dual4* x, const Dual4* xd, Dual4* r) = 0;
  virtual bool differentiable() const = 0;
  virtual int rows() const = 0;
  // E where the form of the equations tells that F = E x' - f(t, x) with E the same everywhere;
  // value() and dual() without x' (a null pointer) then give f.
  virtual std::optional<SparseValues> constant_rates() const { return std::nullopt; }
  // Derivatives that the equations know by themselves, with structures that hold in all branches:
  // of F by x, by x' (where they are not constant_rates()), and by t. dx, dxd and dt may be null.
  virtual bool knows_derivatives() const { return false; }
  virtual SparsePattern known_pattern(bool by_rate) const {
    static_cast<void>(by_rate);
    return {};
  }
  virtual Eval known_derivatives(double t, const double* x, const double* xd, double* dx,
                                 double* dxd, double* dt) {
    static_cast<void>(t), static_cast<void>(x), static_cast<void>(xd);
    static_cast<void>(dx), static_cast<void>(dxd), static_cast<void>(dt);
    return Eval::reject;
  }
  // Relative error of a value: round-off, or that of differences inside.
  virtual double noise() const { return 2.2e-16; }
  // Couplings of stabilised formulations, which any matrix near the right one can take the place
  // of, are kept from freeze() on until refresh().
  virtual void freeze() {}
  virtual Eval refresh(double t, const double* x, const double* xd) {
    static_cast<void>(t), static_cast<void>(x), static_cast<void>(xd);
    return Eval::ok;
  }
  virtual void archive(Archive&) {}
  // Which callable was running, for messages.
  virtual const char* running() const = 0;
  // While on, the first callable that gives a value that is not finite rejects.
  virtual void search(bool on) = 0;
};

}  // namespace daedalus
