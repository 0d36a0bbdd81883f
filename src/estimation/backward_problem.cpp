// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/backward_problem.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/at.hpp"

namespace daedalus {
namespace {

// A(t) u + b(t), with the structure of A and its entries from the linearised equations.
class BackwardRhs final : public detail::FunctionBody, public SparseDerivatives {
 public:
  struct Entry {
    int row, column;
    enum class Kind { one, e, j } kind;
    int place;
  };
  BackwardRhs(AlongRun& run, int size, std::vector<Entry> entries,
              std::vector<std::pair<int, int>> forcing)
      : run_(run), size_(size), entries_(std::move(entries)), forcing_(std::move(forcing)) {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.column, a.row) < std::pair(b.column, b.row);
    });
    pattern_ = {size_, size_, {0}, {}};
    std::size_t next = 0;
    for (int c = 0; c < size_; ++c) {
      for (; next < entries_.size() && entries_[next].column == c; ++next)
        pattern_.row.push_back(entries_[next].row);
      pattern_.start.push_back(pattern_.nonzeros());
    }
    nothing_ = {size_, 0, {0}, {}};
  }

  const SparseDerivatives* sparse_derivatives() const override { return this; }
  bool differentiable() const override { return false; }
  bool point_form() const override { return true; }
  bool names_vector(int) const override { return false; }
  Eval call(const Arguments<double>& a, double* out, int, int) const override {
    return kept([&] { return value(a.t, a.x[0], out); });
  }
  template <class S>
  Eval values_only() const {
    throw std::logic_error("the adjoint equations give values only");
  }
  Eval call(const Arguments<Dual4>&, Dual4*, int, int) const override {
    return values_only<Dual4>();
  }
  Eval call(const Arguments<Taylor2>&, Taylor2*, int, int) const override {
    return values_only<Taylor2>();
  }
  Eval call(const Arguments<Taylor2Dual>&, Taylor2Dual*, int, int) const override {
    return values_only<Taylor2Dual>();
  }
  Eval call(const Arguments<Recorded>&, Recorded*, int, int) const override {
    return values_only<Recorded>();
  }

  const SparsePattern& pattern(int vector) const override {
    return vector == 0 ? pattern_ : nothing_;
  }
  Eval by_vector(int vector, const Arguments<double>& a, double* entries) const override {
    if (vector != 0) return Eval::ok;
    return kept([&] {
      const std::vector<double>& matrix = matrix_at(run_.point(a.t));
      std::copy(matrix.begin(), matrix.end(), entries);
      return Eval::ok;
    });
  }
  // For methods that ask for it, which are not those that run backwards.
  Eval by_time(const Arguments<double>& a, double* column) const override {
    const double d = central_increment * std::max(std::abs(a.t), 1e-3);
    std::vector<double> down(at(size_));
    if (const Eval e = value(a.t + d, a.x[0], column); e != Eval::ok) return e;
    if (const Eval e = value(a.t - d, a.x[0], down.data()); e != Eval::ok) return e;
    for (int i = 0; i < size_; ++i) column[i] = (column[i] - down[at(i)]) / (2.0 * d);
    return Eval::ok;
  }

 private:
  // The loop turns what a callable throws into a status; the reason is kept for after the run.
  template <class F>
  Eval kept(const F& f) const {
    try {
      return f();
    } catch (...) {
      run_.trouble = std::current_exception();
      throw;
    }
  }
  static double entry(const LinearPoint& p, const Entry& e) {
    return e.kind == Entry::Kind::one ? 1.0
           : e.kind == Entry::Kind::e ? -p.e[at(e.place)]
                                      : p.j[at(e.place)];
  }
  Eval value(double t, const double* u, double* out) const {
    const LinearPoint& p = run_.point(t);
    const double* matrix = matrix_at(p).data();
    std::fill(out, out + size_, 0.0);
    for (int c = 0; c < size_; ++c)
      for (int k = pattern_.start[at(c)]; k < pattern_.start[at(c) + 1]; ++k)
        out[pattern_.row[at(k)]] += matrix[k] * u[c];
    for (const auto& [row, variable] : forcing_) out[row] -= p.by_state[variable];
    return Eval::ok;
  }

  // Asked for several times at one point: by the iterations of a step and by its Jacobian.
  const std::vector<double>& matrix_at(const LinearPoint& p) const {
    if (p.linearised != of_) {
      matrix_.resize(entries_.size());
      for (std::size_t k = 0; k < entries_.size(); ++k) matrix_[k] = entry(p, entries_[k]);
      of_ = p.linearised;
    }
    return matrix_;
  }

  AlongRun& run_;
  mutable std::vector<double> matrix_;
  mutable long of_ = 0;  // the linearisation they belong to
  int size_;
  std::vector<Entry> entries_;
  std::vector<std::pair<int, int>> forcing_;  // rows with the variables whose phi_x they have
  SparsePattern pattern_, nothing_;
};

}  // namespace

BackwardProblem::BackwardProblem(AlongRun& run, const LinearPoint& sample, int index)
    : run_(run), size_(run.size()), extra_(0), place_(at(run.size()), -1) {
  using Entry = BackwardRhs::Entry;
  using Kind = Entry::Kind;
  const SparsePattern &e = run.pattern_e(), &j = run.pattern_j();
  std::vector<Entry> entries;
  std::vector<std::pair<int, int>> forcing;
  std::vector<Eigen::Triplet<double>> mass;
  if (!run.constant_e())
    for (int c = 0; c < size_; ++c)
      if (run.differentiated()[at(c)]) place_[at(c)] = extra_++;
  int other = 2 * extra_;
  for (int c = 0; c < size_; ++c) {
    const int L = place_[at(c)];
    const int row = run.constant_e() ? c : L >= 0 ? L : other++;
    for (int k = j.start[at(c)]; k < j.start[at(c) + 1]; ++k)
      entries.push_back({row, extra_ + j.row[at(k)], Kind::j, k});
    forcing.emplace_back(row, c);
    if (L >= 0) {
      entries.push_back({extra_ + L, L, Kind::one, 0});
      for (int k = e.start[at(c)]; k < e.start[at(c) + 1]; ++k)
        entries.push_back({extra_ + L, extra_ + e.row[at(k)], Kind::e, k});
      mass.emplace_back(L, L, 1.0);
    }
    if (run.constant_e())
      for (int k = e.start[at(c)]; k < e.start[at(c) + 1]; ++k)
        if (sample.e[at(k)] != 0.0) mass.emplace_back(c, e.row[at(k)], sample.e[at(k)]);
  }
  const int n = extra_ + size_;
  problem_.name = "adjoint equations";
  problem_.mass_matrix.resize(n, n);
  problem_.mass_matrix.setFromTriplets(mass.begin(), mass.end());
  problem_.rhs = Function<slot::RightHandSide>(std::shared_ptr<const detail::FunctionBody>(
      std::make_shared<BackwardRhs>(run, n, std::move(entries), std::move(forcing))));
  problem_.index = static_cast<int>(mass.size()) > 0 && index < 1 ? 0 : index;
  if (index > 1) {
    problem_.variable_index.assign(at(n), 1);
    for (int c = 0; c < size_; ++c)  // rows of the equations are the variables here
      problem_.variable_index[at(c)] = index;
    for (int c = 0; c < size_; ++c)
      for (int k = e.start[at(c)]; k < e.start[at(c) + 1]; ++k)
        if (sample.e[at(k)] != 0.0) problem_.variable_index[at(e.row[at(k)])] = 1;
  }
}

Problem BackwardProblem::with_start(const LinearPoint& p, const Eigen::VectorXd& l) const {
  MassMatrixProblem copy = problem_;
  copy.y0.resize(extra_ + size_);
  copy.y0.tail(size_) = l;
  const Eigen::VectorXd L = run_.times_e_transposed(p, l);
  for (int c = 0; c < size_; ++c)
    if (place_[at(c)] >= 0) copy.y0[place_[at(c)]] = L[c];
  return copy;
}

}  // namespace daedalus
