// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a scene: formulas of the model's own names, evaluated at a state of a run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <daedalus/model.hpp>

#include "model/formulas.hpp"

namespace daedalus::model {

class SceneValues {
 public:
  // The builder owns the graph of the formulas. Variables that the compiled model eliminated are
  // taken from its outputs.
  SceneValues(std::shared_ptr<ModelBuilder> builder, const std::vector<Expr>& rows, Entry entry);

  // All rows at a state, with all parameter values.
  std::vector<double> at(const Values& values, const StateView& state) const;
  // Rows that depend on parameters alone; the others are not meant to be used.
  std::vector<double> sizes(const Values& values) const;

 private:
  struct Input {
    graph::InputKind kind;
    int number;
    std::string name;
    int output;  // of the entry; -1: a variable of the problem
  };
  std::vector<double> evaluated(const Values& values, const StateView& state,
                                const std::vector<double>& outputs) const;
  double value_of(const Input& input, const StateView& state,
                  const std::vector<double>& outputs) const;

  std::shared_ptr<ModelBuilder> builder_;
  Entry entry_;
  std::vector<Input> inputs_;
  std::array<int, 5> counts_{};
  int parameter_count_ = 0;
  bool needs_outputs_ = false;
  VectorKinds kinds_;
  std::unique_ptr<Formulas> formulas_;
};

}  // namespace daedalus::model
