// SPDX-License-Identifier: BSD-3-Clause
#include "graph/workspace.hpp"

namespace daedalus::graph {

template int interpret<Taylor2>(const Instructions&, int, Taylor2*);
template class Workspace<Taylor2>;

}  // namespace daedalus::graph
