// SPDX-License-Identifier: BSD-3-Clause
// What names in the formulas of a JSON model mean: variables and parameters of the builder, arrays
// of them, tables, indices of loops, time and pi.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <daedalus/graph_table.hpp>
#include <daedalus/model.hpp>

#include "model/json/document.hpp"
#include "model/text/lower.hpp"

namespace daedalus::model {

// name[1] .. name[n], or name[1,1] .. name[m,n], the last subscript fastest.
struct Array {
  std::vector<Expr> elements;
  std::vector<int> sizes;

  // Where the element of these subscripts is; nothing: there is none.
  std::optional<std::size_t> place(std::span<const double> subscripts) const;
};
// "2,3" of element number 5 of an array of these sizes.
std::vector<int> subscripts_of(int element, const std::vector<int>& sizes);

class ModelScope : public Scope {
 public:
  explicit ModelScope(ModelBuilder& builder) : builder_(builder) {}

  ModelBuilder& builder() { return builder_; }
  void add(std::string name, const Expr& value) { values_[std::move(name)] = value; }
  void add_array(const std::string& name, Array array) { arrays_[name] = std::move(array); }
  void add_table(std::shared_ptr<const graph::Table> table) { tables_[table->name()] = table; }
  bool has(const std::string& name) const;
  const Array* array(const std::string& name) const;

  // Loop indices, and names that hold in part of a model only.
  void set_index(const std::string& name, double value) { indices_[name] = value; }
  void remove_index(const std::string& name) { indices_.erase(name); }
  // What is meant by "variable" in messages: "parameter" while only these are known.
  void set_word(std::string word) { word_ = std::move(word); }

  std::optional<Expr> name(const Written& written, int node, std::span<const Expr> values) override;
  bool call(const Written& written, int node, std::span<const Expr> arguments,
            std::optional<Expr>& result) override;
  std::vector<std::string> functions() const override;

  // sum, product, min and max of one array, given by its name.
  bool takes_array(const Formula& formula, const Syntax& call) const;
  // Whether the name at a node is given to one of them: it stands for no value of its own.
  bool is_taken_whole(const Formula& formula, int node) const;
  std::optional<Expr> over_array(const Written& written, const Syntax& call) const;

  // A name without subscripts; nothing, and no report, if there is none.
  std::optional<Expr> find(const std::string& name);
  // An element of an array; reported if there is none.
  std::optional<Expr> element(const Written& written, const Syntax& name, const std::string& array,
                              std::span<const double> subscripts) const;
  void report_unknown(const Written& written, const Syntax& node, const std::string& name) const;

 private:
  std::optional<Expr> scalar(const Written& written, const Syntax& syntax, const std::string& name);

  ModelBuilder& builder_;
  std::string word_ = "variable or parameter";
  std::unordered_map<std::string, Expr> values_;
  std::unordered_map<std::string, Array> arrays_;
  std::map<std::string, std::shared_ptr<const graph::Table>> tables_;
  std::map<std::string, double> indices_;
};

}  // namespace daedalus::model
