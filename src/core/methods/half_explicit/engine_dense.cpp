// SPDX-License-Identifier: BSD-3-Clause
#include "methods/half_explicit/engine.hpp"

namespace daedalus::half_explicit {
namespace {

// Dormand, Prince: the fourth-order term of the continuous solution (Hairer, Noersett, Wanner I,
// section II.6).
constexpr std::array<double, 7> fourth{
    -12715105075.0 / 11282082432.0,  0.0,
    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0};

// z(theta) = sum_j d_j(theta) Z_j, d_j = sum_k theta^k algebraic[k][j]: the only polynomials that
// meet all conditions for z up to order 3 at every theta, the same for HEDOP5 and PHEM56. Local
// error O(h^4).
constexpr std::array<std::array<double, 7>, 4> algebraic{{
    {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {-183.0 / 32, 0.0, 3000.0 / 371, -125.0 / 16, 9477.0 / 1696, -22.0 / 7, 3.0},
    {37.0 / 4, 0.0, -1000.0 / 53, 125.0 / 4, -2187.0 / 106, 11.0, -12.0},
    {-145.0 / 32, 0.0, 4000.0 / 371, -375.0 / 16, 25515.0 / 1696, -55.0 / 7, 10.0},
}};

}  // namespace

Outcome HalfExplicitStepper::interpolant(Interpolant& out) {
  if (const Outcome o = first_rates(); o != Outcome::ok) return o;
  if (const Outcome o = end_rates(); o != Outcome::ok) return o;
  out.t0 = current_.t;
  out.h = h_;
  out.base = current_.x;
  out.degree = interpolant_degree();
  // The trial may have been projected since: the move counts from the first to the last point.
  system_.layout.minus(current_.x.data(), trial_.x.data(), error_.data());
  const auto move = error_.head(differential_);
  for (int k = 1; k <= out.degree; ++k) out.c.col(k).setZero();
  auto c1 = out.c.col(1).head(differential_), c2 = out.c.col(2).head(differential_),
       c3 = out.c.col(3).head(differential_);
  c1 = h_ * first_rate_;
  c2 = 3.0 * move - h_ * (2.0 * first_rate_ + end_rate_);
  c3 = h_ * (first_rate_ + end_rate_) - 2.0 * move;
  if (configuration_.dense == DenseOutput::dormand_prince) {
    // theta^2 (1 - theta)^2 times the fourth-order term on top of the cubic.
    for (int j = 0; j < numbers_.stages; ++j) {
      const double w = h_ * fourth[static_cast<std::size_t>(j)];
      c2 += w * rates_.col(j);
      c3 -= 2.0 * w * rates_.col(j);
      out.c.col(4).head(differential_) += w * rates_.col(j);
    }
  }
  if (configuration_.dense == DenseOutput::later_stages) {
    if (const Outcome o = later_inside(out); o != Outcome::ok) return o;
  } else {
    dense_algebraic(out);
  }
  error_.tail(algebraic_).setZero();
  return Outcome::ok;
}

void HalfExplicitStepper::dense_algebraic(Interpolant& out) const {
  if (algebraic_ == 0) return;
  const auto z = [&](int j) { return points_.col(j).tail(algebraic_); };
  const auto c = [&](int k) { return out.c.col(k).tail(algebraic_); };
  if (configuration_.dense == DenseOutput::dormand_prince) {
    for (int k = 1; k <= 3; ++k)
      for (int j = 0; j < numbers_.stages; ++j)
        c(k) += algebraic[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)] * z(j);
    return;
  }
  c(1) = trial_.x.tail(algebraic_) - current_.x.tail(algebraic_);
  for (std::size_t j = 0; j < configuration_.bend.size(); ++j) {
    c(2) += configuration_.bend[j] * z(static_cast<int>(j));
    c(1) -= configuration_.bend[j] * z(static_cast<int>(j));
  }
}

}  // namespace daedalus::half_explicit
