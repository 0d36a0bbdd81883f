// SPDX-License-Identifier: BSD-3-Clause
// How the program ends, and the projector of the user: claims R20, R21.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include <daedalus/autodiff.hpp>

#include "reproduce/tischendorf.hpp"
#include "reproduce/tischendorf_program.hpp"

namespace daedalus::experiments::tischendorf {
namespace {

bool refuses(const std::function<void(Options&)>& change, std::string& words) {
  Options o = program_options(1e-4, 1.0, {});
  change(o);
  try {
    (void)solve(catalogue_problem("tischendorf-pendulum-index2"), {0.0, 1.0}, o);
  } catch (const InvalidArgument& e) {
    words = e.what();
    return true;
  }
  return false;
}

std::vector<Claim> endings(Context&) {
  std::vector<Claim> claims;
  std::string words;
  const auto add = [&](const char* id, const char* text, bool holds) {
    claims.push_back(
        with_remark(fact_claim(std::string("tischendorf-R20.") + id, text, holds), words));
    words.clear();
  };
  const bool order = refuses([](Options& o) { o.method_options["max_order"] = 9.0; }, words);
  add("order", "*1: settings that do not fit are refused before the run: max_order 9", order);
  const bool size =
      refuses([](Options& o) { o.projector = Eigen::MatrixXd::Identity(4, 4); }, words);
  add("size", "*1: and a projector of the wrong size", size);

  std::set<Status> statuses;
  const auto end = [&](const char* id, const char* text, const Solution& s, Status expected) {
    words = s.message();
    statuses.insert(s.status());
    add(id, text, s.status() == expected && !s.message().empty());
  };
  const Problem pendulum = catalogue_problem("tischendorf-pendulum-index2");
  Options o = program_options(1e-4, 1.0, {});
  long calls = 0;
  o.cancel = [&calls] { return ++calls > 10; };
  end("abort", "*2: the user stops the run", solve(pendulum, {0.0, 1.0}, o), Status::cancelled);
  o = program_options(1e-6, 1e-4, {});
  o.min_step = 1e-7;
  end("step", "*3: the step becomes too small",
      solve(catalogue_problem("ring-modulator-index2"), {0.0, 1e-4}, o), Status::step_too_small);
  o = program_options(1e-6, 1.0, {});
  o.max_steps = 20;
  end("limit", "the number of steps is limited", solve(pendulum, {0.0, 1.0}, o),
      Status::too_many_steps);
  o = program_options(1e-4, 1.0, {});
  o.fixed_step = 0.05;
  o.start = StartStrategy::given;
  end("singular", "the iteration matrix is singular",
      solve(catalogue_problem("gear-petzold", {{"eta", -1.0}}), {0.0, 1.0}, o),
      Status::singular_matrix);
  ImplicitProblem broken = std::get<ImplicitProblem>(pendulum);
  broken.residual = autodiff([](const auto& t, const auto& x, const auto& xp, auto& r) {
    if (value_of(t) > 0.3) throw std::runtime_error("no more");
    r[0] = xp[0] - x[2];
    r[1] = xp[1] - x[3];
    r[2] = xp[2] - x[0] * x[4];
    r[3] = xp[3] - x[1] * x[4] + 13.75;
    r[4] = x[0] * x[2] + x[1] * x[3];
  });
  end("callback", "a function of the user fails",
      solve(Problem(broken), {0.0, 1.0}, program_options(1e-4, 1.0, {})), Status::callback_failed);
  claims.push_back(number_claim("tischendorf-R20.distinct", "the five endings have five codes", 5,
                                static_cast<double>(statuses.size()), 0));
  return claims;
}

// Variant 1 of the pendulum with lambda = unit * multiplier.
Problem scaled_pendulum(double unit) {
  ImplicitProblem p = std::get<ImplicitProblem>(catalogue_problem("tischendorf-pendulum-index2"));
  p.residual = autodiff([unit](const auto&, const auto& x, const auto& xp, auto& r) {
    r[0] = xp[0] - x[2];
    r[1] = xp[1] - x[3];
    r[2] = xp[2] - x[0] * (unit * x[4]);
    r[3] = xp[3] - x[1] * (unit * x[4]) + 13.750371636040746;
    r[4] = x[0] * x[2] + x[1] * x[3];
  });
  return p;
}

struct Steps {
  std::vector<double> accepted;
  double min_lambda = 0.0;  // of the states, in its unit
};

// The scale of lambda in Newton's criterion follows its unit; tested is what the projector leaves.
// Control 2 has one tolerance for all variables, as in the program.
Steps steps(double unit, const Eigen::VectorXd& diagonal, int mode = 1) {
  Steps list;
  const double tolerance = 1e-5;
  Options o = program_options(tolerance, 1.0, {.mode = mode, .first_test_of_all = false});
  Eigen::VectorXd atol = Eigen::VectorXd::Constant(5, tolerance);
  if (mode == 1) atol[4] /= unit;
  o.atol = atol;
  if (diagonal.size() > 0) o.projector = diagonal.asDiagonal();
  o.output = Output::steps;
  o.sink = [&list](const StateView& s) { list.min_lambda = std::min(list.min_lambda, s.y()[4]); };
  o.trace = [&list](const StepRecord& r) {
    if (r.outcome == "accepted") list.accepted.push_back(r.h);
  };
  (void)solve(scaled_pendulum(unit), {0.0, 1.0}, o);
  return list;
}

double difference(const Steps& first, const Steps& second) {
  const std::vector<double>&a = first.accepted, &b = second.accepted;
  if (a.size() != b.size() || a.empty()) return 1e300;
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] / b[i] - 1.0));
  return worst;
}

std::vector<Claim> projector(Context&) {
  std::vector<Claim> claims;
  Eigen::VectorXd differential(5), positions(5);
  differential << 1, 1, 1, 1, 0;
  positions << 1, 1, 0, 0, 0;
  const Steps given = steps(1.0, differential);
  claims.push_back(number_claim(
      "tischendorf-R21.computed",
      "P = diag(1, 1, 1, 1, 0) given or computed: the same steps (relative difference)", 0.0,
      difference(given, steps(1.0, {})), 1e-12));
  for (const double unit : {1e6, 1e-6}) {
    const Steps scaled = steps(unit, differential);
    claims.push_back(number_claim(
        fmt::format("tischendorf-R21.unit.{:g}", unit),
        fmt::format("Control 1: lambda in units of {:g} leaves the steps as they are (relative "
                    "difference)",
                    unit),
        0.0, difference(given, scaled), 1e-6));
    claims.push_back(factor_claim(
        fmt::format("tischendorf-R21.lambda.{:g}", unit),
        fmt::format("and lambda is smaller by {:g} (least value, -3 g at the lowest point)", unit),
        1.0, given.min_lambda / scaled.min_lambda / unit, 1.0 + 1e-6));
  }
  const Steps fewer = steps(1.0, positions);
  claims.push_back(
      with_remark(fact_claim("tischendorf-R21.honoured",
                             "a P of the user that leaves out v too takes other, fewer steps",
                             fewer.accepted.size() < given.accepted.size()),
                  fmt::format("{} instead of {}", fewer.accepted.size(), given.accepted.size())));
  claims.push_back(fact_claim("tischendorf-R21.contrast",
                              "Control 2: with lambda in units of 1e6 the steps are others",
                              difference(steps(1.0, {}, 2), steps(1e6, {}, 2)) > 1e-3));
  // The oblique projector of section 4.5.
  Eigen::MatrixXd P(2, 2);
  P << 0, 0, -1, 1;
  Options o = program_options(1e-4, 2.0, {});
  o.projector = P;
  const Solution s = solve(catalogue_problem("tischendorf-linear"), {-1.0, 1.0}, o);
  claims.push_back(list_claim("tischendorf-R21.oblique",
                              "linear example with the P of the source, (0, x2 - x1), at 1e-4: "
                              "steps",
                              31, s.statistics().accepted, 4,
                              s.ok() && std::abs(s.statistics().accepted - 31) <= 4));
  return claims;
}

}  // namespace

std::vector<Experiment> interface_experiments() {
  return {{.id = "tischendorf-R20",
           .title = "How a run ends",
           .source = source,
           .basis = Basis::printed("section 4.6: exits of DAE2SOL"),
           .seconds = 0.01,
           .run = endings},
          {.id = "tischendorf-R21",
           .title = "The projector of the user",
           .source = source,
           .basis = Basis::printed("section 4.3: the projector P"),
           .seconds = 0.02,
           .run = projector}};
}

}  // namespace daedalus::experiments::tischendorf
