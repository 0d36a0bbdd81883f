// SPDX-License-Identifier: BSD-3-Clause
// Order conditions, stability functions, the simplest method, attainable orders: claims 1, 2,
// 5, 22.
#include <fmt/format.h>

#include <cmath>

#include <Eigen/LU>

#include "lab/attainable_order.hpp"
#include "lab/da_trees.hpp"
#include "lab/rosenbrock_order.hpp"
#include "lab/stability_function.hpp"
#include "methods/rosenbrock/engine.hpp"
#include "reproduce/steinebach.hpp"
#include "reproduce/steinebach_support.hpp"

namespace daedalus::experiments::steinebach {
namespace {

using namespace analysis;

RosenbrockScheme scheme_of(const std::string& name) {
  const Method& m = method(name);
  return m.view == View::partitioned
             ? RosenbrockScheme(*static_cast<const RosenbrockBCoefficients*>(m.table))
             : RosenbrockScheme(*static_cast<const RosenbrockCoefficients*>(m.table));
}

struct Promise {
  const char* name;
  int y, z;                    // orders up to which all trees hold
  int embedded_y, embedded_z;  // of the embedded solution
  int ode, embedded_ode;       // trees of ordinary differential equations alone
};
// Sections 7.2 a to f; dae4sf is what the report's conditions and free parameters give.
constexpr Promise promises[] = {{"dae3s", 3, 2, 2, 1, 3, 2},       {"dae4sf", 4, 3, 3, 2, 4, 3},
                                {"dae4sf-1988", 3, 2, 3, 2, 3, 3}, {"dae4s", 4, 3, 3, 2, 4, 3},
                                {"dae3ns", 3, 2, 2, 1, 3, 2},      {"dae33ns", 3, 3, 2, 2, 3, 2},
                                {"dae34ns", 3, 2, 4, 3, 4, 5}};

double max_residual(const RosenbrockScheme& scheme, Weights weights, int y, int z) {
  double largest = 0.0;
  for (const OrderCondition& c : order_conditions(scheme, weights, std::max(y, z)))
    if (c.order <= (c.kind == 'y' ? y : z)) largest = std::max(largest, std::abs(c.residual));
  return largest;
}

double residual_of(const RosenbrockScheme& scheme, const char* tree) {
  for (const OrderCondition& c : order_conditions(scheme, Weights::main, 4))
    if (c.tree == tree) return c.residual;
  throw InvalidArgument(std::string("no tree ") + tree);
}

std::vector<Claim> order_conditions_hold(Context&) {
  std::vector<Claim> claims;
  const auto id = [](const std::string& part) { return "steinebach-1." + part; };
  const TreeSet& trees = all_trees(TreeFamily::da);
  const int thin[] = {1, 2, 10, 56, 372}, fat[] = {1, 5, 28, 186, 1326};
  Json counts = Json::array(), expected = Json::array();
  for (int p = 1; p <= 5; ++p) {
    counts.push_back({trees.count(p, Vertex::thin), trees.count(p, Vertex::fat)});
    expected.push_back({thin[p - 1], fat[p - 1]});
  }
  claims.push_back(list_claim(id("trees"), "Number of trees with thin and fat root of order 1 to 5",
                              expected, counts, 0, counts == expected));
  for (const Promise& p : promises) {
    const RosenbrockScheme s = scheme_of(p.name);
    claims.push_back(number_claim(
        id(p.name),
        fmt::format("{}: all conditions of the y-trees up to order {} and the z-trees up to {} "
                    "hold (largest residual)",
                    p.name, p.y, p.z),
        0.0, max_residual(s, Weights::main, p.y, p.z), 1e-12));
    claims.push_back(
        number_claim(id(std::string(p.name) + ".embedded"),
                     fmt::format("{}, embedded solution: up to order {} and {}", p.name,
                                 p.embedded_y, p.embedded_z),
                     0.0, max_residual(s, Weights::embedded, p.embedded_y, p.embedded_z), 1e-12));
    const AttainedOrder main = attained_order(s, Weights::main),
                        embedded = attained_order(s, Weights::embedded);
    const Json said{p.y, p.z, p.ode, p.embedded_ode};
    const Json found{main.y, main.z, main.ode, embedded.ode};
    claims.push_back(list_claim(id(std::string(p.name) + ".highest"),
                                fmt::format("{}: highest orders attained, y, z, ordinary "
                                            "differential equations, those embedded",
                                            p.name),
                                said, found, 0, said == found));
  }
  // Misprints and errors of the appendix. Residuals belong to conditions with right side 1.
  const RosenbrockScheme printed = scheme_of("dae4sf-1988");
  claims.push_back(number_claim(id("dae4sf-1988.f"),
                                "The printed DAE4SF violates sum mu_i alpha_i alpha_ij beta_j = "
                                "1/8 by -13/432: eight times that for the tree f[f,f[f]]",
                                -13.0 / 54.0, residual_of(printed, "f[f,f[f]]"), 1e-12));
  claims.push_back(number_claim(id("dae4sf-1988.l"),
                                "It violates sum mu_i w_ij alpha_j alpha_jk beta_k = 1/2 by "
                                "-13/72: twice that for the tree g[f,f[f]]",
                                -13.0 / 36.0, residual_of(printed, "g[f,f[f]]"), 1e-12));
  RosenbrockScheme misprint = scheme_of("dae3s");
  misprint.gamma[2 * 3 + 0] = Quadruple(0.4) * Quadruple(-2.081711542553192);
  claims.push_back(number_claim(id("dae3s.misprint"),
                                "With gamma~_31 of DAE3S as printed the condition of order 2 fails "
                                "by 1.5e-6",
                                1.5e-6, std::abs(residual_of(misprint, "f[f]")), 1e-7));
  RosenbrockScheme ns = scheme_of("dae3ns");
  ns.gamma[2 * 3 + 0] = Quadruple(17) / 81;
  claims.push_back(number_claim(
      id("dae3ns.misprint"), "With gamma~_31 = 17/27 of DAE3NS as printed R(infinity) = -17/18",
      -17.0 / 18.0, StabilityFunction(ns, Weights::main).at_infinity(), 1e-12));
  claims.push_back(number_claim(id("dae3ns.misprint-order"), "and the order stays 3", 3.0,
                                attained_order(ns, Weights::main).convergence(), 0.0));
  return claims;
}

std::vector<Claim> stability(Context&) {
  std::vector<Claim> claims;
  const struct {
    const char* name;
    double main, embedded, tolerance;
  } values[] = {{"dae3s", 13.0 / 48.0, 8149.0 / 24064.0, 1e-12},
                {"dae4sf", 1.0 / 3.0, 1.0 / 3.0, 1e-12},
                {"dae4sf-1988", 1.0 / 3.0, 1.0 / 3.0, 1e-12},
                {"dae3ns", 0.0, 0.0, 1e-12},
                {"dae33ns", 0.0, 0.0, 1e-12},
                {"dae34ns", 0.0, 0.0, 1e-12}};
  for (const auto& v : values) {
    const RosenbrockScheme s = scheme_of(v.name);
    const std::string id = std::string("steinebach-2.") + v.name;
    claims.push_back(number_claim(id, std::string(v.name) + ": R(infinity)", v.main,
                                  StabilityFunction(s, Weights::main).at_infinity(), v.tolerance));
    claims.push_back(number_claim(
        id + ".embedded", std::string(v.name) + ": R(infinity) of the embedded solution",
        v.embedded, StabilityFunction(s, Weights::embedded).at_infinity(), v.tolerance));
  }
  for (const char* name : {"dae3s", "dae4sf", "dae4sf-1988"}) {
    const StabilityScan scan = scan_stability(StabilityFunction(scheme_of(name), Weights::main));
    Claim claim = fact_claim(std::string("steinebach-2.") + name + ".axis",
                             std::string(name) + ": |R(iy)| <= 1 for all y", scan.a_stable);
    claim.remark = fmt::format("largest |R(iy)| found: 1 + {:.1e}", scan.max_on_axis - 1.0);
    claims.push_back(std::move(claim));
  }
  const double embedded = StabilityFunction(scheme_of("dae3s"), Weights::embedded).at_infinity();
  claims.push_back(list_claim("steinebach-2.dae3s.digits",
                              "R(infinity) of the embedded DAE3S is printed as 0.338..", "0.338..",
                              embedded, "digits cut off", embedded >= 0.338 && embedded < 0.339));
  claims.push_back(open_claim("steinebach-2.DAE4S",
                              "DAE4S: R(infinity) = 0, gamma = 0.707..., not A-stable",
                              "its coefficients are not in the report"));
  return claims;
}

constexpr RosenbrockTable<1> euler_table{.gamma = 1.0,
                                         .a = {},
                                         .c = {},
                                         .weights = {1.0},
                                         .error = {0.0},
                                         .abscissae = {0.0},
                                         .time_weights = {1.0}};

std::vector<Claim> linearly_implicit_euler(Context&) {
  static const RosenbrockCoefficients view(euler_table);
  const Method euler =
      rosenbrock(view, {.name = "one-stage", .order = 1, .error_order = 0, .table = &view});
  std::vector<Claim> claims;
  const double h = 0.1;
  Bench bench(euler, catalogue_problem("steinebach-generic"));
  const Eigen::VectorXd x = bench.state();
  if (!bench.attempt(h)) throw InvalidArgument("the step failed");
  // (diag(I, 0) - (h f_x; g_x)) k = (h f; g) with derivatives written out.
  const double y1 = x[0], y2 = x[1], z1 = x[2], z2 = x[3];
  Eigen::Vector4d F(y2 * z1 - 0.5 * y1 * z2, -y1 * z1 + 0.5 * std::sin(z2) * y2,
                    z1 + 0.25 * std::sin(z1 + z2) - y1 * y2,
                    z2 + 0.25 * z1 * z1 - std::cos(y1) + y2 * y2);
  Eigen::Matrix4d J;
  const double c = 0.25 * std::cos(z1 + z2);
  J << -0.5 * z2, z1, y2, -0.5 * y1,                          //
      -z1, 0.5 * std::sin(z2), -y1, 0.5 * std::cos(z2) * y2,  //
      -y2, -y1, 1.0 + c, c,                                   //
      std::sin(y1), 2.0 * y2, 0.5 * z1, 1.0;
  Eigen::Matrix4d E = -J;
  E.topRows<2>() *= h;
  F.head<2>() *= h;
  E(0, 0) += 1.0;
  E(1, 1) += 1.0;
  const Eigen::Vector4d k = E.partialPivLu().solve(F);
  claims.push_back(number_claim("steinebach-5.step",
                                "Approach A with one stage, mu = gamma = 1, is the linearly "
                                "implicit Euler method: largest difference after one step",
                                0.0, (bench.trial() - x - k).cwiseAbs().maxCoeff(), 1e-14));
  const RosenbrockScheme s(view);
  const AttainedOrder order = attained_order(s, Weights::main);
  claims.push_back(number_claim("steinebach-5.order", "It converges with order 1", 1.0,
                                order.convergence(), 0.0));
  claims.push_back(number_claim("steinebach-5.infinity", "R(infinity) = 0", 0.0,
                                StabilityFunction(s, Weights::main).at_infinity(), 1e-15));
  return claims;
}

RosenbrockScheme two_stages(bool explicit_in_y, double gamma, double gamma_21, double mu_1) {
  RosenbrockScheme s;
  s.explicit_in_y = explicit_in_y;
  s.stages = 2;
  s.alpha = {0, 0, 1, 0};
  s.gamma = {gamma, 0, gamma_21, gamma};
  s.mu = s.mu_hat = {mu_1, 1 - mu_1};
  return s;
}

std::vector<Claim> attainable(Context& context) {
  std::vector<Claim> claims;
  const std::string id = "steinebach-22.";
  const auto witness = [&](const char* name, const RosenbrockScheme& s, int order,
                           double infinity) {
    const int found = attained_order(s, Weights::main).convergence();
    const double r = std::abs(StabilityFunction(s, Weights::main).at_infinity());
    claims.push_back(list_claim(id + name + std::string(".witness"),
                                std::string(name) + ": order and |R(infinity)| of the report's own "
                                                    "example",
                                {order, infinity}, {found, r}, 1e-12,
                                found == order && std::abs(r - infinity) <= 1e-12));
  };
  witness("A2", two_stages(false, 1.0, -1.5, 0.0), 2, 0.5);
  witness("A3", scheme_of("dae3s"), 3, 13.0 / 48.0);
  witness("A5", scheme_of("dae4sf"), 4, 1.0 / 3.0);
  witness("B2", two_stages(true, 1.0, -1.0, 0.5), 2, 0.0);
  witness("B3", scheme_of("dae3ns"), 3, 0.0);
  RosenbrockScheme six = scheme_of("dae34ns");
  six.mu = six.mu_hat;
  witness("B6", six, 4, 0.0);
  // One stage of order 2 means gamma = 1/2, and then |R(infinity)| = |1 - 1/gamma| = 1.
  RosenbrockScheme one;
  one.stages = 1;
  one.alpha = {0};
  one.gamma = {0.5};
  one.mu = one.mu_hat = {1};
  claims.push_back(number_claim(
      id + "A1.border", "One stage of order 2 has |R(infinity)| = 1 and does not converge", 1.0,
      std::abs(StabilityFunction(one, Weights::main).at_infinity()), 1e-15));
  const struct {
    bool explicit_in_y;
    int stages, order;
  } table[] = {{false, 1, 1}, {false, 2, 2}, {false, 3, 3}, {false, 4, 3}, {false, 5, 4},
               {true, 1, 1},  {true, 2, 2},  {true, 3, 3},  {true, 4, 3},  {true, 6, 4}};
  for (const auto& row : table) {
    const std::string name = fmt::format("{}{}", row.explicit_in_y ? 'B' : 'A', row.stages);
    if (context.note) context.note("search for methods, " + name);
    const AttainableOrder found = attainable_order(row.explicit_in_y, row.stages);
    claims.push_back(number_claim(
        id + name,
        fmt::format("Approach {} with {} stage{}: highest order", row.explicit_in_y ? 'B' : 'A',
                    row.stages, row.stages == 1 ? "" : "s"),
        row.order, found.order, 0.0));
    if (found.next.starts > 0)
      claims.back().remark = fmt::format(
          "order {}: none of {} searches from random starts succeeded, least residual {:.1e}; "
          "evidence, not a proof",
          found.order + 1, found.next.starts, found.next.residual);
  }
  claims.push_back(
      open_claim(id + "B5", "Approach B with 5 stages", "the report does not treat it"));
  return claims;
}

}  // namespace

std::vector<Experiment> theory_experiments() {
  return {
      {.id = "steinebach-1",
       .title = "Order conditions of all coefficient sets, over all trees",
       .source = source,
       .basis = Basis::printed("sections 7.2 and 12.1: orders of the methods"),
       .parts = {{"trees", Basis::own("trees counted by a program from the rules of section 5")},
                 {"dae4s",
                  Basis::own("a substitute of ours for DAE4S, orders in exact arithmetic")},
                 {"dae4sf-1988", Basis::own("exact arithmetic on the printed coefficients, which "
                                            "the report says to be of order 4")},
                 {"dae4sf", Basis::theorem("conditions (6.12) with the free parameters of section "
                                           "7.2 c, solved in fractions")},
                 {"misprint", Basis::own("exact arithmetic on the printed coefficients")},
                 {"misprint-order", Basis::own("exact arithmetic on the printed coefficients")}},
       .seconds = 0.05,
       .run = order_conditions_hold},
      {.id = "steinebach-2",
       .title = "Stability functions at infinity and on the imaginary axis",
       .source = source,
       .basis = Basis::printed("section 7.2: R(infinity) and stability"),
       .parts = {{"dae3s.embedded",
                  Basis::own("8149/24064 in exact arithmetic; printed is 0.338..")}},
       .seconds = 0.05,
       .run = stability},
      {.id = "steinebach-5",
       .title = "One stage of approach A is the linearly implicit Euler method",
       .source = source,
       .basis = Basis::printed("(6.23a)"),
       .seconds = 0.01,
       .run = linearly_implicit_euler},
      {.id = "steinebach-22",
       .title = "Attainable order by number of stages",
       .source = source,
       .basis = Basis::printed("(6.22), (6.26)"),
       .seconds = 5.0,
       .run = attainable}};
}

}  // namespace daedalus::experiments::steinebach
