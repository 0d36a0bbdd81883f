// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "peers/peer.hpp"
#include "peers/scipy.hpp"

namespace daedalus::peers {

Peers all_peers() {
  Peers list;
#ifdef DAEDALUS_HAVE_SUNDIALS
  add_ida(list);
  add_arkode(list);
#endif
#ifdef DAEDALUS_HAVE_PETSC
  add_petsc(list);
#endif
#ifdef DAEDALUS_PEER_PYTHON
  add_scipy(list);
#endif
  return list;
}

std::vector<std::string> missing_peers() {
  std::vector<std::string> list;
#ifndef DAEDALUS_HAVE_SUNDIALS
  list.push_back("SUNDIALS (libsundials-dev)");
#endif
#ifndef DAEDALUS_HAVE_PETSC
  list.push_back("PETSc (libpetsc-real-dev)");
#endif
#ifdef DAEDALUS_PEER_PYTHON
  if (!scipy_obstacle().empty()) list.push_back("SciPy: " + scipy_obstacle());
#else
  list.push_back("SciPy (python3-scipy, libpython3-dev)");
#endif
  return list;
}

double first_step(const Model& model, const Task& task) {
  const Eigen::ArrayXd scale = task.atol.array() + task.rtol * model.x0.array().abs();
  double value = 0.0, rate = 0.0;
  for (int i = 0; i < model.size(); ++i) {
    if (model.algebraic[static_cast<std::size_t>(i)]) continue;
    value += std::pow(model.x0[i] / scale[i], 2);
    rate += std::pow(model.xd0[i] / scale[i], 2);
  }
  const double h = value > 0.0 && rate > 0.0 ? 0.01 * std::sqrt(value / rate) : 1e-6;
  return std::min(h, 1e-2 * std::abs(task.t1 - task.t0));
}

}  // namespace daedalus::peers
