// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/tischendorf_support.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include <daedalus/testing/order.hpp>

#include "formulation/lower.hpp"

namespace daedalus::experiments::tischendorf {

Eigen::VectorXd exact_at(const std::string& problem, double t, const problems::Values& values) {
  const auto all = entry(problem).exact(t, values);
  Eigen::VectorXd x(static_cast<Eigen::Index>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) x[static_cast<Eigen::Index>(i)] = all[i].second;
  return x;
}

// SplitMix64 (Steele, Lea, Flood 2014).
double uniform(long step) {
  std::uint64_t z = static_cast<std::uint64_t>(step) * 0x9e3779b97f4a7c15ULL + 1992;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-53;
}

double slope(const std::vector<double>& h, const std::vector<double>& e) {
  return testing::observed_order(h, e, 0.0);
}

Options constant_steps(int k, double h, std::function<void(double t, Out y)> exact) {
  Options o;
  o.method = "bdf";
  o.rtol = 1e-11;
  o.atol = 1e-11;
  o.fixed_step = h;
  o.start = StartStrategy::given;
  o.method_options["order"] = k;
  o.method_options["newton_tolerance"] = 1e-2;
  o.known = [exact = std::move(exact)](double t, Out y) {
    exact(t, y);
    return true;
  };
  return o;
}

Lowered lowered(Problem problem, double t0) {
  Lowered l;
  l.problem = std::make_shared<const Problem>(std::move(problem));
  l.system = lower(l.problem, "", View::residual, {}, t0);
  l.system->prepare(model_start(*l.system, *l.problem, t0));
  return l;
}

}  // namespace daedalus::experiments::tischendorf
