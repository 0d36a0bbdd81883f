// SPDX-License-Identifier: BSD-3-Clause
// Start values that are a function of the parameters.
#include <fmt/format.h>

#include "formulation/parameters.hpp"

namespace daedalus {
namespace {

std::vector<Eigen::VectorXd*> parts_of(ImplicitProblem& p) { return {&p.y0, &p.yp0}; }
std::vector<Eigen::VectorXd*> parts_of(MassMatrixProblem& p) { return {&p.y0}; }
std::vector<Eigen::VectorXd*> parts_of(SemiExplicitProblem& p) { return {&p.y0, &p.z0}; }
std::vector<Eigen::VectorXd*> parts_of(MultibodyProblem& p) {
  // Empty means zero.
  if (p.q0.size() == 0) p.q0.setZero(p.space.points());
  if (p.v0.size() == 0) p.v0.setZero(p.velocities());
  if (p.c0.size() == 0) p.c0.setZero(p.dynamic_count);
  if (p.s0.size() == 0) p.s0.setZero(p.contact_count);
  return {&p.q0, &p.v0, &p.c0, &p.s0};
}

}  // namespace

void apply_start(Problem& problem) {
  std::visit(
      [](auto& p) {
        if (!p.start) return;
        const std::vector<Eigen::VectorXd*> parts = parts_of(p);
        Eigen::Index size = 0;
        for (const Eigen::VectorXd* part : parts) size += part->size();
        Eigen::VectorXd out = Eigen::VectorXd::Constant(size, std::nan(""));
        const auto modes = std::make_shared<const std::vector<double>>(p.modes);
        const ParameterSet parameters(p.parameters, modes);
        Arguments<double> a;
        parameters.apply(a);
        if (p.start(a, out.data(), static_cast<int>(size)) != Eval::ok || !out.allFinite())
          throw InvalidArgument(fmt::format(
              "start: it gives no finite value for all {} start values of '{}'", size, p.name));
        Eigen::Index offset = 0;
        for (Eigen::VectorXd* part : parts) {
          *part = out.segment(offset, part->size());
          offset += part->size();
        }
      },
      problem);
}

}  // namespace daedalus
