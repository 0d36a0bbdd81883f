// SPDX-License-Identifier: BSD-3-Clause
// 19: contact: a disc on a hyperbola branch, rigid and quasi-elastic.
//
// Model    a disc of radius rho, point mass 1 at its centre q, on the ground eta = sqrt(xi^2 +
// a^2):
//          zeta(s; q1) = sqrt(rho^2 - s^2) + sqrt((q1 + s)^2 + a^2),  0 = q2 - max_s zeta(s; q1).
// For a < rho the contact point jumps when q1 passes zero. A rigid disc then suffers an impact; the
// quasi-elastic one passes smoothly. Without looking for jumps the rigid run ends at an impasse
// point (Arnold 1998, Examples 24 to 28).
//
// Builds on 05 (events) and 10 (multibody pieces). New: ContactFamily, rigid_contacts, jump_events,
// quasi_elastic_contacts, lift_off, tables.
#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <tuple>

#include <daedalus/contact_table.hpp>
#include <daedalus/daedalus.hpp>

namespace {

// [problem]
daedalus::MultibodyProblem disc_without_contact(double height) {
  return {.name = "disc",
          .space = daedalus::euclidean(2),
          .force = daedalus::autodiff([](const auto&, const auto&, const auto&, auto& f) {
            f[0] = 0.0;
            f[1] = -9.81;
          }),
          .q0 = Eigen::Vector2d(-1.0, height),
          .v0 = Eigen::Vector2d::Zero()};
}
// [/problem]

}  // namespace

int main() {
  // [family]
  const auto zeta = [](const auto& s, const auto& p) {
    using std::sqrt;
    return sqrt((0.8 - s) * (0.8 + s)) + sqrt((p[0] + s) * (p[0] + s) + 0.16);
  };
  const daedalus::ContactGrid grid = daedalus::ContactGrid::uniform(-0.8, 0.8, 400);
  const daedalus::ContactFamily disc(grid, 0.02, zeta);  // nu = 0.02
  const std::tuple contacts{daedalus::Contact{
      "disc", disc, [](const auto&, const auto& q) { return std::array{q[0]}; },  // p(t, q)
      [](const auto&, const auto& q) { return q[1]; }}};                          // height(t, q)
  // [/family]

  // [search]
  const std::array p{-1.0};
  const daedalus::RigidContact touch = disc.rigid(p);
  const daedalus::ContactExpansion<1> smooth = disc.expansion(p);
  const daedalus::SmoothContact<double, 1> attack =
      disc.smooth(p, [](double s, const auto&) { return std::array{s}; });
  std::cout << "rigid: s = " << touch.s << ", height " << touch.value
            << "; quasi-elastic: s~ = " << attack.mean[0] << ", height " << smooth.value
            << ", slope " << smooth.gradient[0] << ", lead over the left "
            << disc.lead(touch.s, p, daedalus::ContactSide::left) << '\n';
  // [/search]

  // [rigid]
  daedalus::MultibodyProblem rigid = disc_without_contact(touch.value);
  daedalus::rigid_contacts(rigid, contacts);
  daedalus::Options o{.method = "bdf", .formulation = "ggl"};
  const daedalus::Solution unnoticed = daedalus::solve(rigid, {0.0, 1.0}, o);
  o.events = daedalus::jump_events(rigid, contacts);
  o.events.push_back(daedalus::lift_off("lift-off", 0));
  const daedalus::Solution jumping = daedalus::solve(rigid, {0.0, 0.8}, o);
  std::cout << "without events: " << unnoticed.message() << '\n';
  for (const daedalus::EventRecord& e : jumping.events())
    std::cout << e.name << " at t = " << e.t << '\n';
  // [/rigid]

  // [quasi_elastic]
  daedalus::MultibodyProblem elastic = disc_without_contact(smooth.value);
  daedalus::quasi_elastic_contacts(elastic, contacts);
  const daedalus::Solution passing = daedalus::solve(elastic, {0.0, 1.0});
  // [/quasi_elastic]

  // [table]
  const daedalus::TableRequest request = daedalus::with_family(
      daedalus::TableRequest{.axes = {daedalus::TableAxis::uniform("q1", -1.5, 1.5, 120)},
                             .quantities = {daedalus::TableQuantity{"smax", 4, {}},
                                            daedalus::TableQuantity{"attack", 2, {}}},
                             .profile = 1},
      disc);
  const auto sample =
      daedalus::table_sample<1>(disc, [](double s, const auto&) { return std::array{s}; });
  const std::string directory = std::filesystem::temp_directory_path().string();
  const daedalus::ContactTable table = daedalus::ContactTable::stored(directory, request, sample);
  daedalus::MultibodyProblem tabulated = disc_without_contact(table.value(0, p));
  daedalus::table_contacts(tabulated, contacts, {table});
  const daedalus::Solution by_table = daedalus::solve(tabulated, {0.0, 1.0});
  // [/table]
  std::filesystem::remove(std::filesystem::path(directory) /
                          daedalus::ContactTable::file_name(request));

  std::cout << "q1(1): " << passing.end().q()[0] << " on-line, " << by_table.end().q()[0]
            << " by table\n";
  const bool fine = !unnoticed.ok() && jumping.ok() && jumping.events().size() == 1 &&
                    std::abs(jumping.events()[0].t - 0.632534) < 1e-4 && passing.ok() &&
                    by_table.ok() && std::abs(passing.end().q()[0] - by_table.end().q()[0]) < 1e-3;
  return fine ? 0 : 1;
}
