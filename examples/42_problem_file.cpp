// SPDX-License-Identifier: BSD-3-Clause
// Problems from files of any kind: what a text is, its kind or the ending of its name tells.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/problem_file.hpp>

using namespace daedalus;

int main() {
  for (const ProblemReader& reader : problem_readers()) {
    std::cout << reader.kind << ':';
    for (const std::string_view extension : reader.extensions) std::cout << ' ' << extension;
    std::cout << '\n';
  }
  const ProblemText text{.name = "lowpass.cir",
                         .folder = ".",
                         .content =
                             "low pass\nv1 in 0 1\nr1 in out 1k\nc1 out 0 1u ic=0\n"
                             ".tran 1u 5m uic\n.end\n"};
  ProblemFileOptions options;
  options.kind = "netlist";     // as its ending says, too
  options.allow_files = false;  // it may not read files outside of its folder
  const ProblemFile file = read_problem_text(text, options);
  const Solution s =
      solve(file.entry.problem(), {file.entry.t0, file.entry.t_end}, {.rtol = 1e-8, .atol = 1e-10});
  const ModelState end = s.end();
  const double out = end.all()[end.variables().find("v(out)")], expected = 1.0 - std::exp(-5.0);
  std::cout << file.file << " (" << file.kind << ", " << file.circuit->nodes()
            << " nodes): v(out) = " << out << ", expected " << expected << '\n';
  return s.ok() && std::abs(out - expected) < 1e-4 ? 0 : 1;
}
