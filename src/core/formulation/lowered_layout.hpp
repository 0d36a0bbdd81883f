// SPDX-License-Identifier: BSD-3-Clause
// Layouts of first-order problems and what every lowered system carries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formulation/first_order_system.hpp"

namespace daedalus {

// Consecutive variables of equal index form one block.
void add_indexed(Layout& l, VariableClass cls, const int* index, int n,
                 const std::vector<std::string>& names);
Layout indexed_layout(std::vector<int> index, int n, const std::vector<std::string>& names);
// The first n variables of a layout: those of the model.
std::shared_ptr<const Variables> model_variables(const Layout& layout, int n);

template <class P>
std::shared_ptr<std::vector<double>> modes_of(const P& p) {
  return std::make_shared<std::vector<double>>(p.modes);
}

std::unique_ptr<System> complete_system(std::unique_ptr<FirstOrderSystem> s,
                                        std::shared_ptr<std::vector<double>> modes, int model_size,
                                        std::vector<std::string> equations);

}  // namespace daedalus
