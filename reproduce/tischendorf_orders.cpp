// SPDX-License-Identifier: BSD-3-Clause
// Orders of BDF for index 2, weak instability by defects, and Newton's method for small steps:
// claims R9, R10, R11.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <daedalus/autodiff.hpp>

#include "methods/bdf/engine_formula.hpp"
#include "reproduce/tischendorf.hpp"
#include "reproduce/tischendorf_support.hpp"

namespace daedalus::experiments::tischendorf {
namespace {

using Eigen::VectorXd;

// Linear, index 2, constant kernel, coefficients that depend on t, one degree of freedom:
//   x1' + x1 + sin(t) x3 = q1,  x2' + x1 - (2 + cos t) x3 = q2,  x2 + t x1 / 2 = q3
// with x = (cos t, sin 2t, exp(-t)).
Problem linear_problem() {
  return ImplicitProblem{
      .name = "linear",
      .residual = autodiff([](const auto& t, const auto& x, const auto& xp, auto& r) {
        using std::cos, std::exp, std::sin;
        const auto c = cos(t), s = sin(t), e = exp(-t), s2 = sin(2.0 * t), c2 = cos(2.0 * t);
        r[0] = xp[0] + x[0] + s * x[2] - (-s + c + s * e);
        r[1] = xp[1] + x[0] - (2.0 + c) * x[2] - (2.0 * c2 + c - (2.0 + c) * e);
        r[2] = x[1] + 0.5 * t * x[0] - (s2 + 0.5 * t * c);
      }),
      .variable_index = {1, 1, 2},
      .y0 = Eigen::Vector3d(1.0, 0.0, 1.0),
      .yp0 = Eigen::Vector3d(0.0, 2.0, -1.0),
      .index = 2,
      .variables = {"x1", "x2", "x3"}};
}
void linear_exact(double t, Out y) {
  y = Eigen::Vector3d(std::cos(t), std::sin(2 * t), std::exp(-t));
}

using Exact = std::function<void(double t, Out y)>;

// Largest error per variable from state 2 k + 1 on.
VectorXd max_errors(const Solution& s, int k, const Exact& exact) {
  VectorXd truth(s.variables().size()), worst = VectorXd::Zero(s.variables().size());
  if (!s.ok()) return VectorXd::Constant(worst.size(), std::nan(""));
  for (auto n = static_cast<std::size_t>(2 * k + 1); n < s.times().size(); ++n) {
    exact(s.times()[n], Out(truth.data(), truth.size()));
    worst = worst.cwiseMax((s.state(n).y() - truth).cwiseAbs());
  }
  return worst;
}

VectorXd errors(const Problem& problem, double t_end, int k, int steps, const Exact& exact,
                const Defect& defect = {}) {
  Options o = constant_steps(k, t_end / steps, exact);
  o.defect = defect;
  return max_errors(solve(problem, {0.0, t_end}, o), k, exact);
}

// The constraint is the last row.
Defect alternating(double size, int row) {
  return [size, row](const DefectSite& at, Out rows) {
    rows.setZero();
    rows[row] = at.step % 2 == 0 ? size : -size;
  };
}

Defect noise(double size, int row) {
  return [size, row](const DefectSite& at, Out rows) {
    rows.setZero();
    rows[row] = size * (2.0 * uniform(at.step) - 1.0);
  };
}

std::vector<Claim> linear(Context&) {
  std::vector<Claim> claims;
  const Problem problem = linear_problem();
  const char* names[] = {"x1", "x2", "x3"};
  for (int k = 1; k <= 5; ++k) {
    const std::vector<double> h{1.0 / 40, 1.0 / 80};
    const VectorXd coarse = errors(problem, 1.0, k, 40, linear_exact),
                   fine = errors(problem, 1.0, k, 80, linear_exact);
    for (int i = 0; i < 3; ++i)
      claims.push_back(number_claim(
          fmt::format("tischendorf-R9.order.{}.{}", k, names[i]),
          fmt::format("order {}, exact start values, no defects: {} converges with order {}", k,
                      names[i], k),
          k, slope(h, {coarse[i], fine[i]}), 0.2));
  }
  for (const int k : {1, 2, 3, 5}) {
    // Large enough to hide the error of the method, h small enough for the slope.
    const double size = 1e-3;
    std::vector<double> h;
    std::vector<std::vector<double>> e(3);
    for (const int steps : {500, 1000, 2000}) {
      const VectorXd now = errors(problem, 1.0, k, steps, linear_exact, alternating(size, 2));
      h.push_back(1.0 / steps);
      for (int i = 0; i < 3; ++i) e[static_cast<std::size_t>(i)].push_back(now[i]);
    }
    claims.push_back(number_claim(
        fmt::format("tischendorf-R9.defect.{}.x3", k),
        fmt::format(
            "order {}, alternating defects in the constraint: exponent of h in the error of "
            "the algebraic component",
            k),
        -1.0, slope(h, e[2]), 0.05));
    claims.push_back(fact_claim(
        fmt::format("tischendorf-R9.defect.{}.stable", k),
        fmt::format("order {}: those of x1 and x2 stay below 3 times the defects for every h", k),
        *std::max_element(e[0].begin(), e[0].end()) <= 3.0 * size &&
            *std::max_element(e[1].begin(), e[1].end()) <= 3.0 * size));
    const double rows = slope(
        {1e-3, 2.5e-4}, {errors(problem, 1.0, k, 1000, linear_exact, alternating(1e-2, 1))[2],
                         errors(problem, 1.0, k, 4000, linear_exact, alternating(1e-2, 1))[2]});
    claims.push_back(number_claim(
        fmt::format("tischendorf-R9.defect.{}.differential", k),
        fmt::format("order {}, defects in a differential equation: no power of h in x3", k), 0.0,
        rows, 0.1));
  }
  // x1 = sin t + defect, x1' + x2 = 0, defects in [-delta, delta]: error h / 2 + 2 delta / h for
  // order 1, so that smaller steps help down to 2 sqrt(delta).
  const problems::Values values{{"eta", 0.0}, {"slope", 0.0}, {"wave", 1.0}};
  const Exact exact = [&](double t, Out y) { y = exact_at("gear-petzold", t, values); };
  Json expected = Json::array(), measured = Json::array();
  bool all = true;
  for (const int steps : {10, 100, 1000, 10000}) {
    const double h = 1.0 / steps, model = 0.5 * h + 2e-6 / h;
    const double e =
        errors(catalogue_problem("gear-petzold", values), 1.0, 1, steps, exact, noise(1e-6, 0))[1];
    expected.push_back(model);
    measured.push_back(e);
    all = all && within(e, model, 1.5);
  }
  claims.push_back(list_claim("tischendorf-R9.optimum",
                              "x1 = sin t with defects up to 1e-6, x1' + x2 = sin t, order 1: the "
                              "error of x2 is h/2 + 2e-6/h for h = 1e-1 to 1e-4, smallest near h = "
                              "2e-3",
                              expected, measured, Json{{"factor", 1.5}}, all));
  return claims;
}

std::vector<Claim> pendulum_orders(Context& context) {
  std::vector<Claim> claims;
  for (const char* name :
       {"tischendorf-pendulum-index2", "tischendorf-pendulum-ggl", "tischendorf-pendulum-index3"}) {
    if (context.note) context.note(name);
    const Problem problem = catalogue_problem(name);
    const Exact exact = [name](double t, Out y) { y = exact_at(name, t); };
    for (int k = 1; k <= 5; ++k) {
      const VectorXd coarse = errors(problem, 0.7, k, 80, exact),
                     fine = errors(problem, 0.7, k, 160, exact);
      const auto order = [&](int first, int count) {
        return std::log2(coarse.segment(first, count).maxCoeff() /
                         fine.segment(first, count).maxCoeff());
      };
      std::vector<double> orders{order(0, 2), order(2, 2), order(4, 1)};
      if (coarse.size() > 5) orders.push_back(order(5, 1));
      bool all = true;
      for (const double p : orders) all = all && std::abs(p - k) <= 0.15;
      claims.push_back(list_claim(
          fmt::format("tischendorf-R10.{}.{}", name, k),
          fmt::format("{}: order {} in x, v, lambda{} from step 2k + 1 on, [0, 0.7] in 80 and 160 "
                      "steps",
                      name, k, coarse.size() > 5 ? ", mu" : ""),
          std::vector<int>(orders.size(), k), orders, 0.15, all));
    }
  }
  return claims;
}

// One BDF step from exact values at t = 0.3, by Newton's method with a Jacobian in every iteration,
// until the correction is below 1e-8.
class OneStep {
 public:
  OneStep(const std::string& name, int k, double h)
      : lowered_(lowered(catalogue_problem(name), 0.0)), view_(*lowered_.system->residual_view()) {
    const double t = 0.3;
    t_new_ = t + h;
    h_ = h;
    for (int j = 0; j <= k; ++j) {
      times_.push_back(t - j * h);
      values_.push_back(exact_at(name, times_.back()));
    }
    exact_ = exact_at(name, t_new_);
    const bdf::Formula f(times_.data(), k + 1, t_new_);
    const auto row = f.derivative(k);
    slope_ = VectorXd::Zero(exact_.size());
    predicted_ = values_[0];
    for (int j = 0; j < k; ++j) {
      const auto J = static_cast<std::size_t>(j);
      slope_ += row[J] / h * values_[J];
      alpha_ -= row[J] / h;
    }
    for (int i = 1; i <= k; ++i)
      for (int j = 1; j <= i; ++j)
        predicted_ += f.weight[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] *
                      (values_[static_cast<std::size_t>(j)] - values_[0]);
  }

  const VectorXd& predicted() const { return predicted_; }
  const VectorXd& exact() const { return exact_; }

  // 99: it does not converge.
  int iterations(VectorXd x) {
    const auto n = static_cast<int>(x.size());
    VectorXd r(n);
    Eigen::MatrixXd E(n, n), J(n, n);
    for (int k = 1; k <= 30; ++k) {
      const VectorXd rate = alpha_ * x + slope_;
      if (view_.residual(t_new_, x.data(), rate.data(), r.data()) != Outcome::ok ||
          view_.linearise(t_new_, x.data(), rate.data()) != Outcome::ok)
        return 99;
      view_.residual_pencil().dense_e(E);
      view_.residual_pencil().dense_j(J);
      const VectorXd change = (alpha_ * E + J).partialPivLu().solve(r);
      x -= change;
      if (!x.allFinite()) return 99;
      if (change.cwiseAbs().maxCoeff() <= 1e-8)
        return (x - exact_).cwiseAbs().maxCoeff() < 1.0 ? k : 99;
    }
    return 99;
  }

 private:
  Lowered lowered_;
  ResidualView& view_;
  std::vector<double> times_;
  std::vector<VectorXd> values_;
  VectorXd exact_, predicted_, slope_;
  double t_new_ = 0.0, h_ = 0.0, alpha_ = 0.0;
};

std::vector<Claim> newton(Context&) {
  std::vector<Claim> claims;
  for (const char* name : {"tischendorf-pendulum-index2", "tischendorf-pendulum-ggl"})
    for (int k = 1; k <= 3; ++k) {
      std::vector<int> predicted, shifted;
      for (const double h : {1e-2, 1e-3, 1e-4, 1e-5}) {
        OneStep step(name, k, h);
        predicted.push_back(step.iterations(step.predicted()));
        VectorXd x = step.exact();
        x.head(4).array() += 0.2;
        x[4] += 1.0;
        if (x.size() > 5) x[5] += 0.1;
        shifted.push_back(step.iterations(x));
      }
      const auto range = [](const std::vector<int>& v, int least, int most) {
        return *std::min_element(v.begin(), v.end()) >= least &&
               *std::max_element(v.begin(), v.end()) <= most;
      };
      claims.push_back(list_claim(
          fmt::format("tischendorf-R11.predictor.{}.{}", name, k),
          fmt::format("{}, order {}: Newton iterations from the predictor for h = 1e-2 to 1e-5, "
                      "at most 3, fewer for small h",
                      name, k),
          "at most 3, then falling", predicted, Json(),
          std::is_sorted(predicted.rbegin(), predicted.rend()) && predicted.front() <= 3 &&
              predicted.back() < predicted.front()));
      claims.push_back(list_claim(
          fmt::format("tischendorf-R11.shifted.{}.{}", name, k),
          fmt::format(
              "{}, order {}: from a start value that is wrong by 0.2 (lambda 1, mu 0.1) 3 to "
              "6 iterations for every h: the domain of attraction does not shrink",
              name, k),
          "3 to 6", shifted, Json(), range(shifted, 3, 6),
          "the thesis proves that the domain does not shrink and gives no numbers"));
    }
  return claims;
}

}  // namespace

std::vector<Experiment> order_experiments() {
  return {{.id = "tischendorf-R9",
           .title = "Linear index 2: orders and weak instability",
           .source = source,
           .basis = Basis::theorem("section 1.3: estimate of Maerz (1992) for linear systems"),
           .parts = {{"optimum", Basis::own("model h/2 + 2 delta/h derived by us")}},
           .seconds = 0.3,
           .run = linear},
          {.id = "tischendorf-R10",
           .title = "Orders of BDF for the pendulum",
           .source = source,
           .basis = Basis::theorem("section 1.3: orders of BDF for index 2"),
           .parts = {{"tischendorf-pendulum-index3",
                      Basis::own("orders found by another program; the thesis treats index 2")}},
           .seconds = 0.05,
           .run = pendulum_orders},
          {.id = "tischendorf-R11",
           .title = "Newton's method for small steps",
           .source = source,
           .basis = Basis::own("numbers of iterations of another program; the thesis proves that "
                               "they stay bounded (section 3.1)"),
           .seconds = 0.01,
           .run = newton}};
}

}  // namespace daedalus::experiments::tischendorf
