// SPDX-License-Identifier: BSD-3-Clause
#include "soak/random.hpp"

#include <Eigen/QR>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace daedalus::soak {

Random::Random(std::uint64_t seed, std::string_view stream) : state_(seed) {
  // FNV-1a of the name.
  std::uint64_t name = 14695981039346656037ULL;
  for (const char c : stream) name = (name ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  state_ ^= name;
  bits();
}

std::uint64_t Random::bits() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

double Random::uniform(double from, double to) {
  return from + (to - from) * (static_cast<double>(bits() >> 11) * 0x1.0p-53);
}

double Random::log_uniform(double from, double to) {
  return std::exp(uniform(std::log(from), std::log(to)));
}

int Random::integer(int from, int to) {
  return from + static_cast<int>(bits() % static_cast<std::uint64_t>(to - from + 1));
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(0.0, 1.0)));
  return radius * std::cos(uniform(0.0, 2.0 * std::numbers::pi));
}

Eigen::VectorXd Random::vector(int n, double from, double to) {
  Eigen::VectorXd v(n);
  for (int i = 0; i < n; ++i) v[i] = uniform(from, to);
  return v;
}

Eigen::MatrixXd Random::matrix(int rows, int columns, double from, double to) {
  Eigen::MatrixXd m(rows, columns);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) m(i, j) = uniform(from, to);
  return m;
}

Eigen::MatrixXd Random::orthogonal(int n) {
  Eigen::MatrixXd m(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) m(i, j) = normal();
  return Eigen::HouseholderQR<Eigen::MatrixXd>(m).householderQ();
}

Eigen::MatrixXd Random::permutation(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(integer(0, i))]);
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) m(i, order[static_cast<std::size_t>(i)]) = 1.0;
  return m;
}

Eigen::MatrixXd Random::conditioned(int n, double condition) {
  const Eigen::MatrixXd left = orthogonal(n), right = orthogonal(n);
  Eigen::VectorXd values(n);
  for (int i = 0; i < n; ++i)
    values[i] = log_uniform(1.0 / std::sqrt(condition), std::sqrt(condition));
  return left * values.asDiagonal() * right;
}

}  // namespace daedalus::soak
