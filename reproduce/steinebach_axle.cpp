// SPDX-License-Identifier: BSD-3-Clause
// The vehicle axle: claim 18. The report's model is not published with it; a stand-in of the same
// structure shows the same behaviour.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/steinebach.hpp"
#include "reproduce/steinebach_support.hpp"

namespace daedalus::experiments::steinebach {
namespace {

const char* const why_axle =
    "the equations and data of the axle are not in the report (Senger 1985); beside the printed "
    "numbers stand those of the stand-in, whose data are ours";

const Table& axle_table() {
  static const Table table{
      "axle",
      "axle",
      30.0,
      1e-4,
      1e-3,
      23,
      false,
      {{"DAE4S", "", "auto", 5.765, 30.0, 115, 20, 3300, 655, {}},
       {"DAE4SF", "dae4sf-1988", "auto", 2.220, 30.0, 49, 4, 1335, 208, {}},
       {"DAE3S", "dae3s", "auto", 3.767, 30.0, 91, 16, 2291, 198, {}},
       {"DAE34NS", "dae34ns", "auto", 24.537, 30.0, 904, 542, 28926, 8134, {}},
       {"DAE33NS", "dae33ns", "auto", 25.294, 30.0, 1244, 349, 34635, 6023, {}},
       {"DAE3NS", "dae3ns", "auto", 23.112, 30.0, 1193, 308, 31634, 4195, {}},
       {"DASSL", "", "auto", 6.429, 30.0, 558, 15, 1909, 1161, {}}}};
  return table;
}

// Phi = the part of the stabilised constraint that belongs to beta.
class Drift {
 public:
  Drift()
      : with_(std::get<SemiExplicitProblem>(catalogue_problem("axle", {{"beta", 1.0}}))),
        without_(std::get<SemiExplicitProblem>(catalogue_problem("axle", {{"beta", 0.0}}))) {}
  double operator()(double t, const Eigen::VectorXd& x) const {
    Arguments<double> a;
    a.t = t;
    a.x[0] = x.data();
    a.n[0] = 18;
    a.x[1] = x.data() + 18;
    a.n[1] = 4;
    Eigen::Vector4d g, h;
    (void)with_.g(a, g.data(), 4);
    (void)without_.g(a, h.data(), 4);
    return (g - h).cwiseAbs().maxCoeff();
  }

 private:
  SemiExplicitProblem with_, without_;
};

struct Drifted {
  Status status;
  double end, largest, t;
};

Drifted drift(const Drift& phi, const char* name, double tolerance, bool stabilised) {
  Options o = report_options(name, tolerance);
  o.output = Output::steps;
  const problems::Values values =
      stabilised ? problems::Values{} : problems::Values{{"alpha", 0.0}, {"beta", 0.0}};
  const Solution s = solve(catalogue_problem("axle", values), {0.0, 30.0}, o);
  Drifted d{s.status(), 0.0, 0.0, s.end_time()};
  for (std::size_t i = 0; i < s.times().size(); ++i) {
    d.end = phi(s.times()[i], s.state(i).y());
    // A value that is not a number must not be lost in a maximum.
    if (!(d.end <= d.largest)) d.largest = d.end;
  }
  return d;
}

// The source gives powers of ten with one digit.
Claim magnitude_claim(std::string id, std::string text, double expected, double measured) {
  Claim claim =
      list_claim(std::move(id), std::move(text), expected, measured, "a factor of 1.5 either way",
                 measured > expected / 1.5 && measured < 1.5 * expected);
  return claim;
}

std::vector<Claim> axle(Context& context) {
  std::vector<Claim> claims;
  const std::string id = "steinebach-18";
  for (const double tolerance : {1e-2, 1e-4}) {
    Table table = axle_table();
    table.tolerance = tolerance;
    for (const Column& c : table.columns) {
      if (c.method.empty()) continue;
      if (context.note) context.note(fmt::format("axle, {}, {:g}", c.label, tolerance));
      const Run r = run(table, c);
      const std::string stem = fmt::format("{}.{}.{:g}", id, c.label, tolerance);
      if (method(c.method).view == View::linear)
        claims.push_back(
            list_claim(stem,
                       fmt::format("Stand-in, tolerance {:g}: {} takes some tens of "
                                   "steps",
                                   tolerance, c.label),
                       {10, 100}, r.accepted, "between",
                       r.status == Status::success && r.accepted >= 10 && r.accepted < 100));
      else
        claims.push_back(list_claim(
            stem,
            fmt::format("Stand-in, tolerance {:g}: {} takes about 850 to 1060 steps, limited by "
                        "stability; to 1 %",
                        tolerance, c.label),
            {850, 1060}, r.accepted, "between",
            r.status == Status::success && r.accepted >= 841 && r.accepted <= 1071));
      if (tolerance != axle_table().tolerance) continue;
      Claim open =
          open_claim(stem + ".printed",
                     "Table axle, " + c.label + ": steps and evaluations as printed", why_axle);
      open.expected = Json{c.accepted, c.rejected, c.total, c.own};
      open.measured = Json{r.accepted, r.rejected, r.total, r.own};
      claims.push_back(std::move(open));
    }
  }
  if (context.note) context.note("axle, drift of the constraints");
  const Drift phi;
  const struct {
    const char *label, *name;
    double end, largest, unstabilised;
  } drifts[] = {{"DAE4SF", "dae4sf", 1e-11, 1e-5, 5e-3}, {"DAE3S", "dae3s", 1e-13, 2e-7, 9e-5}};
  for (const auto& d : drifts) {
    const std::string stem = id + ".drift." + d.label;
    const Drifted with = drift(phi, d.name, 1e-4, true), without = drift(phi, d.name, 1e-4, false);
    claims.push_back(magnitude_claim(
        stem + ".end", fmt::format("{}, tolerance 1e-4, Baumgarte: |Phi| at t = 30", d.label),
        d.end, with.end));
    claims.push_back(magnitude_claim(stem + ".largest",
                                     fmt::format("{}: largest |Phi| of the run", d.label),
                                     d.largest, with.largest));
    claims.push_back(magnitude_claim(
        stem + ".unstabilised", fmt::format("{} without stabilisation: |Phi| at t = 30", d.label),
        d.unstabilised, without.end));
  }
  const Drifted loose = drift(phi, "dae4sf", 1e-2, false);
  Claim blows = fact_claim(id + ".blows-up",
                           "DAE4SF, tolerance 1e-2, without stabilisation: the run blows up",
                           loose.status != Status::success || !(loose.largest < 1.0));
  blows.remark = fmt::format("ended at t = {:.3g} with |Phi| up to {:.1e}", loose.t, loose.largest);
  claims.push_back(std::move(blows));
  const Options accurate{.method = "rodas5p", .rtol = 1e-10, .atol = 1e-10, .output = Output::end};
  const Eigen::VectorXd end = solve(catalogue_problem("axle"), {0.0, 30.0}, accurate).end().y();
  claims.push_back(number_claim(
      id + ".reference", "Stand-in at t = 30, positions: largest difference from the reference",
      0.0, (end - exact_at("axle", 30.0)).head(9).cwiseAbs().maxCoeff(), 1e-9));
  list_open(axle_table(), id, claims);
  return claims;
}

}  // namespace

std::vector<Experiment> axle_experiments() {
  return {{.id = "steinebach-18",
           .title = "Vehicle axle: stiffness and drift, on a stand-in",
           .source = source,
           .basis = Basis::own("another program on the stand-in, whose data are ours"),
           .parts = {{"printed", Basis::printed("section 8.2, table for TOL = 1e-4")},
                     {"axle", Basis::printed("section 8.2, table for TOL = 1e-4")}},
           .seconds = 1.0,
           .run = axle}};
}

}  // namespace daedalus::experiments::steinebach
