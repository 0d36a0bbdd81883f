// SPDX-License-Identifier: BSD-3-Clause
// Gradients of a few numbers that a run gives with respect to many parameters and start values.
//
//   const Functional end{.name = "x at the end",
//                        .at_end = autodiff([](const auto& x, auto& J) { J[0] = x.q[0]; })};
//   const Gradient g = adjoint(problem, {0, 1}, {end}, options, {.parameters = {"*"}});
//   if (g.ok()) use(g.value("x at the end"), g("x at the end", "length"));
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/functional.hpp>
#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/sensitivity.hpp>

namespace daedalus {

// J = at_end(T) + integral of `along` over the interval + sum of `at` over `at_times`. Callables
// that are not generic are differentiated by differences.
struct Functional {
  std::string name{};
  Function<slot::Functional> at_end{};
  Function<slot::Functional> along{};
  Function<slot::Functional> at{};
  std::vector<double> at_times{};
};

// end(V), integral(V), end(V^2) or integral(V^2), with V a variable or an invariant of the problem.
// An invariant whose parameters are constants inside its callable, as `family` tells, has no
// derivative with respect to them and is refused. Throws InvalidArgument with the nearest name.
Functional parse_functional(const std::string& text, const Problem& problem,
                            const ParameterFamily* family = nullptr);

// forward: from columns dx/dp of one run; adjoint: by one run backwards per functional, whose cost
// hardly depends on the number of parameters; automatic: what is cheaper and possible.
enum class GradientWay { automatic, forward, adjoint };
std::string_view to_string(GradientWay way);

struct AdjointOptions {
  std::vector<std::string> parameters{};    // names; {"*"}: all
  std::vector<std::string> start_values{};  // variables, as in SensitivityOptions
  // Bytes for the run forwards, for `adjoint`: what does not fit is computed again on the way back.
  std::size_t memory = std::size_t{256} << 20;
  GradientWay way = GradientWay::automatic;
};

struct GradientStatistics {
  long forward_steps = 0;
  long backward_steps = 0;      // of all functionals
  long recomputed_steps = 0;    // forwards, of what did not fit into `memory`
  long linearisations = 0;      // Jacobians of the runs backwards
  long parameter_products = 0;  // evaluations of l^T F_p
  std::size_t memory = 0;       // bytes that were kept of the run forwards, at most
  double forward_seconds = 0.0, backward_seconds = 0.0;
};

class Gradient {
 public:
  struct Data {
    std::vector<std::string> functionals{};
    std::vector<SensitivityColumn> columns{};
    std::vector<double> values{};   // of the functionals
    Eigen::MatrixXd derivatives{};  // a row per functional
    GradientWay way = GradientWay::forward;
    std::string why{};  // of the way
    Status status = Status::success;
    std::string message{};
    std::vector<std::string> warnings{};
    GradientStatistics statistics{};
  };
  explicit Gradient(Data data) : data_(std::move(data)) {}
  bool ok() const {
    return data_.status == Status::success || data_.status == Status::stopped_by_event;
  }
  Status status() const { return data_.status; }
  const std::string& message() const { return data_.message; }
  const std::vector<std::string>& warnings() const { return data_.warnings; }
  // Throw InvalidArgument with the names there are. NaN after a run that failed.
  double value(std::string_view functional) const;
  double operator()(std::string_view functional, std::string_view column) const;
  const std::vector<std::string>& functionals() const { return data_.functionals; }
  const std::vector<SensitivityColumn>& columns() const { return data_.columns; }
  const Eigen::MatrixXd& matrix() const { return data_.derivatives; }
  GradientWay way() const { return data_.way; }
  const std::string& why() const { return data_.why; }
  const GradientStatistics& statistics() const { return data_.statistics; }

 private:
  Data data_;
};

// Throws InvalidArgument for requests that cannot be served, before anything runs.
Gradient adjoint(const Problem& problem, Interval interval,
                 const std::vector<Functional>& functionals, const Options& options,
                 const AdjointOptions& asked);

}  // namespace daedalus
