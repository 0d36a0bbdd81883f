// SPDX-License-Identifier: BSD-3-Clause
// Transmission lines in blocks of cells; the four unknowns of a cell stand together.
#include <catalogue/cut_parts.hpp>
#include <catalogue/line_cell.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace {

DistributedProblem part_of_line(const char* name, const Values& values, int index, int rank,
                                int size) {
  const line_circuit::Constants c = line_circuit::constants(name, values, index);
  const int n = static_cast<int>(c.n);
  const int from = first_of(n, rank, size), to = first_of(n, rank + 1, size);
  const double d = 1.0 / c.n;
  DistributedProblem p;
  p.name = name;
  p.rows = 4 * (to - from);
  p.index = n > 1 ? index : 1;
  const bool below = from > 0 && from < to, above = to < n && from < to;
  if (below) p.ghosts.push_back(4LL * from - 1);
  if (above) p.ghosts.push_back(4LL * to);
  p.mass.resize(p.rows, p.rows);
  p.mass.reserve(Eigen::VectorXi::Constant(p.rows, 1));
  for (int k = from; k < to; ++k) {
    const int at = 4 * (k - from);
    p.mass.insert(at, at) = p.mass.insert(at + 2, at + 2) = 0.5 * c.L * d;
    p.mass.insert(at + 1, at + 1) = c.C * d;
    p.variable_index.insert(p.variable_index.end(), {1, 1, 1, p.index == 2 && k + 1 < n ? 2 : 1});
    p.field.insert(p.field.end(), {0, 1, 0, 1});
  }
  p.mass.makeCompressed();
  p.field_names = {"current", "voltage"};
  p.rhs = autodiff([c, d, n, from, to, below](const auto& t, const auto& y, auto& f) {
    using S = std::decay_t<decltype(y[0])>;
    const int ghost = 4 * (to - from);
    for (int k = from; k < to; ++k) {
      const int at = 4 * (k - from);
      S before(0.0), after(0.0);
      if (k == 0)
        before = line_circuit::source(t);
      else
        before = k == from ? y[ghost] : y[at - 1];
      if (k + 1 < n) after = k + 1 == to ? y[ghost + (below ? 1 : 0)] : y[at + 4];
      const line_circuit::Cell<S> x{y[at], y[at + 1], y[at + 2], y[at + 3]};
      const auto r = line_circuit::cell_equations(c, d, k == 0, k + 1 == n, x, before, after);
      f[at] = r.a;
      f[at + 1] = r.u;
      f[at + 2] = r.b;
      f[at + 3] = r.w;
    }
  });
  p.y0 = Eigen::VectorXd::Zero(p.rows);
  p.name_of = [](std::int64_t number) {
    return "aubw"[number % 4] + std::to_string(number / 4 + 1);
  };
  p.equation_of = [](std::int64_t number) {
    constexpr const char* rows[] = {"coil into node ", "node ", "coil out of node ", "junction "};
    return rows[number % 4] + std::to_string(number / 4 + 1);
  };
  return p;
}

}  // namespace

DistributedProblem cut_line(const Values& values, int rank, int size) {
  return part_of_line("transmission-line", values, 1, rank, size);
}
DistributedProblem cut_line_index2(const Values& values, int rank, int size) {
  return part_of_line("transmission-line-index2", values, 2, rank, size);
}

}  // namespace daedalus::problems
