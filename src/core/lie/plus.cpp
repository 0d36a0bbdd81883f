// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "lie/curve.hpp"

namespace daedalus {

template void Space::plus(const Taylor2*, const Taylor2*, Taylor2*) const;
template void Space::plus(const Taylor2Dual*, const Taylor2Dual*, Taylor2Dual*) const;

template <>
void Space::plus<Dual4>(const Dual4* x, const Dual4* w, Dual4* out) const {
  if (std::all_of(w, w + tangents_, [](const Dual4& a) { return a.v == 0.0; }))
    add_infinitesimal(*this, x, w, out);
  else
    plus_by_exp(x, w, out);
}

}  // namespace daedalus
