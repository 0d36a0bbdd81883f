// A preconditioner of the Stokes equations on the staggered grid, alpha E + J of
//   [A G; -D 0],  A = alpha - nu (differences of second order),  G gradient, D divergence:
// the factors of the block elimination with D A^-1 G replaced by what it would be if A commuted
// with the gradient, D A^-1 G ~ (alpha (D G)^-1 - nu)^-1 (Cahouet, Chabard 1988). A and D G are
// solved directly: by sine or cosine transforms along x, by tridiagonal systems along y.
#include <complex>
#include <memory>

#include <unsupported/Eigen/FFT>

#include <problems/preconditioner.hpp>
#include <problems/stokes.hpp>

namespace daedalus::problems {
namespace stokes {
namespace {

using Complex = std::complex<double>;
constexpr double pi_of_solver = 3.14159265358979323846;

// Values at whole points 1 .. n-1 with zero ends, at half points with zero ends (odd beyond them),
// or at half points even beyond the ends.
enum class Extension { odd_whole, odd_half, even_half };

// (c - nu (second differences along x and y)) w = r on a grid of `width` x `height` values, whose
// ends are of one kind along x and of one along y. nu < 0 and c = 0: the Laplacian itself.
class FastSolver {
 public:
  FastSolver(int n, Extension along_x, Extension along_y)
      : n_(n),
        x_(along_x),
        y_(along_y),
        width_(along_x == Extension::odd_whole ? n - 1 : n),
        height_(along_y == Extension::odd_whole ? n - 1 : n),
        line_(static_cast<std::size_t>(2 * n)),
        spectrum_(line_.size()),
        rows_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)),
        ratio_(rows_.size()),
        inverse_(rows_.size()),
        factor_(static_cast<std::size_t>(width_)) {
    const double h = 1.0 / n;
    for (int k = 0; k < width_; ++k) {
      const int wave = wave_of(k);
      const double sine = std::sin(pi_of_solver * wave / (2.0 * n));
      wave_.push_back(4.0 * sine * sine / (h * h));
      const Complex turn = std::polar(1.0, pi_of_solver * wave / (2.0 * n));
      // Transform of the extended line over the real coefficient of the wave.
      factor_[static_cast<std::size_t>(k)] = x_ == Extension::odd_whole  ? Complex(0.0, -1.0)
                                             : x_ == Extension::odd_half ? Complex(0.0, -1.0) * turn
                                                                         : turn;
    }
  }

  void prepare(double c, double nu) {
    c_ = c;
    off_ = -nu * n_ * n_;
    // Pivots of the elimination along y, one column of the factor per wave.
    for (int k = 0; k < width_; ++k)
      for (int j = 0; j < height_; ++j) {
        const double before = j > 0 ? ratio_[place(k, j - 1)] * off_ : 0.0;
        double pivot = diagonal(k, j) - before;
        // The constant of a problem without boundary values is fixed at the last point.
        if (singular(k) && j + 1 == height_) pivot = 0.0;
        ratio_[place(k, j)] = pivot == 0.0 ? 0.0 : off_ / pivot;
        inverse_[place(k, j)] = pivot == 0.0 ? 0.0 : 1.0 / pivot;
      }
  }

  void solve(const double* r, double* w) {
    forward(r);
    for (int k = 0; k < width_; ++k) rows_[place(k, 0)] *= inverse_[place(k, 0)];
    for (int j = 1; j < height_; ++j)
      for (int k = 0; k < width_; ++k)
        rows_[place(k, j)] =
            (rows_[place(k, j)] - off_ * rows_[place(k, j - 1)]) * inverse_[place(k, j)];
    for (int j = height_ - 2; j >= 0; --j)
      for (int k = 0; k < width_; ++k)
        rows_[place(k, j)] -= ratio_[place(k, j)] * rows_[place(k, j + 1)];
    backward(w);
  }

 private:
  std::size_t place(int k, int j) const {
    return static_cast<std::size_t>(k) +
           static_cast<std::size_t>(width_) * static_cast<std::size_t>(j);
  }
  int wave_of(int k) const { return x_ == Extension::even_half ? k : k + 1; }
  bool singular(int k) const {
    return k == 0 && x_ == Extension::even_half && y_ == Extension::even_half && c_ == 0.0;
  }
  double diagonal(int k, int j) const {
    const bool end = j == 0 || j + 1 == height_;
    double neighbours = 2.0;
    if (end && y_ == Extension::odd_half) neighbours = 3.0;
    if (end && y_ == Extension::even_half) neighbours = 1.0;
    return c_ - off_ * (neighbours + wave_[static_cast<std::size_t>(k)] / (double(n_) * n_));
  }

  // Two lines at a time, one as real and one as imaginary part.
  void forward(const double* r) {
    for (int j = 0; j < height_; j += 2) {
      const bool two = j + 1 < height_;
      std::fill(line_.begin(), line_.end(), Complex(0.0));
      for (int i = 0; i < width_; ++i) {
        const Complex value(r[place(i, j)], two ? r[place(i, j + 1)] : 0.0);
        const int from = x_ == Extension::odd_whole ? i + 1 : i;
        const int mirror = x_ == Extension::odd_whole ? 2 * n_ - from : 2 * n_ - 1 - from;
        line_[static_cast<std::size_t>(from)] = value;
        line_[static_cast<std::size_t>(mirror)] = x_ == Extension::even_half ? value : -value;
      }
      transform_.fwd(spectrum_.data(), line_.data(), 2 * n_);
      for (int k = 0; k < width_; ++k) {
        const Complex c =
            spectrum_[static_cast<std::size_t>(wave_of(k))] / factor_[static_cast<std::size_t>(k)];
        rows_[place(k, j)] = c.real();
        if (two) rows_[place(k, j + 1)] = c.imag();
      }
    }
  }
  void backward(double* w) {
    for (int j = 0; j < height_; j += 2) {
      const bool two = j + 1 < height_;
      std::fill(spectrum_.begin(), spectrum_.end(), Complex(0.0));
      for (int k = 0; k < width_; ++k) {
        const Complex c(rows_[place(k, j)], two ? rows_[place(k, j + 1)] : 0.0);
        const Complex f = factor_[static_cast<std::size_t>(k)];
        const int wave = wave_of(k);
        spectrum_[static_cast<std::size_t>(wave)] = c * f;
        // The other half of the spectrum of a real line, for both lines.
        if (wave > 0 && wave < n_)
          spectrum_[static_cast<std::size_t>(2 * n_ - wave)] = c * std::conj(f);
      }
      transform_.inv(line_.data(), spectrum_.data(), 2 * n_);
      for (int i = 0; i < width_; ++i) {
        const Complex value =
            line_[static_cast<std::size_t>(x_ == Extension::odd_whole ? i + 1 : i)];
        w[place(i, j)] = value.real();
        if (two) w[place(i, j + 1)] = value.imag();
      }
    }
  }

  int n_;
  Extension x_, y_;
  int width_, height_;
  double c_ = 0.0, off_ = 0.0;
  std::vector<Complex> line_, spectrum_;
  std::vector<double> rows_, ratio_, inverse_;
  std::vector<Complex> factor_;
  std::vector<double> wave_;
  Eigen::FFT<double> transform_;
};

class BlockSolver {
 public:
  explicit BlockSolver(const Grid& grid)
      : grid_(grid),
        n_(grid.cells()),
        across_(n_, Extension::odd_whole, Extension::odd_half),
        along_(n_, Extension::odd_half, Extension::odd_whole),
        poisson_(n_, Extension::even_half, Extension::even_half),
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
