#include "formulation/separated_system.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

// Rows `first` to `first + count` of diag(S^-1, I) U^T f(t, V x).
class SeparatedMap final : public MapOf<SeparatedMap> {
 public:
  SeparatedMap(std::shared_ptr<const MassMatrixProblem> p, Modes modes, const Separation& s,
               int first, int count)
      : p_(std::move(p)),
        parameters_(p_->parameters, std::move(modes)),
        right_(s.right),
        left_(s.left.middleRows(first, count)),
        n_(static_cast<int>(s.right.rows())) {
    std::apply([&](auto&... w) { (w.resize(at(2 * n_)), ...); }, work_);
  }
  template <class S>
  Eval eval(const S& t, const S* x, const S*, S* r) {
    S* y = std::get<std::vector<S>>(work_).data();
    S* f = y + n_;
    product(right_, x, y);
    const Eval e = piece_(
        "rhs", f, n_, [&] { return p_->rhs(state_arguments<S>(parameters_, t, y, n_), f, n_); });
    if (e != Eval::ok) return e;
    product(left_, f, r);
    return Eval::ok;
  }
  bool differentiable() const override { return p_->rhs.differentiable(); }
  int rows() const override { return static_cast<int>(left_.rows()); }

 private:
  template <class S>
  static void product(const Eigen::MatrixXd& A, const S* x, S* out) {
    for (int i = 0; i < A.rows(); ++i) {
      S sum(0.0);
      // Exact zeros are left out: they would hide the structure from a probe with NaN.
      for (int j = 0; j < A.cols(); ++j)
        if (A(i, j) != 0.0) sum = sum + A(i, j) * x[j];
      out[i] = sum;
    }
  }

  std::shared_ptr<const MassMatrixProblem> p_;
  ParameterSet parameters_;
  Eigen::MatrixXd right_, left_;
  int n_;
  std::tuple<std::vector<double>, std::vector<Dual4>> work_;
};

SparseMatrix leading_identity(int n, int count) {
  SparseMatrix m(n, n);
  for (int i = 0; i < count; ++i) m.insert(i, i) = 1.0;
  return m;
}

}  // namespace

PartitionedSystem::PartitionedSystem(const Layout& variables_in, std::unique_ptr<VectorMap> rhs_map,
                                     std::unique_ptr<VectorMap> constraints, int differential,
                                     LoweringOptions options, GivenJacobian given,
                                     GivenJacobian given_constraints)
    : FirstOrderSystem(variables_in, std::move(rhs_map),
                       leading_identity(variables_in.tangents(), differential), options,
                       std::move(given)),
      differential_(differential),
      constraints_(std::move(constraints)),
      options_(options),
      given_(std::move(given_constraints)) {}

void PartitionedSystem::prepare(const State& at) {
  FirstOrderSystem::prepare(at);
  const int nz = layout.tangents() - differential_;
  g_t_.setZero(nz);
  f_z_.setZero(differential_, nz);
  if (nz == 0) return;
  jacobian_ = std::make_unique<JacobianEvaluator>(
      *constraints_, layout, JacobianEvaluator::Wanted{.x = !given_, .xd = false, .t = true},
      options_.differences, options_.difference_increment);
  given_ ? jacobian_->assume_dense() : jacobian_->prepare(at);
  growths_ = 0;
  g_z_.reset();
  lay_structure();
}

// The part of the pattern of g_x that belongs to z.
void PartitionedSystem::lay_structure() {
  const int nz = layout.tangents() - differential_;
  const SparsePattern& whole = jacobian_->dx.pattern;
  const auto split = static_cast<std::size_t>(differential_);
  SparsePattern of_z, none;
  of_z.rows = of_z.cols = none.rows = none.cols = nz;
  of_z.row.assign(whole.row.begin() + whole.start[split], whole.row.end());
  for (std::size_t j = split; j < whole.start.size(); ++j)
    of_z.start.push_back(whole.start[j] - whole.start[split]);
  none.start.assign(of_z.start.size(), 0);
  // Index 2: g_z vanishes, is never factorised, and a sparse solver has nothing to analyse.
  const auto kind = of_z.row.empty() ? LinearSolverKind::dense : options_.linear_algebra;
  if (g_z_)
    g_z_->restructure(none, of_z, kind);
  else
    g_z_ = std::make_unique<Pencil>(none, of_z, kind, counter);
  growths_ = jacobian_->growths();
}

void PartitionedSystem::doubt_structure(const State& at) {
  FirstOrderSystem::doubt_structure(at);
  if (jacobian_) jacobian_->doubt();
}

void PartitionedSystem::archive(Archive& a) {
  FirstOrderSystem::archive(a);
  if (!jacobian_) return;
  jacobian_->archive(a);
  if (!a.saving() && jacobian_->growths() != growths_) lay_structure();
}

Outcome PartitionedSystem::linearise_constraints(double t, const double* x) {
  if (!jacobian_) return Outcome::ok;
  if (const Outcome o = jacobian_->evaluate(t, x, nullptr, counter, failure); o != Outcome::ok)
    return o;
  if (given_) {
    SparseValues none;
    if (const Outcome o =
            guarded(failure, t, [&] { return given_(t, x, nullptr, jacobian_->dx, none); });
        o != Outcome::ok) {
      failure.function = "g_y or g_z";
      return o;
    }
  }
  if (jacobian_->growths() != growths_) {
    tell_growth(*jacobian_, differential_, t);
    lay_structure();
  }
  const auto first = static_cast<std::size_t>(
      jacobian_->dx.pattern.start[static_cast<std::size_t>(differential_)]);
  g_z_->set_j(std::span<const double>(jacobian_->dx.values).subspan(first));
  g_t_ = jacobian_->dt;
  return Outcome::ok;
}

void PartitionedSystem::add_g_y_times(double factor, const double* y, double* r) const {
  if (!jacobian_) return;
  const SparseValues& g = jacobian_->dx;
  for (int j = 0; j < differential_; ++j) {
    const double yj = factor * y[j];
    for (int e = g.pattern.start[at(j)]; e < g.pattern.start[at(j + 1)]; ++e)
      r[g.pattern.row[at(e)]] += g.values[at(e)] * yj;
  }
}

void PartitionedSystem::add_g_y_magnitude(const double* y, double* r) const {
  if (!jacobian_) return;
  const SparseValues& g = jacobian_->dx;
  for (int j = 0; j < differential_; ++j)
    for (int e = g.pattern.start[at(j)]; e < g.pattern.start[at(j + 1)]; ++e)
      r[g.pattern.row[at(e)]] += std::abs(g.values[at(e)] * y[j]);
}

std::vector<char> PartitionedSystem::rows_with_algebraic() const {
  const int nz = layout.tangents() - differential_;
  std::vector<char> rows(at(nz), 0);
  if (!jacobian_) return rows;
  const SparsePattern& g = jacobian_->dx.pattern;
  // Values decide, not structure: a given g_z has full structure, and z may enter with a factor
  // that is zero.
  for (int e = g.start[at(differential_)]; e < g.start[at(differential_ + nz)]; ++e)
    if (jacobian_->dx.values[at(e)] != 0.0) rows[at(g.row[at(e)])] = 1;
  return rows;
}

Outcome PartitionedSystem::constraints(double t, const double* x, double* g) {
  if (!constraints_) return Outcome::ok;
  counter.now().constraint_evaluations += 1;
  const Outcome o = guarded(failure, t, [&] { return constraints_->value(t, x, nullptr, g); });
  failure.function = constraints_->running();
  if (o != Outcome::ok) return o;
  const int nz = layout.tangents() - differential_;
  if (const double* defect = defect_rows())
    for (int i = 0; i < nz; ++i) g[i] -= defect[differential_ + i];
  const int bad = first_not_finite(g, nz);
  if (bad < 0) return Outcome::ok;
  failure = {constraints_->running(), bad, t, {}};
  return Outcome::not_finite;
}

Outcome PartitionedSystem::linearise_rates(double t, const double* x) {
  if (const Outcome o = linearise(t, x); o != Outcome::ok) return o;
  const SparseValues& all = jacobian().dx;
  f_z_.setZero();
  for (int j = differential_; j < layout.tangents(); ++j)
    for (int e = all.pattern.start[at(j)]; e < all.pattern.start[at(j + 1)]; ++e)
      if (const int row = all.pattern.row[at(e)]; row < differential_)
        f_z_(row, j - differential_) = all.values[at(e)];
  return Outcome::ok;
}

Separation separate(const Eigen::MatrixXd& mass) {
  const int n = static_cast<int>(mass.rows());
  const SingularValues svd = singular_value_decomposition(mass);
  const Eigen::VectorXd& sigma = svd.values;
  Separation s;
  const double threshold = n * std::numeric_limits<double>::epsilon() * (n > 0 ? sigma[0] : 0.0);
  while (s.rank < n && sigma[s.rank] > threshold) ++s.rank;
  if (s.rank > 0 && s.rank < n) s.gap = sigma[s.rank] / sigma[s.rank - 1];
  s.right = svd.v;
  s.left = svd.u.transpose();
  for (int i = 0; i < s.rank; ++i) s.left.row(i) /= sigma[i];
  return s;
}

SeparatedSystem::SeparatedSystem(const Layout& variables_in, std::unique_ptr<VectorMap> rhs_map,
                                 std::unique_ptr<VectorMap> constraints, Separation separation,
                                 Layout model, const LoweringOptions& options)
    : PartitionedSystem(variables_in, std::move(rhs_map), std::move(constraints), separation.rank,
                        options),
      separation_(std::move(separation)),
      model_(std::move(model)) {}

std::unique_ptr<SeparatedSystem> SeparatedSystem::make(
    std::shared_ptr<const MassMatrixProblem> problem, Modes modes, const Eigen::MatrixXd& mass,
    Layout model, const LoweringOptions& options) {
  const int n = static_cast<int>(mass.rows());
  const Separation s = separate(mass);
  const auto numbered = [](const char* stem, int count) {
    std::vector<std::string> names;
    for (int i = 1; i <= count; ++i) names.push_back(stem + std::to_string(i));
    return names;
  };
  Layout layout;
  layout.add(VariableClass::y, 1, euclidean(s.rank), numbered("xi", s.rank));
  if (s.rank < n)
    layout.add(VariableClass::z, 1, euclidean(n - s.rank), numbered("eta", n - s.rank));
  auto rhs = std::make_unique<SeparatedMap>(problem, modes, s, 0, n);
  std::unique_ptr<VectorMap> constraints;
  if (s.rank < n)
    constraints = std::make_unique<SeparatedMap>(problem, modes, s, s.rank, n - s.rank);
  auto system = std::unique_ptr<SeparatedSystem>(new SeparatedSystem(
      layout, std::move(rhs), std::move(constraints), s, std::move(model), options));
  // A singular value that is neither large nor round-off makes the separation arbitrary.
  if (s.gap > 1e-10)
    system->warnings.push_back(
        fmt::format("The rank {} of the mass matrix is not clear: the first neglected singular "
                    "value is {:.1e} of the last counted one.",
                    s.rank, s.gap));
  return system;
}

void SeparatedSystem::to_model(const State& s, double* y) const {
  Out(y, s.x.size()).noalias() = separation_.right * s.x;
}

void SeparatedSystem::from_model(double t, const double* y, State& s) const {
  const auto n = separation_.right.rows();
  s.t = t;
  s.x.noalias() = separation_.right.transpose() * In(y, n);
  s.xd.conservativeResize(n);
}

void SeparatedSystem::to_model(const Interpolant& full, Interpolant& model) const {
  model.t0 = full.t0;
  model.h = full.h;
  model.degree = full.degree;
  model.base.noalias() = separation_.right * full.base;
  model.c.noalias() = separation_.right * full.c.leftCols(full.degree + 1);
}

}  // namespace daedalus
