// SPDX-License-Identifier: BSD-3-Clause
// Points of uncertain parameters. Engines of the standard are the same everywhere, its
// distributions and shuffles are not: those below take bits alone.
#include <cmath>
#include <random>

#include <boost/random/sobol.hpp>

#include <fmt/format.h>

#include <daedalus/parameter_plan.hpp>

namespace daedalus {
namespace {

// The 53 bits of a double, in the middle of their interval: never 0, never 1.
double unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

// Without the bias of a remainder.
std::uint64_t below(std::mt19937_64& engine, std::uint64_t bound) {
  const std::uint64_t most = std::mt19937_64::max() - std::mt19937_64::max() % bound;
  for (;;)
    if (const std::uint64_t value = engine(); value < most) return value % bound;
}

using Probabilities = std::vector<double>;  // one row of `dimensions` for each sample

Probabilities random(std::size_t samples, std::size_t dimensions, std::mt19937_64& engine) {
  Probabilities all(samples * dimensions);
  for (double& p : all) p = unit(engine());
  return all;
}

Probabilities latin_hypercube(std::size_t samples, std::size_t dimensions,
                              std::mt19937_64& engine) {
  Probabilities all(samples * dimensions);
  std::vector<std::size_t> part(samples);
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (std::size_t i = 0; i < samples; ++i) part[i] = i;
    for (std::size_t i = samples; i > 1; --i) std::swap(part[i - 1], part[below(engine, i)]);
    for (std::size_t i = 0; i < samples; ++i)
      all[i * dimensions + d] =
          (static_cast<double>(part[i]) + unit(engine())) / static_cast<double>(samples);
  }
  // The last part may have been rounded up to its end.
  for (double& p : all) p = std::min(p, 1.0 - 0x1p-53);
  return all;
}

// A shift by exclusive or keeps every net of the sequence and moves its first point from the
// corner. Boost leaves that point, zero, out.
Probabilities sobol(std::size_t samples, std::size_t dimensions, std::mt19937_64& engine) {
  Probabilities all(samples * dimensions);
  std::vector<std::uint64_t> shift(dimensions);
  for (std::uint64_t& bits : shift) bits = engine();
  boost::random::sobol sequence(dimensions);
  for (std::size_t i = 0; i < samples; ++i)
    for (std::size_t d = 0; d < dimensions; ++d)
      all[i * dimensions + d] = unit((i == 0 ? 0 : sequence()) ^ shift[d]);
  return all;
}

Probabilities probabilities(std::size_t dimensions, const SampleSettings& settings) {
  std::mt19937_64 engine(settings.seed);
  switch (settings.sampling) {
    case Sampling::random:
      return random(settings.samples, dimensions, engine);
    case Sampling::latin_hypercube:
      return latin_hypercube(settings.samples, dimensions, engine);
    case Sampling::sobol:
      return sobol(settings.samples, dimensions, engine);
  }
  throw InvalidArgument("this sampling is not known");
}

}  // namespace

Sampling sampling_from(std::string_view name) {
  if (name == "random") return Sampling::random;
  if (name == "latin-hypercube" || name == "lhs") return Sampling::latin_hypercube;
  if (name == "sobol") return Sampling::sobol;
  throw InvalidArgument(
      fmt::format("sampling is '{}'; allowed are random, latin-hypercube (lhs), sobol", name));
}

ParameterPlan sample(const std::vector<UncertainParameter>& parameters,
                     const SampleSettings& settings) {
  // Boost has direction numbers for 3667 dimensions; a hundred is beyond what a sample can fill.
  constexpr std::size_t most_parameters = 1000;
  if (parameters.empty()) throw InvalidArgument("there is no uncertain parameter to be sampled");
  if (parameters.size() > most_parameters)
    throw InvalidArgument(
        fmt::format("at most {} parameters are sampled together", most_parameters));
  if (settings.samples < 1 || settings.samples > ParameterGrid::max_runs)
    throw InvalidArgument(fmt::format("samples is {}; allowed are 1 to {}", settings.samples,
                                      ParameterGrid::max_runs));
  std::vector<std::string> names;
  for (const UncertainParameter& p : parameters) names.push_back(p.name);
  ParameterPlan plan(std::move(names));
  const Probabilities all = probabilities(parameters.size(), settings);
  std::vector<double> point(parameters.size());
  for (std::size_t i = 0; i < settings.samples; ++i) {
    for (std::size_t d = 0; d < point.size(); ++d)
      point[d] = parameters[d].law.quantile(all[i * point.size() + d]);
    plan.add(point);
  }
  return plan;
}

}  // namespace daedalus
