// The front door: solve(problem, {t0, t1}, options).
#pragma once

#include <string>
#include <vector>

#include <daedalus/method.hpp>
#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solution.hpp>

namespace daedalus {

struct Interval {
  double from = 0.0, to = 1.0;
};

Solution solve(const Problem& problem, Interval interval, const Options& options = {});

struct Alternative {
  std::string method, formulation, reason;
};
struct Recommendation {
  std::string method, formulation, reason;
  std::vector<Alternative> alternatives;  // the runners-up, in order
};
// The method, formulation and reason that `solve` would start with; honours what options fix. Where
// a run finds that stability limits its steps it goes on with another method, and says so.
Recommendation recommend(const Problem& problem, const Options& options = {});

// What `daedalus check` reports about a problem at its start values.
struct Check {
  struct Residual {
    std::string equation;
    double value;
  };
  int structural_index = -1;  // -1: not computed
  int numerical_index = -1;
  double gap = 0.0;  // of the rank decision behind the numerical index; 0: not computed
  // Sentences: which equations are differentiated how often, what they determine, whether the two
  // indices agree.
  std::vector<std::string> why;
  int degrees_of_freedom = -1;
  std::vector<std::string> redundant;  // equations that depend on each other, in sentences
  bool consistent = false;
  std::vector<Residual> residuals;  // every equation at the start values, largest first
  double jacobian_error = 0.0;      // exact or given derivatives against differences, relative
  std::string worst_entry;          // "d(equation)/d(variable)"
  double stiffness = 0.0;           // |largest| / |smallest non-zero| eigenvalue estimate; NaN
  std::vector<std::string> advice;  // on scaling and tolerances
  std::vector<std::string> warnings;
};
Check check(const Problem& problem, double t0, const Options& options = {});

struct Formulation {
  std::string name;
  int index;
  std::string applies_to;  // problem forms, separated by commas
  std::string reference;
  std::vector<MethodOption> options;  // for Options::formulation_options
};
const std::vector<Formulation>& all_formulations();

}  // namespace daedalus
