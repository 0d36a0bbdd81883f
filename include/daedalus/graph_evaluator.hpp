// SPDX-License-Identifier: BSD-3-Clause
// Evaluation and differentiation of expression graphs: interpreted everywhere, as machine code
// where the library was built with asmjit and the processor fits; the numbers are the same.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

// A sparse matrix of expressions, column by column: row k of `entries` is entry k.
struct Jacobian {
  int rows = 0, columns = 0;
  std::vector<int> outer;  // first entry of each column, and the number of entries
  std::vector<int> inner;  // row of each entry, sorted within a column
  Outputs entries;
};

// d outputs / d inputs of this kind, exact, by the first `columns` inputs. The structure holds over
// all branches; maps stay maps.
Jacobian differentiate(Graph& graph, const Outputs& outputs, InputKind kind, int columns);

struct EvaluatorOptions {
  // Where it is available; the environment variable DAEDALUS_JIT=off switches it off, too.
  bool machine_code = true;
};

// Made once; then nothing is allocated. One per thread.
class Evaluator {
 public:
  Evaluator(Graph& graph, const Outputs& outputs, EvaluatorOptions options = {});
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;

  int output_count() const;
  bool uses_machine_code() const;
  // Where values of these inputs are found from now on, number 0 first; time is one value. What
  // depends on parameters, modes and time alone is computed again only when these have changed.
  void set(InputKind kind, std::span<const double> values);
  // out[row] of all rows. False: an assertion failed, see message().
  bool run(std::span<double> out);
  const std::string& message() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace daedalus::graph
