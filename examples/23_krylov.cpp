// SPDX-License-Identifier: BSD-3-Clause
// 23: systems without a matrix: GMRES with a preconditioner of your own.
//
// Model    heat in a plate of n x n points whose edges are cold, with a source s that keeps the
//          mean temperature at 1 - exp(-t):
//          u' = (second differences of u) / h^2 + s,   0 = h^2 sum u - (1 - exp(-t)) + s / 1000.
//          The row of s is full: a factorisation would fill in, a product costs O(n^2) all the
//          same.
//
// Builds on 04 (semi-explicit form). New: linear_algebra krylov, Preconditioner.
#include <cmath>
#include <iostream>
#include <memory>
#include <vector>

#include <daedalus/daedalus.hpp>

namespace {

daedalus::SemiExplicitProblem plate(int n) {
  using std::exp;
  const double h = 1.0 / (n + 1);
  return {.name = "plate",
          .f = daedalus::autodiff([n, h](const auto&, const auto& u, const auto& s, auto& f) {
            for (int j = 0; j < n; ++j)
              for (int i = 0; i < n; ++i) {
                const int k = i + n * j;
                auto sum = -4.0 * u[k];
                if (i > 0) sum = sum + u[k - 1];
                if (i + 1 < n) sum = sum + u[k + 1];
                if (j > 0) sum = sum + u[k - n];
                if (j + 1 < n) sum = sum + u[k + n];
                f[k] = sum / (h * h) + s[0];
              }
          }),
          .g = daedalus::autodiff([n, h](const auto& t, const auto& u, const auto& s, auto& g) {
            auto mean = 0.0 * u[0];
            for (int k = 0; k < n * n; ++k) mean = mean + h * h * u[k];
            g[0] = mean - (1.0 - exp(-t)) + 1e-3 * s[0];
          }),
          .y0 = Eigen::VectorXd::Zero(n * n),
          .z0 = Eigen::VectorXd::Zero(1)};
}

// [preconditioner]
// Lines along x of alpha - (second differences), the others taken from the diagonal: tridiagonal
// systems. The last row, -mean - s / 1000, then gives s.
class Lines {
 public:
  explicit Lines(int n) : n_(n), ratio_(static_cast<std::size_t>(n)) {}

  bool update(const daedalus::PreconditionerSite& site) {
    off_ = -(n_ + 1.0) * (n_ + 1.0);
    diagonal_ = site.alpha - 4.0 * off_;
    ratio_[0] = off_ / diagonal_;
    for (std::size_t i = 1; i < ratio_.size(); ++i)
      ratio_[i] = off_ / (diagonal_ - off_ * ratio_[i - 1]);
    return true;
  }
  void apply(daedalus::In r, daedalus::Out x) const {
    double mean = 0.0;
    for (int j = 0; j < n_; ++j) {
      const double* from = r.data() + n_ * j;
      double* to = x.data() + n_ * j;
      to[0] = from[0] / diagonal_;
      for (int i = 1; i < n_; ++i)
        to[i] = (from[i] - off_ * to[i - 1]) / (diagonal_ - off_ * ratio_[place(i - 1)]);
      for (int i = n_ - 2; i >= 0; --i) to[i] -= ratio_[place(i)] * to[i + 1];
      for (int i = 0; i < n_; ++i) mean += to[i] / ((n_ + 1.0) * (n_ + 1.0));
    }
    x[n_ * n_] = -1e3 * (r[n_ * n_] + mean);
  }

 private:
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }
  int n_;
  double off_ = 0.0, diagonal_ = 1.0;
  std::vector<double> ratio_;
};
// [/preconditioner]

}  // namespace

int main() {
  const int n = 20;
  daedalus::Options direct{.method = "bdf", .linear_algebra = daedalus::LinearAlgebra::sparse};
  const daedalus::Solution reference = daedalus::solve(plate(n), {0.0, 1.0}, direct);
  if (!reference.ok()) return std::cerr << reference.message() << '\n', 1;

  // [krylov]
  const auto lines = std::make_shared<Lines>(n);
  daedalus::KrylovOptions krylov;
  krylov.dimension = 60;
  krylov.preconditioner = {
      .update = [lines](const daedalus::PreconditionerSite& site) { return lines->update(site); },
      .apply = [lines](daedalus::In r, daedalus::Out x) { lines->apply(r, x); }};
  const daedalus::Solution s = daedalus::solve(
      plate(n), {0.0, 1.0},
      {.method = "bdf", .linear_algebra = daedalus::LinearAlgebra::krylov, .krylov = krylov});
  if (!s.ok()) return std::cerr << s.message() << '\n', 1;
  const daedalus::Counts counts = s.statistics().total();
  std::cout << counts.krylov_iterations << " products in " << counts.solves << " solves, "
            << counts.factorisations << " factorisations\n";
  // [/krylov]
  const double difference = (s.end().y() - reference.end().y()).cwiseAbs().maxCoeff();
  std::cout << "differs from LU by " << difference << '\n';
  return difference < 1e-3 && counts.factorisations == 0 ? 0 : 1;
}
