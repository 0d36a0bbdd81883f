#include "formulation/kinetic_energy.hpp"

#include <cmath>

#include "formulation/mechanics.hpp"

namespace daedalus {
namespace {

struct Moving {
  Mechanics mechanics;
  PieceMatrix mass;
  Eigen::VectorXd momentum;
  Failure failure;
  explicit Moving(const MultibodyProblem& body)
      : mechanics(std::make_shared<const MultibodyProblem>(body),
                  std::make_shared<const std::vector<double>>(body.modes)),
        mass(mechanics.mass_structure()),
        momentum(body.velocities()) {}
};

}  // namespace

std::function<double(const StateView&)> kinetic_energy(const Problem& problem) {
  const auto* body = std::get_if<MultibodyProblem>(&problem);
  if (!body) return {};
  return [moving = std::make_shared<Moving>(*body)](const StateView& state) {
    const In v = state.v();
    const PointOf<double> p{state.t(),        state.q().data(), v.data(),
                            state.c().data(), state.s().data(), state.lambda().data()};
    const auto mass = [&] { return moving->mechanics.mass(p, moving->mass.values().data()); };
    if (guarded(moving->failure, state.t(), mass) != Outcome::ok) return std::nan("");
    moving->momentum.setZero();
    moving->mass.add_times(1.0, v.data(), moving->momentum.data());
    return 0.5 * v.dot(moving->momentum);
  };
}

}  // namespace daedalus
