// SPDX-License-Identifier: BSD-3-Clause
// A VectorMap from one function template: Derived::eval<S>(t, x, xd, r).
#pragma once

#include "formulation/piece.hpp"
#include "system/vector_map.hpp"

namespace daedalus {

template <class Derived>
class MapOf : public VectorMap {
 public:
  Eval value(double t, const double* x, const double* xd, double* r) override {
    return self().template eval<double>(t, x, xd, r);
  }
  Eval dual(const Dual4& t, const Dual4* x, const Dual4* xd, Dual4* r) override {
    return self().template eval<Dual4>(t, x, xd, r);
  }
  const char* running() const override { return piece_.running(); }
  void search(bool on) override { piece_.search(on); }

 protected:
  PieceRunner piece_;

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

}  // namespace daedalus
