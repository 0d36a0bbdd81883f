// SPDX-License-Identifier: BSD-3-Clause
#include "graph/workspace.hpp"

namespace daedalus::graph {

template int interpret<double>(const Instructions&, int, double*);
template class Workspace<double>;

}  // namespace daedalus::graph
