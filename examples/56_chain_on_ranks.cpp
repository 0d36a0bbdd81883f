// SPDX-License-Identifier: BSD-3-Clause
// One DAE over the ranks of an MPI program: heat in a rod of n cells with the heat flows between
// them as algebraic unknowns, index 1,
//   u_k' = n (w_(k-1) - w_k),   0 = w_k - n (u_k - u_(k+1)),   w_n = 2 n u_n,
// insulated at its left end (w_0 = 0), held at 0 at its right end. Each rank has a block of cells
// and reads one unknown of each neighbour. mpirun -n 4 56_chain_on_ranks, or without mpirun on one.
#include <daedalus/daedalus.hpp>
#include <daedalus/distributed.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

using namespace daedalus;

namespace {

constexpr int cells = 200;
constexpr double pi = std::numbers::pi;

// The cells from `from` to `to`, unknowns u, w of each side by side.
DistributedProblem part(int from, int to) {
  DistributedProblem p;
  p.name = "rod";
  p.rows = 2 * (to - from);
  const bool left = from > 0, right = to < cells;
  if (left) p.ghosts.push_back(2 * from - 1);  // w of the cell before
  if (right) p.ghosts.push_back(2 * to);       // u of the cell behind
  p.rhs = autodiff([=](const auto&, const auto& x, auto& f) {
    using S = std::decay_t<decltype(x[0])>;
    const int own = 2 * (to - from);
    for (int k = from; k < to; ++k) {
      const int at = 2 * (k - from);
      S before(0.0), next(0.0);
      if (k > 0) before = k == from ? x[own] : x[at - 1];
      if (k + 1 < cells) next = k + 1 == to ? x[own + (left ? 1 : 0)] : x[at + 2];
      f[at] = cells * (before - x[at + 1]);
      f[at + 1] = k + 1 < cells ? S(x[at + 1] - cells * (x[at] - next))
                                : S(x[at + 1] - 2.0 * cells * x[at]);
    }
  });
  p.mass.resize(p.rows, p.rows);
  p.y0 = Eigen::VectorXd::Zero(p.rows);
  for (int k = from; k < to; ++k) {
    p.mass.insert(2 * (k - from), 2 * (k - from)) = 1.0;
    p.y0[2 * (k - from)] = std::cos(0.5 * pi * (k + 0.5) / cells);
  }
  p.mass.makeCompressed();
  return p;
}

}  // namespace

int main() {
  const std::unique_ptr<Ranks> ranks = start_ranks();
  const auto first = [&](int rank) { return cells * rank / ranks->size(); };
  Options options;
  options.rtol = 1e-6;
  options.atol = 1e-6;
  options.output = Output::end;
  Distribution distribution;
  distribution.preconditioner = DistributedPreconditioner::automatic;
  try {
    // The flows w are zero at first: they are found from their equations before the first step.
    const DistributedSolution s = ranks->solve(part(first(ranks->rank()), first(ranks->rank() + 1)),
                                               {0.0, 0.2}, options, distribution);
    const Solution whole = ranks->gather(s.own);
    if (!s.own.ok()) return std::puts(s.own.message().c_str()), 1;
    if (ranks->rank() != 0) return 0;
    const double value = whole.end().all()[0];
    const double exact = std::cos(0.25 * pi / cells) * std::exp(-0.25 * pi * pi * 0.2);
    const DistributedCounts& counts = s.counts;
    std::printf("%lld unknowns on %d ranks: u at the left end %.6f, exact %.6f; %ld reductions\n",
                static_cast<long long>(s.unknowns), ranks->size(), value, exact, counts.reductions);
    return std::abs(value - exact) < 1e-4 ? 0 : 1;
  } catch (const InvalidArgument& e) {
    std::puts(e.what());  // built without PETSc
    return std::string(e.what()).find("without PETSc") != std::string::npos ? 0 : 1;
  }
}
