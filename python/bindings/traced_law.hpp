// SPDX-License-Identifier: BSD-3-Clause
// A Python function of one number and one vector, written down as formulas once and evaluated over
// every number of the library: laws of forces, contact families.
#pragma once

#include <memory>

#include "expressions.hpp"
#include "model/formula_function.hpp"

namespace daedalus::python {

class TracedLaw {
 public:
  // f(t, [x1, ...]) returns `count` expressions; count 0: as many as it likes.
  TracedLaw(const py::function& f, int size, int count);
  // The same with a number in place of t: the formulas know that it is constant.
  static TracedLaw at(const py::function& f, double t, int size, int count);
  // The derivative of all outputs by t.
  TracedLaw by_time() const;
  int count() const { return count_; }

  template <class S>
  void operator()(const S& t, const S* x, S* out) const {
    Arguments<S> a;
    a.t = t;
    a.x[0] = x;
    a.n[0] = size_;
    body_->call(a, out, count_, 1);
  }

 private:
  TracedLaw(std::shared_ptr<ModelBuilder> owner, graph::Outputs outputs, int size);
  std::shared_ptr<ModelBuilder> owner_;
  graph::Outputs outputs_;
  int size_ = 0, count_ = 0;
  std::shared_ptr<const FormulaFunction> body_;
};

}  // namespace daedalus::python
