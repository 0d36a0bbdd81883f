// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/lowered_layout.hpp"

#include "kernel/at.hpp"

namespace daedalus {

void add_indexed(Layout& l, VariableClass cls, const int* index, int n,
                 const std::vector<std::string>& names) {
  for (int first = 0; first < n;) {
    int last = first + 1;
    while (last < n && index[last] == index[first]) ++last;
    l.add(cls, index[first], euclidean(last - first),
          {names.begin() + first, names.begin() + last});
    first = last;
  }
}

Layout indexed_layout(std::vector<int> index, int n, const std::vector<std::string>& names) {
  Layout l;
  index.resize(at(n), 1);
  add_indexed(l, VariableClass::y, index.data(), n, names);
  return l;
}

std::shared_ptr<const Variables> model_variables(const Layout& layout, int n) {
  auto v = std::make_shared<Variables>();
  for (const LayoutBlock& b : layout.blocks()) {
    if (b.tangent >= n) break;
    v->ranges.push_back({b.cls, b.index, b.tangent, b.space.tangents()});
  }
  v->names.assign(layout.names().begin(), layout.names().begin() + n);
  return v;
}

std::unique_ptr<System> complete_system(std::unique_ptr<FirstOrderSystem> s,
                                        std::shared_ptr<std::vector<double>> modes, int model_size,
                                        std::vector<std::string> equations) {
  s->modes = std::move(modes);
  s->variables = model_variables(s->layout, model_size);
  s->equations = std::move(equations);
  return s;
}

}  // namespace daedalus
