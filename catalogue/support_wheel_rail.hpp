// SPDX-License-Identifier: BSD-3-Clause
// Wheelsets on a straight track, the scenarios of Arnold (1998), chapter 4. Masses and springs
// follow from the public wheelset problem by similarity (lengths times 5, times times sqrt(5));
// profiles are S1002 and UIC60 (60E1) instead of UIC60-ORE, whose data are not public.
#pragma once

#include <array>

#include <catalogue/support.hpp>
#include <daedalus/scene.hpp>
#include <daedalus/wheel_rail/wheelset.hpp>

namespace daedalus::problems::wheel_rail {

struct Constants {
  double V = 30.0, Fy = 0.0, Fz = 0.0, mu = 0.2, r0 = 0.5, nu = 2e-5, y0 = 0.0, dbeta0 = 0.0;
  double law = 2.0, cells = 20.0;  // 0 linear, 1 tanh, 2 FASTSIM with cells x (cells + 1)
  double contact = 0.0;            // 0 smax on-line, 1 rigid with impacts, 2 smax from a table
  double grid = 1.0;               // factor on the number of points of the contact grid
  double amplitude = 0.0, wave = 10.0, start = 2.0;  // lateral defect of the track
  double irregularity = 0.0;                         // amplitude of a sum of four waves
  double arc = 0.0;                                  // radius of a circular rail instead of UIC60
  double modulus = 1.0;                              // factor on Young's modulus
  double rail_spline = 0.0;  // distance of points of a spline instead of the arcs of UIC60
};
inline constexpr std::array<Field<Constants>, 19> fields{
    {{"V", &Constants::V},
     {"Fy", &Constants::Fy},
     {"Fz", &Constants::Fz},
     {"mu", &Constants::mu},
     {"r0", &Constants::r0},
     {"nu", &Constants::nu},
     {"y0", &Constants::y0},
     {"dbeta0", &Constants::dbeta0},
     {"law", &Constants::law},
     {"cells", &Constants::cells},
     {"contact", &Constants::contact},
     {"grid", &Constants::grid},
     {"amplitude", &Constants::amplitude},
     {"wave", &Constants::wave},
     {"start", &Constants::start},
     {"irregularity", &Constants::irregularity},
     {"arc", &Constants::arc},
     {"modulus", &Constants::modulus},
     {"rail_spline", &Constants::rail_spline}}};

enum class Wheel { cone, s1002 };

// [-60, 60] mm for the cone, finer on the flange for S1002.
ContactGrid grid_of(Wheel wheel, const Constants& c);
TableRange table_range(Wheel wheel, const Constants& c);
TrackAlignment track_of(const Constants& c);
WheelsetModel model(Wheel wheel, const Constants& c);
// Start at y0, at rest but for the rolling.
Problem build(const std::string& name, Wheel wheel, const Constants& c, bool bogie = false);
// Wheelsets, rails (and the frame of a bogie) seen from a frame that travels with V, true to scale;
// movements of millimetres show in enlarged cross sections of wheel and rail over every wheel, with
// contact point, and over these the contact ellipses with level lines of the distance.
Scene scene(Wheel wheel, const Constants& c, bool bogie);
// Defaults of one scenario; the rest of the entry that all share.
Entry entry(const char* name, const char* title, Wheel wheel, const Constants& c, double t_end,
            const char* place, bool bogie = false);

}  // namespace daedalus::problems::wheel_rail
