// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/intrinsics.hpp"

#include <string>
#include <unordered_map>

namespace daedalus::modelica {
namespace {

std::unordered_map<std::string, Intrinsic> made() {
  std::unordered_map<std::string, Intrinsic> all{
      {"Modelica.Utilities.Strings.length",
       [](const IntrinsicCall& i) {
         Frame& f = i.frame;
         *f.find("result") = integer_value(static_cast<double>(f.find("string")->s.front().size()));
       }},
      {"Modelica.Utilities.Strings.isEmpty",
       [](const IntrinsicCall& i) {
         Frame& f = i.frame;
         *f.find("result") = boolean_value(f.find("string")->s.front().find_first_not_of(" \t\n") ==
                                           std::string::npos);
       }},
      {"Modelica.Utilities.Strings.compare",
       [](const IntrinsicCall& i) {
         Frame& f = i.frame;
         const int c = f.find("string1")->s.front().compare(f.find("string2")->s.front());
         Value v = integer_value(c < 0 ? 1 : c == 0 ? 2 : 3);
         v.base = f.find("result")->base;
         v.type = f.find("result")->type;
         *f.find("result") = v;
       }},
      {"Modelica.Utilities.Strings.isEqual",
       [](const IntrinsicCall& i) {
         Frame& f = i.frame;
         *f.find("identical") =
             boolean_value(f.find("string1")->s.front() == f.find("string2")->s.front());
       }},
      {"Modelica.Utilities.Streams.print", [](const IntrinsicCall&) {}},
      {"Modelica.Utilities.Files.loadResource",
       [](const IntrinsicCall& i) {
         Frame& f = i.frame;
         *f.find("fileReference") = *f.find("uri");
       }},
  };
  add_table_functions(all);
  return all;
}

const std::unordered_map<std::string, Intrinsic>& table() {
  static const std::unordered_map<std::string, Intrinsic> all = made();
  return all;
}

}  // namespace

bool intrinsic(Context& c, const ClassRef& function, Frame& frame, const ast::Expression& call) {
  const ClassRef real = c.resolved(function);
  const auto found = table().find(Library::full_name(real.def));
  if (found == table().end()) return false;
  found->second({c, frame, call.place});
  return true;
}

}  // namespace daedalus::modelica
