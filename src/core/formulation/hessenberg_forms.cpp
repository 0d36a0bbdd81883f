// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/hessenberg_forms.hpp"

#include <fmt/format.h>

#include "formulation/default_names.hpp"
#include "formulation/first_order_maps.hpp"
#include "formulation/multibody_form.hpp"

namespace daedalus {
namespace {

enum class HessenbergForm { baumgarte, linearised, regularised };

class HessenbergFormMap final : public MapOf<HessenbergFormMap> {
 public:
  HessenbergFormMap(std::shared_ptr<const SemiExplicitProblem> p, Modes modes, HessenbergForm form,
                    double parameter, bool residual)
      : p_(std::move(p)),
        parameters_(p_->parameters, std::move(modes)),
        form_(form),
        parameter_(parameter),
        residual_(residual),
        ny_(static_cast<int>(p_->y0.size())),
        nz_(static_cast<int>(p_->z0.size())) {
    std::apply([&](auto&... s) { (s.resize(at(ny_ + 2 * nz_)), ...); }, series_);
    std::apply([&](auto&... s) { (s.resize(at(nz_)), ...); }, rows_of_g_);
    y4_.resize(at(ny_));
    z4_.resize(at(nz_));
    g4_.resize(at(nz_));
  }

  template <class S>
  Eval eval(const S& t, const S* x, const S* xd, S* r) {
    const S *z = x + ny_, *zeta = z + nz_;
    const Arguments<S> a = state_arguments<S>(parameters_, t, x, ny_, z, nz_);
    auto& g = std::get<std::vector<S>>(rows_of_g_);
    if (const Eval e = piece_("f", r, ny_, [&] { return p_->f(a, r, ny_); }); e != Eval::ok)
      return e;
    if (const Eval e = piece_("g", g.data(), nz_, [&] { return p_->g(a, g.data(), nz_); });
        e != Eval::ok)
      return e;
    S* row = r + ny_;
    if (form_ == HessenbergForm::regularised) {
      for (int k = 0; k < nz_; ++k) row[k] = sign_ * g[at(k)];
    } else {
      if (const Eval e = hidden(t, x, z, r, row); e != Eval::ok) return e;
      if (form_ == HessenbergForm::baumgarte)
        for (int k = 0; k < nz_; ++k) row[k] = row[k] / parameter_ + g[at(k)];
    }
    if (form_ == HessenbergForm::linearised) {
      if (const Eval e = subtract_gradient(t, x, z, zeta, r); e != Eval::ok) return e;
      for (int k = 0; k < nz_; ++k) row[nz_ + k] = g[at(k)];
    }
    if (!residual_) return Eval::ok;
    for (int i = 0; i < ny_; ++i) r[i] = xd[i] - r[i];
    if (form_ == HessenbergForm::regularised)
      for (int k = 0; k < nz_; ++k) row[k] = parameter_ * xd[ny_ + k] - row[k];
    return Eval::ok;
  }

  bool differentiable() const override { return true; }  // fit_hessenberg asks for it
  int rows() const override { return ny_ + nz_ * (form_ == HessenbergForm::linearised ? 2 : 1); }
  // epsilon z' = g and -g are the same constraint; one of the two is not unstable.
  void choose_sign(double t, const Eigen::VectorXd& y, const Eigen::VectorXd& z) {
    Eigen::VectorXd f(ny_), f_moved(ny_), row(nz_), row_moved(nz_);
    double trace = 0.0;
    for (int k = 0; k < nz_; ++k) {
      Eigen::VectorXd moved = z;
      const double step = 1e-6 * (1.0 + std::abs(z[k]));
      moved[k] += step;
      const auto rate = [&](const Eigen::VectorXd& at_z, Eigen::VectorXd& out) {
        const auto a = state_arguments<double>(parameters_, t, y.data(), ny_, at_z.data(), nz_);
        return p_->f(a, f.data(), ny_) == Eval::ok &&
               hidden(t, y.data(), at_z.data(), f.data(), out.data()) == Eval::ok;
      };
      if (!rate(z, row) || !rate(moved, row_moved)) return;
      trace += (row_moved[k] - row[k]) / step;
    }
    if (trace > 0.0) sign_ = -1.0;
  }

 private:
  // g_t + g_y f: the first Taylor coefficient of g along (1, f).
  template <class S>
  Eval hidden(const S& t, const S* y, const S* z, const S* f, S* out) {
    using Line = LineOf<S>;
    auto& series = std::get<std::vector<Line>>(series_);
    for (int i = 0; i < ny_; ++i) put_on_line(series[at(i)], y[i], f[i]);
    Line *z_series = series.data() + ny_, *g = z_series + nz_;
    for (int k = 0; k < nz_; ++k) put_on_line(z_series[k], z[k], S(0.0));
    Line time;
    put_on_line(time, t, S(1.0));
    const Eval e = piece_("g", g, nz_, [&] {
      return p_->g(state_arguments<Line>(parameters_, time, series.data(), ny_, z_series, nz_), g,
                   nz_);
    });
    for (int k = 0; k < nz_; ++k) out[k] = slope_on_line(g[k]);
    return e;
  }

  // r -= g_y^T zeta, with g_y at the values.
  template <class S>
  Eval subtract_gradient(const S& t, const S* y, const S* z, const S* zeta, S* r) {
    for (int k = 0; k < nz_; ++k) z4_[at(k)] = Dual4(value_of(z[k]));
    for (int first = 0; first < ny_; first += 4) {
      const int lanes = std::min(4, ny_ - first);
      for (int i = 0; i < ny_; ++i) y4_[at(i)] = Dual4(value_of(y[i]));
      for (int j = 0; j < lanes; ++j) y4_[at(first + j)].d[at(j)] = 1.0;
      const auto a =
          state_arguments<Dual4>(parameters_, Dual4(value_of(t)), y4_.data(), ny_, z4_.data(), nz_);
      if (const Eval e = piece_("g", g4_.data(), nz_, [&] { return p_->g(a, g4_.data(), nz_); });
          e != Eval::ok)
        return e;
      for (int j = 0; j < lanes; ++j)
        for (int k = 0; k < nz_; ++k) r[first + j] = r[first + j] - g4_[at(k)].d[at(j)] * zeta[k];
    }
    return Eval::ok;
  }

  std::shared_ptr<const SemiExplicitProblem> p_;
  ParameterSet parameters_;
  HessenbergForm form_;
  double parameter_;  // alpha or epsilon
  double sign_ = 1.0;
  bool residual_;
  int ny_, nz_;
  std::tuple<std::vector<Dual4>, std::vector<Taylor2Dual>> series_;
  std::tuple<std::vector<double>, std::vector<Dual4>> rows_of_g_;
  std::vector<Dual4> y4_, z4_, g4_;
};

std::optional<HessenbergForm> hessenberg_form(std::string_view name) {
  if (name == "baumgarte") return HessenbergForm::baumgarte;
  if (name == "linearised") return HessenbergForm::linearised;
  if (name == "regularised") return HessenbergForm::regularised;
  return std::nullopt;
}

}  // namespace

ViewFit fit_hessenberg(const SemiExplicitProblem& p, std::string_view formulation, View view) {
  const auto no = [](std::string reason) { return ViewFit{false, 0, std::move(reason)}; };
  const auto form = hessenberg_form(formulation);
  if (!form) return no(fmt::format("formulation '{}' is for multibody problems", formulation));
  if (p.hessenberg_blocks.size() != 1)
    return no(
        fmt::format("formulation '{}' is for y' = f(t, y, z), 0 = g(t, y) "
                    "(hessenberg_blocks with one entry)",
                    formulation));
  if (view != View::residual && view != View::linear)
    return no(fmt::format("formulation '{}' has no {} view", formulation, to_string(view)));
  if (!p.f.differentiable() || !p.g.differentiable())
    return no(
        fmt::format("formulation '{}' needs differentiable callables: wrap f and g in "
                    "autodiff",
                    formulation));
  return {true, *form == HessenbergForm::linearised ? 2 : 1, ""};
}

std::unique_ptr<System> lower_hessenberg(std::shared_ptr<const SemiExplicitProblem> p,
                                         std::string_view formulation, View view,
                                         const LoweringOptions& options, double t0) {
  const HessenbergForm form = *hessenberg_form(formulation);
  if (options.formulation_options.count("beta") > 0)
    throw InvalidArgument(
        "formulation_options: beta belongs to position constraints of multibody problems; "
        "y' = f(t, y, z), 0 = g(t, y) has alpha alone");
  const int ny = static_cast<int>(p->y0.size()), nz = static_cast<int>(p->z0.size());
  const bool extended = form == HessenbergForm::linearised;
  auto modes = std::make_shared<std::vector<double>>(p->modes);
  const auto y = default_names(p->y_names, "y", ny), z = default_names(p->z_names, "z", nz);
  const double parameter =
      formulation_option(formulation, options.formulation_options,
                         form == HessenbergForm::regularised ? "epsilon" : "alpha");
  auto map = std::make_unique<HessenbergFormMap>(p, modes, form, parameter, view == View::residual);
  if (form == HessenbergForm::regularised) map->choose_sign(t0, p->y0, p->z0);

  Layout layout;
  layout.add(VariableClass::y, 1, euclidean(ny), y);
  layout.add(VariableClass::z, 1, euclidean(nz), z);
  const auto zeta = default_names({}, "eta", extended ? nz : 0);
  if (extended) layout.add(VariableClass::eta, 2, euclidean(nz), zeta, false);
  auto variables = std::make_shared<Variables>();
  for (const LayoutBlock& b : layout.blocks())
    variables->ranges.push_back({b.cls, b.index, b.tangent, b.space.tangents()});
  variables->names = layout.names();

  std::vector<std::string> equations = p->equations;
  for (int i = static_cast<int>(equations.size()); i < ny + nz; ++i)
    equations.push_back(i < ny ? "rate of " + y[at(i)]
                               : "algebraic equation " + std::to_string(i - ny + 1));
  if (form == HessenbergForm::linearised) {
    const std::vector<std::string> constraints(equations.begin() + ny, equations.end());
    for (int k = 0; k < nz; ++k) equations[at(ny + k)] = "rate of " + constraints[at(k)];
    equations.insert(equations.end(), constraints.begin(), constraints.end());
  }

  std::unique_ptr<FirstOrderSystem> system;
  if (view == View::residual) {
    system = std::make_unique<FirstOrderSystem>(std::move(layout), std::move(map), options);
  } else {
    const int n = ny + nz * (extended ? 2 : 1);
    SparseMatrix mass(n, n);
    for (int i = 0; i < ny; ++i) mass.insert(i, i) = 1.0;
    if (form == HessenbergForm::regularised)
      for (int k = 0; k < nz; ++k) mass.insert(ny + k, ny + k) = parameter;
    system = std::make_unique<FirstOrderSystem>(std::move(layout), std::move(map), std::move(mass),
                                                options);
  }
  if (form == HessenbergForm::baumgarte && options.formulation_options.count("alpha") == 0)
    system->warnings.push_back(baumgarte_warning(fmt::format("alpha = {}", parameter)));
  system->modes = std::move(modes);
  system->variables = std::move(variables);
  system->equations = std::move(equations);
  return system;
}

}  // namespace daedalus
