// SPDX-License-Identifier: BSD-3-Clause
#include "tool/mode_page.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <daedalus/solve.hpp>

#include "io/run_file.hpp"
#include "tool/run_document.hpp"

namespace daedalus::cli {
namespace {

constexpr int frames_per_period = 120, periods = 2;
constexpr double shown_size = 0.15;  // of the characteristic length

// A state as a run has it, at rest where the eigenvalues were taken.
Solution at_rest(const NamedMechanism& m, const Eigenvalues& at) {
  MultibodyProblem problem = m.assembled.problem;
  problem.q0 = at.state.head(problem.q0.size());
  problem.v0.setZero();
  Options options;
  options.output = Output::end;
  constexpr double instant = 1e-9;
  return solve(problem, {at.t, at.t + instant}, options);
}

Samples motion(const NamedMechanism& m, const Eigenvalues& at, const Mode& mode,
               const ModelState& rest) {
  const MultibodyProblem& p = m.assembled.problem;
  const auto nq = p.q0.size(), nv = p.v0.size();
  const double omega = std::abs(mode.value.imag()), size = shown_size * m.assembled.report.length;
  constexpr double full_turn = 2.0 * std::numbers::pi;
  Samples samples;
  for (int k = 0; k <= periods * frames_per_period; ++k) {
    const double phase = full_turn * k / frames_per_period;
    const std::complex<double> turned = size * std::polar(1.0, phase);
    const Eigen::VectorXd w = (mode.tangent * turned).real();
    Eigen::VectorXd y = rest.all();
    p.space.plus<double>(at.state.data(), w.data(), y.data());
    const std::complex<double> rate(0.0, omega);
    y.segment(nq, nv) = (mode.tangent * (turned * rate)).real();
    samples.t.push_back(omega > 0.0 ? phase / omega : phase);
    samples.y.push_back(std::move(y));
  }
  return samples;
}

}  // namespace

std::vector<std::size_t> swinging_modes(const Eigenvalues& at) {
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < at.values.size(); ++k)
    if (at.values[k].imag() > 0.0) numbers.push_back(k);
  std::sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) {
    return at.values[a].imag() < at.values[b].imag();
  });
  return numbers;
}

void write_mode_page(AtomicFile& page, int number, const PreparedRun& run, const NamedMechanism& m,
                     const Eigenvalues& at) {
  const std::vector<std::size_t> swinging = swinging_modes(at);
  if (number < 1 || number > static_cast<int>(swinging.size()))
    throw InvalidArgument(fmt::format("--mode has {}; '{}' has {} modes that swing", number,
                                      run.entry.name, swinging.size()));
  const Mode mode = m.assembled.modes(at)[swinging[static_cast<std::size_t>(number - 1)]];
  const Solution rest = at_rest(m, at);
  const Samples samples = motion(m, at, mode, rest.end());
  RunFile file{.title = fmt::format("{}: mode {} of {}, {:.4g} Hz, damping ratio {:.3g}",
                                    run.entry.title.empty() ? run.entry.name : run.entry.title,
                                    number, swinging.size(), mode.frequency_hz, mode.damping_ratio),
               .source = run.entry.source,
               .equations = run.entry.equations};
  file.scene = m.assembled.scene;
  Json json = solve_document(make_report(run, rest));
  json["command"] = nullptr;
  json["interval"] = Json{samples.t.front(), samples.t.back()};
  json["parameters"] = Json::object();
  json["trajectory"] = describe(Trajectory{rest.variables().names, samples.t, samples.y});
  json.update(run_members(m.assembled.problem, rest, file, samples, samples));
  page.stream() << report_page(json);
  page.commit();
}

}  // namespace daedalus::cli
