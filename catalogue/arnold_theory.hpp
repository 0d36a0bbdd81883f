// SPDX-License-Identifier: BSD-3-Clause
// What the examples of Arnold (1998), chapters 1 to 3, share: small systems for the study of
// perturbations. Most have a constant solution, so that a run returns the perturbations it is given
// and nothing else. Hessenberg systems of size 2 are y' = f(y, z), 0 = g(y), with gradient
// structure where f = -g_y^T z.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems::arnold {

inline Entry entry(const char* name, const char* title, const char* form, int index, double t_end,
                   const char* place) {
  Entry e;
  e.name = name;
  e.title = title;
  e.form = form;
  e.index = index;
  e.t0 = 0.0;
  e.t_end = t_end;
  e.source = std::string("Arnold (1998), ") + place;
  e.suites = {"arnold"};
  return e;
}

// The solution stays where it starts. Reference and exact solution of `e`; its `t_end` and `build`
// must be set.
inline void stays(Entry& e, const std::vector<std::string>& names,
                  std::initializer_list<double> values) {
  e.exact = [constant = named(names, values)](double, const Values&) { return constant; };
  e.reference = exact_reference(e);
  e.reference->source = "exact solution, constant";
}

// y' = f(t, y, z), 0 = g(t, y); f and g are callables, usually made by autodiff.
template <class F, class G>
SemiExplicitProblem hessenberg2(const char* name, F&& f, G&& g, const Eigen::VectorXd& y0,
                                const Eigen::VectorXd& z0) {
  const int y = static_cast<int>(y0.size()), z = static_cast<int>(z0.size());
  return SemiExplicitProblem{.name = name,
                             .f = std::forward<F>(f),
                             .g = std::forward<G>(g),
                             .hessenberg_blocks = {y},
                             .y0 = y0,
                             .z0 = z0,
                             .y_names = numbered("y", y),
                             .z_names = z == 1 ? std::vector<std::string>{"z"} : numbered("z", z),
                             .equations = joined({numbered("differential ", y),
                                                  z == 1 ? std::vector<std::string>{"constraint"}
                                                         : numbered("constraint ", z)})};
}

// A parameter that is a number of equations.
inline int whole(const char* problem, const char* parameter, double value, int least, int most) {
  if (!(value >= least && value <= most && value == std::floor(value)))
    throw InvalidArgument(
        fmt::format("problem '{}': parameter '{}' is {}, allowed: an integer from {} to {}",
                    problem, parameter, value, least, most));
  return static_cast<int>(value);
}

}  // namespace daedalus::problems::arnold
