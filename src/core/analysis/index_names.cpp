// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/index_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace daedalus {

std::vector<OriginTerm> origin_terms(const IndexReduction::Constraint& c) {
  std::vector<OriginTerm> terms;
  const double most = c.origin.cwiseAbs().maxCoeff();
  for (int i = 0; i < c.origin.rows(); ++i)
    for (int d = static_cast<int>(c.origin.cols()) - 1; d >= 0; --d)
      if (std::abs(c.origin(i, d)) > 1e-10 * most) {
        terms.push_back({i, d});
        break;
      }
  std::stable_sort(terms.begin(), terms.end(), [](const OriginTerm& a, const OriginTerm& b) {
    return a.derivative > b.derivative;
  });
  return terms;
}

std::string times_text(int times) {
  return times == 1 ? "once" : times == 2 ? "twice" : fmt::format("{} times", times);
}

std::string derivative_text(const std::string& equation, int d) {
  if (d == 0) return fmt::format("'{}'", equation);
  return d == 1 ? fmt::format("d/dt '{}'", equation)
                : fmt::format("d^{0}/dt^{0} '{1}'", d, equation);
}

std::string short_list(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more",
                     fmt::join(names.begin(), names.begin() + static_cast<long>(most), ", "),
                     names.size() - most);
}

std::string origin_text(const IndexReduction::Constraint& c,
                        const std::vector<std::string>& equations) {
  std::vector<std::string> leading, others;
  for (const OriginTerm& term : origin_terms(c))
    (term.derivative == c.round ? leading : others)
        .push_back(
            derivative_text(equations[static_cast<std::size_t>(term.equation)], term.derivative));
  std::string text = short_list(leading, 4);
  if (!others.empty()) text += " with " + short_list(others, 6);
  return text;
}

}  // namespace daedalus
