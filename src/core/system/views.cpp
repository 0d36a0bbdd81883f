// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/stepper/views.hpp>

#include "system/system.hpp"

namespace daedalus {

StepMatrix& ResidualView::matrix() { return residual_pencil(); }
StepMatrix& LinearView::matrix() { return linear_pencil(); }
StepMatrix& PartitionedView::matrix() { return constraint_pencil(); }

SystemViews views_of(System& system) {
  return {system.layout, system.equations, system.residual_view(), system.linear_view(),
          system.partitioned_view()};
}

}  // namespace daedalus
