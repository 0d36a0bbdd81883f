// SPDX-License-Identifier: BSD-3-Clause
// Formulations in local charts: the model state is made consistent as that of the bodies, and a
// chart is laid there.
#include "start/start_rows.hpp"

namespace daedalus {

StartReport start_in_chart(System& system, State& s, const StartRequest& request) {
  System& model = *system.model_system();
  StartRequest of_model = request;
  if (request.weight.size() != model.layout.tangents())
    of_model.weight.setConstant(model.layout.tangents(), request.weight.minCoeff());
  State given = s;
  StartReport report = make_consistent(model, given, of_model);
  if (report.status != Status::success) {
    system.failure = model.failure;
    return report;
  }
  const PhaseScope phase(system.counter, Phase::start);
  if (const Outcome o = system.enter(given, s); o != Outcome::ok)
    return failed_start(system, given.t, o, "laying a chart of the constraint manifold");
  system.prepare(s);
  return report;
}

}  // namespace daedalus
