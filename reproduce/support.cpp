// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/support.hpp"

namespace daedalus::experiments {

const problems::Entry& entry(const std::string& name) {
  const problems::Entry* e = problems::find_problem(name);
  if (e == nullptr) throw InvalidArgument("no problem '" + name + "' in the catalogue");
  return *e;
}

Problem catalogue_problem(const std::string& name, const problems::Values& values) {
  return entry(name).problem(values);
}

}  // namespace daedalus::experiments
