// SPDX-License-Identifier: BSD-3-Clause
// The reader of `.json` models: its parts share a builder, the names known so far, and what is
// wrong. Each part is one file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <daedalus/model_file.hpp>

#include "model/json/affine.hpp"
#include "model/json/fields.hpp"
#include "model/json/scope.hpp"

namespace daedalus::model {

struct Sides {
  Expr left, right;
};

class Reader {
 public:
  using Kind = JsonValue::Kind;
  Reader(Diagnostics& diagnostics, const ModelFileOptions& options, std::string folder)
      : diagnostics_(diagnostics), options_(options), folder_(std::move(folder)) {}

  // The model of a document; throws InvalidModel.
  ModelFile read(const JsonValue& document);  // all but ModelFile::builder
  std::shared_ptr<const ModelBuilder> build(const JsonValue& document);

 private:
  // ---- formulas (formulas.cpp) ----
  // A number or a text with an expression.
  std::optional<Expr> expression(const JsonValue& value, std::string_view what);
  std::optional<Sides> equation(const JsonValue& value);
  std::optional<Formula> parsed(const JsonValue& value, Want want, std::string_view what);
  graph::Position position(Span span);
  void set_positions(const JsonValue& value, const Formula& formula,
                     const std::vector<Expr>& values);
  // Runs `make` and reports what the builder refuses at `where`.
  void guarded(Span where, const std::function<void()>& make);

  // ---- declarations (declarations.cpp, parameters.cpp, tables.cpp) ----
  bool new_name(const JsonValue::Member& member);
  void parameters(const JsonValue& section);
  void parameter(const JsonValue::Member& member);
  void dependent_parameters(const std::vector<const JsonValue::Member*>& list);
  void array_parameter(const JsonValue::Member& member, const JsonValue& values);
  ParameterOptions parameter_options(const JsonValue::Member& member);
  void variables(const JsonValue& section, bool discrete);
  // `element`: the subscripts of an element of an array.
  VariableOptions variable_options(const JsonValue::Member& member,
                                   std::span<const int> element = {});
  Expr element_value(const JsonValue& value, std::span<const int> element, std::string_view what);
  using Arrays = std::vector<std::pair<std::string, Array>>;
  std::vector<int> array_sizes(const JsonValue& size);
  bool array_fits(const JsonValue& list, std::string_view field, const std::string& name,
                  std::span<const int> sizes, std::size_t all);
  void array_variable(const JsonValue::Member& member, const std::vector<int>& sizes, bool discrete,
                      Arrays& arrays);
  void tables(const JsonValue& section);
  void table(const JsonValue::Member& member);
  bool table_columns(const std::string& name, const JsonValue& from, std::vector<double>& x,
                     std::vector<double>& y);

  // ---- equations (equations.cpp, rolled.cpp) ----
  void equations(const JsonValue& section, bool initial);
  void one_equation(const JsonValue& value, bool initial);
  void repeated(const JsonValue& value, bool initial);
  std::vector<LoopIndex> loop_indices(const JsonValue& section);
  bool rolled(const JsonValue& text, const Formula& formula, const std::vector<LoopIndex>& loop,
              const ItemOptions& item);
  void conditional(const JsonValue& value);
  std::vector<ModelBuilder::Row> rows(const JsonValue& list);
  ItemOptions item_options(const JsonValue& value, std::string name);

  // ---- events, outputs, the rest (events.cpp, outputs.cpp, multibody.cpp, scene.cpp) ----
  void events(const JsonValue& section);
  void event(const JsonValue& value);
  std::optional<Expr> event_condition(const JsonValue& value, const Fields& fields);
  void event_actions(const Fields& fields, WhenClause& clause);
  void requirements(const JsonValue& section);
  void outputs(const JsonValue& section);
  void array_output(const JsonValue::Member& member, const JsonValue& value,
                    const std::vector<int>& sizes, const ItemOptions& item);
  void multibody(const JsonValue& section);
  void mass_matrix(const JsonValue& value);
  std::vector<std::pair<std::string, VariableOptions>> coordinate_list(const JsonValue& value);
  std::optional<Expr> zero_row(const JsonValue& text);
  void constraint_rows(const JsonValue& value, const JsonValue* names, bool holonomic);
  void dynamic_variables(const JsonValue& section);
  void invariants(const JsonValue& section);
  void definitions(const JsonValue& section);
  void scene(const JsonValue& section, Entry& entry);
  void facts(const JsonValue& document, Entry& entry);
  void reference(const JsonValue& section, Entry& entry);

  // ---- reader.cpp ----
  bool header(const JsonValue& document);
  void sections(const JsonValue& document);
  std::shared_ptr<const Model> compiled();

  Diagnostics& diagnostics_;
  const ModelFileOptions& options_;
  std::string folder_;
  std::shared_ptr<ModelBuilder> builder_;
  std::optional<ModelScope> scope_;
  std::vector<Coordinate> coordinates_;
  const JsonValue* definitions_ = nullptr;  // read once the names they use are known
  int file_number_ = -1;
};

}  // namespace daedalus::model
