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

  // The slope of a row, by an input that `Column` names.
  struct Entry {
    int row, vector, column;  // vector 5: time
    Expr value;
  };
  struct Column {
    int vector, number, end;  // one past its last slope
  };
  // Inputs that the formulas read, in the plain vectors.
  struct Read {
    int vector, first, count, place;  // vector 6: parameters
  };
  struct Zeros {
    int row, count;
  };
  // Of the point seen last.
  struct Memory {
    explicit Memory(const Tangent& of)
        : inputs(of.input_count_),
          results(static_cast<std::size_t>(of.all_.count())),
          parameters(static_cast<std::size_t>(of.parameter_count_ - of.first_parameter_)) {}
    bool known = false;
    std::vector<double> inputs, results;
    std::vector<Dual4> parameters;  // as they came, all without a direction
  };
  void find_reads(const VectorKinds& kinds);
  bool load_parameters(const Dual4* from, Memory& memory) const;
  bool load(const Arguments<Dual4>& a, Memory& memory) const;
  Arguments<double> plain(const Arguments<Dual4>& a, const Memory& memory) const;

  Formulas all_;  // values, then slopes, column by column
  int rows_ = 0;
  std::vector<Column> columns_;
  std::vector<int> row_of_;   // by slope
  std::vector<Zeros> zeros_;  // rows that are the number zero
  std::vector<Read> reads_;
  std::array<int, 5> sizes_{};
  int first_parameter_ = 0, parameter_count_ = 0;  // read: from the first up to the count
  std::size_t input_count_ = 0;
  bool reads_modes_ = false;
  PerThread<Memory> memory_;
};

}  // namespace daedalus
