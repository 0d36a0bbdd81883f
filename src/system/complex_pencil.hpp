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
  ComplexPencil(const Pencil& pencil, Counter& counter) : pencil_(pencil), counter_(counter) {
    lay_structure();
  }

  Outcome factorise(std::complex<double> alpha) {
    if (structure_ != pencil_.structure()) lay_structure();
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
    if (structure_ != pencil_.structure()) lay_structure();
    a(solver_->pivot_values());
    if (!a.saving()) solver_->choose_pivots_again();
  }

 private:
  void lay_structure() {
    structure_ = pencil_.structure();
    map_e_.clear();
    map_j_.clear();
    pattern_ = unite(pencil_.pattern_e(), pencil_.pattern_j(), &map_e_, &map_j_);
    pairs_.assign(2 * static_cast<std::size_t>(pattern_.nonzeros()), 0.0);
    solver_ = make_complex_solver(pattern_, pencil_.solver_name() == "dense");
  }

  const Pencil& pencil_;
  Counter& counter_;
  std::vector<int> map_e_, map_j_;
  SparsePattern pattern_;
  std::vector<double> pairs_;
  std::unique_ptr<ComplexSolver> solver_;
  long structure_ = 0;  // of the pencil when this one was laid
};

}  // namespace daedalus
