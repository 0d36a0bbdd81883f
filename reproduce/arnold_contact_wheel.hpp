// SPDX-License-Identifier: BSD-3-Clause
// Claims of Arnold (1998), chapter 4, on wheel and rail: geometry, jumps of the contact point, the
// quasi-elastic model, wheelsets in motion. Numbers of the thesis where it gives them; where its
// data (UIC60-ORE, wheelset of Netter and Arnold 1993) are not public, numbers computed
// independently for S1002 on UIC60 (60E1) and a wheelset by similarity from the public test
// problem.
#pragma once

#include <span>
#include <vector>

#include <daedalus/solve.hpp>
#include <daedalus/wheel_rail/wheelset.hpp>

#include "reproduce/experiment.hpp"
#include "reproduce/support.hpp"

namespace daedalus::experiments {

std::span<const Experiment> wheel_rail_experiments();

namespace wheel_rail {

std::vector<Experiment> place_experiments();        // 6 to 9, 13, 14
std::vector<Experiment> motion_experiments();       // 15 to 20
std::vector<Claim> table_claims(Context& context);  // 18
std::vector<Experiment> code_experiments();         // 22: codes on rigid wheelsets
// Claims on S1002 that belong to experiments 10 and 12.
std::vector<Claim> wheel_approaches();
std::vector<Claim> wheel_grids();
// Errors of x of radau5 on the public problem after 5 s at full size, one per tolerance.
std::vector<double> radau_errors(const char* formulation, double kappa,
                                 const std::vector<double>& tolerances);
// Claims on the wheelset that belong to other experiments; `stem`: their name.
std::vector<Claim> plain_corrector(const std::string& stem);
std::vector<Claim> wheelset_drift(const std::string& stem);
Experiment numbered(int number, const char* title, double seconds,
                    std::vector<Claim> (*run)(Context&), Basis basis, Parts parts = {});

// A run of a catalogue problem with dense output: bdf on the ggl form, absolute tolerances tol for
// positions, 10 tol for velocities, 1e7 tol for forces.
struct Run {
  Solution solution;
  double at(double t, const char* name) const { return solution.at(t)[name]; }
  struct Extremum {
    double t, value;
  };
  std::vector<Extremum> extrema(const char* name, double from, double to) const;
  std::string effort() const;  // steps, calls, repeated steps, seconds
};
Solution solved(const Problem& p, std::vector<Event> events, double t_end, double tol,
                double max_step, const char* formulation);
Run run(const char* problem, const problems::Values& values, double t_end, double tol,
        double max_step = 0.0, const char* formulation = "ggl");

}  // namespace wheel_rail
}  // namespace daedalus::experiments
