// SPDX-License-Identifier: BSD-3-Clause
// Functionals and stop conditions of runs over plain numbers.
#pragma once

#include <daedalus/ensemble.hpp>

namespace daedalus {

// Vectors of a problem's form in its model variables: y and z, or q, v and lambda.
struct QuantityParts {
  int first = 0, second = 0, third = 0;
};
QuantityParts parts_of(const Problem& problem);

// `x`: model variables; p: parameters of the problem, in their order. NaN where the callable
// rejects its arguments.
double value_of(const Function<slot::Functional>& quantity, QuantityParts parts, double t,
                const double* x, const double* p, int parameters);
// With the parameters of the task. NaN for a task without functional.
double functional_of(const EnsembleTask& task, double t, const double* x);

// The stops of a task as events of the library's loop.
void add_stops(const EnsembleTask& task, std::vector<Event>& events);
// Of a run that `stop` ended, as the library's loop says it.
std::string stopped_message(const std::string& stop, double t);

}  // namespace daedalus
