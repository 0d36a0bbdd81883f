// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/arnold_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <daedalus/method.hpp>

#include <daedalus/stepper.hpp>
#include "formulation/lower.hpp"
#include "reproduce/arnold_support.hpp"
#include "start/consistent.hpp"

namespace daedalus::experiments::arnold {
namespace {

// The accepted steps of a run.
std::vector<double> step_sizes(const problems::Entry& e, double rtol) {
  std::vector<double> h;
  Options o{.method = "hedop5", .rtol = rtol, .atol = 0.1 * rtol, .output = Output::end};
  o.projection = ProjectionWhen::none;
  o.trace = [&](const StepRecord& r) {
    if (r.outcome == "accepted") h.push_back(r.h);
  };
  solve(e.problem(), {e.t0, e.t_end}, o);
  return h;
}

}  // namespace

double max_estimate_ratio(const std::string& problem, double rtol) {
  const problems::Entry& e = entry(problem);
  const Method& method = *find_method("hedop5");
  const auto owned = std::make_shared<const Problem>(e.problem());
  const auto system = lower(owned, "index2", View::mechanical, {}, e.t0);
  State state = model_start(*system, *owned, e.t0);
  system->prepare(state);
  StartRequest request;
  request.weight = Eigen::VectorXd::Constant(system->layout.tangents(), rtol);
  if (make_consistent(*system, state, request).status != Status::success) return std::nan("");
  // The same method with and without projection of the embedded solution, in step.
  std::array<std::unique_ptr<Stepper>, 2> steppers;
  for (int projected = 0; projected < 2; ++projected) {
    auto& stepper = steppers[static_cast<std::size_t>(projected)];
    stepper = method.make(*system, [&](std::string_view key) {
      if (key == "project_estimate") return static_cast<double>(projected);
      for (const MethodOption& o : method.options)
        if (o.key == key) return o.standard;
      return 0.0;
    });
    if (stepper->start({StartReason::begin, state, nullptr}) != Outcome::ok) return std::nan("");
  }
  const int n = system->layout.find(VariableClass::lambda)->tangent;
  double largest = 0.0, t = e.t0;
  long number = 0;
  for (const double h : step_sizes(e, rtol)) {
    std::array<Eigen::VectorXd, 2> error;
    for (std::size_t i = 0; i < 2; ++i) {
      const Attempt a = steppers[i]->attempt({number, t, h, t + h, method.order, request.weight});
      if (a.outcome != Outcome::ok || a.estimates.empty()) return std::nan("");
      error[i] = Eigen::Map<const Eigen::VectorXd>(a.estimates[0].value.data(), n);
    }
    const Eigen::VectorXd scale =
        (rtol * steppers[0]->trial().x.head(n).cwiseAbs()).array() + 0.1 * rtol;
    const double correction = (error[1] - error[0]).cwiseQuotient(scale).norm(),
                 estimate = error[1].cwiseQuotient(scale).norm();
    if (estimate > 0.0) largest = std::max(largest, h * correction / estimate);
    for (auto& stepper : steppers) stepper->commit(false);
    t += h;
    ++number;
  }
  return number > 0 ? largest : std::nan("");
}

}  // namespace daedalus::experiments::arnold
