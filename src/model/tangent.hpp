// SPDX-License-Identifier: BSD-3-Clause
// Formulas over dual numbers by machine code: the values and all derivatives are computed together
// as plain numbers, and the directions follow from these.
#pragma once

#include <memory>
#include <vector>

#include "model/formulas.hpp"

namespace daedalus {

class Tangent {
 public:
  // Null: without machine code, or where derivatives are so many that dual numbers are cheaper.
  // `sizes`: of the vectors of the slot. `lowered` as by lower().
  static std::unique_ptr<Tangent> make(graph::Graph& graph, const graph::Outputs& lowered,
                                       const FormulaSettings& settings,
                                       const std::array<int, 5>& sizes);

  // False, and nothing happens, where a parameter has a direction. Throws as Formulas::run does.
  bool run(const Arguments<Dual4>& a, Dual4* out) const;

 private:
  Tangent(graph::Graph& graph, const graph::Outputs& joint, const FormulaSettings& settings)
      : all_(graph, joint, settings) {}

  struct Entry {
    int row, vector, column;  // vector 5: time
  };
  Formulas all_;  // values, then derivatives in the order of entries_
  int rows_ = 0;
  std::vector<Entry> entries_;
  std::array<int, 5> sizes_{};
  std::vector<int> parameters_;  // that the formulas read
  int parameter_count_ = 0;
};

}  // namespace daedalus
