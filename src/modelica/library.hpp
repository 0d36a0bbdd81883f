// SPDX-License-Identifier: BSD-3-Clause
// Classes by name: those of the user's file, and of libraries in folders, which are read one file
// at a time where a name asks for it.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "modelica/ast.hpp"

namespace daedalus::modelica {

class Library {
 public:
  Library(std::vector<std::string> folders, Files& files, Mistakes& mistakes);

  // Classes of a text join the top level. They are given in their order.
  std::vector<ast::Class*> add_text(std::string name, std::string content);
  const ast::Class* top(const std::string& name);  // null: there is none
  // A class that stands in another one; not inherited ones.
  const ast::Class* member(const ast::Class* parent, const std::string& name);
  const ast::Component* component(const ast::Class* parent, const std::string& name);
  std::vector<std::string> member_names(const ast::Class* parent);
  std::vector<std::string> top_names() const;
  const std::vector<std::string>& folders() const { return folders_; }
  int files_read() const { return files_.count(); }

  static std::string full_name(const ast::Class* c);

 private:
  struct Members {
    std::unordered_map<std::string, ast::Class*> classes;
    std::unordered_map<std::string, const ast::Component*> components;
  };
  Members& members(const ast::Class* parent);
  ast::Class* load(const std::filesystem::path& file, ast::Class* parent,
                   const std::string& wanted);
  ast::Class* load_from(const std::filesystem::path& folder, const std::string& name,
                        ast::Class* parent);
  std::filesystem::path versioned(const std::filesystem::path& folder, const std::string& name);

  std::vector<std::string> folders_;
  Files& files_;
  Mistakes& mistakes_;
  ast::Arena arena_;
  std::unordered_map<std::string, ast::Class*> top_;
  std::unordered_map<const ast::Class*, Members> members_;
  std::unordered_map<const ast::Class*, std::filesystem::path> directory_;  // of packages
};

}  // namespace daedalus::modelica
