// SPDX-License-Identifier: BSD-3-Clause
// A callable over Taylor series of dual numbers, by its recorded graph: it need not be compiled for
// such numbers, each of which would lengthen the compilation of every model. Recorded at the first
// point, and again where the branches taken or the modes are new; what was recorded before is kept.
#pragma once

#include <memory>
#include <vector>

#include "function/recorded_callable.hpp"

namespace daedalus {

class SeriesCallable {
 public:
  template <class Slot>
  Eval operator()(const Function<Slot>& f, const Arguments<Taylor2Dual>& a, Taylor2Dual* out,
                  int rows) {
    read_values(a);
    Branch* branch = find();
    if (!branch) {
      RecordedCallable callable = record(f, at_, rows);
      if (callable.eval != Eval::ok) return callable.eval;
      branch = &keep(std::move(callable));
    }
    return run(*branch, a, out);
  }
  int recordings() const { return recordings_; }  // how often a callable was recorded

 private:
  struct Branch;
  struct Delete {
    void operator()(Branch* b) const;
  };
  void read_values(const Arguments<Taylor2Dual>& a);
  Branch* find();
  Branch& keep(RecordedCallable callable);
  Eval run(Branch& branch, const Arguments<Taylor2Dual>& a, Taylor2Dual* out) const;

  CallPoint at_;
  std::vector<std::unique_ptr<Branch, Delete>> branches_;  // the last one used comes first
  int recordings_ = 0;
};

}  // namespace daedalus
