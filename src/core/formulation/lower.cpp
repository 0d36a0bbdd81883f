// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/lower.hpp"

#include <fmt/format.h>

#include <cmath>

#include "formulation/changing_mass_system.hpp"
#include "formulation/default_names.hpp"
#include "formulation/first_order_maps.hpp"
#include "formulation/hessenberg_forms.hpp"
#include "formulation/multibody_system.hpp"
#include "formulation/overdetermined_system.hpp"
#include "formulation/recorded_equations.hpp"
#include "formulation/separated_system.hpp"
#include "formulation/state_space_system.hpp"
#include "function/recording.hpp"

namespace daedalus {
namespace {

// Consecutive variables of equal index form one block.
void add_indexed(Layout& l, VariableClass cls, const int* index, int n,
                 const std::vector<std::string>& names) {
  for (int first = 0; first < n;) {
    int last = first + 1;
    while (last < n && index[last] == index[first]) ++last;
    l.add(cls, index[first], euclidean(last - first),
          {names.begin() + first, names.begin() + last});
    first = last;
  }
}

Layout indexed_layout(std::vector<int> index, int n, const std::vector<std::string>& names) {
  Layout l;
  index.resize(at(n), 1);
  add_indexed(l, VariableClass::y, index.data(), n, names);
  return l;
}

std::shared_ptr<const Variables> model_of(const Layout& layout, int n) {
  auto v = std::make_shared<Variables>();
  for (const LayoutBlock& b : layout.blocks()) {
    if (b.tangent >= n) break;
    v->ranges.push_back({b.cls, b.index, b.tangent, b.space.tangents()});
  }
  v->names.assign(layout.names().begin(), layout.names().begin() + n);
  return v;
}

template <class P>
std::shared_ptr<std::vector<double>> modes_of(const P& p) {
  return std::make_shared<std::vector<double>>(p.modes);
}

std::unique_ptr<System> finish(std::unique_ptr<FirstOrderSystem> s,
                               std::shared_ptr<std::vector<double>> modes, int model_size,
                               std::vector<std::string> equations) {
  s->modes = std::move(modes);
  s->variables = model_of(s->layout, model_size);
  s->equations = std::move(equations);
  return s;
}

std::unique_ptr<System> lower_implicit(std::shared_ptr<const ImplicitProblem> p, View view,
                                       const LoweringOptions& options) {
  const int n = static_cast<int>(p->y0.size());
  auto modes = modes_of(*p);
  const auto variables = default_names(p->variables, "y", n);
  const auto equations = default_names(p->equations, "equation ", n);
  Layout layout = indexed_layout(p->variable_index, n, variables);
  if (view == View::linear) {
    std::vector<std::string> rates, rows;
    for (const std::string& v : variables) rates.push_back("d(" + v + ")/dt");
    for (const std::string& r : rates) rows.push_back("definition of " + r);
    rows.insert(rows.end(), equations.begin(), equations.end());
    layout.add(VariableClass::a, 1, euclidean(n), rates, false);
    SparseMatrix mass(2 * n, 2 * n);
    for (int i = 0; i < n; ++i) mass.insert(i, i) = 1.0;
    auto map = std::make_unique<ImplicitRatesMap>(p, modes);
    return finish(std::make_unique<FirstOrderSystem>(std::move(layout), std::move(map),
                                                     std::move(mass), options),
                  modes, n, rows);
  }
  GivenJacobian given;
  if (p->jacobian_y && p->jacobian_yp && !options.differences && p->leading_count == 0) {
    auto parameters = std::make_shared<ParameterSet>(p->parameters, modes);
    given = [p, parameters, n](double t, const double* x, const double* xd, SparseValues& dx,
                               SparseValues& dxd) {
      const auto a = state_arguments<double>(*parameters, t, x, n, nullptr, 0, xd, n);
      if (const Eval e = p->jacobian_y(a, dx.values.data(), n, n); e != Eval::ok) return e;
      return p->jacobian_yp(a, dxd.values.data(), n, n);
    };
  }
  LeadingTerm leading;
  if (p->leading_count > 0) leading = {p->leading_count, std::make_unique<LeadingMap>(p, modes)};
  return finish(
      std::make_unique<FirstOrderSystem>(std::move(layout), std::make_unique<ImplicitMap>(p, modes),
                                         options, given, std::move(leading)),
      modes, n, equations);
}

// Whether M is chosen by a comparison of t or y: what looks constant may change in another branch.
bool compares(const MassMatrixProblem& p, const ParameterSet& parameters, double t0) {
  const int n = static_cast<int>(p.y0.size());
  Recording recording;
  const Recorded t = recording.input(graph::InputKind::time, 0, t0);
  std::vector<Recorded> y, out(at(n * n));
  for (int i = 0; i < n; ++i) y.push_back(recording.input(p.y0[i]));
  return p.mass(state_arguments<Recorded>(parameters, t, y.data(), n), out.data(), n, n) !=
             Eval::ok ||
         !recording.comparisons().empty();
}

// M of a callable that depends on neither t nor y, or nothing.
std::optional<SparseMatrix> constant_callable(const MassMatrixProblem& p, Modes modes, double t0) {
  const int n = static_cast<int>(p.y0.size());
  const ParameterSet parameters(p.parameters, modes);
  Eigen::MatrixXd M(n, n);
  if (p.mass(state_arguments<double>(parameters, t0, p.y0.data(), n), M.data(), n, n) != Eval::ok)
    return std::nullopt;
  if (p.mass.differentiable()) {
    std::vector<Dual4> y(at(n)), out(at(n * n));
    Dual4 t(t0);
    t.d[0] = std::nan("");
    for (int i = 0; i < n; ++i) {
      y[at(i)] = Dual4(p.y0[i]);
      y[at(i)].d[0] = std::nan("");
    }
    if (p.mass(state_arguments<Dual4>(parameters, t, y.data(), n), out.data(), n, n) != Eval::ok)
      return std::nullopt;
    for (const Dual4& m : out)
      if (std::isnan(m.d[0])) return std::nullopt;
    return compares(p, parameters, t0) ? std::nullopt : std::optional(SparseMatrix(M.sparseView()));
  }
  Eigen::VectorXd y = p.y0;
  for (int i = 0; i < n; ++i) y[i] += 1e-3 * (1.0 + std::abs(y[i])) * (1.0 + 0.1 * i);
  Eigen::MatrixXd other(n, n);
  if (p.mass(state_arguments<double>(parameters, t0 + 1e-3, y.data(), n), other.data(), n, n) !=
          Eval::ok ||
      other != M)
    return std::nullopt;
  return M.sparseView();
}

// Constant M as a sparse matrix, or nothing if it changes with t or y. A callable that throws is
// left to the run, which reports it with everything else.
std::optional<SparseMatrix> constant_mass(const MassMatrixProblem& p, Modes modes, double t0) {
  if (p.mass) {
    try {
      return constant_callable(p, std::move(modes), t0);
    } catch (...) {
      return std::nullopt;
    }
  }
  if (p.mass_matrix.size() > 0) return p.mass_matrix;
  SparseMatrix identity(p.y0.size(), p.y0.size());
  identity.setIdentity();
  return identity;
}

std::unique_ptr<System> lower_mass(std::shared_ptr<const MassMatrixProblem> p, bool separated,
                                   View view, const LoweringOptions& options, double t0) {
  const int n = static_cast<int>(p->y0.size());
  auto modes = modes_of(*p);
  const auto variables = default_names(p->variables, "y", n);
  const auto equations = default_names(p->equations, "equation ", n);
  Layout layout = indexed_layout(p->variable_index, n, variables);
  const auto constant = constant_mass(*p, modes, t0);
  if (separated) {
    auto variables_of_model = model_of(layout, n);
    auto system = SeparatedSystem::make(p, modes, *constant, std::move(layout), options);
    system->modes = modes;
    system->variables = std::move(variables_of_model);
    for (int i = 0; i < n; ++i)
      system->equations.push_back(i < system->differential_count()
                                      ? "rate of xi" + std::to_string(i + 1)
                                      : "algebraic combination " +
                                            std::to_string(i + 1 - system->differential_count()));
    return system;
  }
  if (view == View::residual) {
    GivenJacobian given;
    if (p->jacobian && constant && !options.differences) {
      // F = M y' - f: the given df/dy enters with a minus sign.
      auto parameters = std::make_shared<ParameterSet>(p->parameters, modes);
      const Eigen::MatrixXd M = *constant;
      given = [p, parameters, n, M](double t, const double* x, const double*, SparseValues& dx,
                                    SparseValues& dxd) {
        const Eval e =
            p->jacobian(state_arguments<double>(*parameters, t, x, n), dx.values.data(), n, n);
        for (double& v : dx.values) v = -v;
        std::copy(M.data(), M.data() + M.size(), dxd.values.begin());
        return e;
      };
    }
    return finish(std::make_unique<FirstOrderSystem>(
                      std::move(layout), std::make_unique<MassMap>(p, modes, true), options, given),
                  modes, n, equations);
  }
  if (auto mass = constant) {
    GivenJacobian given;
    if (p->jacobian && !options.differences) {
      auto parameters = std::make_shared<ParameterSet>(p->parameters, modes);
      given = [p, parameters, n](double t, const double* x, const double*, SparseValues& dx,
                                 SparseValues&) {
        return p->jacobian(state_arguments<double>(*parameters, t, x, n), dx.values.data(), n, n);
      };
    }
    return finish(std::make_unique<FirstOrderSystem>(std::move(layout),
                                                     std::make_unique<MassMap>(p, modes, false),
                                                     std::move(*mass), options, given),
                  modes, n, equations);
  }
  auto system = ChangingMassSystem::make(p, modes, std::move(layout), options, t0);
  std::vector<std::string> rows;
  for (const std::string& v : variables) rows.push_back("definition of d(" + v + ")/dt");
  rows.insert(rows.end(), equations.begin(), equations.end());
  return finish(std::move(system), modes, n, rows);
}

std::unique_ptr<System> lower_semi_explicit(std::shared_ptr<const SemiExplicitProblem> p, View view,
                                            const LoweringOptions& options) {
  const int ny = static_cast<int>(p->y0.size()), nz = static_cast<int>(p->z0.size());
  auto modes = modes_of(*p);
  const auto y = default_names(p->y_names, "y", ny), z = default_names(p->z_names, "z", nz);
  std::vector<std::string> equations = p->equations;
  for (int i = static_cast<int>(equations.size()); i < ny + nz; ++i)
    equations.push_back(i < ny ? "rate of " + y[at(i)]
                               : "algebraic equation " + std::to_string(i - ny + 1));
  Layout layout;
  const int m = static_cast<int>(p->hessenberg_blocks.size()) + 1;
  if (p->hessenberg_blocks.empty()) {
    std::vector<int> index = p->variable_index;
    if (index.empty()) index.assign(at(ny), 1);
    index.resize(at(ny + nz), std::max(p->index, 1));
    add_indexed(layout, VariableClass::y, index.data(), ny, y);
    if (nz == 0) layout.add(VariableClass::z, 1, euclidean(0), z);
    add_indexed(layout, VariableClass::z, index.data() + ny, nz, z);
  } else {
    // x_1 has index m - 1, ..., x_{m-1} index 1, x_m index m.
    int first = 0;
    for (int k = 0; k < m - 1; ++k) {
      const int count = p->hessenberg_blocks[at(k)];
      layout.add(VariableClass::y, m - 1 - k, euclidean(count),
                 {y.begin() + first, y.begin() + first + count});
      first += count;
    }
    layout.add(VariableClass::z, m, euclidean(nz), z);
  }
  GivenJacobian given;
  if (p->f_y && (nz == 0 || (p->f_z && p->g_y && p->g_z)) && !options.differences) {
    auto parameters = std::make_shared<ParameterSet>(p->parameters, modes);
    auto block = std::make_shared<Eigen::MatrixXd>();
    const double sign = view == View::residual ? -1.0 : 1.0;
    given = [p, parameters, block, ny, nz, sign](double t, const double* x, const double*,
                                                 SparseValues& dx, SparseValues& dxd) {
      const int n = ny + nz;
      Eigen::Map<Eigen::MatrixXd> J(dx.values.data(), n, n);
      const auto a = state_arguments<double>(*parameters, t, x, ny, x + ny, nz);
      const auto put = [&](const Function<slot::CoupledMatrix>& f, int row, int col, int rows,
                           int cols) {
        if (rows == 0 || cols == 0) return Eval::ok;
        block->resize(rows, cols);
        const Eval e = f(a, block->data(), rows, cols);
        J.block(row, col, rows, cols) = sign * *block;
        return e;
      };
      if (const Eval e = put(p->f_y, 0, 0, ny, ny); e != Eval::ok) return e;
      if (const Eval e = put(p->f_z, 0, ny, ny, nz); e != Eval::ok) return e;
      if (const Eval e = put(p->g_y, ny, 0, nz, ny); e != Eval::ok) return e;
      if (const Eval e = put(p->g_z, ny, ny, nz, nz); e != Eval::ok) return e;
      if (sign < 0.0) {
        Eigen::Map<Eigen::MatrixXd> E(dxd.values.data(), n, n);
        E.setZero();
        E.diagonal().head(ny).setOnes();
      }
      return Eval::ok;
    };
  }
  auto map = std::make_unique<SemiExplicitMap>(p, modes, view == View::residual);
  if (view == View::partitioned) {
    GivenJacobian given_constraints;
    if (p->g_y && p->g_z && !options.differences) {
      auto parameters = std::make_shared<ParameterSet>(p->parameters, modes);
      given_constraints = [p, parameters, ny, nz](double t, const double* x, const double*,
                                                  SparseValues& dx, SparseValues&) {
        const auto a = state_arguments<double>(*parameters, t, x, ny, x + ny, nz);
        if (const Eval e = p->g_y(a, dx.values.data(), nz, ny); e != Eval::ok) return e;
        return p->g_z(a, dx.values.data() + nz * ny, nz, nz);
      };
    }
    auto constraints = nz > 0 ? std::make_unique<ConstraintMap>(p, modes) : nullptr;
    return finish(
        std::make_unique<PartitionedSystem>(layout, std::move(map), std::move(constraints), ny,
                                            options, given, given_constraints),
        modes, ny + nz, equations);
  }
  if (view == View::residual)
    return finish(
        std::make_unique<FirstOrderSystem>(std::move(layout), std::move(map), options, given),
        modes, ny + nz, equations);
  SparseMatrix mass(ny + nz, ny + nz);
  for (int i = 0; i < ny; ++i) mass.insert(i, i) = 1.0;
  return finish(std::make_unique<FirstOrderSystem>(std::move(layout), std::move(map),
                                                   std::move(mass), options, given),
                modes, ny + nz, equations);
}

template <class P>
std::shared_ptr<const P> part(const std::shared_ptr<const Problem>& problem) {
  return {problem, &std::get<P>(*problem)};
}

}  // namespace

Fit fit(const Problem& problem, std::string_view formulation, View view) {
  const auto no = [](std::string reason) { return Fit{false, 0, std::move(reason)}; };
  if (const auto* m = std::get_if<MultibodyProblem>(&problem)) {
    if (formulation == "state-space") {
      if (view == View::partitioned) return no("no partitioned view of multibody problems yet");
      std::string reason = StateSpaceSystem::obstacle(*m);
      return {reason.empty(), 0, std::move(reason)};
    }
    const auto form = multibody_form(formulation);
    if (!form) return no(fmt::format("formulation '{}' is not known", formulation));
    if (view == View::partitioned) return no("no partitioned view of multibody problems yet");
    if (view == View::linear && !m->space.is_euclidean())
      return no(fmt::format("the linear view needs a Euclidean space, not {}", m->space.name()));
    if (view != View::residual && form->stabilised())
      return no(fmt::format(
          "formulation '{}' has index {} and multipliers eta, which takes a method for implicit "
          "equations F(t, x, x') = 0, such as bdf",
          formulation, form->index));
    if (view == View::mechanical && form->epsilon > 0.0)
      return no(fmt::format("formulation '{}' has no mechanical view", formulation));
    if (m->multipliers() == 0) return {true, 0, ""};
    return {true, m->constraint_count == 0 ? std::min(form->index, 2) : form->index, ""};
  }
  if (view == View::mechanical) return no("the mechanical view needs a multibody problem");
  if (!formulation.empty()) {
    if (const auto* e = std::get_if<SemiExplicitProblem>(&problem))
      return fit_hessenberg(*e, formulation, view);
    if (const auto* i = std::get_if<ImplicitProblem>(&problem))
      return fit_overdetermined(*i, formulation, view);
  }
  const auto* matrix = std::get_if<MassMatrixProblem>(&problem);
  if (formulation == "separated" || (view == View::partitioned && matrix)) {
    if (!matrix) return no("the formulation 'separated' needs a mass-matrix problem");
    if (view != View::linear && view != View::partitioned)
      return no("the formulation 'separated' offers the linear and the partitioned view");
    if (!constant_mass(*matrix, modes_of(*matrix), 0.0))
      return no("only a constant mass matrix can be separated");
    if (matrix->initial_equation_count > 0)
      return no("initial equations are not available with the formulation 'separated'");
    return {true, index_of(problem), ""};
  }
  if (view == View::partitioned && !std::holds_alternative<SemiExplicitProblem>(problem))
    return no("it needs a semi-explicit problem, y' = f(t, y, z), 0 = g(t, y, z)");
  if (const auto* i = std::get_if<ImplicitProblem>(&problem))
    if (view == View::linear && (i->index != 0 || i->leading_count > 0))
      return no("a fully implicit DAE has no linear view; only implicit ODEs (index 0) do");
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem))
    if (view == View::linear && m->mass && !(m->mass.differentiable() && m->rhs.differentiable()) &&
        m->index > 0 && !constant_mass(*m, modes_of(*m), 0.0))
      return no("a changing mass matrix needs differentiable callables: wrap them in autodiff");
  return {true, index_of(problem), ""};
}

namespace {

std::unique_ptr<System> lower_form(std::shared_ptr<const Problem> problem,
                                   std::string_view formulation, View view,
                                   const LoweringOptions& options, double t0) {
  if (const Fit f = fit(*problem, formulation, view); !f.possible) throw InvalidArgument(f.reason);
  if (!std::holds_alternative<MultibodyProblem>(*problem) &&
      (options.saddle_point == LinearAlgebra::range_space ||
       options.saddle_point == LinearAlgebra::null_space))
    throw InvalidArgument(fmt::format(
        "linear_algebra: {} is a way to solve [M G^T; G 0] of multibody problems; '{}' is a {} "
        "problem. Give automatic, dense or sparse",
        options.saddle_point == LinearAlgebra::range_space ? "range-space" : "null-space",
        name_of(*problem), form_of(*problem)));
  if (!formulation.empty()) {
    if (std::holds_alternative<SemiExplicitProblem>(*problem))
      return lower_hessenberg(part<SemiExplicitProblem>(problem), formulation, view, options, t0);
    if (std::holds_alternative<ImplicitProblem>(*problem))
      return lower_overdetermined(part<ImplicitProblem>(problem), formulation, options);
  }
  if (std::holds_alternative<ImplicitProblem>(*problem))
    return lower_implicit(part<ImplicitProblem>(problem), view, options);
  if (std::holds_alternative<MassMatrixProblem>(*problem))
    return lower_mass(part<MassMatrixProblem>(problem),
                      formulation == "separated" || view == View::partitioned, view, options, t0);
  if (std::holds_alternative<SemiExplicitProblem>(*problem)) {
    const auto p = part<SemiExplicitProblem>(problem);
    auto system = lower_semi_explicit(p, view, options);
    if (view == View::residual && p->hessenberg_blocks.size() == 1 && p->f.differentiable() &&
        p->g.differentiable())
      system->parts = lower_semi_explicit(p, View::partitioned, options);
    return system;
  }
  if (formulation == "state-space")
    return StateSpaceSystem::make(part<MultibodyProblem>(problem), view, options);
  return MultibodySystem::make(part<MultibodyProblem>(problem),
                               *multibody_form(formulation, options.formulation_options), view,
                               options);
}

}  // namespace

std::unique_ptr<System> lower(std::shared_ptr<const Problem> problem, std::string_view formulation,
                              View view, const LoweringOptions& options, double t0) {
  std::unique_ptr<System> system = lower_form(problem, formulation, view, options, t0);
  if (formulation.empty() && index_of(*problem) >= 2)
    system->along_curves = [problem = std::move(problem), modes = system->modes] {
      return recorded_equations(problem, modes);
    };
  return system;
}

State model_start(const System& system, const Problem& problem, double t0) {
  if (const System* model = system.model_system()) return model_start(*model, problem, t0);
  State s;
  s.t = t0;
  s.x.setZero(system.layout.points());
  s.xd.setZero(system.layout.tangents());
  int offset = 0;
  const auto put = [&](const Eigen::VectorXd& part, int size) {
    if (part.size() > 0) s.x.segment(offset, size) = part;
    offset += size;
  };
  if (const auto* i = std::get_if<ImplicitProblem>(&problem)) {
    put(i->y0, static_cast<int>(i->y0.size()));
    const int n = static_cast<int>(i->y0.size());
    if (i->yp0.size() > 0) {
      s.xd.head(i->yp0.size()) = i->yp0;
      if (s.x.size() == 2 * n) s.x.tail(n) = i->yp0;
    }
  } else if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) {
    if (!system.in_model_coordinates())
      system.from_model(t0, m->y0.data(), s);
    else
      put(m->y0, static_cast<int>(m->y0.size()));
  } else if (const auto* e = std::get_if<SemiExplicitProblem>(&problem)) {
    put(e->y0, static_cast<int>(e->y0.size()));
    put(e->z0, static_cast<int>(e->z0.size()));
  } else {
    const auto& b = std::get<MultibodyProblem>(problem);
    put(b.q0, b.space.points());
    put(b.v0, b.velocities());
    put(b.c0, b.dynamic_count);
    put(b.s0, b.contact_count);
    put(b.lambda0, b.multipliers());
  }
  return s;
}

}  // namespace daedalus
