// SPDX-License-Identifier: BSD-3-Clause
// Formulas over dual numbers: the values and all derivatives are computed together as plain
// numbers, once per point, and the directions, four at a time, follow from these.
#pragma once

#include <memory>
#include <vector>

#include "model/formulas.hpp"

namespace daedalus {

class Tangent {
 public:
  // Null: where derivatives are so many that dual numbers are cheaper.
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
    Expr value;
  };
  struct Place {
    int vector, column;
  };
  // Of the point seen last.
  struct Memory {
    explicit Memory(const Tangent& of)
        : inputs(of.input_count_), results(static_cast<std::size_t>(of.all_.count())) {}
    bool known = false;
    std::vector<double> inputs, results;
  };
  bool load(const Arguments<Dual4>& a, Memory& memory, Arguments<double>& plain) const;

  Formulas all_;  // values, then derivatives, row by row
  int rows_ = 0;
  std::vector<int> first_;     // by row, then the end: its derivatives
  std::vector<Place> places_;  // by what the derivatives are
  std::array<int, 5> sizes_{};
  std::vector<int> parameters_;  // that the formulas read
  int parameter_count_ = 0;
  std::size_t input_count_ = 0;
  bool reads_modes_ = false;
  PerThread<Memory> memory_;
};

}  // namespace daedalus
