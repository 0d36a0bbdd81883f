// SPDX-License-Identifier: BSD-3-Clause
// From statements to the parts of a netlist.
#pragma once

#include <string>
#include <vector>

#include "circuit/netlist/netlist.hpp"

namespace daedalus::circuit {

class NetlistReader {
 public:
  NetlistReader(Netlist& netlist, std::string folder, bool allow_files)
      : n_(netlist), folder_(std::move(folder)), allow_files_(allow_files) {}

  void run(std::string name, std::string text);

 private:
  struct Open {  // a subcircuit that is being read
    std::shared_ptr<Subcircuit> subcircuit;
  };
  // Where a file stands, to find what it includes and to notice circles.
  struct Inclusion {
    std::string path, folder;
    Where from{};
  };

  Body& body() { return open_.empty() ? n_.top : open_.back()->body; }
  void statements(Lines lines);
  void one(Statement statement);
  void element(Statement statement);
  void dot(Statement statement);
  bool structure(const std::string& name, Statement& statement, const std::vector<Word>& words);
  void model(const Statement& statement, const std::vector<Word>& words);
  void subcircuit(const Statement& statement, const std::vector<Word>& words);
  void ends(const Statement& statement, const std::vector<Word>& words);
  void assignments(Cursor& cursor, std::vector<Assignment>& list,
                   bool (Cursor::*next)(Assignment&) = &Cursor::assignment);
  void include(const Statement& statement, const std::vector<Word>& words, bool library);
  void control_line(const Statement& statement);
  void title_remark();
  void refused(const std::string& name, const Statement& statement);

  Netlist& n_;
  std::string folder_;
  bool allow_files_;  // outside of the folder
  std::vector<std::shared_ptr<Subcircuit>> open_;
  std::vector<Inclusion> files_;
  std::string section_;  // of .lib that is wanted; empty: everything
  bool in_section_ = true;
  bool in_control_ = false;
  std::vector<std::string> control_;
  Where control_where_{};
};

}  // namespace daedalus::circuit
