// SPDX-License-Identifier: BSD-3-Clause
// What a Model consists of: everything is a function of parameters, time, state and modes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/model.hpp>

#include "model/derivative_array.hpp"
#include "model/event_program.hpp"
#include "model/flat.hpp"
#include "model/formula_function.hpp"
#include "model/structure.hpp"

namespace daedalus {

// A matrix of formulas whose entries depend on parameters alone.
struct ConstantMatrix {
  SparsePattern pattern;
  std::unique_ptr<Formulas> entries;
  int modes = 0;  // how many the model has
  SparseMatrix at(const std::vector<double>& parameters) const;
};

struct FirstOrderParts {
  std::shared_ptr<const FormulaFunction> residual;  // implicit form, and of M(t, y) for events
  std::shared_ptr<const FormulaFunction> rhs;       // mass-matrix form
  std::shared_ptr<const FormulaFunction> f, g;      // semi-explicit form
  ConstantMatrix mass;
  bool unit_mass = false;                                // M = I
  std::shared_ptr<const FormulaFunction> changing_mass;  // M(t, y)
};

struct MechanicsParts {
  std::shared_ptr<const FormulaFunction> mass, force, constraint, constraint_jacobian,
      constraint_time_derivative, acceleration_term, nonholonomic_matrix, nonholonomic_offset,
      dynamics;
  std::unique_ptr<ConstantMatrix> constant_mass;
  int q = 0, c = 0, holonomic = 0, nonholonomic = 0;
};

struct Model::Data {
  std::string name, title, form;
  Interval interval;
  std::function<Scene(const Values&)> scene;
  std::shared_ptr<graph::Graph> graph;
  FormulaSettings settings;
  std::vector<Parameter> parameters;
  std::vector<ParameterOptions> parameter_options;
  std::vector<BuiltVariable> variables;  // in the order of the problem; while it is compiled
  // The same once it is: what tools are told.
  std::vector<char> fixed;
  std::map<std::string, double> nominal;  // where it is not 1
  std::map<std::string, std::string> units, descriptions;
  std::vector<std::string> names, equations;
  std::vector<RowText> equation_texts;
  std::vector<int> variable_index;
  std::vector<char> differentiated;
  StructureReport structure;
  int common_index = 1;  // ModelStructure::common_index
  // Of models with events and an index above 1; null: algebraic variables are not solved for there.
  std::unique_ptr<const DerivativeArray> array;
  bool solves_events() const { return common_index <= 1 || array; }
  std::vector<Diagnostic> diagnostics;  // notes and warnings
  FirstOrderParts first_order;
  MechanicsParts mechanics;
  bool multibody = false;
  int algebraic_count = 0;          // of semi-explicit models: the last variables are z
  std::unique_ptr<Formulas> start;  // of the variables, from parameters
  int initial_count = 0;
  std::shared_ptr<const FormulaFunction> initial;
  struct NamedInvariant {
    std::string name;
    std::shared_ptr<const FormulaFunction> value;
  };
  std::vector<NamedInvariant> invariants;
  std::vector<ModelOutput> outputs;
  std::unique_ptr<Formulas> output_values;
  EventProgram events;

  std::vector<double> parameter_values(const Values& values) const;  // checked
  Eigen::VectorXd start_values(const std::vector<double>& p) const;
  // Arguments of formulas outside a run; `y`: all model variables in the order of the problem.
  Arguments<double> arguments(double t, const double* y, const double* yp,
                              const std::vector<double>& p, const double* modes) const;
};

// Takes the rows of `flat`.
void compile_first_order(FlatModel& flat, const ModelOptions& options, Model::Data& data);
void compile_multibody(const FlatModel& flat, Model::Data& data);

// Kinds of inputs that any entry depends on, kernels of maps included.
std::uint32_t kinds_of(const graph::Graph& graph, const graph::Outputs& outputs);

}  // namespace daedalus
