// SPDX-License-Identifier: BSD-3-Clause
// M as a dense callable, as blocks and as a constant sparse matrix: the same motion in every
// formulation and view, and refusals that name the field.
#include <gmock/gmock.h>

#include <Eigen/Sparse>

#include "multibody_structure/plates.hpp"

namespace daedalus::structure_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Use {
  const char *method, *formulation;
};
// Each view and each level of the constraints once.
constexpr Use uses[] = {{"rk4", "index1"},    {"half-explicit-euler", "index2"},
                        {"rodas4", "index1"}, {"bdf", "index2"},
                        {"bdf", "index3"},    {"implicit-euler", "index3"}};

// Equal up to the order of additions. Newton's iterations stop at the same place, hence 1e-11 and
// not only their tolerance.
TEST(MassStructure, BlocksMoveLikeTheDenseMatrix) {
  for (const Use& use : uses) {
    const Eigen::VectorXd dense =
        end_of(run(plates(3, MassAs::dense), use.method, 1e-3, 20, {}, use.formulation));
    const Eigen::VectorXd blocks =
        end_of(run(plates(3, MassAs::blocks), use.method, 1e-3, 20, {}, use.formulation));
    EXPECT_LE(difference(blocks, dense), 1e-11) << use.method << ", " << use.formulation;
  }
}

// A negative control of the comparison above: blocks written in another order are another M.
TEST(MassStructure, BlocksAreReadColumnByColumn) {
  MultibodyProblem wrong = plates(3);
  wrong.mass = autodiff([](const auto&, const auto& q, auto& M) {
    for (int i = 0; i < 3; ++i)
      write_block(2 - i, q, [&](int r, int c, const auto& x) { M(9 * i + 3 * c + r, 0) = x; });
  });
  EXPECT_GT(
      difference(end_of(run(wrong, "rk4", 1e-3, 20)), end_of(run(plates(3), "rk4", 1e-3, 20))),
      1e-4);
}

// Two masses with a constant coupling in M; and a diagonal M, which is kept as such.
MultibodyProblem coupled(bool constant, double coupling) {
  MultibodyProblem p;
  p.name = "coupled";
  p.space = euclidean(4);
  p.constraint_count = 2;
  SparseMatrix m(4, 4);
  for (int i = 0; i < 4; ++i) m.insert(i, i) = 1.0 + i;
  if (coupling != 0.0) m.insert(0, 2) = m.insert(2, 0) = coupling;
  if (constant)
    p.mass_matrix = m;
  else
    p.mass = [m](double, In, MatrixOut M) { M = Eigen::MatrixXd(m); };
  p.force = autodiff([](const auto&, const auto& q, const auto&, auto& f) {
    for (int i = 0; i < 4; ++i) f[i] = -9.81 * (i % 2) - 0.1 * q[i];
  });
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    g[1] = 0.5 * ((q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1]) - 1.0);
  });
  p.q0 = Eigen::Vector4d(1.0, 0.0, 2.0, 0.0);
  p.v0 = Eigen::VectorXd::Zero(4);
  return p;
}

TEST(MassStructure, ConstantMatrixMovesLikeTheCallable) {
  for (const double coupling : {0.0, 0.4})
    for (const Use& use : uses) {
      const Eigen::VectorXd callable =
          end_of(run(coupled(false, coupling), use.method, 1e-3, 20, {}, use.formulation));
      const Eigen::VectorXd matrix =
          end_of(run(coupled(true, coupling), use.method, 1e-3, 20, {}, use.formulation));
      // A plain callable is differentiated by differences in the other views: their Newton
      // matrices differ, and the iterates with them, within the tolerance of 1e-6.
      EXPECT_LE(difference(matrix, callable), 1e-7) << use.method << ", " << use.formulation;
    }
  EXPECT_GT(difference(end_of(run(coupled(true, 0.0), "rk4", 1e-3, 50)),
                       end_of(run(coupled(true, 0.4), "rk4", 1e-3, 50))),
            1e-4);
}

TEST(MassStructure, RefusalsNameTheField) {
  const auto refused = [](auto&& change) {
    return refusal([&] {
      MultibodyProblem p = plates(2);
      change(p);
      validate(p, 0.0);
    });
  };
  using P = MultibodyProblem;
  EXPECT_EQ(refused([](P&) {}), "");
  EXPECT_THAT(refused([](P& p) {
                p.mass_blocks = {3, 2};
              }),
              AllOf(HasSubstr("mass_blocks"), HasSubstr("add up to 5"), HasSubstr("6")));
  EXPECT_THAT(refused([](P& p) {
                p.mass_blocks = {3, 0, 3};
              }),
              AllOf(HasSubstr("mass_blocks"), HasSubstr("0 is not a positive size")));
  EXPECT_THAT(refused([](P& p) { p.mass = {}; }),
              AllOf(HasSubstr("mass_blocks"), HasSubstr("give mass")));
  // 2 + 4: the right sum, but the callable writes two blocks of 9 entries.
  EXPECT_THAT(refused([](P& p) {
                p.mass_blocks = {2, 4};
              }),
              AllOf(HasSubstr("mass"), HasSubstr("unwritten")));
  EXPECT_THAT(refused([](P& p) {
                p.mass_blocks = {3, 3};
                p.mass = [](double, In, MatrixOut M) {
                  for (int k = 0; k < 19; ++k) M.data()[k] = 1.0;
                };
              }),
              AllOf(HasSubstr("mass"), HasSubstr("outside its output of 18 entries")));
  EXPECT_THAT(refused([](P& p) { p.mass_matrix.resize(6, 6); }),
              AllOf(HasSubstr("mass"), HasSubstr("either")));
  EXPECT_THAT(refused([](P& p) {
                p.mass = {};
                p.mass_blocks.clear();
                p.mass_matrix.resize(5, 6);
              }),
              AllOf(HasSubstr("mass_matrix"), HasSubstr("5 x 6"), HasSubstr("6 x 6")));
  EXPECT_THAT(refused([](P& p) {
                p.mass = {};
                p.mass_blocks.clear();
                p.mass_matrix.resize(6, 6);
                p.mass_matrix.insert(1, 2) = NAN;
              }),
              AllOf(HasSubstr("mass_matrix"), HasSubstr("(2, 3)"), HasSubstr("nan")));
}

}  // namespace
}  // namespace daedalus::structure_test
