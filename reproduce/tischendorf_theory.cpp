// SPDX-License-Identifier: BSD-3-Clause
// Identities of the matrix chain and index of the examples: claims R2, R3.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "analysis/tractability.hpp"
#include "linalg/matrix_chain.hpp"
#include "reproduce/tischendorf.hpp"
#include "reproduce/tischendorf_support.hpp"

namespace daedalus::experiments::tischendorf {
namespace {

using Eigen::MatrixXd;

class Random {
 public:
  explicit Random(unsigned number) : engine_(number) {}
  double value() { return engine_() / 2147483648.0 - 1.0; }  // in [-1, 1)
  MatrixXd matrix(int rows, int cols) {
    return MatrixXd::NullaryExpr(rows, cols, [&] { return value(); });
  }
  MatrixXd regular(int n) { return MatrixXd::Identity(n, n) + 0.9 / n * matrix(n, n); }

 private:
  std::mt19937 engine_;
};

double largest(const MatrixXd& M) { return M.size() > 0 ? M.cwiseAbs().maxCoeff() : 0.0; }

// E A F = diag(I, J), E B F = diag(W, I) with two nilpotent blocks of size 2 and one of size 1.
void index_two_pencil(int dynamic, Random& random, MatrixXd& A, MatrixXd& B) {
  const int n = dynamic + 5;
  A = MatrixXd::Zero(n, n);
  B = MatrixXd::Identity(n, n);
  A.topLeftCorner(dynamic, dynamic).setIdentity();
  B.topLeftCorner(dynamic, dynamic) = random.matrix(dynamic, dynamic);
  A(dynamic, dynamic + 1) = A(dynamic + 2, dynamic + 3) = 1.0;
  const MatrixXd left = random.regular(n), right = random.regular(n);
  A = left * A * right;
  B = left * B * right;
}

std::vector<Claim> identities(Context&) {
  double kernel = 0.0, canonical = 0.0, leading = 0.0, coupling = 0.0, whole = 0.0, sum_of = 0.0,
         projectors = 0.0, last = 0.0, independent = 0.0, plain = 1e300;
  int regular = 0;
  Random random(1992);
  const auto keep = [](double& worst, const MatrixXd& M) { worst = std::max(worst, largest(M)); };
  constexpr int runs = 50;
  for (int run = 0; run < runs; ++run) {
    MatrixXd A, B;
    index_two_pencil(run % 4, random, A, B);
    const MatrixChain c = matrix_chain(A, B);
    regular += c.index == 2;
    const MatrixXd I = MatrixXd::Identity(A.rows(), A.rows()), inverse = c.A2.inverse();
    keep(kernel, c.A1 * c.Q1);
    keep(canonical, c.Q1 * c.Q);
    keep(leading, inverse * A - c.P1 * c.P);
    keep(coupling, c.Q1 * inverse * B - c.Q1);
    keep(coupling, c.Q1 * inverse * A);
    keep(whole, inverse * B - inverse * B * c.P * c.P1 - c.Q1 - c.Q);
    for (const MatrixXd& R : {MatrixXd(c.P * c.P1), MatrixXd(c.Q * c.P1), c.Q1})
      keep(projectors, R * R - R);
    keep(last, c.Q * c.P1 * c.P1 * c.P + c.Q * c.Q1);
    keep(sum_of, c.P * c.P1 + c.P * c.Q1 + c.Q - I);
    // Another projector onto ker A1: Z (W Z)^{-1} W with any W.
    const MatrixXd Z = kernels_of(c.A1).right;
    const MatrixXd W =
        Z.transpose() + 0.3 * random.matrix(static_cast<int>(Z.cols()), static_cast<int>(Z.rows()));
    const MatrixXd other = Z * (W * Z).inverse() * W;
    const MatrixXd G = c.A1 + B * c.P * other;
    keep(independent, other * G.inverse() * B * c.P - c.Q1);
    plain = std::min(plain, largest(other * c.Q));
  }
  std::vector<Claim> claims;
  claims.push_back(number_claim("tischendorf-R2.regular",
                                "A2 is regular for random pencils of index 2 (of 50)", runs,
                                regular, 0));
  const auto zero = [&](const char* id, const char* text, double value) {
    claims.push_back(number_claim(std::string("tischendorf-R2.") + id, text, 0.0, value, 1e-10));
  };
  zero("kernel", "A1 Q1 = 0", kernel);
  zero("canonical", "Q1 Q = 0 for the canonical Q1", canonical);
  zero("leading", "A2^{-1} A = P1 P", leading);
  zero("coupling", "Q1 A2^{-1} B = Q1 and Q1 A2^{-1} A = 0", coupling);
  zero("whole", "A2^{-1} B = A2^{-1} B P P1 + Q1 + Q", whole);
  zero("projectors", "P P1, Q P1 and Q1 are projectors", projectors);
  zero("product", "Q P1 P1 P = -Q Q1", last);
  zero("sum", "x = P P1 x + P Q1 x + Q x", sum_of);
  zero("independent",
       "Q1 = Q1~ (A1 + B P Q1~)^{-1} B P whatever projector Q1~ onto ker A1 (Lemma 2.1)",
       independent);
  claims.push_back(fact_claim("tischendorf-R2.necessary",
                              "a projector onto ker A1 that is not canonical has Q1 Q != 0",
                              plain > 1e-3));
  return claims;
}

// Central differences of order 4.
Eigen::VectorXd exact_rate(const std::string& name, double t, const problems::Values& values) {
  const double h = 1e-4;
  const auto x = [&](double k) { return exact_at(name, t + k * h, values); };
  return (8.0 * (x(1.0) - x(-1.0)) - (x(2.0) - x(-2.0))) / (12.0 * h);
}

struct Row {
  const char* problem;
  int size, rank_a, rank_a1, index, freedom, common;  // -1 and 0: not defined
};

void classify(const Row& row, const problems::Values& values, std::vector<Claim>& claims,
              const std::string& suffix = {}) {
  const problems::Entry& e = entry(row.problem);
  const Lowered l = lowered(e.problem(values), e.t0);
  std::vector<TrajectoryPoint> points;
  if (e.exact) {
    for (const double share : {0.1, 0.5, 0.9}) {
      const double t = e.t0 + share * (e.t_end - e.t0);
      points.push_back({t, exact_at(row.problem, t, values), exact_rate(row.problem, t, values)});
    }
  } else {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(row.size);
    points.push_back({e.t0, x, x});
  }
  const Tractability r = analyse_tractability(*l.system, points);
  const std::vector<int> expected{row.size,  row.rank_a,  row.rank_a1,
                                  row.index, row.freedom, row.common};
  const std::vector<int> measured{r.chain.a.size,
                                  r.chain.a.rank,
                                  r.chain.a1.rank,
                                  r.index,
                                  r.chain.degrees_of_freedom,
                                  static_cast<int>(r.chain.common.cols())};
  claims.push_back(list_claim(
      fmt::format("tischendorf-R3.{}{}", row.problem, suffix),
      fmt::format("{}: size, rank A, rank A1, index (3: above 2), degrees of freedom, dimension of "
                  "the intersection of N and S",
                  row.problem),
      expected, measured, 0, measured == expected && r.constant_rank,
      "the thesis states the index; ranks and dimensions follow from its definitions"));
}

std::vector<Claim> index_table(Context&) {
  std::vector<Claim> claims;
  classify({"tischendorf-linear", 2, 1, 1, 2, 0, 1}, {}, claims);
  classify({"coupling", 3, 2, 2, 2, 1, 1}, {}, claims);
  classify({"tischendorf-pendulum-index2", 5, 4, 4, 2, 3, 1}, {}, claims);
  classify({"tischendorf-pendulum-ggl", 6, 4, 4, 2, 2, 2}, {}, claims);
  classify({"tischendorf-pendulum-index3", 5, 4, 4, 3, -1, 0}, {}, claims);
  classify({"ring-modulator-index2", 15, 11, 14, 2, 10, 1}, {}, claims);
  for (const double eta : {0.05, -0.55, -1.0, -2.0})
    classify({"gear-petzold", 2, 1, 1, 2, 0, 1}, {{"eta", eta}}, claims, fmt::format(".{:g}", eta));

  // Q1 and A2 as section 3.2 gives them.
  MatrixXd A = MatrixXd::Zero(3, 3), B = MatrixXd::Zero(3, 3), Q1(3, 3), A2(3, 3);
  A(0, 0) = A(1, 1) = 1.0;
  B(1, 2) = -1.0;
  B(2, 1) = 1.0;
  Q1 << 0, 0, 0, 0, 1, 0, 0, 1, 0;
  A2 << 1, 0, 0, 0, 1, -1, 0, 1, 0;
  const MatrixChain c = matrix_chain(A, B);
  claims.push_back(number_claim("tischendorf-R3.coupling.matrices",
                                "Q1 and A2 of the coupling example at its solution", 0.0,
                                std::max(largest(c.Q1 - Q1), largest(c.A2 - A2)), 1e-14));

  // Without scaling the circuit is judged wrongly.
  const Lowered l = lowered(catalogue_problem("ring-modulator-index2"), 0.0);
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(15);
  const std::vector<TrajectoryPoint> point{{0.0, x, x}};
  int wrong = 0;
  for (const double tau : {1.0, 1e-3, 1e-6}) {
    TractabilitySettings settings;
    settings.chain.typical_step = tau;
    settings.chain.equilibrate = false;
    settings.neighbours = 0;
    const Tractability r = analyse_tractability(*l.system, point, settings);
    wrong += r.index != 2 || r.chain.a.rank != 11 || r.chain.a1.rank != 14;
  }
  claims.push_back(fact_claim("tischendorf-R3.scaling",
                              "the ring modulator is judged wrongly without equilibration",
                              wrong > 0));
  return claims;
}

}  // namespace

std::vector<Experiment> theory_experiments() {
  return {{.id = "tischendorf-R2",
           .title = "Identities of the matrix chain",
           .source = source,
           .basis = Basis::theorem("Lemmas 2.1 and 2.2"),
           .seconds = 0.02,
           .run = identities},
          {.id = "tischendorf-R3",
           .title = "Index of the examples",
           .source = source,
           .basis = Basis::own("ranks by another program; the thesis states the index"),
           .seconds = 0.02,
           .run = index_table}};
}

}  // namespace daedalus::experiments::tischendorf
