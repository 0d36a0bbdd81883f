// SPDX-License-Identifier: BSD-3-Clause
// A preconditioner of the Stokes equations on the staggered grid, alpha E + J of
//   [A G; -D 0],  A = alpha - nu (differences of second order),  G gradient, D divergence:
// the factors of the block elimination with D A^-1 G replaced by what it would be if A commuted
// with the gradient, D A^-1 G ~ (alpha (D G)^-1 - nu)^-1 (Cahouet, Chabard 1988). A and D G are
// solved directly: by sine or cosine transforms along lines whose ends lie half a cell from the
// walls, by tridiagonal systems from line to line.
#include <cmath>
#include <memory>
#include <numbers>

#include <catalogue/preconditioner.hpp>
#include <catalogue/stokes.hpp>
#include <catalogue/support_transform.hpp>

namespace daedalus::problems {
namespace stokes {
namespace {

constexpr double pi_of_solver = std::numbers::pi;

// Where the values of a grid function lie: value i of line j at line_step j + value_step i.
struct Lines {
  int count;
  std::ptrdiff_t line_step, value_step;
};

// (c - nu (second differences along lines and from line to line)) w = r. Velocities are zero at the
// walls, half a cell from the ends of the lines and a whole one from the first and last line;
// pressures have no difference across any wall. nu < 0 and c = 0: the Laplacian itself.
class FastSolver {
 public:
  enum class Of { velocity, pressure };
  FastSolver(int n, Of kind, Lines lines)
      : n_(n),
        pressure_(kind == Of::pressure),
        lines_(lines),
        transform_(n, kind == Of::velocity),
        rows_(static_cast<std::size_t>(n) * static_cast<std::size_t>(lines.count)),
        ratio_(rows_.size()),
        inverse_(rows_.size()) {
    for (int k = 0; k < n; ++k) {
      const double angle = pi_of_solver * k / (2.0 * n);
      const double wave = pressure_ ? std::sin(angle) : std::cos(angle);
      wave_.push_back(4.0 * wave * wave);
    }
  }

  void prepare(double c, double nu) {
    c_ = c;
    off_ = -nu * n_ * n_;
    // Pivots of the elimination from line to line, one column of the factor per wave.
    for (int j = 0; j < lines_.count; ++j)
      for (int k = 0; k < n_; ++k) {
        const double before = j > 0 ? ratio_[place(k, j - 1)] * off_ : 0.0;
        double pivot = diagonal(k, j) - before;
        // The constant of a problem without boundary values is fixed at the last point.
        if (singular(k) && j + 1 == lines_.count) pivot = 0.0;
        ratio_[place(k, j)] = pivot == 0.0 ? 0.0 : off_ / pivot;
        inverse_[place(k, j)] = pivot == 0.0 ? 0.0 : 1.0 / pivot;
      }
  }

  void solve(const double* r, double* w) {
    pairs([&](int j, bool two) {
      const double* line = r + j * lines_.line_step;
      transform_.forward(line, two ? line + lines_.line_step : nullptr, lines_.value_step, row(j),
                         two ? row(j + 1) : nullptr);
    });
    for (int k = 0; k < n_; ++k) rows_[place(k, 0)] *= inverse_[place(k, 0)];
    for (int j = 1; j < lines_.count; ++j)
      for (int k = 0; k < n_; ++k)
        rows_[place(k, j)] =
            (rows_[place(k, j)] - off_ * rows_[place(k, j - 1)]) * inverse_[place(k, j)];
    for (int j = lines_.count - 2; j >= 0; --j)
      for (int k = 0; k < n_; ++k)
        rows_[place(k, j)] -= ratio_[place(k, j)] * rows_[place(k, j + 1)];
    pairs([&](int j, bool two) {
      double* line = w + j * lines_.line_step;
      transform_.backward(row(j), two ? row(j + 1) : nullptr, line,
                          two ? line + lines_.line_step : nullptr, lines_.value_step);
    });
  }

 private:
  std::size_t place(int k, int j) const {
    return static_cast<std::size_t>(k) + static_cast<std::size_t>(n_) * static_cast<std::size_t>(j);
  }
  double* row(int j) { return rows_.data() + place(0, j); }
  template <class Visit>
  void pairs(Visit&& visit) const {
    for (int j = 0; j < lines_.count; j += 2) visit(j, j + 1 < lines_.count);
  }
  bool singular(int k) const { return k == 0 && pressure_ && c_ == 0.0; }
  double diagonal(int k, int j) const {
    const bool end = j == 0 || j + 1 == lines_.count;
    return c_ - off_ * ((end && pressure_ ? 1.0 : 2.0) + wave_[static_cast<std::size_t>(k)]);
  }

  int n_;
  bool pressure_;
  Lines lines_;
  double c_ = 0.0, off_ = 0.0;
  CosineTransform transform_;
  std::vector<double> rows_, ratio_, inverse_, wave_;
};

class BlockSolver {
 public:
  explicit BlockSolver(const Grid& grid)
      : grid_(grid),
        n_(grid.cells()),
        across_(n_, FastSolver::Of::velocity, {n_ - 1, 1, n_ - 1}),
        along_(n_, FastSolver::Of::velocity, {n_ - 1, n_, 1}),
        poisson_(n_, FastSolver::Of::pressure, {n_, n_, 1}),
        flow_(grid.velocities()),
        balance_(n_ * n_),
        potential_(n_ * n_) {
    poisson_.prepare(0.0, -1.0);
  }

  void update(double alpha) {
    alpha_ = alpha;
    across_.prepare(alpha, grid_.viscosity());
    along_.prepare(alpha, grid_.viscosity());
  }

  void apply(In r, Out x) {
    const int velocities = grid_.velocities(), pressures = grid_.pressures();
    friction(r.data(), flow_.data());
    // S p = D A^-1 r_1 + r_2; the row that the problem leaves out is minus the sum of the others.
    Eigen::Map<Eigen::VectorXd> rows(balance_.data(), pressures);
    grid_.divergence(flow_, rows);
    rows += r.tail(pressures);
    balance_[pressures] = -rows.sum();
    poisson_.solve(balance_.data(), potential_.data());
    const double nu = grid_.viscosity();
    potential_ = alpha_ * potential_ - nu * balance_;
    potential_.array() -= potential_[pressures];
    x.tail(pressures) = potential_.head(pressures);
    // x_1 = A^-1 (r_1 - G p).
    const double inverse_h = n_;
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i + 1 < n_; ++i)
        flow_[grid_.u(i, j)] =
            r[grid_.u(i, j)] -
            (potential_[grid_.p(i + 1, j)] - potential_[grid_.p(i, j)]) * inverse_h;
    for (int j = 0; j + 1 < n_; ++j)
      for (int i = 0; i < n_; ++i)
        flow_[grid_.v(i, j)] =
            r[grid_.v(i, j)] -
            (potential_[grid_.p(i, j + 1)] - potential_[grid_.p(i, j)]) * inverse_h;
    friction(flow_.data(), x.head(velocities).data());
  }

 private:
  // A^-1.
  void friction(const double* r, double* w) {
    across_.solve(r, w);
    along_.solve(r + grid_.across(), w + grid_.across());
  }

  Grid grid_;
  int n_;
  double alpha_ = 0.0;
  FastSolver across_, along_, poisson_;
  Eigen::VectorXd flow_, balance_, potential_;
};

}  // namespace

Preconditioner preconditioner(const Grid& grid) {
  const auto solver = std::make_shared<BlockSolver>(grid);
  return {[solver](const PreconditionerSite& site) {
            solver->update(site.alpha);
            return true;
          },
          [solver](In r, Out x) { solver->apply(r, x); }};
}

}  // namespace stokes

Preconditioner preconditioner_of(const Entry& entry, const Values& overrides) {
  if (entry.name != "pde-2d") return {};
  Values values = overrides;
  for (const Parameter& p : entry.parameters) values.try_emplace(p.name, p.value);
  return stokes::preconditioner({static_cast<int>(values.at("n")), values.at("nu")});
}

}  // namespace daedalus::problems
