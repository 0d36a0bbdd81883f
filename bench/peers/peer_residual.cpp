// SPDX-License-Identifier: BSD-3-Clause
#include "peers/peer_residual.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "function/colouring.hpp"
#include "function/pattern.hpp"

namespace daedalus::peers {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> completed(std::vector<std::string> names, const char* stem, int n) {
  for (int i = static_cast<int>(names.size()); i < n; ++i)
    names.push_back(stem + std::to_string(i + 1));
  return names;
}

}  // namespace

bool PeerResidual::accepts(const Problem& problem, int max_index) {
  if (index_of(problem) > max_index) return false;
  if (const auto* p = std::get_if<ImplicitProblem>(&problem))
    return p->leading_count == 0 && p->residual.differentiable();
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem))
    return m->rhs.differentiable() && (!m->mass || m->mass.differentiable());
  if (const auto* s = std::get_if<SemiExplicitProblem>(&problem))
    return s->f.differentiable() && (s->z0.size() == 0 || s->g.differentiable());
  return false;
}

PeerResidual::PeerResidual(const Problem& problem, double t0) : problem_(problem) {
  if (!accepts(problem, index_of(problem)))
    throw InvalidArgument("problem: '" + name_of(problem) +
                          "' is not accepted; allowed are first-order forms with "
                          "callables made by autodiff");
  std::vector<Parameter> parameters;
  if (const auto* p = std::get_if<ImplicitProblem>(&problem_)) {
    y0_ = p->y0;
    yp0_ = p->yp0;
    names_ = completed(p->variables, "y", static_cast<int>(y0_.size()));
    parameters = p->parameters;
    modes_ = p->modes;
  } else if (const auto* m = std::get_if<MassMatrixProblem>(&problem_)) {
    y0_ = m->y0;
    names_ = completed(m->variables, "y", static_cast<int>(y0_.size()));
    parameters = m->parameters;
    modes_ = m->modes;
    constant_mass_ = !m->mass;
  } else {
    const auto& s = std::get<SemiExplicitProblem>(problem_);
    first_part_ = static_cast<int>(s.y0.size());
    y0_.resize(s.y0.size() + s.z0.size());
    y0_ << s.y0, s.z0;
    names_ = completed(s.y_names, "y", first_part_);
    const auto z = completed(s.z_names, "z", static_cast<int>(s.z0.size()));
    names_.insert(names_.end(), z.begin(), z.end());
    parameters = s.parameters;
    modes_ = s.modes;
    constant_mass_ = true;
  }
  n_ = static_cast<int>(y0_.size());
  if (yp0_.size() != n_) yp0_.setZero(n_);
  for (const Parameter& p : parameters) {
    std::get<0>(parameters_).push_back(p.value);
    std::get<1>(parameters_).emplace_back(p.value);
  }
  std::get<0>(mass_values_).resize(at(n_ * n_));
  std::get<1>(mass_values_).resize(at(n_ * n_));
  y_.resize(at(n_));
  yp_.resize(at(n_));
  r_.resize(at(n_));
  if (constant_mass_) {
    const auto* m = std::get_if<MassMatrixProblem>(&problem_);
    if (m && m->mass_matrix.size() > 0) {
      for (int c = 0; c < n_; ++c)
        for (SparseMatrix::InnerIterator e(m->mass_matrix, c); e; ++e)
          mass_.push_back(
              {static_cast<int>(e.row()), c, c * n_ + static_cast<int>(e.row()), e.value()});
    } else {
      for (int c = 0; c < (m ? n_ : first_part_); ++c) mass_.push_back({c, c, c * n_ + c, 1.0});
    }
  }
  find_structure(t0);
}

template <class S>
Arguments<S> PeerResidual::arguments(const S& t, const S* y, const S* yp) const {
  const auto& p = std::get<std::vector<S>>(parameters_);
  Arguments<S> a;
  a.t = t;
  a.x = {y, first_part_ > 0 ? y + first_part_ : nullptr, yp, nullptr, nullptr};
  a.n = {first_part_ > 0 ? first_part_ : n_, first_part_ > 0 ? n_ - first_part_ : 0, n_, 0, 0};
  a.p = p.data();
  a.parameter_count = static_cast<int>(p.size());
  a.modes = modes_.data();
  a.mode_count = static_cast<int>(modes_.size());
  return a;
}

// F itself; over dual numbers without M y' where M is constant.
template <class S>
Eval PeerResidual::evaluate(const S& t, const S* y, const S* yp, S* r) const {
  const Arguments<S> a = arguments<S>(t, y, yp);
  if (const auto* p = std::get_if<ImplicitProblem>(&problem_)) return p->residual(a, r, n_);
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem_)) {
    if (const Eval e = m->rhs(a, r, n_); e != Eval::ok) return e;
    if (m->mass) {
      auto& M = std::get<std::vector<S>>(mass_values_);
      if (const Eval e = m->mass(a, M.data(), n_, n_); e != Eval::ok) return e;
      for (int i = 0; i < n_; ++i) {
        S sum = -r[i];
        for (int j = 0; j < n_; ++j) sum = sum + M[at(i + j * n_)] * yp[j];
        r[i] = sum;
      }
      return Eval::ok;
    }
  } else {
    const auto& s = std::get<SemiExplicitProblem>(problem_);
    if (const Eval e = s.f(a, r, first_part_); e != Eval::ok) return e;
    if (n_ > first_part_)
      if (const Eval e = s.g(a, r + first_part_, n_ - first_part_); e != Eval::ok) return e;
  }
  for (int i = 0; i < n_; ++i) r[i] = -r[i];
  // Derivatives of a constant M y' are known; only values need it.
  if constexpr (std::is_same_v<S, double>)
    for (const MassEntry& e : mass_) r[e.row] += e.value * yp[e.column];
  return Eval::ok;
}

Eval PeerResidual::residual(double t, const double* y, const double* yp, double* r) const {
  return evaluate<double>(t, y, yp, r);
}

void PeerResidual::find_structure(double t) {
  // A NaN in a derivative survives multiplication by zero and so shows the structure.
  const auto probe = [&](bool rates) {
    return [this, t, rates](std::span<const signed char> lane, std::span<unsigned char> hits) {
      for (int j = 0; j < n_; ++j) {
        y_[at(j)] = Dual4(y0_[j]);
        yp_[at(j)] = Dual4(yp0_[j]);
        if (lane[at(j)] >= 0) (rates ? yp_ : y_)[at(j)].d[at(lane[at(j)])] = undefined;
      }
      if (evaluate<Dual4>(Dual4(t), y_.data(), yp_.data(), r_.data()) != Eval::ok) return false;
      for (int i = 0; i < n_; ++i) {
        unsigned marks = 0;
        for (unsigned k = 0; k < 4; ++k)
          if (std::isnan(r_[at(i)].d[k])) marks |= 1u << k;
        hits[at(i)] = static_cast<unsigned char>(marks);
      }
      return true;
    };
  };
  const SparsePattern of_y =
      detect_pattern(n_, n_, probe(false)).value_or(SparsePattern::dense(n_, n_));
  const SparsePattern of_yp =
      detect_pattern(n_, n_, probe(true)).value_or(SparsePattern::dense(n_, n_));
  const SparsePattern pattern = unite(of_y, of_yp);
  SparsePattern of_mass{n_, n_, std::vector<int>(at(n_ + 1)), {}};
  for (const MassEntry& e : mass_) {
    of_mass.row.push_back(e.row);
    ++of_mass.start[at(e.column + 1)];
  }
  for (int c = 0; c < n_; ++c) of_mass.start[at(c + 1)] += of_mass.start[at(c)];
  pattern_ = unite(pattern, of_mass);
  const Colouring colouring = colour_columns(pattern);
  columns_ = colouring.colours;
  for (int first = 0; first < colouring.colours; first += 4) {
    Chunk chunk;
    for (int j = 0; j < n_; ++j) {
      const int lane = colouring.colour[at(j)] - first;
      if (colouring.colour[at(j)] < 0 || lane < 0 || lane >= 4) continue;
      chunk.seeds.push_back({j, lane});
      for (int e = pattern.start[at(j)]; e < pattern.start[at(j) + 1]; ++e)
        chunk.entries.push_back({pattern.row[at(e)], lane, j * n_ + pattern.row[at(e)]});
    }
    chunks_.push_back(std::move(chunk));
  }
}

Eval PeerResidual::matrix(double t, double alpha, const double* y, const double* yp,
                          double* out) const {
  std::fill_n(out, n_ * n_, 0.0);
  for (const Chunk& chunk : chunks_) {
    for (int j = 0; j < n_; ++j) y_[at(j)] = Dual4(y[j]);
    for (int j = 0; j < n_; ++j) yp_[at(j)] = Dual4(yp[j]);
    for (const Seed& s : chunk.seeds) {
      y_[at(s.column)].d[at(s.lane)] = 1.0;
      yp_[at(s.column)].d[at(s.lane)] = alpha;
    }
    if (const Eval e = evaluate<Dual4>(Dual4(t), y_.data(), yp_.data(), r_.data()); e != Eval::ok)
      return e;
    for (const Entry& e : chunk.entries) out[e.position] = r_[at(e.row)].d[at(e.lane)];
  }
  for (const MassEntry& e : mass_) out[e.position] += alpha * e.value;
  return Eval::ok;
}

Eigen::VectorXd PeerResidual::consistent_rates(double t) const {
  Eigen::VectorXd yp = yp0_, r(n_), dt(n_);
  Eigen::MatrixXd J(n_, n_), E(n_, n_);
  // F_y' is the difference of two matrices that are linear in alpha.
  if (matrix(t, 0.0, y0_.data(), yp.data(), J.data()) != Eval::ok ||
      matrix(t, 1.0, y0_.data(), yp.data(), E.data()) != Eval::ok ||
      residual(t, y0_.data(), yp.data(), r.data()) != Eval::ok)
    return yp;
  E -= J;
  Dual4 time(t);
  time.d[0] = 1.0;
  for (int j = 0; j < n_; ++j) y_[at(j)] = Dual4(y0_[j]), yp_[at(j)] = Dual4(yp[j]);
  if (evaluate<Dual4>(time, y_.data(), yp_.data(), r_.data()) != Eval::ok) return yp;
  for (int i = 0; i < n_; ++i) dt[i] = r_[at(i)].d[0];
  // Combinations of equations free of y', from the left null space of E, hold for all t, so their
  // time derivative (F_y y' + F_t) vanishes as well.
  const Eigen::FullPivHouseholderQR<Eigen::MatrixXd> qr(E);
  const int rank = static_cast<int>(qr.rank());
  const Eigen::MatrixXd null = Eigen::MatrixXd(qr.matrixQ()).rightCols(n_ - rank);
  Eigen::MatrixXd A(2 * n_ - rank, n_);
  Eigen::VectorXd b(2 * n_ - rank);
  A << E, null.transpose() * J;
  b << -r, -null.transpose() * (dt + J * yp);
  return yp + A.completeOrthogonalDecomposition().solve(b);
}

}  // namespace daedalus::peers
