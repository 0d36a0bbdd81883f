// SPDX-License-Identifier: BSD-3-Clause
// One contact as the events of <daedalus/contact_condition.hpp> see it.
#pragma once

#include <functional>
#include <string>

#include <daedalus/contact.hpp>

namespace daedalus::detail {

struct ContactMonitor {
  std::string name;
  std::function<double(double t, In q, double s, ContactSide side)> lead;
  std::function<RigidContact(double t, In q, double s, ContactSide side)> rival;
  std::function<double(double t, In q, double s)> settle;
  double hysteresis = 0.0;
};

}  // namespace daedalus::detail
