// SPDX-License-Identifier: BSD-3-Clause
// BLieDF: BDF with increments in the Lie algebra and a correction term that removes the brackets
// from the local error. Wieloch (2022), sections 3.2 and 5.3.
//   bliedf1 .. bliedf6: k steps, fixed steps or a given sequence;
//   bliedf: variable steps and orders with error control.
#include <fmt/format.h>

#include <cmath>

#include "methods/lie/engine_adaptive.hpp"
#include "methods/lie/engine_bliedf.hpp"
#include "methods/lie/engine_methods.hpp"

namespace daedalus::methods {
namespace bliedf_family {
namespace {

using namespace lie_methods;

// Entry of a set of parameters: a with i = 0..k, b with i = 1..k.
template <class Visit>
void for_parameters(int k, Visit&& visit) {
  for (int j = 1; j <= 2; ++j) {
    for (int i = 0; i <= k; ++i) visit('a', i, j);
    for (int i = 1; i <= k; ++i) visit('b', i, j);
  }
}

constexpr bool has_free_parameters(int k) { return k == 3 || k == 4; }

lie::CorrectionSet chosen_set(int k, const MethodSettings& settings) {
  if (k < 3) return lie::correction_set(k);
  static constexpr const char* names[] = {"none", "default", "tuned-explicit", "tuned-implicit"};
  const int choice = whole(settings, "correction", 0, has_free_parameters(k) ? 4 : 1);
  if (choice < 4) return lie::correction_set(k, names[choice]);
  lie::CorrectionSet set;
  set.k = k;
  for_parameters(k, [&](char name, int i, int j) {
    (name == 'a' ? set.a : set.b)[i][j] = settings(fmt::format("{}{}{}", name, i, j));
  });
  for (const lie::ConsistencyResidual& r : lie::residuals(set))
    if (!(std::abs(r.value) <= 1e-9))
      throw InvalidArgument(
          fmt::format("correction: the given parameters a, b leave {:.3g} of the condition '{}'; a "
                      "consistent set leaves nothing. See lie::random_correction_set",
                      r.value, r.condition));
  return set;
}

template <int k>
const Method& steps() {
  static const Method method = [] {
    Method m = fixed_step_method("bliedf" + std::to_string(k), k,
                                 "Wieloch (2022), (3.31), (3.62) and (5.35)");
    m.options.push_back(start_option());
    if (k >= 3)
      m.options.push_back(
          {"correction", has_free_parameters(k) ? "0..4" : "0, 1", 1,
           has_free_parameters(k)
               ? "correction term: 0 none (order 2), 1 finite differences, 2 and 3 explicit and "
                 "implicit sets tuned for the heavy top, 4 the parameters a, b below"
               : "correction term: 0 none (order 2), 1 the published set"});
    m.options.push_back(
        {"variable_formula", "0, 1", 0, "1: the formulas of variable steps on equal ones too"});
    m.options.push_back(
        {"modification", "0, 1, 2", 1,
         "velocities in the balance where steps change: 0 as they are (an order of lambda is "
         "lost), 1 corrected by the normal part of the local error, 2 the same with derivatives "
         "from velocities that are not projected, as printed"});
    if (has_free_parameters(k))
      for_parameters(k, [&](char name, int i, int j) {
        m.options.push_back(
            {fmt::format("{}{}{}", name, i, j), "any", 0,
             fmt::format("{}_({},{}) of the correction term, with correction = 4", name, i, j)});
      });
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      BliedfSettings s;
      s.k = k;
      s.set = chosen_set(k, settings);
      s.always_variable = whole(settings, "variable_formula", 0, 1) == 1;
      s.corrected_start = whole(settings, "start", 0, 1) == 1;
      s.modification = whole(settings, "modification", 0, 2);
      return std::make_unique<Bliedf>(system, s, common_settings(settings));
    };
    return m;
  }();
  return method;
}

const Method& adaptive() {
  static const Method method = [] {
    Method m = fixed_step_method("bliedf", 5, "after Wieloch (2022), section 5.3");
    m.formulations = {"index3", "ggl", "index2", "index1"};
    m.fixed_step_only = false;
    m.error_order = 5;
    m.min_order = 1;
    m.max_order = max_steps;
    m.control = "multistep";
    m.options.push_back({"max_order", "1..6", 5, "highest order of a run with error control"});
    m.options.push_back({"order", "0..6", 0,
                         "one order for the whole run; 0: chosen by the step control, and "
                         "max_order with fixed steps"});
    m.options.push_back({"start_order", "1..6", 4, "order after a start or an event"});
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      AdaptiveSettings s;
      s.max_order = whole(settings, "max_order", 1, max_steps);
      s.order = whole(settings, "order", 0, max_steps);
      s.start_order = whole(settings, "start_order", 1, max_steps);
      return std::make_unique<AdaptiveBliedf>(system, s, common_settings(settings));
    };
    return m;
  }();
  return method;
}

}  // namespace
}  // namespace bliedf_family

const Method& bliedf();
const Method& bliedf1();
const Method& bliedf2();
const Method& bliedf3();
const Method& bliedf4();
const Method& bliedf5();
const Method& bliedf6();

const Method& bliedf() { return bliedf_family::adaptive(); }
const Method& bliedf1() { return bliedf_family::steps<1>(); }
const Method& bliedf2() { return bliedf_family::steps<2>(); }
const Method& bliedf3() { return bliedf_family::steps<3>(); }
const Method& bliedf4() { return bliedf_family::steps<4>(); }
const Method& bliedf5() { return bliedf_family::steps<5>(); }
const Method& bliedf6() { return bliedf_family::steps<6>(); }

}  // namespace daedalus::methods
