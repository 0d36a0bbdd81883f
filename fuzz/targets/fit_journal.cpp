// SPDX-License-Identifier: BSD-3-Clause
// Evaluations that a fit kept: what is taken has the sizes of the fit, and the right sums.
#include "estimation/evaluator.hpp"
#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"
#include "tests/fit/decay.hpp"

namespace daedalus::fuzz {

namespace {

Fit fit_with_journal() {
  Fit fit = fit_test::decay_fit();
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
  static const Fit fit = fit_with_journal();
  static const estimation::FitTask task(fit);
  file("fit.jsonl", data, size);
  if (reads([&] { const estimation::Evaluator evaluator(task); }))
    only_with_its_hash(data, bytes_of_lines(text(data, size)), fit_journal_target);
}

const Target fit_journal_target{"fit_journal", fit_journal_read, repair_journal, true};

}  // namespace daedalus::fuzz
