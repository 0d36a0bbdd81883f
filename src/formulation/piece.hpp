// Runs one callable of a map under its name. While searching for the source of a value that is not
// finite, the first piece that gives one stops the evaluation, so that its name stays.
#pragma once

#include <cmath>

#include <daedalus/dual.hpp>
#include <daedalus/types.hpp>

namespace daedalus {

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
        if (!finite(out[i])) return Eval::reject;
    return e;
  }

 private:
  static bool finite(double x) { return std::isfinite(x); }
  static bool finite(const Dual4& x) {
    bool all = std::isfinite(x.v);
    for (const double d : x.d) all = all && std::isfinite(d);
    return all;
  }
  template <class S>
  static bool finite(const S& series) {
    bool all = true;
    for (const auto& c : series.c) all = all && finite(c);
    return all;
  }
  const char* running_ = "";
  bool searching_ = false;
};

}  // namespace daedalus
