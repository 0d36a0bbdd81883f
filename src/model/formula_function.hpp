// SPDX-License-Identifier: BSD-3-Clause
// Formulas as callables of a problem, with structures and exact derivatives.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <daedalus/function.hpp>

#include "linalg/sparse_pattern.hpp"
#include "model/formulas.hpp"
#include "model/tangent.hpp"

namespace daedalus {

class FormulaFunction final : public detail::FunctionBody, public SparseDerivatives {
 public:
  struct Wanted {
    std::vector<int> vectors{};  // of the slot: derivatives by these
    std::vector<int> sizes{};    // and their lengths
    bool time = false;
    // Lengths of all vectors of the slot, where evaluations over dual numbers are worth a program
    // of their own; all 0: they are not.
    std::array<int, 5> tangents{};
  };
  FormulaFunction(std::shared_ptr<graph::Graph> graph, const graph::Outputs& outputs,
                  const FormulaSettings& settings, const Wanted& wanted);

  bool differentiable() const override { return true; }
  bool point_form() const override { return false; }
  bool names_vector(int k) const override { return reads_[static_cast<std::size_t>(k)]; }
  const SparseDerivatives* sparse_derivatives() const override { return any_ ? this : nullptr; }
  Eval call(const Arguments<double>& a, double* out, int, int) const override {
    values_.run(a, out);
    return Eval::ok;
  }
  Eval call(const Arguments<Dual4>& a, Dual4* out, int, int) const override {
    if (!tangent_ || !tangent_->run(a, out)) values_.run(a, out);
    return Eval::ok;
  }
  Eval call(const Arguments<Taylor2>& a, Taylor2* out, int, int) const override {
    values_.run(a, out);
    return Eval::ok;
  }
  Eval call(const Arguments<Taylor2Dual>& a, Taylor2Dual* out, int, int) const override {
    values_.run(a, out);
    return Eval::ok;
  }
  Eval call(const Arguments<Recorded>& a, Recorded* out, int rows, int cols) const override;

  const SparsePattern& pattern(int vector) const override;
  Eval by_vector(int vector, const Arguments<double>& a, double* entries) const override;
  Eval by_time(const Arguments<double>& a, double* column) const override;
  int count() const { return values_.count(); }
  bool uses_machine_code() const { return values_.uses_machine_code(); }

 private:
  struct Part {
    SparsePattern pattern;
    std::unique_ptr<Formulas> entries;
  };
  std::shared_ptr<graph::Graph> graph_;
  graph::Outputs lowered_;
  FormulaSettings settings_;
  Formulas values_;
  std::array<bool, 5> reads_{};
  bool any_ = false;
  std::array<Part, 5> parts_;
  std::unique_ptr<Formulas> by_time_;
  std::unique_ptr<Tangent> tangent_;
};

// Entries of d outputs / d time as rows of the outputs.
graph::Outputs time_column(graph::Graph& graph, const graph::Outputs& lowered);

}  // namespace daedalus
