// SPDX-License-Identifier: BSD-3-Clause
// Runs one callable of a map under its name. While searching for the source of a value that is not
// finite, the first piece that gives one stops the evaluation, so that its name stays.
#pragma once

#include <cmath>

#include <daedalus/taylor.hpp>
#include <daedalus/types.hpp>

namespace daedalus {

// Value and derivatives.
inline bool all_finite(double x) { return std::isfinite(x); }
inline bool all_finite(const Dual4& x) {
  bool all = std::isfinite(x.v);
  for (const double d : x.d) all = all && std::isfinite(d);
  return all;
}
template <class S, int K>
bool all_finite(const Taylor<S, K>& x) {
  bool all = true;
  for (const S& c : x.c) all = all && all_finite(c);
  return all;
}

class PieceRunner {
 public:
  const char* running() const { return running_; }
  void search(bool on) { searching_ = on; }

  template <class S, class Call>
  Eval operator()(const char* name, const S* out, int count, Call&& call) {
    running_ = name;
    const Eval e = call();
    if (searching_ && e == Eval::ok)
      for (int i = 0; i < count; ++i)
        if (!all_finite(out[i])) return Eval::reject;
    return e;
  }

 private:
  const char* running_ = "";
  bool searching_ = false;
};

}  // namespace daedalus
