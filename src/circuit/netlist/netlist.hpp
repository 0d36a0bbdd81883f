// SPDX-License-Identifier: BSD-3-Clause
// A netlist as read: elements with their words, models, subcircuits, analyses. Nothing is expanded
// and no value is computed yet.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "circuit/netlist/expression.hpp"

namespace daedalus::circuit {

// An element line.
struct Card {
  char kind = 0;        // small letter
  std::string name;     // small letters
  std::string written;  // as it stands in the file
  Statement statement;
  std::vector<Word> words;  // the name first
};

struct ModelCard {
  std::string name, type;  // small letters
  std::string written;
  Where where{};
  std::vector<Assignment> values;
};

struct Subcircuit;

// What stands between .subckt and .ends, or outside of all subcircuits.
struct Body {
  std::vector<Card> cards;
  std::vector<Assignment> parameters;
  std::map<std::string, ModelCard> models;
  std::map<std::string, std::shared_ptr<Subcircuit>> subcircuits;
};

struct Subcircuit {
  std::string name, written;
  Where where{};
  std::vector<std::string> ports;      // small letters
  std::vector<Assignment> parameters;  // with their defaults
  Body body;
};

// A dot line that asks for something, with its words after the first.
struct Command {
  std::string name;  // "tran", small letters
  Statement statement;
  std::vector<Word> words;
};

struct Netlist {
  Files files;
  std::string title;
  Span title_span{};
  Body top;
  std::vector<std::string> globals;
  std::vector<Command> commands;  // .op .dc .tran .ac .pz .ic .nodeset .print .meas, in order
  std::vector<Assignment> options;
};

// Reads the file and those it includes. FileError where the file itself cannot be read; everything
// else is reported in Netlist::files.
Netlist read_netlist(const std::string& path, bool allow_files);
Netlist read_netlist_text(std::string text, const std::string& name, const std::string& folder,
                          bool allow_files);

// The words of a statement one after another, for what is made of them.
class Cursor {
 public:
  Cursor(Files& files, const Statement& statement, const std::vector<Word>& words,
         std::size_t first)
      : files_(&files), statement_(&statement), words_(&words), at_(first) {}

  bool done() const { return at_ >= words_->size(); }
  const Word& now() const { return (*words_)[at_]; }
  bool is(WordKind kind) const { return !done() && now().kind == kind; }
  // A word that is not the name of an assignment.
  bool is_word() const { return is(WordKind::word) && !is_assignment(); }
  bool is_value() const { return is_word() || is(WordKind::expression); }
  bool is_assignment() const {
    return is(WordKind::word) && at_ + 1 < words_->size() &&
           (*words_)[at_ + 1].kind == WordKind::equals;
  }
  void skip() { ++at_; }
  void skip_parentheses() {
    while (is(WordKind::open) || is(WordKind::close)) ++at_;
  }
  std::string_view text() const {
    return std::string_view(statement_->fragment.text())
        .substr(now().span.begin, now().span.length);
  }
  std::string lower() const { return lower_case(text()); }
  std::string take_lower() {
    std::string t = lower();
    ++at_;
    return t;
  }
  Where where() const { return done() ? statement_->whole() : statement_->where(now().span); }
  Value value() { return read_value(*files_, *statement_, (*words_)[at_++]); }
  // name = value.
  bool assignment(Assignment& result);
  // As .param has it: the value may be an expression without braces, up to the next name.
  bool parameter(Assignment& result);
  // v(a) or v(a,b) as in .ic and .print: "v", and the nodes; false: not there.
  bool signal(std::string& kind, std::vector<std::string>& arguments);
  // From here to the end of the statement.
  Span rest() const;
  std::size_t position() const { return at_; }
  Files& files() const { return *files_; }
  const Statement& statement() const { return *statement_; }

 private:
  Files* files_;
  const Statement* statement_;
  const std::vector<Word>* words_;
  std::size_t at_;
};

}  // namespace daedalus::circuit
