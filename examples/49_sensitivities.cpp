// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a solution with respect to parameters: the pendulum of index 3, whose start
// depends on its length, and the time at which it passes its lowest point.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>

using namespace daedalus;

int main() {
  // [problem]
  MultibodyProblem pendulum;
  pendulum.name = "pendulum";
  pendulum.space = euclidean(2);
  pendulum.constraint_count = 1;
  pendulum.force = autodiff([](const auto& x, auto& f) {
    f[0] = 0.0;
    f[1] = -x.p[1];
  });
  pendulum.constraint = autodiff([](const auto& x, auto& g) {
    g[0] = 0.5 * (x.q[0] * x.q[0] + x.q[1] * x.q[1] - x.p[0] * x.p[0]);
  });
  pendulum.q0 = Eigen::Vector2d(1.0, 0.0);
  pendulum.v0 = Eigen::Vector2d::Zero();
  pendulum.q_names = {"x", "y"};
  pendulum.parameters = {{"length", 1.0}, {"gravity", 9.81}};
  // Start values as a function of the parameters: (q0, v0).
  pendulum.start = autodiff([](const auto& x, auto& out) {
    out[0] = x.p[0];
    for (int i = 1; i < 4; ++i) out[i] = 0.0;
  });
  // [/problem]
  // [ask]
  Options options{.rtol = 1e-8, .atol = 1e-8, .output = Output::dense};
  options.sensitivities = SensitivityOptions{.parameters = {"length", "gravity"},
                                             .method = SensitivityMethod::automatic};
  options.events = {{.name = "lowest", .when = [](const StateView& s) { return s.q()[0]; }}};
  const Solution s = solve(pendulum, {0.0, 1.0}, options);
  const Sensitivity d = s.sensitivity(1.0);
  std::cout << "dx/dlength = " << d("x", "length") << "\n"
            << "d tau/dlength = " << s.events()[0].time_derivative[0] << "\n"
            << "columns by " << s.sensitivities().scheme << "\n";
  // [/ask]
  // [story]
  // How the columns came about: exact where parameters are inputs of generic callables. Problems
  // whose parameters are constants inside the callables name a ParameterFamily.
  const SensitivityStory story = s.sensitivities();
  for (const SensitivityColumn& column : story.columns)
    std::cout << column.name << ": " << to_string(column.derivative) << "\n";
  const bool exact = story.columns[0].derivative == DerivativeKind::exact;
  const bool by_collocation =
      find_method(s.choice().method)->propagation == Propagation::collocation;
  // [/story]
  // [check]
  const SensitivityCheck check = check_sensitivities(pendulum, {0.0, 1.0}, options);
  std::cout << check.message << "\n";
  // [/check]
  const bool good = s.ok() && exact && (by_collocation || s.choice().method == "bdf") &&
                    std::abs(d("x", "length") + 0.8378389931737174) < 1e-5 &&
                    std::abs(s.events()[0].time_derivative[0] - 0.2959802434470297) < 1e-4 &&
                    check.worst < 1e-3;
  return good ? 0 : 1;
}
