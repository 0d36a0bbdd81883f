// SPDX-License-Identifier: BSD-3-Clause
// The matrices alpha E + J with complex alpha that belong to a real pencil: implicit Runge-Kutta
// methods solve one real and some complex systems of the size of the problem. E and J are those of
// the pencil at the time of factorise(), which is counted with the factorisation of the pencil.
// Structure and analysis are those of the pencil; what a large system takes besides is made when it
// is factorised for the first time, since many runs never need all of the matrices.
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
    if (pencil_.solver_name() == "dense") make_solver();
  }

  // `values` is scratch, which all matrices of a method may share.
  Outcome factorise(std::complex<double> alpha, std::vector<double>& values) {
    make_solver();
    values.assign(2 * pencil_.pattern().row.size(), 0.0);
    const std::span<const double> e = pencil_.e(), j = pencil_.j();
    for (std::size_t k = 0; k < j.size(); ++k)
      values[2 * static_cast<std::size_t>(pencil_.map_j()[k])] = j[k];
    for (std::size_t k = 0; k < e.size(); ++k) {
      const std::size_t at = 2 * static_cast<std::size_t>(pencil_.map_e()[k]);
      values[at] += alpha.real() * e[k];
      values[at + 1] = alpha.imag() * e[k];
    }
    return solver_->factorise(values) ? Outcome::ok : Outcome::matrix_singular;
  }
  // In place: 2 n numbers, real and imaginary parts side by side.
  void solve(double* x) {
    counter_.now().solves += 1;
    solver_->solve(x);
  }
  int singular_column() const { return solver_ ? solver_->singular_column() : -1; }
  void archive(Archive& a) {
    const bool used = structure_ == pencil_.structure();
    std::vector<double> values;
    if (a.saving()) return a(used ? solver_->pivot_values() : values);
    a(values);
    if (values.empty() && !used) return;
    make_solver();
    a.require(values.empty() || values.size() == 2 * pencil_.pattern().row.size(),
              "the values of a matrix are not as many as its entries");
    solver_->pivot_values() = std::move(values);
    solver_->choose_pivots_again();
  }

 private:
  void make_solver() {
    if (structure_ == pencil_.structure()) return;
    structure_ = pencil_.structure();
    solver_ = make_complex_solver(pencil_.pattern(), *pencil_.solver());
  }

  const Pencil& pencil_;
  Counter& counter_;
  std::unique_ptr<ComplexSolver> solver_;  // null: not factorised yet
  long structure_ = -1;                    // of the pencil when solver_ was made
};

}  // namespace daedalus
