// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/intrinsics.hpp"

#include <functional>
#include <string>
#include <unordered_map>

namespace daedalus::modelica {
namespace {

using Body = std::function<void(Context&, Frame&)>;

const std::unordered_map<std::string, Body>& table() {
  static const std::unordered_map<std::string, Body> all{
      {"Modelica.Utilities.Strings.length",
       [](Context&, Frame& f) {
         *f.find("result") =
             integer_value(static_cast<double>(f.find("string")->s.front().size()));
       }},
      {"Modelica.Utilities.Strings.isEmpty",
       [](Context&, Frame& f) {
         *f.find("result") = boolean_value(
             f.find("string")->s.front().find_first_not_of(" \t\n") == std::string::npos);
       }},
      {"Modelica.Utilities.Strings.compare",
       [](Context&, Frame& f) {
         const int c = f.find("string1")->s.front().compare(f.find("string2")->s.front());
         Value v = integer_value(c < 0 ? 1 : c == 0 ? 2 : 3);
         v.base = f.find("result")->base;
         v.type = f.find("result")->type;
         *f.find("result") = v;
       }},
      {"Modelica.Utilities.Strings.isEqual",
       [](Context&, Frame& f) {
         *f.find("identical") =
             boolean_value(f.find("string1")->s.front() == f.find("string2")->s.front());
       }},
      {"Modelica.Utilities.Streams.print", [](Context&, Frame&) {}},
      {"Modelica.Utilities.Files.loadResource",
       [](Context&, Frame& f) { *f.find("fileReference") = *f.find("uri"); }},
  };
  return all;
}

}  // namespace

bool intrinsic(Context& c, const ClassRef& function, Frame& frame, const ast::Expression&) {
  const ClassRef real = c.resolved(function);
  const auto found = table().find(Library::full_name(real.def));
  if (found == table().end()) return false;
  found->second(c, frame);
  return true;
}

}  // namespace daedalus::modelica
