// v^T M v / 2 of a multibody problem, for reports.
#pragma once

#include <functional>

#include <daedalus/problem.hpp>

namespace daedalus {

// Empty for the other forms; NaN where M cannot be evaluated.
std::function<double(const StateView&)> kinetic_energy(const Problem& problem);

}  // namespace daedalus
