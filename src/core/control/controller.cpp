// SPDX-License-Identifier: BSD-3-Clause
#include "control/controller.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {

bool passes(const ControlReport& r) {
  for (const ErrorTest& t : r.tests)
    if (t.order == r.order && !(t.value <= 1.0)) return false;
  return true;
}

namespace {

// The test that limits the step at an order, and the ratio it proposes.
struct Limit {
  const ErrorTest* test = nullptr;
  double ratio = 1e9;
};
Limit limit(const ControlParameters& p, const ControlReport& r, int order) {
  Limit l;
  for (const ErrorTest& t : r.tests) {
    if (t.order != order) continue;
    const double q =
        p.safety * r.advice.caution * std::pow(std::max(t.value, min_error), -1.0 / t.power);
    if (q < l.ratio) l = {&t, q};
  }
  return l;
}

Decision failed(const ControlParameters& p, const ControlReport& r) {
  return {Verdict::retry, r.h * std::max(r.advice.after_failure, p.shrink),
          r.advice.order > 0 ? r.advice.order : r.order};
}

Decision finish(const ControlParameters& p, const ControlHistory& k, const ControlReport& r,
                double ratio, int order) {
  ratio = std::clamp(ratio, p.shrink, p.grow);
  if (k.rejections > 0 && !p.grow_after_rejection) ratio = std::min(ratio, 1.0);
  ratio = std::clamp(ratio, r.advice.min_ratio, r.advice.max_ratio);
  if (k.since_change < r.advice.hold_steps) ratio = std::min(ratio, 1.0);
  if (ratio >= 1.0 && ratio <= r.advice.keep_up_to) ratio = 1.0;
  return {Verdict::accept, r.h * ratio, order};
}

// Order among the neighbours the method estimated: the one that allows the largest step.
int choose_order(const ControlParameters& p, const ControlHistory& k, const ControlReport& r,
                 double& ratio) {
  int order = r.order;
  if (r.advice.order > 0) return r.advice.order;
  if (!p.variable_order || k.at_order < p.order_hold) return order;
  for (const ErrorTest& t : r.tests) {
    if (t.order == order) continue;
    const double q = limit(p, r, t.order).ratio;
    if (q > ratio) ratio = q, order = t.order;
  }
  return order;
}

template <class Ratio>
Decision decide(const ControlParameters& p, const ControlHistory& k, const ControlReport& r,
                Ratio&& accepted_ratio) {
  if (r.outcome != Outcome::ok) return failed(p, r);
  if (r.tests.empty())
    return {Verdict::accept, r.h * std::clamp(1.0, r.advice.min_ratio, r.advice.max_ratio),
            r.order};
  const Limit l = limit(p, r, r.order);
  if (!passes(r)) return {Verdict::retry, r.h * std::clamp(l.ratio, p.shrink, 0.95), r.order};
  double ratio = std::min(l.ratio, accepted_ratio(l));
  const int order = choose_order(p, k, r, ratio);
  return finish(p, k, r, ratio, order);
}

}  // namespace

Decision elementary_control(const ControlParameters& p, const ControlHistory& k,
                            const ControlReport& r) {
  return decide(p, k, r, [](const Limit& l) { return l.ratio; });
}

Decision pi_control(const ControlParameters& p, const ControlHistory& k, const ControlReport& r) {
  return decide(p, k, r, [&](const Limit& l) {
    const ErrorTest* t = l.test;
    if (!t || k.accepted == 0 || k.h_last == 0.0) return l.ratio;
    // Predicts that the error constant keeps growing as it did from the last step to this one.
    const double error = std::max(t->value, min_error);
    const double predicted = p.safety * std::abs(r.h / k.h_last) *
                             std::pow(k.error_last / (error * error), 1.0 / t->power);
    return std::min(l.ratio, predicted);
  });
}

Decision stabilised_control(const ControlParameters& p, const ControlHistory& k,
                            const ControlReport& r) {
  if (r.outcome != Outcome::ok || !passes(r) || r.tests.empty()) return elementary_control(p, k, r);
  const Limit l = limit(p, r, r.order);
  double ratio = l.ratio;
  if (l.test && k.accepted > 0) {
    const double error = std::max(l.test->value, min_error);
    ratio = p.safety * std::pow(error, 0.75 * p.stabilisation - 1.0 / l.test->power) *
            std::pow(k.error_last, p.stabilisation);
  }
  const int order = choose_order(p, k, r, ratio);
  return finish(p, k, r, ratio, order);
}

Decision filter_control(const ControlParameters& p, const ControlHistory& k,
                        const ControlReport& r) {
  if (r.outcome != Outcome::ok || !passes(r) || r.tests.empty()) return elementary_control(p, k, r);
  const Limit l = limit(p, r, r.order);
  const ErrorTest* t = l.test;
  double ratio = l.ratio;
  if (t && k.accepted > 0 && k.h_last != 0.0) {
    // H211b (Soederlind 2003) with b = 4, his usual value; larger ones react more slowly.
    constexpr double b = 4.0;
    const double goal = std::pow(p.safety, t->power);  // aims the test value at safety^power
    const double now = goal / std::max(t->value, min_error);
    const double last = goal / std::max(k.error_last, min_error);
    ratio = std::pow(now, 1.0 / (b * t->power)) * std::pow(last, 1.0 / (b * t->power)) *
            std::pow(std::abs(r.h / k.h_last), -1.0 / b);
    // Soederlind's smooth limiter in place of a hard clamp.
    ratio = 1.0 + std::atan(ratio - 1.0);
  }
  const int order = choose_order(p, k, r, ratio);
  return finish(p, k, r, ratio, order);
}

Decision prescribed_control(const ControlParameters& p, const ControlHistory&,
                            const ControlReport& r) {
  if (r.outcome != Outcome::ok) return {Verdict::give_up, r.h, r.order};
  const auto next = static_cast<std::size_t>(r.number + 1);
  const double h = p.prescribed && next < p.prescribed->size() ? (*p.prescribed)[next] : r.h;
  return {Verdict::accept, h, r.order};
}

}  // namespace daedalus
