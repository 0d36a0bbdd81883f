// SPDX-License-Identifier: BSD-3-Clause
// Parameters of catalogue problems that are inputs of their callables: exact derivatives, and no
// problem built again for another value.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <catalogue/support.hpp>

namespace daedalus::problems {

// Callables read them as x.p, in the order of the fields.
template <class P, std::size_t N>
std::vector<Parameter> inputs(const std::array<Field<P>, N>& fields, const P& values) {
  std::vector<Parameter> list;
  for (const Field<P>& field : fields) list.push_back({field.name, values.*field.member});
  return list;
}

}  // namespace daedalus::problems
