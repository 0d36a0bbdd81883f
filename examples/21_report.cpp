// SPDX-License-Identifier: BSD-3-Clause
// 21: a report of your own model: plots of everything the run did, and the bodies moving in 3-D.
//
// Model    double pendulum of two point masses in the plane, y up:
//          m u_i' = -(G^T lambda)_i - m g e_y,  0 = (|p_1|^2 - 1)/2,  0 = (|p_2 - p_1|^2 - 1)/2.
// The scene says which bodies to draw and where they are for a state; Options::trace fills the
// table of steps; write_run writes one JSON file. `daedalus report double-pendulum.json` makes the
// page.
//
// Builds on 01 (pendulum). New: Scene, StepTable, RunFile, write_run.
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>

#include <daedalus/daedalus.hpp>
#include <daedalus/run_file.hpp>

namespace {

daedalus::MultibodyProblem double_pendulum() {
  daedalus::SparseMatrix mass(4, 4);
  mass.setIdentity();
  Eigen::VectorXd q0(4);
  q0 << 1.0, 0.0, 1.0, 1.0;
  return {.name = "double-pendulum",
          .space = daedalus::euclidean(4),
          .constraint_count = 2,
          .mass_matrix = mass,
          .force = daedalus::autodiff([](const auto&, const auto&, const auto&, auto& f) {
            for (int i = 0; i < 4; ++i) f[i] = i % 2 == 0 ? 0.0 : -9.81;
          }),
          .constraint = daedalus::autodiff([](const auto&, const auto& q, auto& g) {
            const auto dx = q[2] - q[0];
            const auto dy = q[3] - q[1];
            g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
            g[1] = 0.5 * (dx * dx + dy * dy - 1.0);
          }),
          .q0 = q0,
          .v0 = Eigen::VectorXd::Zero(4),
          .invariants = {{"energy", daedalus::autodiff(
                                        [](const auto&, const auto& q, const auto& v, auto& e) {
                                          e[0] = 9.81 * (q[1] + q[3]);
                                          for (int i = 0; i < 4; ++i)
                                            e[0] = e[0] + 0.5 * v[i] * v[i];
                                        })}},
          .q_names = {"x1", "y1", "x2", "y2"},
          .v_names = {"u1", "v1", "u2", "v2"}};
}

// [scene]
daedalus::Scene scene() {
  using namespace daedalus::shapes;
  const auto mass = [](int first) -> daedalus::PointOf {
    return [first](const daedalus::StateView& s) {
      return Eigen::Vector3d(s.q()[first], s.q()[first + 1], 0.0);
    };
  };
  // A pose has axes as well: this one turns with the second rod.
  const daedalus::PoseOf turned = [](const daedalus::StateView& s) {
    const double angle = std::atan2(s.q()[3] - s.q()[1], s.q()[2] - s.q()[0]);
    return daedalus::Pose{.position = {s.q()[2], s.q()[3], 0.0},
                          .rotation = planar_rotation(angle)};
  };
  daedalus::Body end = box("end", {0.2, 0.12, 0.12}, turned);
  end.trail = true;
  end.colour = "#d1477f";
  daedalus::Scene scene;
  scene.up = {0.0, 1.0, 0.0};
  scene.view = {0.3, 0.2, 1.0};
  scene.bodies = {rod("upper rod", 0.02, fixed_point(0.0, 0.0), mass(0)),
                  rod("lower rod", 0.02, mass(0), mass(2)), sphere("joint", 0.06, mass(0)), end};
  return scene;
}
// [/scene]

}  // namespace

int main() {
  const daedalus::MultibodyProblem problem = double_pendulum();
  // [report]
  daedalus::RunFile file{
      .title = "Double pendulum", .scene = scene(), .command = "examples/21_report"};
  daedalus::Options options{.watch_drift = true, .rtol = 1e-8, .atol = 1e-8};
  options.output = daedalus::Output::dense;
  options.trace = [&file](const daedalus::StepRecord& record) { file.steps.add(record); };
  const daedalus::Solution solution = solve(problem, {0.0, 5.0}, options);

  std::ofstream out("double-pendulum.json");
  write_run(out, problem, solution, file, options);
  // [/report]
  out.close();

  const daedalus::StepTable& steps = file.steps;
  const daedalus::Samples frames = sample_frames(solution, 101);
  std::ifstream in("double-pendulum.json");
  std::stringstream text;
  text << in.rdbuf();
  std::cout << steps.t.size() << " steps, " << text.str().size() / 1024
            << " KiB in double-pendulum.json; the last body is a "
            << (file.scene.bodies.back().shape == daedalus::Shape::box ? "box" : "surprise")
            << "\nnow: daedalus report double-pendulum.json\n";
  // Every attempt is in the table, and a frame every 0.05 s.
  const bool good = solution.ok() &&
                    static_cast<long>(steps.t.size()) == solution.statistics().steps() &&
                    frames.t.size() == 101 && std::abs(frames.t[1] - 0.05) < 1e-12 &&
                    text.str().find("\"motion\":") != std::string::npos &&
                    text.str().find("\"rtol\":") != std::string::npos;
  return good ? 0 : 1;
}
