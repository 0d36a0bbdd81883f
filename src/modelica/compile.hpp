// SPDX-License-Identifier: BSD-3-Clause
// One text with its libraries, and the flat models that it gives for values of its structural
// parameters.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <daedalus/modelica.hpp>

#include "modelica/flat_model.hpp"
#include "modelica/library.hpp"

namespace daedalus::modelica {

class Program {
 public:
  Program(std::vector<std::string> folders, bool roll);

  // Parses; the class that is meant: by name, the only one with an experiment, or the last one.
  void add_text(std::string name, std::string content);
  void choose(const std::string& class_name);
  const ast::Class* chosen() const { return chosen_; }

  // Flat and checked. Throws InvalidModelica.
  FlatModel flat(const std::map<std::string, double>& set);

  Files& files() { return files_; }
  Mistakes& mistakes() { return mistakes_; }
  [[noreturn]] void fail();
  void fail_if_wrong() {
    if (mistakes_.errors() > 0) fail();
  }
  int compilations() const { return compilations_; }

 private:
  FlatModel attempt(const std::map<std::string, double>& set);
  void read_experiment(FlatModel& flat);

  Files files_;
  Mistakes mistakes_{files_};
  Library library_;
  bool roll_;
  std::vector<ast::Class*> own_;  // classes of the user's text
  const ast::Class* chosen_ = nullptr;
  std::set<std::string> structural_;
  int compilations_ = 0;
};

// Takes out variables that an equation gives explicitly (simplify.cpp): by number of the variable
// the equation that goes, -1 for those that stay.
std::vector<int> explicit_equations(const FlatModel& flat);

// Rates of sums of differentiated variables become sums of rates (rates_of_sums.cpp).
void use_rates_of_sums(FlatModel& flat);
// By variable: whether anything reads its derivative.
std::vector<char> differentiated_variables(const FlatModel& flat);
// Whose derivatives conditions and initial equations read.
std::vector<char> named_rates(const FlatModel& flat);

// A builder of the flat model (lower.cpp).
std::shared_ptr<ModelBuilder> lower(const FlatModel& flat, const Files& files, Mistakes& mistakes);

// The flat model as text, with where everything comes from (print_flat.cpp).
std::string text_of(const FlatModel& flat, const Files& files);
ModelicaFlat parts_of(const FlatModel& flat, const Files& files);

}  // namespace daedalus::modelica
