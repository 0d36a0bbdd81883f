// SPDX-License-Identifier: BSD-3-Clause
// Observed orders and values after one step: claims 3, 4, 6.
#include <fmt/format.h>

#include <cmath>

#include <daedalus/autodiff.hpp>

#include "lab/rosenbrock_order.hpp"
#include "reproduce/steinebach.hpp"
#include "reproduce/steinebach_support.hpp"

namespace daedalus::experiments::steinebach {
namespace {

// Orders between consecutive halvings of the step are judged to this accuracy.
constexpr double allowed = 0.2;

struct Errors {
  double y, z;
};

Errors end_errors(const Method& m, const Problem& problem, const Eigen::VectorXd& exact,
                  double t_end, int count, bool embedded) {
  Bench bench(m, problem);
  for (int k = 0; k < count; ++k) {
    if (!bench.attempt(t_end / count)) throw InvalidArgument("a step of " + m.name + " failed");
    bench.accept(embedded);
  }
  const Eigen::VectorXd e = (bench.state() - exact).cwiseAbs();
  const Eigen::Index ny = bench.differential_count();
  return {e.head(ny).maxCoeff(), ny < e.size() ? e.tail(e.size() - ny).maxCoeff() : 0.0};
}

Errors observed(const Method& m, const Problem& problem, const Eigen::VectorXd& exact, double t_end,
                int count, bool embedded = false) {
  const Errors coarse = end_errors(m, problem, exact, t_end, count, embedded),
               fine = end_errors(m, problem, exact, t_end, 2 * count, embedded);
  return {std::log2(coarse.y / fine.y), std::log2(coarse.z / fine.z)};
}

Errors observed(const std::string& name, const char* problem, double t_end, int count,
                bool embedded = false) {
  return observed(method(name), catalogue_problem(problem), exact_at(problem, t_end), t_end, count,
                  embedded);
}

// Local errors of the first step, of length h and h/2.
Errors local_orders(const std::string& name, const char* problem, double h) {
  Errors e[2];
  for (int k = 0; k < 2; ++k)
    e[k] = end_errors(method(name), catalogue_problem(problem), exact_at(problem, h / (k + 1.0)),
                      h / (k + 1.0), 1, false);
  return {std::log2(e[0].y / e[1].y), std::log2(e[0].z / e[1].z)};
}

void add_orders(std::vector<Claim>& claims, const std::string& id, const std::string& what,
                double expected, const Errors& found) {
  claims.push_back(number_claim(id + ".y", what + ", order of y", expected, found.y, allowed));
  claims.push_back(number_claim(id + ".z", what + ", order of z", expected, found.z, allowed));
}

// y1' = -r^2 y2, y2' = r^2 y1 with r = |y|: the unit circle with unit speed.
SemiExplicitProblem circling() {
  SemiExplicitProblem p;
  p.name = "circling";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
    const auto square = y[0] * y[0] + y[1] * y[1];
    f[0] = -square * y[1];
    f[1] = square * y[0];
  });
  p.y0 = Eigen::Vector2d(1.0, 0.0);
  return p;
}

std::vector<Claim> convergence_orders(Context& context) {
  std::vector<Claim> claims;
  const struct {
    const char* name;
    int order, count;  // from `count` to twice as many steps on [0, 1]
    int embedded;
    const char* embedded_on;  // where the embedded solution is in its asymptotic range
  } methods[] = {
      {"dae3s", 3, 128, 2, "steinebach-generic"},       {"dae4sf", 4, 128, 3, "steinebach-3"},
      {"dae4sf-1988", 3, 128, 3, "steinebach-generic"}, {"dae4s", 4, 32, 3, "steinebach-generic"},
      {"dae3ns", 3, 128, 2, "steinebach-generic"},      {"dae33ns", 3, 32, 2, "steinebach-generic"},
      {"dae34ns", 3, 256, 4, "steinebach-generic"}};
  for (const auto& m : methods) {
    if (context.note) context.note(std::string("orders of ") + m.name);
    const std::string id = std::string("steinebach-3.") + m.name;
    for (const char* problem : {"steinebach-generic", "steinebach-3"})
      add_orders(claims, id + "." + problem, fmt::format("{} on {}", m.name, problem), m.order,
                 observed(m.name, problem, 1.0, m.count));
    add_orders(claims, id + ".steinebach-2", fmt::format("{} on steinebach-2, [0, 0.5]", m.name),
               m.order, observed(m.name, "steinebach-2", 0.5, 256));
    add_orders(claims, id + ".embedded",
               fmt::format("{}, embedded solution on {}", m.name, m.embedded_on), m.embedded,
               observed(m.name, m.embedded_on, 1.0, m.embedded == 4 ? 64 : 128, true));
  }
  const Errors local = local_orders("dae33ns", "steinebach-3", 0.02);
  add_orders(claims, "steinebach-3.dae33ns.local",
             "dae33ns, local error of one step on steinebach-3", 4.0, local);
  const Errors usual = local_orders("dae3ns", "steinebach-3", 0.02);
  claims.push_back(number_claim("steinebach-3.dae3ns.local.z",
                                "dae3ns, local error of z, one order less", 3.0, usual.z, allowed));
  const Eigen::Vector2d end(std::cos(1.0), std::sin(1.0));
  const Errors ode = observed(method("dae34ns"), circling(), end, 1.0, 32);
  claims.push_back(number_claim("steinebach-3.dae34ns.ode",
                                "dae34ns on an ordinary differential equation, order", 4.0, ode.y,
                                allowed));
  return claims;
}

std::vector<Claim> plain_methods(Context&) {
  std::vector<Claim> claims;
  for (const char* problem : {"steinebach-generic", "steinebach-3"})
    claims.push_back(number_claim(std::string("steinebach-4.") + problem,
                                  fmt::format("grk4t, order of z on {}", problem), 2.0,
                                  observed("grk4t", problem, 1.0, 128).z, allowed));
  using namespace analysis;
  const RosenbrockScheme s(*static_cast<const RosenbrockCoefficients*>(method("grk4t").table));
  for (const OrderCondition& c : order_conditions(s, Weights::main, 2))
    if (c.tree == "g[f,f]")
      claims.push_back(number_claim("steinebach-4.condition",
                                    "grk4t violates sum mu_i w_ij alpha_j^2 = 1 by 0.2", 0.2,
                                    std::abs(c.residual), 0.05));
  const AttainedOrder order = attained_order(s, Weights::main);
  claims.push_back(number_claim("steinebach-4.ode",
                                "grk4t has order 4 on ordinary differential equations", 4.0,
                                order.ode, 0.0));
  claims.push_back(number_claim("steinebach-4.dae", "and converges with order 2 on index-1 systems",
                                2.0, order.convergence(), 0.0));
  return claims;
}

// Example 3, h = 0.1, exact Jacobian: computed in 40-digit arithmetic from the exact fractions.
struct Step {
  const char* method;
  double main[4], embedded[4];  // y1, y2, z1, z2
};
constexpr Step steps[] = {
    {"dae3s",
     {0.099873756921658593, 0.95123640710502384, 0.99621270764975780, 0.81901303715728591},
     {0.099867101384126595, 0.95123729194993994, 0.99600896670490072, 0.81977334598666618}},
    {"dae4sf",
     {0.099835216582899007, 0.95122951293050167, 0.99506205550754467, 0.81876753496183691},
     {0.099836004472037895, 0.95122965972765993, 0.99507781329032243, 0.81877126486388578}},
    {"dae4sf-1988",
     {0.099835514429582763, 0.95122956391754054, 0.99508479103642711, 0.81900559512534163},
     {0.099836239398989624, 0.95122969974823775, 0.99509929042456432, 0.81899738753871186}},
    {"dae3ns",
     {0.099870947293447293, 0.95122640162210059, 0.99512826254224114, 0.81907828337356801},
     {0.1, 0.95131785655736605, 0.99612841880341880, 0.81994087067390868}},
    {"dae33ns",
     {0.099886610339018996, 0.95122170160970070, 0.99477290460779002, 0.81862742274757668},
     {0.099849093311775406, 0.95118651152889552, 0.99396528202349532, 0.81834946038212760}},
    {"dae34ns",
     {0.099837099373765145, 0.95122949871813826, 0.99497256140482711, 0.81884095407826072},
     {0.099834191208642730, 0.95122937429880704, 0.99499498040807280, 0.81871171556277892}},
    {"dae4s",
     {0.099833660390302650, 0.95122958975797056, 0.99501690141099153, 0.81873123953351605},
     {0.099839547051662640, 0.95123056459713354, 0.99514776642553132, 0.81872660082191958}},
};

std::vector<Claim> one_step(Context&) {
  std::vector<Claim> claims;
  for (const Step& s : steps) {
    Bench bench(method(s.method), catalogue_problem("steinebach-3"));
    if (!bench.attempt(0.1)) throw InvalidArgument("a step failed");
    const Eigen::VectorXd main = bench.trial(), embedded = main - bench.estimate();
    const auto claim = [&](const char* part, const Eigen::VectorXd& found, const double* values) {
      const Eigen::Map<const Eigen::Vector4d> expected(values);
      claims.push_back(list_claim(
          fmt::format("steinebach-6.{}.{}", s.method, part),
          fmt::format("{}, one step of length 0.1 on example 3, {} solution", s.method, part),
          std::vector<double>(values, values + 4),
          std::vector<double>(found.data(), found.data() + 4), 1e-12,
          (found - expected).cwiseAbs().maxCoeff() <= 1e-12));
    };
    claim("main", main, s.main);
    claim("embedded", embedded, s.embedded);
  }
  return claims;
}

}  // namespace

std::vector<Experiment> order_experiments() {
  return {
      {.id = "steinebach-3",
       .title = "Observed orders of convergence",
       .source = source,
       .basis = Basis::printed("section 7.2: orders of the methods"),
       .parts = {{"dae4s", Basis::own("a substitute of ours for DAE4S")},
                 {"dae4sf-1988", Basis::own("order 3 of the printed set, in 40-digit arithmetic")}},
       .seconds = 0.05,
       .run = convergence_orders},
      {.id = "steinebach-4",
       .title = "A plain method of order 4 drops to order 2",
       .source = source,
       .basis = Basis::printed("section 3.1 iii: methods of Kaps and Rentrop drop to order 2"),
       .parts = {{"condition", Basis::own("exact arithmetic on the coefficients of GRK4T")}},
       .seconds = 0.05,
       .run = plain_methods},
      {.id = "steinebach-6",
       .title = "Values after one step of length 0.1",
       .source = source,
       .basis = Basis::own("one step in 40-digit arithmetic from the exact fractions"),
       .seconds = 0.01,
       .run = one_step}};
}

}  // namespace daedalus::experiments::steinebach
