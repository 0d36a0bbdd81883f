// SPDX-License-Identifier: BSD-3-Clause
// Evaluations that a fit kept: what is taken has the sizes of the fit, and the right sums.
#include <cmath>

#include <daedalus/autodiff.hpp>
#include <daedalus/fit.hpp>

#include "estimation/evaluator.hpp"
#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"

namespace daedalus::fuzz {

namespace {

// x' = -rate x + offset.
Fit decay_fit() {
  const Problem decay = MassMatrixProblem{
      .name = "decay",
      .rhs = autodiff([](const auto& x, auto& f) { f[0] = -x.p[0] * x.y[0] + x.p[1]; }),
      .y0 = Eigen::VectorXd::Constant(1, 1.0),
      .index = 0,
      .variables = {"x"},
      .parameters = {{"rate", 1.0}, {"offset", 0.0}}};
  Fit fit{.model = fit_model(decay, {0.0, 5.0})};
  fit.experiments = {{.name = "run",
                      .t = {1.0, 2.0, 3.0, 4.0},
                      .outputs = {{.name = "x", .value = {0.5, 0.3, 0.2, 0.15}, .sigma = {0.01}}}}};
  fit.free = {parse_free("rate=0.01..10@1"), parse_free("offset=-1..1@0.1")};
  fit.journal = folder() + "/fit.jsonl";
  return fit;
}

std::size_t bytes_of_lines(const std::string& content) {
  const std::size_t end = content.rfind('\n');
  return end == std::string::npos ? 0 : end + 1;
}

}  // namespace

extern const Target fit_journal_target;

static void fit_journal_read(const std::uint8_t* data, std::size_t size) {
  static const Fit fit = decay_fit();
  static const estimation::FitTask task(fit);
  file("fit.jsonl", data, size);
  if (reads([&] { const estimation::Evaluator evaluator(task); }))
    only_with_its_hash(data, bytes_of_lines(text(data, size)), fit_journal_target);
}

const Target fit_journal_target{"fit_journal", fit_journal_read, repair_journal, true};

}  // namespace daedalus::fuzz
