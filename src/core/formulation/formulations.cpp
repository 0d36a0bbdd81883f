// SPDX-License-Identifier: BSD-3-Clause
// The list of formulations with their options, and what each means for multibody systems.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <daedalus/formulation.hpp>

#include "formulation/multibody_form.hpp"
#include "kernel/nearest.hpp"

namespace daedalus {

namespace {

std::vector<Formulation> list_of_formulations() {
  const std::string bodies = "multibody", both = "multibody, semi-explicit";
  const MethodOption alpha{"alpha", "> 0", 10.0,
                           "rate at which constraint residuals decay; too small: they drift, too "
                           "large: as hard as the form of higher index"};
  const MethodOption epsilon{"epsilon", "> 0", 1e-6, "of epsilon z' = g"};
  const MethodOption level{"level", "1 or 2", 2.0,
                           "of the rows of lambda: 2 velocities (3.16), 1 accelerations (3.17)"};
  const MethodOption short_coupling{
      "short_coupling", "0 or 1", 0.0,
      "1: eta of the velocity level is coupled by derivatives of g_q v alone, s held (Fig. 3.2)"};
  return {
      {"index3", 3, bodies, "constraints at position level: Arnold 1998, (3.1)", {}},
      {"index2", 2, bodies, "constraints at velocity level: Arnold 1998, (3.4)", {}},
      {"index1", 1, bodies, "constraints at acceleration level: Arnold 1998, section 3.1", {}},
      {"baumgarte",
       1,
       both,
       "linear combination of the levels: Baumgarte 1972; Arnold 1998, (3.5), (2.86)",
       {alpha, {"beta", ">= 0", 0.0, "of the position level; 0: alpha^2, the aperiodic limit"}}},
      {"ggl",
       2,
       bodies,
       "positions and velocities held: Gear, Leimkuhler, Gupta 1985; Arnold 1998, (3.6)",
       {}},
      {"stabilised-index1", 2, bodies, "all three levels held: Arnold 1998, (3.7)", {}},
      {"overdetermined",
       2,
       bodies + ", implicit",
       "F = 0 and gamma = 0 with corrected coupling: Arnold 1998, (3.18)",
       {level, short_coupling}},
      {"overdetermined-plain",
       2,
       bodies + ", implicit",
       "F = 0 and gamma = 0: Fuehrer 1988; Arnold 1998, (3.13)",
       {level, short_coupling}},
      {"linearised", 2, both, "linear in the multipliers: Gear 1986; Arnold 1998, (2.49)", {}},
      {"regularised",
       1,
       both,
       "epsilon z' = g, for comparison: Arnold 1998, section 3.2",
       {epsilon}},
      {"state-space",
       0,
       bodies,
       "local charts of the constraint manifold: Arnold 1998, (1.15)",
       {}},
      {"separated",
       1,
       "mass-matrix",
       "semi-explicit by singular values of a constant M: Steinebach 1988, (9.4)",
       {}},
  };
}

}  // namespace

const std::vector<Formulation>& all_formulations() {
  static const std::vector<Formulation> list = list_of_formulations();
  return list;
}

const Formulation* find_formulation(std::string_view name) {
  for (const Formulation& f : all_formulations())
    if (f.name == name) return &f;
  return nullptr;
}

double formulation_option(std::string_view formulation,
                          const std::map<std::string, double>& options, std::string_view key) {
  if (const auto given = options.find(std::string(key)); given != options.end())
    return given->second;
  for (const MethodOption& o : find_formulation(formulation)->options)
    if (o.key == key) return o.standard;
  return 0.0;
}

void check_formulation_options(std::string_view formulation,
                               const std::map<std::string, double>& options) {
  const Formulation* f = find_formulation(formulation);
  for (const auto& [key, value] : options) {
    std::vector<std::string> keys;
    if (f)
      for (const MethodOption& o : f->options) keys.push_back(o.key);
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw InvalidArgument(
          fmt::format("formulation_options: '{}' has no option '{}'{}.{}",
                      formulation.empty() ? "the problem as it stands" : formulation, key,
                      keys.empty() ? "" : fmt::format("; it has {}", fmt::join(keys, ", ")),
                      suggestion(key, keys)));
    const bool good = key == "level"            ? value == 1.0 || value == 2.0
                      : key == "short_coupling" ? value == 0.0 || value == 1.0
                      : key == "beta"           ? value >= 0.0
                                                : value > 0.0;
    if (!good || !std::isfinite(value))
      throw InvalidArgument(fmt::format("formulation_options: {} = {} is not allowed; give {}", key,
                                        value,
                                        key == "level"            ? "1 or 2"
                                        : key == "short_coupling" ? "0 or 1"
                                        : key == "beta"           ? "a number >= 0"
                                                                  : "a number > 0"));
  }
}

std::string baumgarte_warning(std::string_view parameters) {
  return fmt::format(
      "formulation baumgarte with {}, which no one chose for this problem: with small values the "
      "constraints drift, with large ones the equations are at least as hard as those of higher "
      "index; set alpha, or take a formulation or a projection that needs no parameter",
      parameters);
}

std::optional<MultibodyForm> multibody_form(std::string_view name,
                                            const std::map<std::string, double>& options) {
  MultibodyForm f;
  f.name = name;
  const auto option = [&](const char* key) { return formulation_option(name, options, key); };
  if (name == "index3" || name == "index2" || name == "index1") {
    f.level = f.index = name.back() - '0';
  } else if (name == "baumgarte") {
    f.level = f.index = 1;
    f.damped = true;
    f.alpha = option("alpha");
    f.beta = option("beta");
    if (f.beta == 0.0) f.beta = f.alpha * f.alpha;
  } else if (name == "regularised") {
    f.level = 2;
    f.index = 1;
    f.epsilon = option("epsilon");
  } else if (name == "ggl" || name == "stabilised-index1" || name == "linearised" ||
             name == "overdetermined" || name == "overdetermined-plain") {
    f.index = 2;
    const bool free_level = name == "overdetermined" || name == "overdetermined-plain";
    f.level = name == "ggl" ? 2 : free_level ? static_cast<int>(option("level")) : 1;
    f.holds_positions = name != "linearised";
    f.holds_velocities = f.level == 1;
    f.plain_coupling = name == "overdetermined-plain";
    f.short_coupling = free_level && option("short_coupling") == 1.0;
  } else {
    return std::nullopt;
  }
  return f;
}

}  // namespace daedalus
