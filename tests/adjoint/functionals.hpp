// SPDX-License-Identifier: BSD-3-Clause
// Functionals of one term, and runs that are asked for gradients.
#pragma once

#include <string>

#include <daedalus/adjoint.hpp>

namespace daedalus::sensitivity_test {

inline Functional along(const std::string& name, Function<slot::Functional> phi) {
  Functional f;
  f.name = name;
  f.along = std::move(phi);
  return f;
}
inline Functional at_end(const std::string& name, Function<slot::Functional> psi) {
  Functional f;
  f.name = name;
  f.at_end = std::move(psi);
  return f;
}

inline Options tolerances(const char* method, double rtol) {
  Options o;
  o.method = method;
  o.rtol = rtol;
  o.atol = 1e-3 * rtol;
  return o;
}

}  // namespace daedalus::sensitivity_test
