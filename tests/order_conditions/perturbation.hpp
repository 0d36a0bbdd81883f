// SPDX-License-Identifier: BSD-3-Clause
// The test of the test: which single coefficients of a table can change without the check noticing?
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lab/stability_function.hpp"
#include "truncation_norms.hpp"

namespace daedalus::analysis {

constexpr double norm_tolerance = 1e-12;

// What a table's check knows besides its norms: self-check, orders, dense orders, R(infinity).
struct TableProfile {
  bool sound = true;
  AttainedOrder main, embedded, dense;
  double r_infinity = 0, embedded_r_infinity = 0;
};

inline TableProfile profile(const RosenbrockScheme& scheme, int max_order) {
  const double tolerance = order_tolerance;
  TableProfile result;
  result.main = attained_order(scheme, Weights::main, tolerance, max_order, Precision::extended);
  result.embedded =
      attained_order(scheme, Weights::embedded, tolerance, max_order, Precision::extended);
  if (scheme.dense_rows > 0) {
    result.dense = attained_dense_order(scheme, tolerance, max_order, Precision::extended);
  }
  result.r_infinity = StabilityFunction(scheme, Weights::main).at_infinity();
  result.embedded_r_infinity = StabilityFunction(scheme, Weights::embedded).at_infinity();
  return result;
}

inline bool weaker(const AttainedOrder& a, const AttainedOrder& b) {
  return a.y < b.y || a.z < b.z || a.ode < b.ode;
}

inline bool orders_fail(const TableProfile& found, const TableProfile& claimed) {
  return weaker(found.main, claimed.main) || weaker(found.embedded, claimed.embedded) ||
         weaker(found.dense, claimed.dense);
}

inline bool check_fails(const TableProfile& found, const TableProfile& claimed) {
  const auto differs = [](double a, double b) { return !(std::abs(a - b) <= order_tolerance); };
  return !found.sound || orders_fail(found, claimed) ||
         differs(found.r_infinity, claimed.r_infinity) ||
         differs(found.embedded_r_infinity, claimed.embedded_r_infinity);
}

inline int highest(const TableProfile& p) {
  return std::max({p.main.y, p.main.z, p.main.ode, p.embedded.y, p.embedded.z, p.embedded.ode,
                   p.dense.y, p.dense.z, 1});
}

// Norms of a scheme at the first orders it does not attain according to `claimed`.
inline TruncationNorms measured_norms(const RosenbrockScheme& scheme, const TableProfile& claimed) {
  const auto norms = [](const AttainedOrder& attained, auto list) {
    const auto conditions = list(std::min(std::max(attained.y, attained.z) + 1, 6));
    return TruncationNorms::Kinds{truncation_norm(conditions, 'y', attained.y + 1),
                                  truncation_norm(conditions, 'z', attained.z + 1)};
  };
  TruncationNorms result;
  result.main = norms(claimed.main, [&](int order) {
    return order_conditions(scheme, Weights::main, order, Precision::extended);
  });
  result.embedded = norms(claimed.embedded, [&](int order) {
    return order_conditions(scheme, Weights::embedded, order, Precision::extended);
  });
  if (scheme.dense_rows > 0) {
    result.dense = norms(claimed.dense, [&](int order) {
      return dense_order_conditions(scheme, 0.25, order, Precision::extended);
    });
  }
  return result;
}

// Largest relative difference of two sets of norms.
inline double norm_difference(const TruncationNorms& a, const TruncationNorms& b) {
  double largest = 0;
  const auto compare = [&](double x, double y) {
    const double size = std::max(std::abs(x), std::abs(y));
    if (size > 0) largest = std::max(largest, std::abs(x - y) / size);
  };
  for (const auto kinds :
       {&TruncationNorms::main, &TruncationNorms::embedded, &TruncationNorms::dense}) {
    compare((a.*kinds).y, (b.*kinds).y);
    compare((a.*kinds).z, (b.*kinds).z);
  }
  return largest;
}

// Nonzero coefficients of the table as it is stored (gamma, matrices, weights, abscissae, time
// weights, dense rows) whose change by `change` leaves self-check, orders, R(infinity) and the
// truncation norms as claimed.
template <class View>
std::vector<std::string> unnoticed_table_changes(const View& table, const TruncationNorms& norms,
                                                 double change) {
  struct Field {
    const char* name;
    const double* View::*pointer;
    int rows;
  };
  const int s = table.stages;
  std::vector<Field> fields;
  if constexpr (View::approach_b) {
    fields = {{"alpha", &View::alpha, s},
              {"gamma_ij", &View::gamma_ij, s},
              {"mu", &View::mu, 1},
              {"mu_hat", &View::mu_hat, 1}};
  } else {
    fields = {{"a", &View::a, s},
              {"c", &View::c, s},
              {"weights", &View::weights, 1},
              {"error", &View::error, 1}};
  }
  fields.push_back({"abscissae", &View::abscissae, 1});
  fields.push_back({"time_weights", &View::time_weights, 1});
  fields.push_back({"dense", &View::dense, table.dense_rows});

  const int max_order = highest(profile(table, 6));
  const TableProfile claimed = profile(table, max_order);
  const auto noticed = [&](const View& changed) {
    TableProfile found = profile(changed, max_order);
    found.sound = defect(changed).empty();
    return check_fails(found, claimed) ||
           norm_difference(measured_norms(changed, claimed), norms) > norm_tolerance;
  };

  std::vector<std::string> unnoticed;
  if (noticed(table)) return {"the table itself fails its check"};
  View changed = table;
  changed.gamma += change;
  if (!noticed(changed)) unnoticed.push_back("gamma");
  for (const Field& field : fields) {
    for (int k = 0; k < field.rows * s; ++k) {
      if ((table.*field.pointer)[k] == 0) continue;
      std::vector<double> copy(table.*field.pointer, table.*field.pointer + field.rows * s);
      copy[k] += change;
      changed = table;
      changed.*field.pointer = copy.data();
      if (noticed(changed)) continue;
      unnoticed.push_back(std::string(field.name) + "[" + std::to_string(k / s + 1) + "][" +
                          std::to_string(k % s + 1) + "]");
    }
  }
  return unnoticed;
}

// The same for alpha_ij, gamma_ij, mu_i and mu_hat_i, by the order conditions alone.
inline std::vector<std::string> changes_missed_by_orders(const RosenbrockScheme& scheme,
                                                         double change) {
  struct Field {
    const char* name;
    std::vector<Quadruple> RosenbrockScheme::*values;
  };
  const int s = scheme.stages;
  const int max_order = highest(profile(scheme, 6));
  const TableProfile claimed = profile(scheme, max_order);
  std::vector<std::string> missed;
  for (const Field& field :
       {Field{"alpha", &RosenbrockScheme::alpha}, Field{"gamma", &RosenbrockScheme::gamma},
        Field{"mu", &RosenbrockScheme::mu}, Field{"mu_hat", &RosenbrockScheme::mu_hat}}) {
    const int count = static_cast<int>((scheme.*field.values).size());
    for (int k = 0; k < count; ++k) {
      if ((scheme.*field.values)[k] == 0) continue;
      RosenbrockScheme changed = scheme;
      (changed.*field.values)[k] += Quadruple(change);
      if (orders_fail(profile(changed, max_order), claimed)) continue;
      missed.push_back(std::string(field.name) + "[" + std::to_string(k / s + 1) + "][" +
                       std::to_string(k % s + 1) + "]");
    }
  }
  return missed;
}

}  // namespace daedalus::analysis
