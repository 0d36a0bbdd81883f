// SPDX-License-Identifier: BSD-3-Clause
// What a run file says of a problem along its solution: invariants and kinetic energy.
#include <cmath>

#include "io/problem_arguments.hpp"
#include "io/run_file.hpp"

namespace daedalus {
namespace {

using json::Json;

// [quantity(state, arguments) for every sample]
template <class P, class Quantity>
Json along(const P& p, const Variables& variables, const Samples& samples, Quantity&& quantity) {
  std::vector<double> parameters, values;
  for (const Parameter& parameter : p.parameters) parameters.push_back(parameter.value);
  for (std::size_t k = 0; k < samples.t.size(); ++k) {
    const StateView state(variables, samples.t[k], samples.y[k].data());
    Arguments<double> a;
    a.t = samples.t[k];
    fill_arguments(a, p, state);
    a.p = parameters.data();
    a.parameter_count = static_cast<int>(parameters.size());
    a.modes = p.modes.data();
    a.mode_count = static_cast<int>(p.modes.size());
    values.push_back(quantity(state, a));
  }
  return json::numbers(values);
}

// v^T M v / 2, M as the problem gives it: a constant, blocks one after another, or a full matrix.
double kinetic_energy(const MultibodyProblem& p, const Arguments<double>& a, const In& v,
                      std::vector<double>& entries) {
  const int n = p.velocities();
  double twice = 0.0;
  if (!p.mass) {
    for (int j = 0; j < p.mass_matrix.outerSize(); ++j)
      for (SparseMatrix::InnerIterator e(p.mass_matrix, j); e; ++e)
        twice += v[e.row()] * e.value() * v[e.col()];
    return 0.5 * twice;
  }
  std::vector<int> blocks = p.mass_blocks;
  if (blocks.empty()) blocks = {n};
  int count = 0, first = 0;
  for (const int size : blocks) count += size * size;
  entries.assign(static_cast<std::size_t>(count), 0.0);
  const bool full = p.mass_blocks.empty();
  if (p.mass(a, entries.data(), full ? n : count, full ? n : 1) != Eval::ok) return std::nan("");
  const double* M = entries.data();
  for (const int size : blocks) {
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) twice += v[first + i] * *M++ * v[first + j];
    first += size;
  }
  return 0.5 * twice;
}

}  // namespace

Json invariants_along(const Problem& problem, const Variables& variables, const Samples& samples) {
  Json json = Json::object();
  std::visit(
      [&](const auto& p) {
        for (const auto& invariant : p.invariants)
          json[invariant.name] =
              along(p, variables, samples, [&](const StateView&, const Arguments<double>& a) {
                double value = 0.0;
                return invariant.value(a, &value, 1) == Eval::ok ? value : std::nan("");
              });
      },
      problem);
  return json;
}

Json kinetic_energy_along(const Problem& problem, const Variables& variables,
                          const Samples& samples) {
  const auto* p = std::get_if<MultibodyProblem>(&problem);
  if (!p) return nullptr;
  std::vector<double> entries;
  return along(*p, variables, samples, [&](const StateView& state, const Arguments<double>& a) {
    return kinetic_energy(*p, a, state.v(), entries);
  });
}

}  // namespace daedalus
