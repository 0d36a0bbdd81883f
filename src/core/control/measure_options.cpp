// SPDX-License-Identifier: BSD-3-Clause
#include "control/measure_options.hpp"

#include <limits>

namespace daedalus {
namespace {

// Combinations of model variables, in charts those of one class: the smallest tolerance holds.
void min_of_class(const Options& o, System& system, double share, Eigen::VectorXd& atol) {
  if (!system.model_system() || o.atol.scalar()) return;
  for (const LayoutBlock& b : system.layout.blocks())
    if (const Variables::Range* r = system.variables->range_of(b.cls))
      atol.segment(b.tangent, b.space.tangents())
          .setConstant(share * o.atol.values().segment(r->first, r->count).minCoeff());
}

// A model variable's tolerance applies to its tangent coordinates; rates kept as extra variables
// are not tested. On a group one tolerance serves the whole block.
void per_variable(const Options& o, System& system, double share, Eigen::VectorXd& atol) {
  int point = 0;
  for (const LayoutBlock& b : system.layout.blocks()) {
    if (b.point >= system.variables->size() || b.cls == VariableClass::eta) break;
    for (int i = 0; i < b.space.tangents(); ++i)
      atol[b.tangent + i] = share * o.atol[b.space.is_euclidean() ? point + i : point];
    point += b.space.points();
  }
  for (const std::string& name : o.untested)
    for (int i = 0; i < system.layout.tangents(); ++i)
      if (system.layout.name(i) == name) atol[i] = std::numeric_limits<double>::max();
}

}  // namespace

MeasureOptions measure_options(const Options& o, const ControlPolicy& policy, System& system,
                               double share) {
  MeasureOptions m;
  m.rtol = share * o.rtol;
  m.norm = o.norm;
  m.index_weights = o.index_weights;
  policy.shape(m);
  m.atol = Eigen::VectorXd::Constant(system.layout.tangents(), share * o.atol.values().minCoeff());
  if (system.in_model_coordinates())
    per_variable(o, system, share, m.atol);
  else
    min_of_class(o, system, share, m.atol);
  return m;
}

}  // namespace daedalus
