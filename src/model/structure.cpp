// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "graph/incidence.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using graph::InputKind;

constexpr std::size_t max_listed = 8;  // names in one sentence

template <class NameOf>
std::string listed(const std::vector<int>& which, NameOf&& name) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(max_listed, which.size()); ++k)
    names.push_back(name(which[k]));
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (which.size() > max_listed) text += fmt::format(" and {} more", which.size() - max_listed);
  return text;
}

class Analysis {
 public:
  Analysis(const FlatModel& flat, const ModelBuilder::Data& built) : flat_(flat), built_(built) {}

  ModelStructure run() {
    const Signature signature = signature_of(flat_);
    const int n = static_cast<int>(flat_.variables.size());
    s_.report.variables = n;
    s_.report.equations = static_cast<int>(signature.size());
    s_.report.aliases = flat_.aliases;
    s_.differentiated.assign(at(n), 0);
    for (const auto& row : signature)
      for (const SignatureRow& e : row)
        if (e.order == 1) s_.differentiated[at(e.variable)] = 1;
    const Transversal with = max_transversal(signature, n);
    if (!with.complete) {
      blame(signature, with);
      return std::move(s_);
    }
    const Offsets offsets = min_offsets(signature, n, with);
    index(signature, with, offsets);
    tell(offsets);
    return std::move(s_);
  }

 private:
  std::string equation(int i) const { return "\"" + *flat_.rows[at(i)].text + "\""; }
  std::string variable(int j) const { return "'" + flat_.variables[at(j)].name + "'"; }

  Diagnostic diagnostic(std::string message, const StructuralAnalysis::Block& part) const {
    Diagnostic d{Diagnostic::Severity::error, std::move(message), {}, {}};
    for (const int i : part.equations)
      d.places.push_back(built_.place(flat_.rows[at(i)].position, *flat_.rows[at(i)].text));
    for (const int j : part.variables) d.names.push_back(flat_.variables[at(j)].name);
    if (d.places.empty())
      for (const int j : part.variables)
        d.places.push_back(
            built_.place(flat_.variables[at(j)].options.position, flat_.variables[at(j)].name));
    return d;
  }

  void blame(const Signature& signature, const Transversal& with) {
    const int n = s_.report.variables, m = s_.report.equations;
    if (m != n)
      s_.diagnostics.push_back(
          {Diagnostic::Severity::error,
           fmt::format("The model has {} equations for {} variables{}.", m, n,
                       flat_.aliases.empty() ? std::string()
                                             : fmt::format(" ({} pairs of equal ones taken out)",
                                                           flat_.aliases.size())),
           {},
           {}});
    const auto over = overdetermined_part(signature, with);
    const auto under = underdetermined_part(signature, n, with);
    const auto name = [this](int j) { return variable(j); };
    const auto row = [this](int i) { return equation(i); };
    if (!over.equations.empty())
      s_.diagnostics.push_back(diagnostic(
          over.variables.empty()
              ? fmt::format("No variable occurs in {}.", listed(over.equations, row))
              : fmt::format("Over-determined: the {} equations {} contain only the {} variables "
                            "{}. Take {} of these equations out.",
                            over.equations.size(), listed(over.equations, row),
                            over.variables.size(), listed(over.variables, name),
                            over.equations.size() - over.variables.size()),
          over));
    if (!under.variables.empty())
      s_.diagnostics.push_back(diagnostic(
          under.equations.empty()
              ? fmt::format("{} occurs in no equation.", listed(under.variables, name))
              : fmt::format("Under-determined: the {} variables {} occur only in the {} equations "
                            "{}. {} more equations are needed for them.",
                            under.variables.size(), listed(under.variables, name),
                            under.equations.size(), listed(under.equations, row),
                            under.variables.size() - under.equations.size()),
          under));
  }

  // Index of a variable: 1 + how often more the equations it depends on are differentiated than it
  // is itself.
  void index(const Signature& signature, const Transversal& with, const Offsets& o) {
    const int n = s_.report.variables;
    int max_c = 0, sum = 0;
    bool some_zero = n == 0;
    for (const int c : o.c) max_c = std::max(max_c, c), sum -= c;
    for (const int d : o.d) some_zero = some_zero || d == 0, sum += d;
    s_.report.index = max_c + static_cast<int>(some_zero);
    s_.report.degrees_of_freedom = sum;
    if (max_c == 0) return;
    std::vector<int> deepest(at(n), 0);  // K by variable
    for (const auto& block : triangular_blocks(signature, with, o)) {
      int k = 0;
      for (const int i : block.equations) {
        k = std::max(k, o.c[at(i)]);
        for (const SignatureRow& e : signature[at(i)])
          if (o.d[at(e.variable)] - o.c[at(i)] == e.order) k = std::max(k, deepest[at(e.variable)]);
      }
      for (const int j : block.variables) deepest[at(j)] = k;
    }
    for (int j = 0; j < n; ++j)
      s_.variable_index.push_back(1 + std::max(0, deepest[at(j)] - o.d[at(j)]));
  }

  void tell(const Offsets& o) {
    StructureReport& r = s_.report;
    r.text = fmt::format("{} equations for {} variables", r.equations, r.variables);
    if (!r.aliases.empty())
      r.text += fmt::format(", {} pairs of equal ones taken out", r.aliases.size());
    r.text += fmt::format("; index {}, {} degree{} of freedom.", r.index, r.degrees_of_freedom,
                          r.degrees_of_freedom == 1 ? "" : "s");
    for (int times = 1; times <= 9; ++times) {
      std::vector<int> rows;
      for (std::size_t i = 0; i < o.c.size(); ++i)
        if (o.c[i] == times) rows.push_back(static_cast<int>(i));
      if (rows.empty()) continue;
      for (const int i : rows) r.hidden.push_back({*flat_.rows[at(i)].text, times, {}});
      r.text += fmt::format(" Differentiating {} {} shows what is hidden.",
                            listed(rows, [this](int i) { return equation(i); }),
                            times == 1   ? "once"
                            : times == 2 ? "twice"
                                         : fmt::format("{} times", times));
    }
  }

  const FlatModel& flat_;
  const ModelBuilder::Data& built_;
  ModelStructure s_;
};

}  // namespace

Signature signature_of(const FlatModel& flat) {
  const auto states = graph::incidence(*flat.graph, flat.residuals, InputKind::state);
  const auto rates = graph::incidence(*flat.graph, flat.residuals, InputKind::derivative);
  Signature signature(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const int j : rates[i]) signature[i].push_back({j, 1});
    for (const int j : states[i])
      if (!std::binary_search(rates[i].begin(), rates[i].end(), j)) signature[i].push_back({j, 0});
  }
  return signature;
}

ModelStructure analyse(const FlatModel& flat, const ModelBuilder::Data& built, bool modes) {
  ModelStructure s = Analysis(flat, built).run();
  s.common_index = s.report.index;
  if (modes && s.diagnostics.empty()) analyse_modes(flat, built, s);
  return s;
}

}  // namespace daedalus
