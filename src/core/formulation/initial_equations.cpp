// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/initial_equations.hpp"

#include "formulation/parameters.hpp"

namespace daedalus {

StartRequest initial_equations(std::shared_ptr<const Problem> problem, System& system) {
  StartRequest request;
  std::visit(
      [&](const auto& p) {
        using P = std::decay_t<decltype(p)>;
        request.extra_count = p.initial_equation_count;
        if (request.extra_count == 0) return;
        auto parameters = std::make_shared<ParameterSet>(p.parameters, system.modes);
        const int count = p.initial_equation_count;
        request.extra = [&p, problem, parameters, count, &system](const State& s, double* rows) {
          const Outcome o = guarded(system.failure, s.t, [&] {
            Arguments<double> a;
            a.t = s.t;
            const double* x = s.x.data();
            if constexpr (std::is_same_v<P, MultibodyProblem>) {
              const int nq = p.space.points(), nv = p.velocities();
              a.x = {x, x + nq, nullptr, x + nq + nv, x + nq + nv + p.dynamic_count};
              a.n = {nq, nv, 0, p.dynamic_count, p.contact_count};
            } else if constexpr (std::is_same_v<P, SemiExplicitProblem>) {
              const int ny = static_cast<int>(p.y0.size()), nz = static_cast<int>(p.z0.size());
              a.x = {x, x + ny, nullptr, nullptr, nullptr};
              a.n = {ny, nz, 0, 0, 0};
            } else {
              const int n = static_cast<int>(p.y0.size());
              a.x = {x, nullptr, s.xd.data(), nullptr, nullptr};
              a.n = {n, 0, n, 0, 0};
            }
            parameters->apply(a);
            return p.initial_equations(a, rows, count);
          });
          system.failure.function = "initial_equations";
          if (o != Outcome::ok) return o;
          const int bad = first_not_finite(rows, count);
          if (bad < 0) return Outcome::ok;
          system.failure = {"initial_equations", bad, s.t, {}};
          return Outcome::not_finite;
        };
      },
      *problem);
  return request;
}

}  // namespace daedalus
