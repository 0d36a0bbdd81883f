// SPDX-License-Identifier: BSD-3-Clause
#include "derivatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "fastest.hpp"
#include "formulation/lower.hpp"
#include "system/system.hpp"

namespace daedalus::bench {
namespace {

constexpr int directions_at_once = 4;

struct Cost {
  int unknowns = 0;
  long directions = 0;
  double value = 0.0, jacobian = 0.0;  // seconds
  double ratio() const {
    const long groups = (directions + directions_at_once - 1) / directions_at_once;
    return jacobian / static_cast<double>(groups) / value;
  }
};

// At the start values; nothing if the equations have no such view.
std::optional<Cost> cost(const problems::Entry& entry, const std::string& formulation, View view) {
  const auto problem = std::make_shared<const Problem>(entry.problem());
  if (!fit(*problem, formulation, view).possible) return std::nullopt;
  const std::unique_ptr<System> system = lower(problem, formulation, view, {}, entry.t0);
  State at = model_start(*system, *problem, entry.t0);
  system->prepare(at);
  Cost c;
  c.unknowns = system->layout.tangents();
  Eigen::VectorXd out = Eigen::VectorXd::Zero(c.unknowns);
  const double *const x = at.x.data(), *const xd = at.xd.data();
  std::function<Outcome()> value, jacobian;
  if (view == View::linear) {
    LinearView& equations = *system->linear_view();
    value = [&] { return equations.rhs(at.t, x, out.data()); };
    jacobian = [&] { return equations.linearise(at.t, x); };
  } else {
    ResidualView& equations = *system->residual_view();
    value = [&] { return equations.residual(at.t, x, xd, out.data()); };
    jacobian = [&] { return equations.linearise(at.t, x, xd); };
  }
  if (value() != Outcome::ok || jacobian() != Outcome::ok) return std::nullopt;
  const long before = system->counter.now().jacobian_columns;
  jacobian();
  c.directions = system->counter.now().jacobian_columns - before;
  const std::vector<double> seconds =
      fastest({[&] { return value() == Outcome::ok; }, [&] { return jacobian() == Outcome::ok; }});
  c.value = seconds[0];
  c.jacobian = seconds[1];
  return c;
}

}  // namespace

void derivatives(const std::filesystem::path& folder, const Provenance& from) {
  Csv csv(folder / "derivatives.csv",
          "problem,view,formulation,unknowns,directions,seconds_per_evaluation,"
          "seconds_per_jacobian,ratio_per_4_directions",
          from);
  fmt::print("\n{:<24} {:<9} {:<12} {:>8} {:>10} {:>9} {:>11} {:>19}\n", "exact derivatives",
             "view", "formulation", "unknowns", "directions", "f, ns", "Jacobian, ns",
             "per 4 directions / f");
  double worst = 0.0;
  for (const problems::Entry* entry : problems::all_problems()) {
    if (!entry->in_suite("core")) continue;
    const bool multibody = entry->form == "multibody";
    for (const View view : {View::linear, View::residual}) {
      const std::string formulation = !multibody ? "" : view == View::linear ? "index1" : "index2";
      const std::optional<Cost> c = cost(*entry, formulation, view);
      if (!c || c->directions == 0) continue;
      worst = std::max(worst, c->ratio());
      fmt::print("{:<24} {:<9} {:<12} {:>8} {:>10} {:>9.0f} {:>11.0f} {:>19.2f}\n", entry->name,
                 to_string(view), formulation, c->unknowns, c->directions, 1e9 * c->value,
                 1e9 * c->jacobian, c->ratio());
      csv.row(fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.4f}", entry->name, to_string(view),
                          formulation, c->unknowns, c->directions, c->value, c->jacobian,
                          c->ratio()));
    }
  }
  fmt::print("largest: {:.2f}\n", worst);
}

}  // namespace daedalus::bench
