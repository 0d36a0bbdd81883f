// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedalus/model_file.hpp>

#include "model/cpp/writer.hpp"

namespace daedalus {
namespace {

constexpr std::string_view index_helper = R"(
// first, first + step, ...
std::vector<int> indices(int first, int step, int count) {
  std::vector<int> list;
  for (int k = 0; k < count; ++k) list.push_back(first + k * step);
  return list;
}
)";

constexpr std::string_view main_program = R"(
#ifndef DAEDALUS_NO_MAIN
int main() {
  const Entry entry = FUNCTION().model()->entry();
  Options options;
  entry.apply(options);
  const Solution solution = solve(entry.problem(), {entry.t0, entry.t_end}, options);
  const ModelState end = solution.end();
  std::printf("%s at t = %.17g\n", std::string(to_string(solution.status())).c_str(), end.t());
  for (int i = 0; i < end.variables().size(); ++i)
    std::printf("%s = %.17g\n", end.variables().names[static_cast<std::size_t>(i)].c_str(),
                end.y()[i]);
  return solution.ok() ? 0 : 1;
}
#endif
)";

}  // namespace

std::string model_as_cpp(const ModelBuilder& builder, std::string_view source) {
  model::Identifiers names;
  const std::string function = names.make(builder.name());
  model::CppWriter writer(builder.data(), names);
  const std::string body = writer.body();
  std::string out = "// The model '" + builder.name() + "' as C++";
  if (!source.empty()) out += ", made from " + std::string(source);
  out +=
      ".\n#include <cstdio>\n#include <limits>\n#include <memory>\n#include <string>\n#include "
      "<vector>\n\n#include <daedalus/graph_table.hpp>\n#include <daedalus/model.hpp>\n#include "
      "<daedalus/solve.hpp>\n\nusing namespace daedalus;\n";
  if (writer.uses_index_ranges())
    out += "\nnamespace {\n" + std::string(index_helper) + "\n}  // namespace\n";
  out += fmt::format("\nModelBuilder {}() {{\n  ModelBuilder m({});\n{}  return m;\n}}\n", function,
                     model::cpp_string(builder.name()), body);
  std::string program(main_program);
  program.replace(program.find("FUNCTION"), 8, function);
  return out + program;
}

}  // namespace daedalus
