// SPDX-License-Identifier: BSD-3-Clause
// What a drawing of a wheelset needs at one time, in the track frame (x forward, y right, z down,
// metres) with the wheelset's centre at x = 0: outlines of wheels and rails, contact points, Hertz'
// ellipses and level lines of the distance between the undeformed surfaces (Arnold 1998, Figs. 4.13
// to 4.15).
#pragma once

#include <array>
#include <string>
#include <vector>

#include <daedalus/wheel_rail/wheelset.hpp>

namespace daedalus {

using PicturePoint = std::array<double, 3>;

struct ContactPicture {
  std::string side;
  PicturePoint point{}, normal{};
  double normal_force = 0.0;
  std::vector<PicturePoint> ellipse{};  // closed outline in the contact plane
  struct Level {
    double distance;  // m
    // Closed; along the track from the point below the axle, and place s on the wheel, m.
    std::vector<std::array<double, 2>> outline;
  };
  std::vector<Level> levels{};
};

struct WheelsetPicture {
  double t = 0.0, distance = 0.0;  // travelled
  PicturePoint centre{};
  double roll = 0.0, yaw = 0.0, turn = 0.0;    // alpha, gamma, rolling angle
  std::vector<std::array<double, 2>> wheel{};  // profile: along the axle from its middle, radius
  std::vector<PicturePoint> rail_right{}, rail_left{};  // cross sections
  std::array<ContactPicture, 2> contacts{};
};

// Lines on which the distance of the undeformed surfaces, moved together until they touch, has the
// values `levels`; so many points each (odd, the last is the first), beginning at the largest s. A
// line around several hills spans them all.
std::vector<ContactPicture::Level> level_lines(const WheelRail& pair, const RailPose<double>& pose,
                                               const std::vector<double>& levels, int points = 97);
// One wheelset without a bogie; q, v, lambda as in its problem. `levels` in metres.
WheelsetPicture picture(const WheelsetModel& model, double t, In q, In v, In lambda,
                        const std::vector<double>& levels = {20e-6, 60e-6, 100e-6});
// A list of pictures as JSON: {"version": 1, "frames": [...]}, 9 significant digits.
std::string to_json(const std::vector<WheelsetPicture>& frames);

}  // namespace daedalus
