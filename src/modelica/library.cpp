// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "io/trajectory_formats.hpp"
#include "modelica/parser.hpp"

namespace daedalus::modelica {

namespace fs = std::filesystem;

Library::Library(std::vector<std::string> folders, Files& files, Mistakes& mistakes)
    : folders_(std::move(folders)), files_(files), mistakes_(mistakes) {}

std::string Library::full_name(const ast::Class* c) {
  return c->parent ? full_name(c->parent) + "." + c->name : c->name;
}

std::vector<ast::Class*> Library::add_text(std::string name, std::string content) {
  const fs::path folder = fs::path(name).parent_path();
  const int file = files_.add(std::move(name), std::move(content));
  ast::File parsed = parse_file(files_, file, arena_, mistakes_);
  ast::Class* parent = nullptr;
  if (parsed.has_within && !parsed.within.parts.empty()) {
    // A file of a library that is opened by itself: its package is read from the folder above.
    fs::path root = folder;
    for (std::size_t k = 0; k < parsed.within.parts.size(); ++k) root = root.parent_path();
    folders_.push_back(root.empty() ? "." : root.string());
    const ast::Class* c = top(parsed.within.parts.front());
    for (std::size_t k = 1; c && k < parsed.within.parts.size(); ++k)
      c = member(c, parsed.within.parts[k]);
    if (!c)
      mistakes_.error({Phase::load, parsed.within.place,
                       fmt::format("'within {};' but the file lies in '{}'", parsed.within.text(),
                                   folder.string()),
                       "leave 'within' out, or give the folder of the library by --library"});
    parent = const_cast<ast::Class*>(c);
  }
  for (ast::Class* c : parsed.classes) {
    c->parent = parent;
    auto& place = parent ? members(parent).classes[c->name] : top_[c->name];
    if (place && !parent)
      mistakes_.error({Phase::load, c->name_place,
                       fmt::format("two classes are called '{}'", c->name),
                       "the other one is in " + files_.where(place->name_place)});
    place = c;
  }
  return parsed.classes;
}

Library::Members& Library::members(const ast::Class* parent) {
  const auto known = members_.find(parent);
  if (known != members_.end()) return known->second;
  Members& m = members_[parent];
  for (const ast::Element& e : parent->elements) {
    if (e.kind == ast::Element::Kind::class_)
      m.classes.emplace(e.class_->name, const_cast<ast::Class*>(e.class_));
    if (e.kind == ast::Element::Kind::component)
      m.components.emplace(e.component->name, e.component);
  }
  return m;
}

const ast::Component* Library::component(const ast::Class* parent, const std::string& name) {
  const Members& m = members(parent);
  const auto found = m.components.find(name);
  return found == m.components.end() ? nullptr : found->second;
}

const ast::Class* Library::member(const ast::Class* parent, const std::string& name) {
  Members& m = members(parent);
  if (const auto found = m.classes.find(name); found != m.classes.end()) return found->second;
  const auto folder = directory_.find(parent);
  if (folder == directory_.end()) return nullptr;
  ast::Class* loaded = load_from(folder->second, name, const_cast<ast::Class*>(parent));
  members(parent).classes[name] = loaded;  // null as well: it is not looked for again
  return loaded;
}

const ast::Class* Library::top(const std::string& name) {
  if (const auto found = top_.find(name); found != top_.end()) return found->second;
  ast::Class* loaded = nullptr;
  for (std::size_t k = 0; k < folders_.size() && !loaded; ++k) {
    loaded = load_from(folders_[k], name, nullptr);
    if (!loaded)
      if (const fs::path p = versioned(folders_[k], name); !p.empty())
        loaded = load(p / "package.mo", nullptr, name);
  }
  top_[name] = loaded;
  return loaded;
}

ast::Class* Library::load_from(const fs::path& folder, const std::string& name,
                               ast::Class* parent) {
  std::error_code ignored;
  for (const fs::path& file : {folder / name / "package.mo", folder / (name + ".mo")})
    if (fs::is_regular_file(file, ignored)) return load(file, parent, name);
  return nullptr;
}

// "Modelica 4.0.0": the highest version, by its numbers.
fs::path Library::versioned(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  std::pair<std::vector<int>, fs::path> best;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string text = entry.path().filename().string();
    if (text.rfind(name + " ", 0) != 0 ||
        !fs::is_regular_file(entry.path() / "package.mo", ignored))
      continue;
    std::vector<int> version;
    std::istringstream rest(text.substr(name.size() + 1));
    for (std::string number; std::getline(rest, number, '.');)
      version.push_back(std::atoi(number.c_str()));
    if (best.second.empty() || version > best.first) best = {version, entry.path()};
  }
  return best.second;
}

ast::Class* Library::load(const fs::path& path, ast::Class* parent, const std::string& wanted) {
  const int file = files_.add(path.string(), files::contents(path));
  ast::File parsed = parse_file(files_, file, arena_, mistakes_);
  const std::string within = parent ? full_name(parent) : "";
  if (parent && parsed.has_within && parsed.within.text() != within)
    mistakes_.error(
        {Phase::load, parsed.within.place,
         fmt::format("'within {};' but the file lies in '{}'", parsed.within.text(), within),
         "write 'within " + within + ";'"});
  ast::Class* found = nullptr;
  for (ast::Class* c : parsed.classes) {
    c->parent = parent;
    if (c->name == wanted) found = c;
  }
  if (found && path.filename() == "package.mo") directory_[found] = path.parent_path();
  return found;
}

std::vector<std::string> Library::member_names(const ast::Class* parent) {
  std::vector<std::string> names;
  for (const auto& [name, c] : members(parent).classes)
    if (c) names.push_back(name);
  if (const auto folder = directory_.find(parent); folder != directory_.end()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder->second, ignored)) {
      const fs::path& p = entry.path();
      if (p.extension() == ".mo" && p.filename() != "package.mo")
        names.push_back(p.stem().string());
      else if (fs::is_regular_file(p / "package.mo", ignored))
        names.push_back(p.filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> Library::top_names() const {
  std::vector<std::string> names;
  for (const auto& [name, c] : top_)
    if (c) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace daedalus::modelica
