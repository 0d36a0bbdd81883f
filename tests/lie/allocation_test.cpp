// SPDX-License-Identifier: BSD-3-Clause
// No operation of a space allocates, not even the matrices of its elements.
#include <gtest/gtest.h>

#include <vector>

#include <daedalus/space.hpp>

#include "count_allocations.hpp"

#if DAEDALUS_COUNTS_MALLOC

namespace daedalus::lie_allocation_test {
namespace {

TEST(SpaceAllocation, OperationsRunWithout) {
  const Space space = power(
      product({euclidean(2), so3_space(2), s3_space(), se3_space(), s3_semidirect_space()}), 3);
  const auto points = static_cast<std::size_t>(space.points());
  const auto tangents = static_cast<std::size_t>(space.tangents());
  const long at_start = allocations;
  std::vector<double> x(points), y(points), z(points), v(tangents, 0.3), w(tangents, -0.2),
      u(tangents);
  std::vector<Dual4> xd(points), wd(tangents);
  EXPECT_GT(allocations, at_start);  // the counter counts
  const long before = allocations;
  space.exp(v.data(), x.data());
  space.exp(w.data(), y.data());
  space.compose(x.data(), y.data(), z.data());
  space.inverse(z.data(), y.data());
  space.plus(x.data(), w.data(), z.data());
  space.plus(xd.data(), wd.data(), xd.data());
  space.minus(x.data(), z.data(), u.data());
  space.log(z.data(), u.data());
  space.bracket(v.data(), w.data(), u.data());
  space.tangent(v.data(), w.data(), u.data());
  space.tangent_inverse(v.data(), w.data(), u.data());
  space.adjoint(x.data(), w.data(), u.data());
  space.magnitude(x.data(), u.data());
  space.renormalise(x.data());
  EXPECT_LT(space.defect(x.data()), 1e-14);
  space.for_each_element([&](const Space::Element& e) {
    if (e.kind == SpaceKind::euclidean) return;
    lie::Matrix m;
    const double *at = v.data() + e.tangent, *a = w.data() + e.tangent;
    lie::hat(e.kind, at, m);
    lie::tangent(e.kind, at, m);
    lie::tangent_inverse(e.kind, at, m);
    lie::adjoint(e.kind, x.data() + e.point, m);
    lie::tangent_derivative(e.kind, at, a, m);
    lie::tangent_inverse_derivative(e.kind, at, a, m);
  });
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace daedalus::lie_allocation_test

#endif
