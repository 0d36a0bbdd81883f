// SPDX-License-Identifier: BSD-3-Clause
// 57: an incompressible flow over the ranks of an MPI program: the lid-driven cavity with n x n
// cells, drawn into a file: mpirun -n 4 57_flow_on_ranks 64 picture.svg.
//
// Model    u_t + div(u u) = nu lap(u) - grad(p), div(u) = 0 in the unit square, at rest at its
//          walls; the lid at y = 1 moves with 1 - exp(-t^2); Re = 1/nu = 100. On a staggered grid
//          (Harlow, Welch 1965): u on vertical faces, v on horizontal ones, p in the middle of
//          cells, and an equation for each. Index 2: the pressure is an algebraic variable, found
//          by nobody but the method. Pressure counts from that of the first cell.
// Known    at rest (t = 25) u in the middle of the cavity is -0.2091 (Marchi, Suero, Araki 2009, by
//          extrapolation from grids of up to 1024 x 1024 cells).
//
// Builds on 56 (a chain on ranks). New: index 2 over ranks, fields, rows of cells as parts.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <daedalus/daedalus.hpp>
#include <daedalus/distributed.hpp>

using namespace daedalus;

namespace {

constexpr double reynolds = 100.0, end_time = 25.0, known_middle = -0.2091;

// Rows of cells from below; in each row u, v (not on the lid), p from the left.
struct Grid {
  int n;
  int row_size(int j) const { return (n - 1) + (j < n - 1 ? n : 0) + n; }
  int first(int j) const { return j * (3 * n - 1); }
  int u(int i, int j) const { return first(j) + i; }  // between cells i and i + 1
  int v(int i, int j) const { return first(j) + n - 1 + i; }
  int p(int i, int j) const { return first(j) + row_size(j) - n + i; }
};

// The rows from `from` to `to` with what they read of the rows beside them.
struct Part {
  Grid grid;
  int from, to;

  int own() const { return grid.first(to - 1) + grid.row_size(to - 1) - grid.first(from); }
  std::vector<std::int64_t> ghosts() const {
    std::vector<std::int64_t> list;
    if (from > 0)  // u and v below
      for (int k = grid.first(from - 1); k < grid.p(0, from - 1); ++k) list.push_back(k);
    if (to < grid.n)  // u, v and p above
      for (int k = 0; k < grid.row_size(to); ++k) list.push_back(grid.first(to) + k);
    return list;
  }
  // Place of a global number among own unknowns and ghosts.
  int at(int global) const {
    const int below = from > 0 ? grid.p(0, from - 1) - grid.first(from - 1) : 0;
    if (global < grid.first(from)) return own() + global - grid.first(from - 1);
    if (to < grid.n && global >= grid.first(to)) return own() + below + global - grid.first(to);
    return global - grid.first(from);
  }
};

// Velocities at walls and beyond: at rest, and mirrored about the wall so that its own speed is the
// mean of both sides.
template <class X, class S = std::decay_t<decltype(std::declval<X>()[0])>>
struct Flow {
  const Part& part;
  const X& x;
  S lid;

  int n() const { return part.grid.n; }
  S u(int i, int j) const {
    if (i < 0 || i >= n() - 1) return S(0.0);
    if (j < 0) return -x[part.at(part.grid.u(i, 0))];
    if (j >= n()) return 2.0 * lid - x[part.at(part.grid.u(i, n() - 1))];
    return x[part.at(part.grid.u(i, j))];
  }
  S v(int i, int j) const {
    if (j < 0 || j >= n() - 1) return S(0.0);
    if (i < 0) return -x[part.at(part.grid.v(0, j))];
    if (i >= n()) return -x[part.at(part.grid.v(n() - 1, j))];
    return x[part.at(part.grid.v(i, j))];
  }
  S p(int i, int j) const { return x[part.at(part.grid.p(i, j))]; }

  S rate_of_u(int i, int j) const {
    const double h = 1.0 / n();
    const S right = 0.5 * (u(i, j) + u(i + 1, j)), left = 0.5 * (u(i - 1, j) + u(i, j));
    const S above = 0.25 * (u(i, j) + u(i, j + 1)) * (v(i, j) + v(i + 1, j)),
            below = 0.25 * (u(i, j - 1) + u(i, j)) * (v(i, j - 1) + v(i + 1, j - 1));
    const S spread = u(i + 1, j) + u(i - 1, j) + u(i, j + 1) + u(i, j - 1) - 4.0 * u(i, j);
    return spread / (h * h * reynolds) -
           (right * right - left * left + above - below + p(i + 1, j) - p(i, j)) / h;
  }
  S rate_of_v(int i, int j) const {
    const double h = 1.0 / n();
    const S above = 0.5 * (v(i, j) + v(i, j + 1)), below = 0.5 * (v(i, j - 1) + v(i, j));
    const S right = 0.25 * (v(i, j) + v(i + 1, j)) * (u(i, j) + u(i, j + 1)),
            left = 0.25 * (v(i - 1, j) + v(i, j)) * (u(i - 1, j) + u(i - 1, j + 1));
    const S spread = v(i + 1, j) + v(i - 1, j) + v(i, j + 1) + v(i, j - 1) - 4.0 * v(i, j);
    return spread / (h * h * reynolds) -
           (above * above - below * below + right - left + p(i, j + 1) - p(i, j)) / h;
  }
  S divergence(int i, int j) const {
    return S(u(i, j) - u(i - 1, j) + v(i, j) - v(i, j - 1)) * n();
  }
};

DistributedProblem problem_of(const Part& part) {
  const Grid grid = part.grid;
  DistributedProblem p;
  p.name = "cavity";
  p.index = 2;
  p.rows = part.own();
  p.ghosts = part.ghosts();
  p.rhs = autodiff([=](const auto& t, const auto& x, auto& f) {
    using std::exp;
    using S = std::decay_t<decltype(x[0])>;
    const Flow<decltype(x)> flow{part, x, S(1.0 - exp(-t * t))};
    for (int j = part.from; j < part.to; ++j) {
      for (int i = 0; i < grid.n - 1; ++i) f[part.at(grid.u(i, j))] = flow.rate_of_u(i, j);
      for (int i = 0; i < grid.n && j < grid.n - 1; ++i)
        f[part.at(grid.v(i, j))] = flow.rate_of_v(i, j);
      for (int i = 0; i < grid.n; ++i)  // what leaves the first cell follows from all others
        f[part.at(grid.p(i, j))] = i + j == 0 ? flow.p(0, 0) : flow.divergence(i, j);
    }
  });
  p.mass.resize(p.rows, p.rows);
  p.variable_index.assign(static_cast<std::size_t>(p.rows), 1);
  p.field.assign(static_cast<std::size_t>(p.rows), 0);
  p.field_names = {"velocity", "pressure"};
  p.y0 = Eigen::VectorXd::Zero(p.rows);  // at rest, as the lid is at first
  for (int j = part.from; j < part.to; ++j) {
    for (int k = part.at(grid.first(j)); k < part.at(grid.p(0, j)); ++k) p.mass.insert(k, k) = 1.0;
    for (int i = 0; i < grid.n; ++i) {
      const auto at = static_cast<std::size_t>(part.at(grid.p(i, j)));
      p.variable_index[at] = 2;
      p.field[at] = 1;
    }
  }
  p.mass.makeCompressed();
  return p;
}

// The flow with streamlines from a column of points, as a picture.
void draw(const Flow<Eigen::VectorXd>& flow, const char* name) {
  const int n = flow.n();
  const auto velocity = [&](double a, double b) {  // in units of cells, in the middle of cells
    const int i = std::clamp(static_cast<int>(a), 0, n - 1),
              j = std::clamp(static_cast<int>(b), 0, n - 1);
    const double dx = a - i, dy = b - j;
    return Eigen::Vector2d((1.0 - dx) * flow.u(i - 1, j) + dx * flow.u(i, j),
                           (1.0 - dy) * flow.v(i, j - 1) + dy * flow.v(i, j));
  };
  std::ofstream out(name);
  constexpr double size = 480.0;
  const double cell = size / n;
  out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 480 480'>\n";
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double speed = std::min(1.0, 1.5 * velocity(i + 0.5, j + 0.5).norm());
      char rect[160];
      std::snprintf(
          rect, sizeof rect,
          "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='hsl(%.0f,70%%,%.0f%%)'/>\n",
          i * cell, size - (j + 1) * cell, cell + 0.3, cell + 0.3, 220.0 - 200.0 * speed,
          90.0 - 35.0 * speed);
      out << rect;
    }
  constexpr int lines = 14, points = 1500;
  for (int k = 1; k < lines; ++k) {
    Eigen::Vector2d at(0.5 * n, n * (0.02 + 0.96 * k / lines));
    out << "<polyline fill='none' stroke='#123' stroke-width='0.8' points='";
    for (int step = 0; step < points; ++step) {
      const Eigen::Vector2d half = at + 0.1 * velocity(at[0], at[1]).normalized();
      at += 0.2 * velocity(half[0], half[1]).normalized();
      if (step % 5 == 0) out << at[0] * cell << ',' << size - at[1] * cell << ' ';
    }
    out << "'/>\n";
  }
  out << "</svg>\n";
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 16;
  const std::unique_ptr<Ranks> ranks = start_ranks();
  const auto first = [&](int rank) { return n * rank / ranks->size(); };
  if (n < 2 * ranks->size()) return std::puts("give two rows of cells and more to each rank"), 2;
  Options options{.rtol = 1e-4, .atol = 1e-6, .output = Output::end};
  try {
    const Part part{{n}, first(ranks->rank()), first(ranks->rank() + 1)};
    const DistributedSolution s = ranks->solve(problem_of(part), {0.0, end_time}, options);
    const Solution whole = ranks->gather(s.own);
    if (!s.own.ok()) return std::puts(s.own.message().c_str()), 1;
    if (ranks->rank() != 0) return 0;
    const Eigen::VectorXd x = whole.end().all();
    const Part all{{n}, 0, n};
    const Flow<Eigen::VectorXd> flow{all, x, 1.0};
    double leak = 0.0;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) leak = std::max(leak, std::abs(flow.divergence(i, j)));
    const double middle = 0.5 * (flow.u(n / 2 - 1, n / 2 - 1) + flow.u(n / 2 - 1, n / 2));
    std::printf(
        "%lld unknowns on %d ranks, %ld steps: u in the middle %.4f (known: %.4f), "
        "largest divergence %.1e\n",
        static_cast<long long>(s.unknowns), ranks->size(), s.own.statistics().accepted, middle,
        known_middle, leak);
    if (count > 2) draw(flow, words[2]);
    // The error of the grid falls as its square: 0.019 with 16 cells, 0.0052 with 32.
    const bool good = std::abs(middle - known_middle) < 6.0 / (n * n) + 1e-3 && leak < 1e-6;
    return good ? 0 : 1;
  } catch (const InvalidArgument& e) {
    std::puts(e.what());  // built without PETSc
    return std::string(e.what()).find("without PETSc") != std::string::npos ? 0 : 1;
  }
}
