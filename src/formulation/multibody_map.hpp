// Lowered multibody equations as one map. Variables (q, v, c, s, lambda) and, in the linear view,
// the accelerations a; rows in the order q, v, c, s, lambda (and a).
//   residual view:  q' - T v,  M v' - f + G^T lambda,  c' - d,  h,  constraint(v')
//   linear view:    q' = T v,  v' = a,  c' = d,  0 = h,  0 = constraint(a),  0 = f - M a - G^T
//   lambda
// constraint: level 3: g (and A v + a_0);  level 2: G v + g_t;  level 1: G v' + d^2g/dt^2|_{v'=0}
// (Arnold 1998, (3.1), (3.4); Hairer, Wanner II, section VII.1).
#pragma once

#include "formulation/map_of.hpp"
#include "formulation/mechanics.hpp"

namespace daedalus {

class MultibodyMap final : public MapOf<MultibodyMap> {
 public:
  MultibodyMap(Mechanics& mechanics, int level, bool linear);
  template <class S>
  Eval eval(const S& t, const S* x, const S* xd, S* r);
  bool differentiable() const override { return mechanics_.differentiable(level_); }
  int rows() const override { return rows_; }
  void search(bool on) override { mechanics_.search(on); }
  double noise() const override { return mechanics_.noise(level_); }
  const char* running() const override { return mechanics_.running(); }

 private:
  template <class S>
  struct Work {
    std::vector<S> M, f, G, offset;
    bool sparse = false;
  };
  template <class S>
  void reserve(Work<S>& work) const;

  Mechanics& mechanics_;
  int level_;
  bool linear_;
  int rows_;
  std::tuple<Work<double>, Work<Dual4>> work_;
};

}  // namespace daedalus
