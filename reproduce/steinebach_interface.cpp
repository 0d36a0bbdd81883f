// SPDX-License-Identifier: BSD-3-Clause
// How the programs end, non-autonomous problems, consistent start values: claims 19, 20, 21.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/autodiff.hpp>

#include "lab/rosenbrock_order.hpp"
#include "reproduce/steinebach.hpp"
#include "reproduce/steinebach_support.hpp"

namespace daedalus::experiments::steinebach {
namespace {

const char* const programs[] = {"dae3s", "dae4sf", "dae4sf-1988", "dae3ns", "dae33ns", "dae34ns"};

// z does not occur in 0 = g: the matrices of both approaches are singular.
SemiExplicitProblem without_z() {
  SemiExplicitProblem p;
  p.name = "without z";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) { f[0] = -y[0]; });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    g[0] = (y[0] - 1.0) * (y[0] - 1.0) + 0.0 * z[0];
  });
  p.y0 = Eigen::VectorXd::Constant(1, 1.0);
  p.z0 = Eigen::VectorXd::Constant(1, 0.0);
  return p;
}

std::vector<Claim> endings(Context&) {
  std::vector<Claim> claims;
  bool reached = true, singular = true;
  for (const char* name : programs) {
    const Solution s =
        solve(catalogue_problem("steinebach-1"), {0.0, 1.0}, report_options(name, 1e-4));
    reached = reached && s.status() == Status::success && s.end_time() == 1.0;
    Options o = report_options(name, 1e-4);
    o.start = StartStrategy::given;
    singular = singular && solve(without_z(), {0.0, 1.0}, o).status() == Status::singular_matrix;
  }
  claims.push_back(fact_claim("steinebach-19.0",
                              "IER = 0, T = TEND: status success at the end time, all programs",
                              reached));
  const Run stopped = run(example_table("1c"), {.label = "DAE33NS", .method = "dae33ns"});
  claims.push_back(fact_claim(
      "steinebach-19.1",
      "IER = 1, h <= h_min after repeated failures of the error test: status step_too_small with "
      "the time reached and the solution there",
      stopped.status == Status::step_too_small && stopped.t > 1.5 && stopped.t < 1.5708 &&
          errors_of(example_table("1c"), stopped).maxCoeff() < 1e-3));
  claims.push_back(fact_claim("steinebach-19.2",
                              "IER = 2, matrix numerically singular: status singular_matrix, all "
                              "programs",
                              singular));
  Options o = report_options("dae33ns", 1e-4);
  StepRecord last{};
  o.trace = [&last](const StepRecord& r) { last = r; };
  const Solution s = solve(catalogue_problem("steinebach-2"), {0.0, 0.5}, o);
  const double proposal = last.h * std::clamp(0.9 * std::pow(last.error, -1.0 / 3.0), 0.5, 1.5);
  claims.push_back(number_claim(
      "steinebach-19.proposal", "HI leaves with the last proposal (relative difference)", 0.0,
      s.ok() ? s.statistics().proposed_step / proposal - 1.0 : std::nan(""), 1e-12));
  return claims;
}

// y' = z1 + (y - sin t)/2, 0 = z1 - cos t, 0 = (2 + sin 3t) z2 - y; y = sin t.
struct Watch {
  double least = 1e300, largest = -1e300;
  void see(double t) {
    least = std::min(least, t);
    largest = std::max(largest, t);
  }
};

SemiExplicitProblem with_time(Watch* watch) {
  SemiExplicitProblem p;
  p.name = "with time";
  p.f = autodiff([watch](const auto& t, const auto& y, const auto& z, auto& f) {
    using std::sin;
    if (watch) watch->see(value_of(t));
    f[0] = z[0] + 0.5 * (y[0] - sin(t));
  });
  p.g = autodiff([watch](const auto& t, const auto& y, const auto& z, auto& g) {
    using std::cos, std::sin;
    if (watch) watch->see(value_of(t));
    g[0] = z[0] - cos(t);
    g[1] = (2.0 + sin(3.0 * t)) * z[1] - y[0];
  });
  p.y0 = Eigen::VectorXd::Zero(1);
  p.z0 = Eigen::Vector2d(1.0, 0.0);
  return p;
}

// The same with the time as first unknown, y_0' = 1.
SemiExplicitProblem with_time_as_unknown() {
  SemiExplicitProblem p;
  p.name = "time as unknown";
  p.f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
    using std::sin;
    f[0] = 1.0 + 0.0 * y[0];
    f[1] = z[0] + 0.5 * (y[1] - sin(y[0]));
  });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    using std::cos, std::sin;
    g[0] = z[0] - cos(y[0]);
    g[1] = (2.0 + sin(3.0 * y[0])) * z[1] - y[1];
  });
  p.y0 = Eigen::Vector2d(0.0, 0.0);
  p.z0 = Eigen::Vector2d(1.0, 0.0);
  return p;
}

std::vector<Claim> time_inside_steps(Context&) {
  std::vector<Claim> claims;
  for (const char* name : programs) {
    const Method& m = method(name);
    const double* c = m.view == View::partitioned
                          ? static_cast<const RosenbrockBCoefficients*>(m.table)->abscissae
                          : static_cast<const RosenbrockCoefficients*>(m.table)->abscissae;
    const int stages = m.view == View::partitioned
                           ? static_cast<const RosenbrockBCoefficients*>(m.table)->stages
                           : static_cast<const RosenbrockCoefficients*>(m.table)->stages;
    const auto [least, largest] = std::minmax_element(c, c + stages);
    claims.push_back(list_claim(fmt::format("steinebach-20.{}.abscissae", name),
                                fmt::format("{}: 0 <= alpha_i <= 1", name), {0.0, 1.0},
                                {*least, *largest}, 0, *least >= 0.0 && *largest <= 1.0));
    Watch watch;
    bool inside = true;
    Options o;
    o.method = name;
    o.control = "steinebach";
    o.rtol = 1e-4;
    o.atol = 1e-4;
    o.output = Output::end;
    // The validation before the run sees the start only; every attempt clears the watch.
    o.trace = [&](const StepRecord& r) {
      const double round_off = 1e-14 * (1.0 + std::abs(r.t));
      inside = inside && watch.least >= r.t - round_off && watch.largest <= r.t + r.h + round_off;
      watch = {};
    };
    const Solution s = solve(with_time(&watch), {0.0, 2.0}, o);
    claims.push_back(fact_claim(fmt::format("steinebach-20.{}.inside", name),
                                fmt::format("{}: f and g are evaluated inside the step only", name),
                                inside && s.ok()));
    const Options fixed{.method = name, .output = Output::end, .fixed_step = 0.05};
    const Eigen::VectorXd direct = solve(with_time(nullptr), {0.0, 1.0}, fixed).end().y(),
                          longer = solve(with_time_as_unknown(), {0.0, 1.0}, fixed).end().y();
    claims.push_back(number_claim(fmt::format("steinebach-20.{}.same", name),
                                  fmt::format("{}: the direct form takes the same steps as the "
                                              "system with y_0' = 1 (largest difference)",
                                              name),
                                  0.0, (direct - longer.tail(3)).cwiseAbs().maxCoeff(), 1e-13));
  }
  return claims;
}

std::vector<Claim> consistent_start(Context&) {
  std::vector<Claim> claims;
  const auto solved = [](Problem p, std::vector<std::string> fixed) {
    Options o{.method = "rodas4", .output = Output::steps, .max_step = 1e-7};
    o.start = StartStrategy::solve;
    o.fixed = std::move(fixed);
    return Eigen::VectorXd(solve(p, {0.0, 1e-6}, o).start().y());
  };
  auto example = std::get<SemiExplicitProblem>(catalogue_problem("steinebach-3"));
  const Eigen::Vector4d exact(0.0, 1.0, 1.0, 1.0);
  example.z0 = Eigen::Vector2d(1.3, 0.8);
  claims.push_back(number_claim(
      "steinebach-21.separated",
      "Separated form: with y0 kept, Newton's method on g finds z0 (largest error, from a start "
      "0.3 and 0.2 off)",
      0.0, (solved(example, {"y1", "y2"}) - exact).cwiseAbs().maxCoeff(), 1e-12));
  auto linear = std::get<MassMatrixProblem>(catalogue_problem("steinebach-linear"));
  linear.y0 = Eigen::Vector2d(-1.0, 4.2);
  const Eigen::VectorXd y = solved(linear, {});
  claims.push_back(number_claim("steinebach-21.linear",
                                "Not separated form (9.9): the start is moved to y2 - y1 = 5", 5.0,
                                y[1] - y[0], 1e-12));
  claims.push_back(number_claim("steinebach-21.linear.kept",
                                "and the differential part y1 + y2 is kept", 3.2, y[0] + y[1],
                                1e-12));
  auto amplifier = std::get<MassMatrixProblem>(catalogue_problem("amplifier-100hz"));
  const Eigen::VectorXd rest = amplifier.y0;
  Eigen::VectorXd wrong = rest;
  for (int i = 0; i < 8; ++i) wrong[i] += 0.01 * (i % 2 == 0 ? 1.0 : -0.5);
  amplifier.y0 = wrong;
  const Eigen::VectorXd found = solved(amplifier, {});
  // Rows without derivatives: 1 + 2, 4 + 5, 7 + 8.
  Arguments<double> a;
  a.x[0] = found.data();
  a.n[0] = 8;
  Eigen::VectorXd f(8);
  (void)amplifier.rhs(a, f.data(), 8);
  const double residual =
      std::max({std::abs(f[0] + f[1]), std::abs(f[3] + f[4]), std::abs(f[6] + f[7])});
  claims.push_back(number_claim("steinebach-21.amplifier",
                                "Amplifier from values 0.01 off: largest algebraic residual, "
                                "relative to the supply current Ub/R",
                                0.0, residual / (6.0 / 9000.0), 1e-10));
  const auto kept = [&](const Eigen::VectorXd& u) {
    Eigen::VectorXd v(5);
    v << u[0] - u[1], u[2], u[3] - u[4], u[5], u[6] - u[7];
    return v;
  };
  claims.push_back(number_claim("steinebach-21.amplifier.kept",
                                "and the voltages of the capacitors are kept (largest change)", 0.0,
                                (kept(found) - kept(wrong)).cwiseAbs().maxCoeff(), 1e-10));
  return claims;
}

}  // namespace

std::vector<Experiment> interface_experiments() {
  return {{.id = "steinebach-19",
           .title = "How runs end, and the last proposed step",
           .source = source,
           .basis = Basis::printed("section 7.1: list of arguments, IER and HI"),
           .seconds = 0.02,
           .run = endings},
          {.id = "steinebach-20",
           .title = "Non-autonomous problems: evaluations inside the step",
           .source = source,
           .basis = Basis::printed("Remark 7.9"),
           .seconds = 0.02,
           .run = time_inside_steps},
          {.id = "steinebach-21",
           .title = "Consistent start values",
           .source = source,
           .basis = Basis::printed("sections 8.2 and 9.2: consistent start values"),
           .seconds = 0.02,
           .run = consistent_start}};
}

}  // namespace daedalus::experiments::steinebach
