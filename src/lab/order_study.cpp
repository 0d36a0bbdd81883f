// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/testing/order.hpp>

#include <cmath>
#include <limits>

#include "integrate/solution_data.hpp"

namespace daedalus::testing {
namespace {

// Largest or Euclidean error per class over the variables whose exact value is known (not NaN).
struct ClassErrors {
  std::map<std::string, double> of;
  void add(const std::string& cls, double e, OrderNorm norm) {
    double& value = of[cls];
    value = norm == OrderNorm::euclidean ? std::hypot(value, e) : std::max(value, e);
  }
};

ClassErrors compare(const Variables& v, const Eigen::VectorXd& computed,
                    const Eigen::VectorXd& exact, OrderNorm norm) {
  ClassErrors errors;
  for (const Variables::Range& r : v.ranges)
    for (int i = r.first; i < r.first + r.count; ++i) {
      if (std::isnan(exact[i])) continue;
      double e = std::abs(computed[i] - exact[i]);
      if (norm == OrderNorm::relative) {
        if (exact[i] == 0.0) continue;
        e /= std::abs(exact[i]);
      }
      errors.add(std::string(to_string(r.cls)), e, norm);
    }
  return errors;
}

}  // namespace

double observed_order(const std::vector<double>& steps, const std::vector<double>& errors,
                      double floor) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!(errors[i] > floor) || !std::isfinite(errors[i])) continue;
    const double x = std::log(std::abs(steps[i])), y = std::log(errors[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  if (n < 2) return std::numeric_limits<double>::quiet_NaN();
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

OrderStudy measure_order(const Problem& problem, Interval interval, const Options& options,
                         const std::vector<double>& steps, const ExactState& exact,
                         OrderNorm norm) {
  OrderStudy study;
  for (const double h : steps) {
    Options o = options;
    o.fixed_step = h;
    // Automatic projection acts by tolerance, which fixed steps do not have, and a projection now
    // and then bends the slopes: the order of the method itself shows without it.
    if (o.projection == ProjectionWhen::automatic) o.projection = ProjectionWhen::none;
    o.step_sequence.clear();
    o.output = Output::dense;
    const Solution s = solve(problem, interval, o);
    if (!s.ok()) {
      study.failure = s.message();
      return study;
    }
    Eigen::VectorXd truth(s.variables().size());
    const auto known = [&](double t) {
      truth.setConstant(std::numeric_limits<double>::quiet_NaN());
      return exact(t, s.variables(), Out(truth.data(), truth.size()));
    };
    if (!known(s.end_time())) {
      study.failure = "the exact solution is not known at the end of the interval";
      return study;
    }
    study.steps.push_back(h);
    const ModelState end = s.end();
    for (const auto& [cls, e] : compare(s.variables(), end.y(), truth, norm).of)
      study.errors[cls].push_back(e);
    // Dense output: the differential variables in the middle of steps spread over the run.
    double dense = 0.0;
    bool any = false;
    const auto& pieces = s.data().interpolants;
    const std::size_t stride = std::max<std::size_t>(1, pieces.size() / 50);
    for (std::size_t k = 0; k < pieces.size(); k += stride) {
      const double t = pieces[k].t0 + 0.4 * pieces[k].h;
      if (!known(t)) continue;
      const ModelState there = s.at(t);
      for (const auto& [cls, e] : compare(s.variables(), there.y(), truth, norm).of)
        if (cls == "y" || cls == "q" || cls == "v") {
          dense = std::max(dense, e);
          any = true;
        }
    }
    if (any) study.errors["dense"].push_back(dense);
  }
  const double round_off = 1e-13;
  for (const auto& [cls, errors] : study.errors)
    if (errors.size() == study.steps.size())
      study.orders[cls] = observed_order(study.steps, errors, round_off);
  return study;
}

}  // namespace daedalus::testing
