// SPDX-License-Identifier: BSD-3-Clause
// Writes the calls that build a model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/builder_data.hpp"
#include "model/cpp/expressions.hpp"

namespace daedalus::model {

class CppWriter {
 public:
  CppWriter(const ModelBuilder::Data& data, Identifiers& names);
  std::string body();  // of the function
  bool uses_index_ranges() const { return index_ranges_; }

 private:
  void statement(const std::string& text) { out_ += "  " + text + "\n"; }
  std::string expr(const Expr& x) {
    const std::string cpp = expressions_.text(x, out_);
    return cpp.front() == '(' ? cpp.substr(1, cpp.size() - 2) : cpp;  // an operation in parentheses
  }
  std::string declared(const Expr& x, std::string_view name, const std::string& call);
  std::string options(const VariableOptions& o);
  std::string options(const ParameterOptions& o);
  std::string options(const ItemOptions& o, bool with_name);

  void tables();
  void parameters();
  void variables();
  std::size_t array_at(std::size_t first) const;
  void discretes();
  void mechanics();
  void equations();
  void map(const BuiltEquation& e);
  std::string map_argument(const graph::MapArgument& a);
  std::string index_list(const std::vector<int>& index);
  void events();
  void results();

  const ModelBuilder::Data& data_;
  Identifiers& names_;
  CppExpressions expressions_;
  std::string out_;
  bool index_ranges_ = false;
};

// All expressions of a model, to find what is used twice.
std::vector<Expr> all_expressions(const ModelBuilder::Data& data);

}  // namespace daedalus::model
