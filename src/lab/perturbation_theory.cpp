// SPDX-License-Identifier: BSD-3-Clause
// Bounds for the effect of residuals that change from step to step: Arnold (1998), Table 2.1,
// Theorems 5 and 8, Table 3.1 and Remark 15a. Constants are not known and taken as 1, except mu and
// nu, which multiply terms that vanish with them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/perturbation_parts.hpp"

namespace daedalus {
namespace {

using Terms = std::vector<PerturbationTerm>;
constexpr PerturbationTerm plain{1.0, 0.0, 1.0};

// factor theta^a / h^b.
PerturbationTerm over(double a, double b, double factor = 1.0) { return {a, 0.0 - b, factor}; }

void add_if(Terms& terms, const PerturbationTerm& term) {
  if (term.factor > 0.0) terms.push_back(term);
}

// y of y' = f(y, z), 0 = g(y): (2.35) with theta D_h refined to nu theta D_h (Remark 10).
Terms index_two_terms(const PerturbationSensitivity& s) {
  Terms terms{plain};
  if (!s.reason.empty()) {
    terms.push_back(over(2, 1));
    terms.push_back(over(2, 2));
    return terms;
  }
  if (s.constant) return terms;
  add_if(terms, over(2, 1, s.nu));
  if (!s.linear) add_if(terms, over(2, 2, s.mu));
  return terms;
}

PerturbationBound semi_explicit(const SemiExplicitProblem& p, const PerturbationStudy& study,
                                const std::string& formulation, const std::string& component,
                                const PerturbationSensitivity& s) {
  PerturbationBound b;
  const int m = p.hessenberg_blocks.empty() ? 1 : static_cast<int>(p.hessenberg_blocks.size()) + 1;
  const bool y = component == "y";
  b.differential = y;
  if (formulation == "regularised") return b;
  if (formulation == "baumgarte") {
    b.source = "Arnold (1998), Remark 14a";
    const double alpha = perturbation::option_of(study.options, formulation, "alpha");
    if (y) {
      b.terms = {plain};
    } else {
      b.terms = {over(1, 0, alpha), over(1, 1)};
      b.smallest = true;
    }
    return b;
  }
  if (m == 1) {
    b.terms = {plain};
    b.source = "Arnold (1998), Theorem 2 and (1.7)";
  } else if (study.rows == PerturbedRows::differential) {
    b.terms = {plain};
    if (y && m == 2 && s.reason.empty() && !s.linear) add_if(b.terms, over(2, 0, s.mu));
    b.source = m == 2 ? "Arnold (1998), (2.35)" : "Arnold (1998), section 2.3";
  } else if (formulation == "linearised") {
    // z = z(y) by the hidden constraint, the new multiplier eta in place of z.
    b.terms = component == "eta" ? Terms{over(1, 1)} : Terms{plain, over(2, 1)};
    b.source = "Arnold (1998), (2.49), (2.35)";
  } else if (m == 2) {
    b.terms = y ? index_two_terms(s) : Terms{over(1, 1)};
    b.source = "Arnold (1998), Theorem 5, Table 2.1";
  } else {
    b.terms = {over(1, y ? m - 2 : m - 1)};
    b.source = m == 3 ? "Arnold (1998), Remark 11b" : "Arnold (1998), Remark 4c";
  }
  return b;
}

// Terms in q and S v that friction adds to a form of index k: f depends on lambda, whose error is
// theta / h^(k-1), and on v.
void add_friction(Terms& terms, const PerturbationSensitivity& s, int k) {
  if (!s.reason.empty()) return;
  add_if(terms, over(2, k == 3 ? 3 : 1, s.nu));
  if (!s.linear) add_if(terms, over(2, 2 * (k - 1), s.mu));
}

PerturbationBound multibody(const PerturbationStudy& study, const std::string& formulation,
                            const std::string& component, const PerturbationSensitivity& s) {
  PerturbationBound b;
  const bool tangential = component == "q" || component == "Sv" || component == "s";
  const bool lambda = component == "lambda", eta = component == "eta";
  const bool velocity = component == "v" || component == "Gv";
  b.differential = tangential;
  const double level = perturbation::option_of(study.options, formulation, "level");
  const bool overdetermined = formulation.rfind("overdetermined", 0) == 0;
  const bool all_levels = formulation == "stabilised-index1" || (overdetermined && level == 1.0);
  if (component == "c" || formulation == "regularised" || formulation == "state-space") return b;
  if (study.rows == PerturbedRows::differential) {
    b.terms = {plain};
    if (tangential && formulation == "index3") b.terms.push_back(over(2, 0));
    b.source = "Arnold (1998), Theorem 8, Table 3.1";
  } else if (formulation == "index3") {
    if (tangential) {
      b.terms = {plain, over(2, 2)};
      add_friction(b.terms, s, 3);
      // The projector of this report is the one without friction; part of what it calls tangential
      // is normal in the sense of (2.59).
      if (component == "Sv" && s.reason.empty() && (s.nu > 0.0 || s.mu > 0.0)) {
        b.terms.push_back(over(1, 1));
        b.differential = false;
      }
      b.source = s.nu > 0.0 || s.mu > 0.0 ? "Arnold (1998), (2.60)" : "Arnold (1998), Theorem 8";
    } else {
      b.terms = {over(1, lambda ? 2 : 1)};
      if (component == "v") add_friction(b.terms, s, 3);
      b.source = "Arnold (1998), Theorem 8";
    }
  } else if (formulation == "index2") {
    b.terms = {lambda ? over(1, 1) : plain};
    if (tangential || component == "v") add_friction(b.terms, s, 2);
    b.source = "Arnold (1998), Table 3.1, Remark 15a";
  } else if (formulation == "index1") {
    b.terms = {plain};
    b.source = "Arnold (1998), section 2.1: index 1";
  } else if (formulation == "ggl" || (overdetermined && !all_levels)) {
    b.terms = lambda || eta       ? Terms{over(1, 1)}
              : component == "Gv" ? Terms{plain}
                                  : Terms{plain, over(2, 1)};
    if (tangential || component == "v") add_friction(b.terms, s, 2);
    b.source = "Arnold (1998), Table 3.1, Remark 15a";
  } else if (all_levels || formulation == "linearised") {
    b.terms = eta ? Terms{over(1, 1)} : component == "Gv" ? Terms{plain} : Terms{plain, over(2, 1)};
    b.source = all_levels ? "Arnold (1998), Remark 15b" : "Arnold (1998), (2.49), (2.35)";
  } else if (formulation == "baumgarte") {
    const double alpha = perturbation::option_of(study.options, formulation, "alpha");
    b.terms = {plain};
    if (velocity) b.terms = {over(1, 0, alpha), over(1, 1)};
    if (lambda) b.terms = {over(1, 0, alpha * alpha), over(1, 2)};
    b.smallest = b.terms.size() > 1;
    b.source = "Arnold (1998), Remark 14";
  }
  return b;
}

std::string power(const char* base, double exponent) {
  return exponent == 1.0 ? base : fmt::format("{}^{:g}", base, exponent);
}

std::string text_of(const PerturbationTerm& t, const char* theta) {
  std::string text = power(theta, t.theta_exponent);
  if (t.factor != 1.0) text = fmt::format("{:.2g} {}", t.factor, text);
  if (t.h_exponent < 0.0) text += "/" + power("h", -t.h_exponent);
  return text;
}

std::string text_of(const PerturbationBound& b, const char* theta) {
  std::string text;
  for (const PerturbationTerm& t : b.terms)
    text += (text.empty() ? "" : b.smallest ? ", " : " + ") + text_of(t, theta);
  return b.smallest ? "min(" + text + ")" : text;
}

}  // namespace

double PerturbationTerm::at(double theta, double h) const {
  return factor * std::pow(theta, theta_exponent) * std::pow(h, h_exponent);
}

PerturbationBound perturbation_bound(const PerturbationStudy& study, const std::string& formulation,
                                     const std::string& component,
                                     const PerturbationSensitivity& sensitivity) {
  PerturbationBound b;
  if (const auto* p = std::get_if<SemiExplicitProblem>(&study.problem)) {
    b = semi_explicit(*p, study, formulation, component, sensitivity);
  } else if (std::holds_alternative<MultibodyProblem>(study.problem)) {
    b = multibody(study, formulation, component, sensitivity);
  } else {
    b.terms = {over(1, std::max(index_of(study.problem) - 1, 0))};
    b.source = "Arnold (1998), Remark 4c";
  }
  // Differences of smooth residuals are derivatives: nothing is amplified as h falls.
  if (study.kind == PerturbationKind::smooth && !b.terms.empty()) {
    b.terms = {plain};
    b.smallest = false;
    b.source = "Arnold (1998), (2.6), Table 3.1";
  }
  b.text = text_of(b, study.rows == PerturbedRows::differential ? "delta" : "theta");
  return b;
}

StepRegions step_regions(const std::vector<PerturbationBound>& bounds, double theta, int order) {
  StepRegions r;
  r.theta = theta;
  r.order = order;
  const double p = order;
  // factor theta^a h^b = h^p.
  for (const PerturbationBound& b : bounds) {
    double meeting = 0.0;
    for (const PerturbationTerm& t : b.terms)
      if (t.h_exponent < 0.0)
        meeting = std::max(meeting, std::pow(t.factor * std::pow(theta, t.theta_exponent),
                                             1.0 / (p - t.h_exponent)));
    // min(.., theta/h^k): rising only where the part without h is the larger one.
    if (b.smallest && !b.terms.empty() && b.terms.front().at(theta, meeting) < std::pow(meeting, p))
      meeting = 0.0;
    r.rising = std::max(r.rising, meeting);
    if (b.differential) r.smallest = std::max(r.smallest, meeting);
  }
  if (!(theta > 0.0) || r.rising == 0.0)
    r.text = "no component is expected to suffer from smaller steps";
  else if (r.smallest == 0.0)
    r.text = fmt::format(
        "residuals of {:.1e} in the constraints: algebraic variables lose accuracy with steps "
        "below "
        "about {:.1e}, the others do not",
        theta, r.rising);
  else
    r.text = fmt::format(
        "residuals of {:.1e} in the constraints: region A (all errors fall with h) above h = "
        "{:.1e}, "
        "B (algebraic variables lose accuracy, leave them out of the error test or weight them "
        "with "
        "h) down to {:.1e}, C (everything gets worse) below; recommended smallest step {:.1e}",
        theta, r.rising, r.smallest, r.smallest);
  return r;
}

}  // namespace daedalus
