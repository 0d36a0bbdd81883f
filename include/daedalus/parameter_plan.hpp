// SPDX-License-Identifier: BSD-3-Clause
// The points of an ensemble as data: grids, samples of uncertain parameters, both combined.
//
//   const ParameterPlan plan = sample({{"k", value_law("lognormal(1, 0.1)")},
//                                      {"length", value_law("uniform(0.9, 1.1)")}},
//                                     {.samples = 256, .sampling = Sampling::sobol});
//   const EnsembleResult result = solve_ensemble(problem, {0.0, 5.0}, options, plan);
//
// The same settings give the same points on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/ensemble.hpp>

namespace daedalus {

class ParameterPlan {
 public:
  ParameterPlan() = default;                               // one run of the problem as it is
  explicit ParameterPlan(std::vector<std::string> names);  // no points yet
  explicit ParameterPlan(const ParameterGrid& grid);       // its points in its order

  // One value for each name, finite; throws InvalidArgument otherwise.
  void add(std::span<const double> point);
  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return size_; }
  std::span<const double> point(std::size_t run) const;
  std::vector<Parameter> parameters(std::size_t run) const;  // the same with names

 private:
  std::vector<std::string> names_;
  std::vector<double> values_;
  std::size_t size_ = 1;
};

// All combinations, those of `fast` fastest. Throws InvalidArgument for a name that both have, and
// for more than ParameterGrid::max_runs.
ParameterPlan combinations(const ParameterPlan& slow, const ParameterPlan& fast);

// How the values of an uncertain parameter are distributed.
struct ValueLaw {
  enum class Kind { uniform, loguniform, triangular, normal, lognormal, exponential, weibull };
  Kind kind = Kind::uniform;
  double a = 0.0, b = 1.0, c = 0.0;
  // The value that is not exceeded with this probability, 0 < probability < 1.
  double quantile(double probability) const;
};
// uniform(from, to), loguniform(from, to), triangular(from, most likely, to), normal(mean,
// deviation), lognormal(median, deviation of the logarithm), exponential(mean), weibull(shape,
// scale). Throws InvalidArgument that names the text and what is allowed.
ValueLaw value_law(std::string_view text);

struct UncertainParameter {
  std::string name;
  ValueLaw law;
};

enum class Sampling {
  random,           // independent
  latin_hypercube,  // each parameter has one value in each of `samples` equally probable parts
  sobol             // digitally shifted Sobol sequence; best with a power of two
};
// random, latin-hypercube (lhs), sobol; throws InvalidArgument.
Sampling sampling_from(std::string_view name);

struct SampleSettings {
  std::size_t samples = 100;
  Sampling sampling = Sampling::latin_hypercube;
  std::uint64_t seed = 1;
};
ParameterPlan sample(const std::vector<UncertainParameter>& parameters,
                     const SampleSettings& settings = {});

// One problem with the values of every point; throws InvalidArgument if it has no such parameter.
// Start values are those of the problem: where they depend on parameters, make tasks.
EnsembleResult solve_ensemble(const Problem& problem, Interval interval, const Options& options,
                              const ParameterPlan& plan, const EnsembleSettings& settings = {});

}  // namespace daedalus
