// SPDX-License-Identifier: BSD-3-Clause
// Series, correction terms and local errors work in the memory of their construction.
#include <gtest/gtest.h>

#include "lie/increment_series.hpp"
#include "lie_series/matrix_series.hpp"

#include "count_allocations.hpp"

#if DAEDALUS_COUNTS_MALLOC

namespace daedalus::lie_series_allocation_test {
namespace {

TEST(LieSeriesAllocation, NoneAfterConstruction) {
  const long start = allocations;
  const Space space = product({euclidean(4), se3_space(), so3_space(2)});
  EXPECT_GT(allocations, start);
  const matrix_series::Vectors v = matrix_series::random_matrices(7, 31);
  const auto pointers = matrix_series::pointers(v);
  std::vector<double> out(static_cast<std::size_t>(space.tangents()));
  lie::Series series(space);
  lie::IncrementSeries errors(space);
  const lie::CorrectionSet set = lie::random_correction_set(6, true, 1);
  lie::CorrectionTerm term(space, set);
  lie::Matrix by_first, by_second;
  const double steps[] = {0.1, 0.2, 0.15, 0.1, 0.1, 0.12};
  const long constructed = allocations;
  series.magnus(7, pointers.data(), out.data());
  series.increment(7, 0.1, pointers.data(), out.data());
  series.bch(6, v[0].data(), v[1].data(), out.data());
  series.dexpinv(6, v[0].data(), v[1].data(), out.data());
  lie::dexpinv_derivatives(SpaceKind::se3, 6, v[0].data(), v[1].data(), by_first, by_second);
  term.prepare(0.1, pointers.data(), pointers.data());
  term.evaluate(v[0].data(), v[1].data(), out.data());
  term.derivatives(SpaceKind::se3, 4, by_first, by_second);
  for (int k = 1; k <= 6; ++k) {
    const lie::BdfFormula formula = lie::bdf_formula(k, steps);
    errors.set(formula);
    errors.correction(0.1, pointers.data(), out.data());
    errors.correction_of_values(0.1, pointers.data(), out.data());
    errors.leading_error(0.1, pointers.data(), out.data());
    errors.set_munthe_kaas(formula);
  }
  errors.set(lie::bdf_formula(6), set);
  EXPECT_EQ(allocations, constructed);
}

}  // namespace
}  // namespace daedalus::lie_series_allocation_test

#endif
