// SPDX-License-Identifier: BSD-3-Clause
// Wheel and rail: profiles, geometry, contact conditions, creep forces, wheelsets.
#pragma once

#include <daedalus/wheel_rail/creep.hpp>
#include <daedalus/wheel_rail/geometry.hpp>
#include <daedalus/wheel_rail/picture.hpp>
#include <daedalus/wheel_rail/profile.hpp>
#include <daedalus/wheel_rail/wheelset.hpp>
