// SPDX-License-Identifier: BSD-3-Clause
#include "graph/workspace.hpp"

namespace daedalus::graph {

template int interpret<Taylor2Dual>(const Instructions&, int, Taylor2Dual*);
template class Workspace<Taylor2Dual>;

}  // namespace daedalus::graph
