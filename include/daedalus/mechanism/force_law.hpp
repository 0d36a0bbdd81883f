// SPDX-License-Identifier: BSD-3-Clause
// A force law written in C++: a generic callable of time and the states of two markers, for every
// number of the library.
//
//   m.callback("magnet", m.ground(), ball, {.at = {0, 0, 0}, .at2 = {0, 0, 1}},
//              [](const auto& t, const auto& a, const auto& b) {
//                auto load = no_load(t);
//                load.force = -2.0 * (b.position - a.position);
//                return load;
//              });
#pragma once

#include <Eigen/Core>
#include <memory>
#include <utility>

#include <daedalus/autodiff.hpp>

namespace daedalus {

// In ground axes; the axes of the marker are the columns of `rotation`.
template <class S>
struct MarkerState {
  Eigen::Matrix<S, 3, 1> position, velocity, angular_velocity;
  Eigen::Matrix<S, 3, 3> rotation;
};
// On the second body at its marker, ground axes; the first body takes the opposite.
template <class S>
struct Load {
  Eigen::Matrix<S, 3, 1> force, moment;
};
template <class S>
Load<S> no_load(const S&) {
  const S zero(0.0);
  return {{zero, zero, zero}, {zero, zero, zero}};
}

class ForceLaw {
 public:
  virtual ~ForceLaw() = default;
  virtual Load<double> operator()(const double& t, const MarkerState<double>& a,
                                  const MarkerState<double>& b) const = 0;
  virtual Load<Dual4> operator()(const Dual4& t, const MarkerState<Dual4>& a,
                                 const MarkerState<Dual4>& b) const = 0;
  virtual Load<Taylor2> operator()(const Taylor2& t, const MarkerState<Taylor2>& a,
                                   const MarkerState<Taylor2>& b) const = 0;
  virtual Load<Taylor2Dual> operator()(const Taylor2Dual& t, const MarkerState<Taylor2Dual>& a,
                                       const MarkerState<Taylor2Dual>& b) const = 0;
  virtual Load<Recorded> operator()(const Recorded& t, const MarkerState<Recorded>& a,
                                    const MarkerState<Recorded>& b) const = 0;
};

template <class F>
class ForceLawOf final : public ForceLaw {
 public:
  explicit ForceLawOf(F law) : law_(std::move(law)) {}
  Load<double> operator()(const double& t, const MarkerState<double>& a,
                          const MarkerState<double>& b) const override {
    return law_(t, a, b);
  }
  Load<Dual4> operator()(const Dual4& t, const MarkerState<Dual4>& a,
                         const MarkerState<Dual4>& b) const override {
    return law_(t, a, b);
  }
  Load<Taylor2> operator()(const Taylor2& t, const MarkerState<Taylor2>& a,
                           const MarkerState<Taylor2>& b) const override {
    return law_(t, a, b);
  }
  Load<Taylor2Dual> operator()(const Taylor2Dual& t, const MarkerState<Taylor2Dual>& a,
                               const MarkerState<Taylor2Dual>& b) const override {
    return law_(t, a, b);
  }
  Load<Recorded> operator()(const Recorded& t, const MarkerState<Recorded>& a,
                            const MarkerState<Recorded>& b) const override {
    return law_(t, a, b);
  }

 private:
  F law_;
};

}  // namespace daedalus
