// SPDX-License-Identifier: BSD-3-Clause
// Chains, trees and rows of parallelograms made by the builder: assembly and steps by size.
#include "mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/mechanism.hpp>

namespace daedalus::scaling {
namespace {

constexpr double link_length = 0.1;

BodyId link(Mechanism& m, int number, const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  return m.body({.name = fmt::format("link{}", number),
                 .mass = 0.1,
                 .inertia = diagonal(1e-4, 1.2e-4, 1.3e-4),
                 .position = Eigen::Vector3d(0.5 * (from + to))});
}

Mechanism chain(int n) {
  Mechanism m("chain");
  BodyId before = m.ground();
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
  for (int k = 0; k < n; ++k) {
    // A gentle spiral, so that no links lie on one line.
    const double turn = 0.3 * k;
    const Eigen::Vector3d next =
        at + link_length * Eigen::Vector3d(std::cos(turn), 0.3 * std::sin(turn), -0.5).normalized();
    const BodyId body = link(m, k, at, next);
    m.spherical(fmt::format("joint{}", k), before, body, {.at = at});
    before = body;
    at = next;
  }
  return m;
}

// Every body carries two more.
Mechanism tree(int n) {
  Mechanism m("tree");
  std::vector<BodyId> bodies;
  std::vector<Eigen::Vector3d> ends;
  for (int k = 0; k < n; ++k) {
    const std::size_t parent = k == 0 ? 0 : static_cast<std::size_t>((k - 1) / 2);
    const Eigen::Vector3d at = k == 0 ? Eigen::Vector3d::Zero().eval() : ends[parent];
    const double turn = 2.4 * k;
    const Eigen::Vector3d to =
        at + link_length * Eigen::Vector3d(std::cos(turn), std::sin(turn), -1.0).normalized();
    const BodyId body = link(m, k, at, to);
    m.revolute(fmt::format("joint{}", k), k == 0 ? m.ground() : bodies[parent], body,
               {.at = at, .axis = {std::sin(turn), std::cos(turn), 0.2}});
    bodies.push_back(body);
    ends.push_back(to);
  }
  return m;
}

// n loops side by side; a third of their rows is redundant.
Mechanism parallelograms(int n) {
  Mechanism m("parallelograms");
  m.gravity({0, -9.81, 0});
  const Triple axis{0, 0, 1};
  const auto bar = [&](const std::string& name, double x, double y, bool upright) {
    const double J = 1.0 / 12.0;
    return m.body({.name = name,
                   .mass = 1.0,
                   .inertia = upright ? diagonal(J, 1e-3, J) : diagonal(1e-3, J, J),
                   .position = {x, y, 0}});
  };
  const Eigen::Vector3d unit = Eigen::Vector3d::UnitX();
  BodyId left = bar("u0", 0.0, 0.5, true);
  m.revolute("A0", m.ground(), left, {.at = {0, 0, 0}, .axis = axis, .rate = -1.0});
  for (int k = 1; k <= n; ++k) {
    const double x = k;
    const BodyId right = bar(fmt::format("u{}", k), x, 0.5, true),
                 top = bar(fmt::format("c{}", k), x - 0.5, 1.0, false);
    m.revolute(fmt::format("A{}", k), m.ground(), right,
               {.at = Eigen::Vector3d(x * unit), .axis = axis});
    m.revolute(fmt::format("B{}r", k - 1), left, top, {.at = {x - 1.0, 1.0, 0.0}, .axis = axis});
    m.revolute(fmt::format("B{}l", k), top, right, {.at = {x, 1.0, 0.0}, .axis = axis});
    left = right;
  }
  return m;
}

struct Case {
  const char* name;
  Mechanism (*make)(int);
  const char* method;
  std::vector<int> sizes;
};

void run(const Meter& meter, const Case& c, int largest, std::vector<std::string>& exponents) {
  std::vector<double> sizes;
  std::vector<Cost> assemblies, steps;
  for (const int n : c.sizes) {
    if (n > largest) break;
    const Cost begin = meter.now();
    const Assembled a = c.make(n).assemble();
    const Cost assembly = meter.now() - begin;
    Options o;
    o.method = c.method;
    o.rtol = 1e-4;
    o.atol = 1e-4;
    o.output = Output::none;
    const Measured m = measure(meter, a.problem, o, 0.5, 20);
    fmt::print("| {} | {} | {} | {} | {:.3g} | {:.3g} | {:.3g} | {} |{}\n", c.name, c.method, n,
               a.report.rows, assembly.seconds, m.start.seconds, m.step.seconds * 1e3, m.steps,
               m.failure.empty() ? "" : " " + m.failure);
    std::fflush(stdout);
    if (!m.failure.empty()) continue;
    sizes.push_back(n);
    assemblies.push_back(assembly);
    steps.push_back(m.step);
  }
  if (sizes.size() > 1)
    exponents.push_back(fmt::format("{} with {}: assembly n^{:.2f}, step n^{:.2f}", c.name,
                                    c.method, exponent(sizes, assemblies), exponent(sizes, steps)));
}

}  // namespace

void mechanisms(const Meter& meter, int largest) {
  fmt::print(
      "| mechanism | method | bodies | rows | assembly, s | start, s | step, ms | steps |\n"
      "|---|---|---|---|---|---|---|---|\n");
  std::vector<std::string> exponents;
  const std::vector<int> bodies{100, 400, 1600, 6400}, loops{10, 40, 160};
  for (const Case& c : std::vector<Case>{{"chain", chain, "hedop5", bodies},
                                         {"chain", chain, "bdf", bodies},
                                         {"tree", tree, "hedop5", bodies},
                                         {"parallelograms", parallelograms, "hedop5", loops}})
    run(meter, c, largest, exponents);
  fmt::print("\n");
  for (const std::string& line : exponents) fmt::print("{}\n", line);
}

}  // namespace daedalus::scaling
