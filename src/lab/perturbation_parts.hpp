// SPDX-License-Identifier: BSD-3-Clause
// Parts of the perturbation laboratory: rows and their residuals, components, fits, the judged run.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/perturbation.hpp>

#include "system/system.hpp"

namespace daedalus::perturbation {

inline constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

enum class RowKind { position, velocity, acceleration, algebraic, differential, other };

struct Row {
  int number = 0;
  RowKind kind = RowKind::other;
  double scale = 1.0;  // of theta in this row
};

// The equations that the run solves, as its first step names them, and its variables. Empty: there
// is no first step.
struct Probe {
  std::vector<std::string> equations{};
  Variables variables{};
};
Probe probe(const PerturbationStudy& study, const Options& options);
RowKind kind_of(const PerturbationStudy& study, const std::vector<std::string>& names, int row);
std::vector<Row> choose_rows(const PerturbationStudy& study, const std::string& formulation,
                             const std::vector<std::string>& names);
Defect make_defect(const PerturbationStudy& study, std::vector<Row> rows, double theta);

// Value of an option of the formulation, or its standard.
double option_of(const Options& options, const std::string& formulation, const std::string& key);

// What is compared: parts of the model state, and S v and G v + g_t computed from it with
//   [M G^T; G 0] [S v; m] = [M v; 0].
class Components {
 public:
  struct Part {
    std::string name, cls;  // cls: the component whose bound applies
    int first, count;
    bool saturates;  // a nonlinear part: errors of its own size are no longer proportional
  };
  Components(const PerturbationStudy& study, const Solution& first);
  ~Components();
  const std::vector<Part>& parts() const { return parts_; }
  int size() const { return size_; }
  bool evaluate(const StateView& state, Eigen::Ref<Eigen::VectorXd> out);

 private:
  Components() = default;
  void add(std::string name, std::string cls, int from, int count);
  void add_all(const Variables& variables, const PerturbationStudy& study);
  struct Source {
    int from, count;  // of the state; -1: S v, -2: G v
  };
  struct Mechanical;
  std::vector<Part> parts_;
  std::vector<Source> sources_;
  int size_ = 0;
  std::unique_ptr<Mechanical> mechanical_;
};

struct Fit {
  double theta_exponent, h_exponent, constant, misfit;
  int points = 0;
  std::string reason;
};
// `scale`: the size of the component, above a fifth of which errors are saturated; 0: never.
Fit fit(PerturbedComponent& component, const std::vector<double>& thetas,
        const std::vector<double>& steps, double scale);
std::string verdict(const PerturbedComponent& component);

ConstraintBudget judge_run(const PerturbationStudy& study, const Options& options,
                           const std::string& formulation, const std::vector<std::string>& names,
                           const std::vector<PerturbationBound>& bounds);

}  // namespace daedalus::perturbation
