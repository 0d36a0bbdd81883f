// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/diagnosis_parts.hpp"
#include "analysis/jacobian_check.hpp"
#include "formulation/lower.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus {
namespace diagnosis {
namespace {

constexpr int max_system = 300;  // dense singular values
constexpr double epsilon = std::numeric_limits<double>::epsilon();

bool exact_derivatives(const Problem& problem) {
  const auto good = [](const auto&... f) { return ((!f || f.differentiable()) && ...); };
  if (const auto* i = std::get_if<ImplicitProblem>(&problem)) return good(i->residual, i->leading);
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) return good(m->rhs, m->mass);
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem)) return good(e->f, e->g);
  const auto& b = std::get<MultibodyProblem>(problem);
  return good(b.mass, b.force, b.constraint);
}

// Derivatives that a user gave are not asked: they may be what is wrong.
Problem without_given_derivatives(Problem problem) {
  if (auto* i = std::get_if<ImplicitProblem>(&problem)) i->jacobian_y = {}, i->jacobian_yp = {};
  if (auto* m = std::get_if<MassMatrixProblem>(&problem)) m->jacobian = {};
  if (auto* e = std::get_if<SemiExplicitProblem>(&problem))
    e->f_y = {}, e->f_z = {}, e->g_y = {}, e->g_z = {};
  return problem;
}

bool overflows(const Eigen::VectorXd& x) {
  return x.size() > 0 && x.allFinite() && x.cwiseAbs().maxCoeff() > 1e60;
}

std::optional<Site> make_site(const Problem& problem, const Options& options, const RunTrace& run) {
  const auto* body = std::get_if<MultibodyProblem>(&problem);
  Site site;
  site.problem = std::make_shared<const Problem>(without_given_derivatives(problem));
  site.options = &options;
  site.run = &run;
  site.exact = exact_derivatives(problem);
  site.system = lower(site.problem, body ? "index1" : "", View::residual, {}, run.t0);
  const int n = site.size();
  if (n > max_system || static_cast<int>(site.system->equations.size()) != n) return std::nullopt;
  State given = model_start(*site.system, problem, run.t0);
  site.system->prepare(given);
  const std::vector<double> at_start = *site.system->modes;
  const std::vector<double>& at_end = run.modes.empty() ? at_start : run.modes;
  site.start = place_at(site, run.t0, run.start, given.xd, at_start);
  if (run.accepted > 0) site.end = place_at(site, run.t, run.end, run.rates, at_end);
  // Near the largest numbers nothing can be evaluated any more; what grew is known all the same.
  if (run.accepted > 0 && !site.end && site.start && overflows(run.end)) {
    site.end = *site.start;
    site.end->modes = at_end;
    site.system->from_model(run.t, run.end.data(), site.end->s);
    site.end->s.t = run.t;
  }
  // Differences of large terms leave errors where no rate occurs.
  if (!site.exact && site.start && site.end) {
    const double none = 1e-9 * site.start->E.cwiseAbs().maxCoeff();
    site.end->E = (site.start->E.array().abs() > none).select(site.end->E, 0.0);
    const auto* mass = std::get_if<MassMatrixProblem>(&problem);
    const bool constant =
        std::holds_alternative<SemiExplicitProblem>(problem) || (mass && !mass->mass);
    if (constant) site.end->E = site.start->E;
  }
  return site;
}

}  // namespace

double Site::length() const {
  const double whole = std::abs(run->t_end - run->t0);
  return whole > 0.0 ? whole : 1.0;
}

Eigen::VectorXd Site::weight(const Place& p) const {
  Eigen::VectorXd w(size());
  system->layout.magnitude(p.s.x.data(), w.data());
  const Tolerance& atol = options->atol;
  for (int i = 0; i < size(); ++i)
    w[i] = options->rtol * w[i] +
           (i < atol.size() && system->layout.euclidean() ? atol[i] : atol.values().minCoeff());
  return w.cwiseMax(1e-300);
}

bool Site::rows(const Place& p, double dt, const Eigen::VectorXd& move, Eigen::VectorXd& r,
                int& row) const {
  use_modes(p);
  State moved = p.s;
  system->layout.plus(p.s.x.data(), move.data(), moved.x.data());
  r.resize(size());
  row = -1;
  const Outcome o =
      system->residual_view()->residual(p.s.t + dt, moved.x.data(), p.rates.data(), r.data());
  if (o == Outcome::ok) return true;
  if (o == Outcome::not_finite)
    row = system->failure.equation >= 0 ? system->failure.equation : system->failure.row;
  return false;
}

std::optional<Place> place_at(const Site& site, double t, const Eigen::VectorXd& model,
                              const Eigen::VectorXd& rates, const std::vector<double>& modes) {
  System& system = *site.system;
  ResidualView& view = *system.residual_view();
  const int n = site.size();
  if (model.size() < system.variables->size() || !model.allFinite()) return std::nullopt;
  Place p;
  p.modes = modes;
  site.use_modes(p);
  p.s.x.setZero(system.layout.points());
  p.s.xd.setZero(n);
  system.from_model(t, model.data(), p.s);
  p.s.t = t;
  p.rates.setZero(std::max(n, view.differentiated_count()));
  if (rates.size() > 0 && rates.allFinite()) {
    const Eigen::Index known = std::min<Eigen::Index>(rates.size(), n);
    p.rates.head(known) = rates.head(known);
  }
  p.residual.resize(n);
  // F is linear in x' for all forms but the implicit one, where a few corrections do.
  const int corrections = view.states_leading_term() ? 0 : 4;
  for (int k = 0;; ++k) {
    if (view.residual(t, p.s.x.data(), p.rates.data(), p.residual.data()) != Outcome::ok ||
        view.linearise(t, p.s.x.data(), p.rates.data()) != Outcome::ok)
      return std::nullopt;
    view.residual_pencil().dense_e(p.E);
    view.residual_pencil().dense_j(p.J);
    if (p.E.rows() != n || !p.E.allFinite() || !p.J.allFinite()) return std::nullopt;
    if (k >= corrections) break;
    const Eigen::VectorXd change = least_squares(p.E, -p.residual);
    if (!change.allFinite() || change.norm() <= 1e-10 * (p.rates.norm() + 1e-300)) break;
    p.rates.head(n) += change;
  }
  p.s.xd = p.rates.head(n);
  return p;
}

std::string listed(const Eigen::VectorXd& v, const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;  // names that a reader takes in at once
  std::vector<int> order;
  const double largest = v.cwiseAbs().maxCoeff();
  for (int i = 0; i < v.size(); ++i)
    if (std::abs(v[i]) > 0.1 * largest) order.push_back(i);
  const std::size_t count = order.size();
  if (count > most) {
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return std::abs(v[a]) > std::abs(v[b]); });
    order.resize(most);
    std::sort(order.begin(), order.end());
  }
  std::string text;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const char* join = k == 0 ? "" : k + 1 < order.size() || count > most ? ", " : " and ";
    text += fmt::format("{}'{}'", join, names[static_cast<std::size_t>(order[k])]);
  }
  if (count > most) text += fmt::format(" and {} more", count - most);
  return text;
}

std::string wrong_derivative(const Problem& problem, double t0) {
  testing::JacobianReport found;
  try {
    // Nearly always they agree, which is told at once; all entries tell which one does not.
    if (testing::jacobians_agree(problem, t0)) return {};
    found = testing::check_jacobians(problem, t0);
  } catch (const std::exception&) {
    return {};
  }
  return found.ok ? std::string() : fmt::format(" A given derivative is wrong: {}", found.text());
}

namespace {

// Of a variable in the run; the site has multibody constraints at the level of accelerations.
int index_in_run(const Site& site, const LayoutBlock& b) {
  if (!std::holds_alternative<MultibodyProblem>(*site.problem)) return std::max(b.index, 1);
  const std::string& form = site.options->formulation;
  const bool three = form == "index3";
  const bool two = form == "index2" || form == "ggl" || form == "overdetermined";
  if (b.cls == VariableClass::lambda) return three ? 3 : two ? 2 : 1;
  return b.cls == VariableClass::v && three ? 2 : 1;
}

}  // namespace

// An error eps |x| in the equations of an index-k variable enters it as eps |x| / h^(k-1), and as
// eps |x| where its error counts with h^(k-1); differences of high order multiply it.
std::string below_round_off(const Site& site) {
  constexpr double multiplied = 8.0;  // by differences of high order
  const Place& p = site.end ? *site.end : *site.start;
  const int n = site.size();
  const Eigen::VectorXd weight = site.weight(p);
  Eigen::VectorXd size(n);
  site.system->layout.magnitude(p.s.x.data(), size.data());
  const double largest = size.maxCoeff();
  const double h =
      std::abs(site.run->t - site.run->t0) / static_cast<double>(std::max(site.run->accepted, 1L));
  int worst = -1, index = 1;
  double most = 1.0, floor = 0.0;
  for (const LayoutBlock& b : site.system->layout.blocks())
    for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i) {
      const int own = index_in_run(site, b);
      if (own > 1 && h <= 0.0) continue;
      const double entered =
          epsilon * (own > 1 ? std::max(size[i], std::min(largest, 1.0)) : size[i]);
      const double left = site.options->index_weights ? entered : entered / std::pow(h, own - 1);
      const double ratio = multiplied * left / weight[i];
      if (ratio <= 1.0 || own < index || (own == index && ratio <= most)) continue;
      most = ratio;
      worst = i, index = own, floor = own > 1 ? entered / std::pow(h, own - 1) : entered;
    }
  if (worst < 0) return {};
  return fmt::format(
      " The tolerance is below round-off{}: steps of {:.1e} leave errors of about {:.1e} in '{}', "
      "and it allows {:.1e}. Loosen rtol and atol{}.",
      index > 1 ? fmt::format(" for a variable of index {}", index) : std::string(), h, floor,
      site.variable(worst), weight[worst],
      index > 1 ? ", or choose a formulation of lower index" : "");
}

}  // namespace diagnosis

std::string diagnose_failure(const Problem& problem, const Options& options, const RunTrace& run) {
  using namespace diagnosis;
  if (run.status == Status::cancelled || run.status == Status::events_accumulate ||
      run.status == Status::callback_failed || run.status == Status::left_domain)
    return {};
  // Problems that cannot even be analysed have been reported as such.
  try {
    const std::optional<Site> found = make_site(problem, options, run);
    if (!found) return {};
    const Site& site = *found;
    if (std::string text = wrong_derivative(problem, run.t0); !text.empty()) return text;
    if (site.start) {
      if (std::string text = dependent_equations(site, *site.start); !text.empty()) return text;
      if (std::string text = higher_index(site); !text.empty()) return text;
    }
    if (run.status == Status::inconsistent_start || !site.start || !site.end) return {};
    // What overflows is not finite either.
    if (overflows(site.end->s.x)) return run.impasse_told ? std::string() : growth(site);
    // Differences of terms that have grown do not tell a rank.
    const bool unsure = !site.exact && !std::holds_alternative<MultibodyProblem>(problem);
    if (std::string text = jump(site, *site.end, 1e-3 * site.length()); !text.empty()) return text;
    if (std::string text = unsure ? growth(site) : std::string(); !text.empty()) return text;
    if (run.impasse_told) return {};
    const bool short_steps =
        run.status == Status::newton_failed || run.status == Status::step_too_small;
    if (std::string text =
            short_steps ? branch(site, *site.end, 1e-3 * site.length()) : std::string();
        !text.empty())
      return text;
    if (std::string text = driven_bodies(site); !text.empty()) return text;
    if (std::string text = lost_rank(site); !text.empty()) return text;
    if (std::string text = growth(site); !text.empty()) return text;
    if (std::string text = below_round_off(site); !text.empty()) return text;
    return run.status == Status::newton_failed ? unmet_equation(site) : std::string();
  } catch (const std::exception&) {
    return {};
  }
}

std::string diagnose_derivatives(const Problem& problem, double t0) {
  bool given = false;
  if (const auto* i = std::get_if<ImplicitProblem>(&problem))
    given = i->jacobian_y || i->jacobian_yp;
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) given = bool(m->jacobian);
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem))
    given = e->f_y || e->f_z || e->g_y || e->g_z;
  if (const auto* b = std::get_if<MultibodyProblem>(&problem))
    given = b->constraint_jacobian || b->constraint_time_derivative || b->acceleration_term;
  return given ? diagnosis::wrong_derivative(problem, t0) : std::string();
}

std::string diagnose_start(const Problem& problem, double t0, const Options& options) {
  using namespace diagnosis;
  try {
    RunTrace run;
    run.t0 = run.t = t0;
    run.t_end = t0 + 1.0;
    const auto owned = std::make_shared<const Problem>(problem);
    const std::unique_ptr<System> model =
        lower(owned, std::holds_alternative<MultibodyProblem>(problem) ? "index1" : "",
              View::residual, {}, t0);
    run.start.resize(model->variables->size());
    model->to_model(model_start(*model, problem, t0), run.start.data());
    const std::optional<Site> site = make_site(problem, options, run);
    if (!site || !site->start) return {};
    if (std::string text = dependent_equations(*site, *site->start); !text.empty()) return text;
    return higher_index(*site);
  } catch (const std::exception&) {
    return {};
  }
}

std::string diagnose_rejections(const Problem& problem, const Options& options,
                                const RunTrace& run) {
  using namespace diagnosis;
  try {
    const std::optional<Site> site = make_site(problem, options, run);
    if (!site || !site->end) return {};
    return jump(*site, *site->end, 4.0 * std::abs(run.last_step));
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace daedalus
