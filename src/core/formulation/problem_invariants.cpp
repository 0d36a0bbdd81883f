// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/problem_invariants.hpp"

#include <fmt/format.h>

#include "formulation/guarded_call.hpp"
#include "formulation/map_of.hpp"
#include "formulation/parameters.hpp"
#include "kernel/nearest.hpp"

namespace daedalus {
namespace {

// The arguments of a callable of the form P at x, which begins with the model variables.
template <class S>
Arguments<S> invariant_arguments(const MultibodyProblem& p, const ParameterSet& parameters,
                                 const S& t, const S* x) {
  const int nq = p.space.points(), nv = p.velocities();
  const S *c = x + nq + nv, *s = c + p.dynamic_count, *lambda = s + p.contact_count;
  Arguments<S> a;
  a.t = t;
  a.x = {x, x + nq, lambda, c, s};
  a.n = {nq, nv, p.multipliers(), p.dynamic_count, p.contact_count};
  parameters.apply(a);
  return a;
}
template <class S>
Arguments<S> invariant_arguments(const SemiExplicitProblem& p, const ParameterSet& parameters,
                                 const S& t, const S* x) {
  const int ny = static_cast<int>(p.y0.size()), nz = static_cast<int>(p.z0.size());
  return state_arguments<S>(parameters, t, x, ny, x + ny, nz);
}
template <class P, class S>
Arguments<S> invariant_arguments(const P& p, const ParameterSet& parameters, const S& t,
                                 const S* x) {
  return state_arguments<S>(parameters, t, x, static_cast<int>(p.y0.size()));
}

// Start values in the order of the model variables.
Eigen::VectorXd start_of(const MultibodyProblem& p) {
  Eigen::VectorXd x(p.q0.size() + p.v0.size() + p.c0.size() + p.s0.size() + p.multipliers());
  x << p.q0, p.v0, p.c0, p.s0,
      p.lambda0.size() > 0 ? p.lambda0 : Eigen::VectorXd::Zero(p.multipliers());
  return x;
}
Eigen::VectorXd start_of(const SemiExplicitProblem& p) {
  Eigen::VectorXd x(p.y0.size() + p.z0.size());
  x << p.y0, p.z0;
  return x;
}
template <class P>
Eigen::VectorXd start_of(const P& p) {
  return p.y0;
}

// As validate() does for the callables that every run needs.
template <class P>
void refuse_reads_outside(const P& problem, const std::vector<int>& chosen, Modes modes) {
  const Eigen::VectorXd start = start_of(problem);
  const ParameterSet parameters(problem.parameters, std::move(modes));
  const guard::Inputs<double> a(invariant_arguments(problem, parameters, 0.0, start.data()));
  std::vector<double> out;
  for (const int i : chosen) {
    const auto& invariant = problem.invariants[static_cast<std::size_t>(i)];
    if (!guard::run(invariant.value, a, 1, 1, out)) continue;
    const char* what = guard::read_outside(out) >= 0 ? "reads outside of its arguments"
                       : !guard::is_untouched(out[guard::width + 1]) ? "writes more than one entry"
                       : guard::is_untouched(out[guard::width])      ? "leaves its entry unwritten"
                                                                     : nullptr;
    if (what)
      throw InvalidArgument(fmt::format("problem '{}', invariant '{}': {} at the start values",
                                        problem.name, invariant.name, what));
  }
}

template <class P>
class InvariantMap final : public MapOf<InvariantMap<P>> {
 public:
  InvariantMap(std::shared_ptr<const Problem> owner, const P& problem, std::vector<int> chosen,
               Modes modes)
      : owner_(std::move(owner)),
        problem_(problem),
        chosen_(std::move(chosen)),
        parameters_(problem.parameters, std::move(modes)) {}
  template <class S>
  Eval eval(const S& t, const S* x, const S*, S* r) {
    const Arguments<S> a = invariant_arguments(problem_, parameters_, t, x);
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const auto& value = problem_.invariants[static_cast<std::size_t>(chosen_[i])].value;
      const Eval e = this->piece_("invariants", r + i, 1, [&] { return value(a, r + i, 1); });
      if (e != Eval::ok) return e;
    }
    return Eval::ok;
  }
  bool differentiable() const override {
    for (const int i : chosen_)
      if (!problem_.invariants[static_cast<std::size_t>(i)].value.differentiable()) return false;
    return true;
  }
  int rows() const override { return static_cast<int>(chosen_.size()); }

 private:
  std::shared_ptr<const Problem> owner_;
  const P& problem_;
  std::vector<int> chosen_;
  ParameterSet parameters_;
};

template <class P>
std::vector<int> chosen_invariants(const P& problem, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const auto& invariant : problem.invariants) known.push_back(invariant.name);
  std::vector<int> chosen;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      std::string list;
      for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
      throw InvalidArgument(fmt::format(
          "project_invariants: '{}' has no invariant '{}'.{} {}", problem.name, name,
          suggestion(name, known), known.empty() ? "It states none." : "There are: " + list + "."));
    }
    chosen.push_back(static_cast<int>(found - known.begin()));
  }
  return chosen;
}

[[noreturn]] void refuse_invariants(std::string_view why) {
  throw InvalidArgument(fmt::format("project_invariants: {}", why));
}

}  // namespace

std::shared_ptr<Invariants> problem_invariants(std::shared_ptr<const Problem> problem,
                                               std::string_view formulation, const System& system,
                                               const Options& options) {
  if (options.project_invariants.empty()) return nullptr;
  if (options.projection == ProjectionWhen::none)
    refuse_invariants("projection is none; give automatic or every_step");
  if (system.model_system())
    refuse_invariants(fmt::format(
        "the formulation '{}' has coordinates of its own; take index1 with a projection",
        formulation));
  if (!std::holds_alternative<MultibodyProblem>(*problem) && !formulation.empty())
    refuse_invariants(fmt::format(
        "the formulation '{}' of a {} problem does not hold invariants; take the problem as given",
        formulation, form_of(*problem)));
  if (std::holds_alternative<MassMatrixProblem>(*problem) && system.has_projection())
    refuse_invariants(
        "with a changing mass matrix that has zero rows only these rows are projected; use a "
        "method on the residual view, such as bdf");
  if (const auto* e = std::get_if<SemiExplicitProblem>(problem.get());
      e && e->hessenberg_blocks.size() > 1)
    refuse_invariants(
        "a Hessenberg system of index 3 or more has hidden constraints that a change of y would "
        "violate; state it as a multibody problem");
  if (const auto* i = std::get_if<ImplicitProblem>(problem.get()); i && i->leading_count > 0)
    refuse_invariants("problems with a stated leading term do not hold invariants");
  return std::visit(
      [&](const auto& p) {
        using P = std::decay_t<decltype(p)>;
        const std::vector<int> chosen = chosen_invariants(p, options.project_invariants);
        refuse_reads_outside(p, chosen, system.modes);
        auto map = std::make_unique<InvariantMap<P>>(problem, p, chosen, system.modes);
        return std::make_shared<Invariants>(std::move(map), system.layout,
                                            options.derivatives == DerivativeSource::differences);
      },
      *problem);
}

}  // namespace daedalus
