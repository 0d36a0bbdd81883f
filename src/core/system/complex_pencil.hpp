// The matrices alpha E + J with complex alpha that belong to a real pencil: implicit Runge-Kutta
// methods solve one real and some complex systems of the size of the problem. E and J are those of
// the pencil at the time of factorise(), which is counted with the factorisation of the pencil.
#pragma once

#include <algorithm>
#include <complex>
#include <memory>
#include <vector>

#include "linalg/complex_solver.hpp"
#include "system/pencil.hpp"

namespace daedalus {

class ComplexPencil {
 public:
  ComplexPencil(const Pencil& pencil, Counter& counter)
      : pencil_(pencil),
        counter_(counter),
        pattern_(unite(pencil.pattern_e(), pencil.pattern_j(), &map_e_, &map_j_)),
        pairs_(2 * static_cast<std::size_t>(pattern_.nonzeros())),
        solver_(make_complex_solver(pattern_, pencil.solver_name() == "dense")) {}

  Outcome factorise(std::complex<double> alpha) {
    std::fill(pairs_.begin(), pairs_.end(), 0.0);
    const std::span<const double> e = pencil_.e(), j = pencil_.j();
    for (std::size_t k = 0; k < j.size(); ++k)
      pairs_[2 * static_cast<std::size_t>(map_j_[k])] = j[k];
    for (std::size_t k = 0; k < e.size(); ++k) {
      const std::size_t at = 2 * static_cast<std::size_t>(map_e_[k]);
      pairs_[at] += alpha.real() * e[k];
      pairs_[at + 1] = alpha.imag() * e[k];
    }
    return solver_->factorise(pairs_) ? Outcome::ok : Outcome::matrix_singular;
  }
  // In place: 2 n numbers, real and imaginary parts side by side.
  void solve(double* x) {
    counter_.now().solves += 1;
    solver_->solve(x);
  }
  int singular_column() const { return solver_->singular_column(); }
  void archive(Archive& a) {
    a(solver_->pivot_values());
    if (!a.saving()) solver_->choose_pivots_again();
  }

 private:
  const Pencil& pencil_;
  Counter& counter_;
  std::vector<int> map_e_, map_j_;  // filled while pattern_ is made, hence before it
  SparsePattern pattern_;
  std::vector<double> pairs_;
  std::unique_ptr<ComplexSolver> solver_;
};

}  // namespace daedalus
