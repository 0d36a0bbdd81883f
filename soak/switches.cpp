// SPDX-License-Identifier: BSD-3-Clause
// Handlers that change modes only. What a mode adds vanishes on the solution, so that the state has
// to go on where it was: y of index 1 and 2, whatever the start strategy does.
#include "soak/manufactured.hpp"

namespace daedalus::soak {
namespace {

// y' = f(t, y, z), 0 = z - ... (index 1) or 0 = G y - ... (index 2), as one mass-matrix problem:
// the point form of callables sees the modes.
struct Switched {
  Eigen::MatrixXd A, B, G, other;
  Signals y, z;
  int index = 1;

  template <class S, class P, class O>
  void evaluate(const P& x, O& r) const {
    const int ny = static_cast<int>(y.size()), nz = static_cast<int>(z.size());
    const double on = x.modes[0];
    std::array<S, max_manufactured> dy, dz;
    for (int i = 0; i < ny; ++i)
      dy[static_cast<std::size_t>(i)] = x.y[i] - y[static_cast<std::size_t>(i)].value(x.t);
    for (int i = 0; i < nz; ++i)
      dz[static_cast<std::size_t>(i)] = x.y[ny + i] - z[static_cast<std::size_t>(i)].value(x.t);
    for (int i = 0; i < ny; ++i) {
      r[i] = y[static_cast<std::size_t>(i)].rate(x.t) + row_times<S>(A, i, dy) +
             row_times<S>(B, i, dz);
      if (on > 0.5) r[i] += row_times<S>(other, i, dy);
    }
    for (int i = 0; i < nz; ++i) {
      r[ny + i] = row_times<S>(G, i, dy);
      if (index == 1) r[ny + i] += dz[static_cast<std::size_t>(i)];
    }
  }
};

}  // namespace

Case draw_switches(Random& random) {
  const int nz = random.integer(1, 2), ny = nz + random.integer(1, 2);
  auto system = std::make_shared<Switched>();
  Case c;
  c.index = system->index = random.integer(1, 2);
  c.t1 = random.uniform(1.0, 4.0);
  system->A = random.matrix(ny, ny, -0.5, 0.5) -
              random.uniform(0.5, 3.0) * Eigen::MatrixXd::Identity(ny, ny);
  system->other = -random.uniform(0.0, 5.0) * Eigen::MatrixXd::Identity(ny, ny) +
                  random.matrix(ny, ny, -0.5, 0.5);
  system->G = random.orthogonal(ny).topRows(nz);
  system->B = system->index == 2 ? Eigen::MatrixXd(system->G.transpose())
                                 : random.matrix(ny, nz, -1.0, 1.0);
  system->y = draw_signals(random, ny, {.max_frequency = 3.0});
  system->z = draw_signals(random, nz, {.max_frequency = 3.0});
  c.solution = [system](double t) {
    Eigen::VectorXd x(static_cast<Eigen::Index>(system->y.size() + system->z.size()));
    x << values_of(system->y, t), values_of(system->z, t);
    return x;
  };
  c.component_index.assign(static_cast<std::size_t>(ny + nz), 1);
  for (int i = 0; i < nz; ++i) c.component_index[static_cast<std::size_t>(ny + i)] = c.index;
  MassMatrixProblem p{.name = "switched"};
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(ny + nz, ny + nz);
  mass.topLeftCorner(ny, ny).setIdentity();
  p.mass_matrix = mass.sparseView();
  p.rhs = autodiff([system](const auto& x, auto& r) {
    using S = std::decay_t<decltype(r[0])>;
    system->template evaluate<S>(x, r);
  });
  if (c.index == 2) p.variable_index = c.component_index;
  p.y0 = c.solution(c.t0);
  p.index = c.index;
  p.modes = {0.0};
  c.problem = p;
  const int switches = random.integer(1, 4);
  ExpectedEvents expected{"switch", {}, 1.0};
  for (int k = 1; k <= switches; ++k) expected.times.push_back(c.t1 * k / (switches + 1.0));
  Event e;
  e.name = expected.name;
  // Through zero at all of these times, in turns.
  e.when = [times = expected.times](const StateView& s) {
    double product = 1.0;
    for (const double t : times) product *= s.t() - t;
    return product;
  };
  e.action = EventAction::handle;
  e.handler = [](EventContext& x) { x.modes[0] = 1.0 - x.modes[0]; };
  c.events.push_back(e);
  c.expected.push_back(expected);
  c.start = random.chance(0.5) ? StartStrategy::solve : StartStrategy::automatic;
  c.description = "index " + std::to_string(c.index) + ", " + std::to_string(switches) +
                  " switches" + (c.start == StartStrategy::solve ? ", start solve" : "");
  return c;
}

}  // namespace daedalus::soak
