// SPDX-License-Identifier: BSD-3-Clause
// Which equations are perturbed, and by what.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <daedalus/formulation.hpp>
#include <daedalus/integrator.hpp>

#include "lab/perturbation_parts.hpp"

namespace daedalus::perturbation {
namespace {

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

RowKind multibody_kind(const std::string& name) {
  if (starts(name, "constraint ")) return RowKind::position;
  if (starts(name, "rate of constraint ")) return RowKind::velocity;
  if (starts(name, "acceleration of constraint ")) return RowKind::acceleration;
  if (starts(name, "nonholonomic constraint ")) return RowKind::velocity;
  if (starts(name, "rate of nonholonomic constraint ")) return RowKind::acceleration;
  if (starts(name, "damped constraint ") || starts(name, "regularised constraint "))
    return RowKind::algebraic;
  if (starts(name, "balance of ") || starts(name, "dynamics of ")) return RowKind::differential;
  return RowKind::other;
}

bool wanted(PerturbedRows rows, RowKind kind) {
  switch (rows) {
    case PerturbedRows::automatic:
      return kind != RowKind::differential && kind != RowKind::other;
    case PerturbedRows::position:
      return kind == RowKind::position;
    case PerturbedRows::velocity:
      return kind == RowKind::velocity;
    case PerturbedRows::acceleration:
      return kind == RowKind::acceleration;
    case PerturbedRows::differential:
      return kind == RowKind::differential;
    case PerturbedRows::named:
      return false;
  }
  return false;
}

// In [-1, 1], the same for the same arguments (splitmix64, Steele, Lea, Flood 2014): a step may be
// evaluated any number of times.
double uniform(std::uint64_t seed, std::uint64_t step, std::uint64_t row) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15ull + step * 0xD1B54A32D192ED03ull + row + 1;
  for (int round = 0; round < 2; ++round) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    x ^= x >> 31;
  }
  return 2.0 * (static_cast<double>(x >> 11) * 0x1p-53) - 1.0;
}

double rounded(double x) { return 0x1p25 * (x - static_cast<double>(static_cast<float>(x))); }

double single_precision(RowKind kind, double t) {
  if (kind == RowKind::velocity) return rounded(std::cos(t));
  if (kind == RowKind::acceleration) return rounded(std::sin(2.0 * t));
  return rounded(std::sin(t));
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

}  // namespace

double option_of(const Options& options, const std::string& formulation, const std::string& key) {
  const auto given = options.formulation_options.find(key);
  if (given != options.formulation_options.end()) return given->second;
  for (const Formulation& f : all_formulations())
    if (f.name == formulation)
      for (const MethodOption& o : f.options)
        if (o.key == key) return o.standard;
  return 0.0;
}

Probe probe(const PerturbationStudy& study, const Options& options) {
  Probe found;
  Options o = options;
  o.defect = [&found](const DefectSite& site, Out) { found.equations = site.row_names; };
  Integrator integrator(study.problem, o);
  if (integrator.initialize(study.interval.from, study.interval.to) == Status::success) {
    found.variables = integrator.state().variables();
    integrator.step(study.interval.to);
  }
  return found;
}

RowKind kind_of(const PerturbationStudy& study, const std::vector<std::string>& names, int row) {
  const auto at = static_cast<std::size_t>(row);
  if (std::holds_alternative<MultibodyProblem>(study.problem)) return multibody_kind(names[at]);
  if (const auto* p = std::get_if<SemiExplicitProblem>(&study.problem))
    return row < p->y0.size() ? RowKind::differential : RowKind::algebraic;
  if (const auto* p = std::get_if<MassMatrixProblem>(&study.problem)) {
    if (p->mass_matrix.rows() != static_cast<Eigen::Index>(names.size())) return RowKind::algebraic;
    for (int c = 0; c < p->mass_matrix.cols(); ++c)
      if (p->mass_matrix.coeff(row, c) != 0.0) return RowKind::differential;
  }
  return RowKind::algebraic;
}

std::vector<Row> choose_rows(const PerturbationStudy& study, const std::string& formulation,
                             const std::vector<std::string>& names) {
  std::vector<Row> rows;
  const bool by_name = study.rows == PerturbedRows::named;
  if (by_name)
    for (const std::string& name : study.row_names)
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw InvalidArgument(
            fmt::format("row_names: there is no equation '{}'; allowed are {}", name, list(names)));
  // The rows of Baumgarte's method are r_B + 2 alpha r_G + beta r_L; theta is meant as the residual
  // of the constraint r_L.
  double damped = 1.0;
  if (formulation == "baumgarte" && std::holds_alternative<MultibodyProblem>(study.problem)) {
    damped = option_of(study.options, formulation, "beta");
    if (damped == 0.0) damped = std::pow(option_of(study.options, formulation, "alpha"), 2);
  }
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    const RowKind kind = kind_of(study, names, i);
    const std::string& name = names[static_cast<std::size_t>(i)];
    const bool listed =
        std::find(study.row_names.begin(), study.row_names.end(), name) != study.row_names.end();
    if (by_name ? listed : wanted(study.rows, kind))
      rows.push_back({i, kind, starts(name, "damped constraint ") ? damped : 1.0});
  }
  if (rows.empty())
    throw InvalidArgument(fmt::format(
        "rows: there are no such equations{}; the equations are {}",
        formulation.empty() ? "" : " in formulation '" + formulation + "'", list(names)));
  return rows;
}

Defect make_defect(const PerturbationStudy& study, std::vector<Row> rows, double theta) {
  const double from = study.interval.from, length = study.interval.to - study.interval.from;
  return [=, kind = study.kind, seed = study.seed](const DefectSite& site, Out out) {
    constexpr double turn = 2.0 * std::numbers::pi;
    const double t = site.t + site.h;
    int order = 0;
    for (const Row& row : rows) {
      double unit = 0.0;
      switch (kind) {
        case PerturbationKind::smooth:
          unit = std::cos(turn * (t - from) / length);
          break;
        case PerturbationKind::alternating:
          unit = site.step % 2 ? 1.0 : -1.0;
          break;
        case PerturbationKind::rotating:
          unit = std::sin(0.25 * turn * static_cast<double>((site.step + order) % 4));
          break;
        case PerturbationKind::random:
          unit = uniform(seed, static_cast<std::uint64_t>(site.step),
                         static_cast<std::uint64_t>(row.number));
          break;
        case PerturbationKind::single_precision:
          unit = single_precision(row.kind, t);
          break;
      }
      // g = theta is F + defect = 0 with defect -theta.
      out[row.number] -= theta * row.scale * unit;
      ++order;
    }
  };
}

}  // namespace daedalus::perturbation
