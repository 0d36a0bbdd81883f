// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same on every machine and with every compiler: splitmix64 (Steele,
// Lea, Flood 2014). The distributions of <random> are not.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string_view>

namespace daedalus::soak {

class Random {
 public:
  // Streams of different names are independent of each other.
  Random(std::uint64_t seed, std::string_view stream);
  std::uint64_t bits();
  double uniform(double from, double to);
  double log_uniform(double from, double to);
  int integer(int from, int to);  // both included
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  double sign() { return chance(0.5) ? 1.0 : -1.0; }
  double normal();
  Eigen::VectorXd vector(int n, double from, double to);
  Eigen::MatrixXd matrix(int rows, int columns, double from, double to);
  Eigen::MatrixXd orthogonal(int n);
  Eigen::MatrixXd permutation(int n);
  // Singular values from 1/sqrt(condition) to sqrt(condition).
  Eigen::MatrixXd conditioned(int n, double condition);

 private:
  std::uint64_t state_;
};

}  // namespace daedalus::soak
