// SPDX-License-Identifier: BSD-3-Clause
#include "graph/workspace.hpp"

namespace daedalus::graph {

template int interpret<Dual4>(const Instructions&, int, Dual4*);
template class Workspace<Dual4>;

}  // namespace daedalus::graph
