// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/testing/jacobian.hpp>

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>

#include "analysis/jacobian_check.hpp"
#include "analysis/jacobian_entries.hpp"
#include "formulation/default_names.hpp"
#include "formulation/parameters.hpp"
#include "kernel/scattered.hpp"

namespace daedalus::testing {
namespace {

using Names = std::vector<std::string>;
using Evaluate = std::function<bool(const Eigen::VectorXd& shift, Eigen::VectorXd& out)>;

std::string name(const Names& names, int i, const char* stem) {
  return i < static_cast<int>(names.size()) ? names[static_cast<std::size_t>(i)]
                                            : stem + std::to_string(i + 1);
}

// Of a callable, in units of its value or of terms of it that cancel, where those are known
// (`inside`).
constexpr double round_off = 4e-15;

// Central differences with Richardson's extrapolation over a few step sizes (Ridders 1982); keeps
// the value with the smallest estimated error. At a kink, where the slopes of both sides stay apart
// however near they are taken, everything between them is right.
std::optional<Eigen::MatrixXd> differences(const Evaluate& f, int rows, const Eigen::VectorXd& size,
                                           double inside, Eigen::MatrixXd& uncertainty) {
  const int cols = static_cast<int>(size.size());
  Eigen::MatrixXd J(rows, cols);
  uncertainty.setConstant(rows, cols, 1e300);
  Eigen::VectorXd shift = Eigen::VectorXd::Zero(cols), plus(rows), minus(rows), middle(rows);
  if (!f(shift, middle)) return std::nullopt;
  for (int j = 0; j < cols; ++j) {
    Eigen::VectorXd last, apart = Eigen::VectorXd::Constant(rows, 1e300);
    double h = 1e-2 * size[j];
    for (int level = 0; level < 8; ++level, h *= 0.25) {
      Eigen::VectorXd quotient[2];
      bool good = true;
      for (int half = 0; half < 2 && good; ++half) {
        const double e = half ? 0.5 * h : h;
        shift[j] = e;
        good = f(shift, plus);
        shift[j] = -e;
        good = good && f(shift, minus);
        if (good) quotient[half] = (plus - minus) / (2.0 * e);
      }
      shift[j] = 0.0;
      if (!good) continue;
      apart = apart.cwiseMin((plus - 2.0 * middle + minus).cwiseAbs() / (0.5 * h));
      const Eigen::VectorXd better = (4.0 * quotient[1] - quotient[0]) / 3.0;
      for (int i = 0; i < rows; ++i) {
        const double estimate = std::abs(better[i] - quotient[1][i]) +
                                (last.size() ? std::abs(better[i] - last[i]) : 1e290) +
                                round_off * std::max(std::abs(plus[i]), inside) / h;
        if (estimate < uncertainty(i, j)) {
          uncertainty(i, j) = estimate;
          J(i, j) = better[i];
        }
      }
      last = better;
    }
    if (last.size() == 0) return std::nullopt;
    uncertainty.col(j) = uncertainty.col(j).cwiseMax(0.5 * apart);
  }
  return J;
}

// Whether differences along one direction tell that no entry is off by more than `tolerance`, at
// eight evaluations whatever the size is. The entries of the direction are all different, in the
// units of the variables: wrong entries cancel in no row. False: some are, or it is not certain.
bool agrees_along(const Evaluate& f, const Eigen::MatrixXd& given, const Eigen::VectorXd& size,
                  double inside, double tolerance) {
  const Eigen::Index rows = given.rows(), cols = given.cols();
  if (!given.allFinite()) return false;
  Eigen::VectorXd direction(cols), plus(rows), minus(rows), better[2], noise(rows);
  for (Eigen::Index j = 0; j < cols; ++j) {
    const double x = scattered(static_cast<std::uint64_t>(j));
    direction[j] = (x < 0.5 ? -1.0 - x : 0.5 + x) * size[j];
  }
  double h = 1e-2;
  for (Eigen::VectorXd& found : better) {
    Eigen::VectorXd quotient[2];
    for (Eigen::VectorXd& q : quotient) {
      if (!f(h * direction, plus) || !f(-h * direction, minus)) return false;
      q = (plus - minus) / (2.0 * h);
      noise = round_off * plus.cwiseAbs().cwiseMax(inside) / h;
      h *= 0.5;
    }
    found = (4.0 * quotient[1] - quotient[0]) / 3.0;
  }
  const Eigen::VectorXd reach = given.cwiseAbs() * size, product = given * direction;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double scale = std::max(reach[i], 1e-12 * reach.maxCoeff()) + 1e-300;
    const double off = std::abs(better[1][i] - product[i]) + std::abs(better[1][i] - better[0][i]);
    // Round-off of a row whose derivatives vanish hides what is there from any difference.
    if (!(off <= tolerance * scale + 4.0 * noise[i])) return false;
  }
  return true;
}

class Report {
 public:
  Report(JacobianReport& out, double tolerance, bool at_a_glance = false)
      : out_(out), tolerance_(tolerance), at_a_glance_(at_a_glance) {}

  void compare(const std::string& function, const Names& rows, const Names& cols,
               const Eigen::MatrixXd& given, const Evaluate& f, const Eigen::VectorXd& size,
               bool rows_alike = false, double inside = 0.0) {
    if (at_a_glance_) {
      out_.ok = out_.ok && agrees_along(f, given, size, inside, tolerance_);
      return;
    }
    Eigen::MatrixXd uncertainty;
    uncertainty.resize(given.rows(), given.cols());
    const auto found = differences(f, static_cast<int>(given.rows()), size, inside, uncertainty);
    if (!found) return;
    const Eigen::VectorXd reach = given.cwiseAbs().cwiseMax(found->cwiseAbs()) * size;
    for (int i = 0; i < given.rows(); ++i) {
      // Entries of a row are compared in the units of a change of its variables by their size; a
      // row far below all others holds only rounding errors.
      const double scale =
          (rows_alike ? reach.maxCoeff() : std::max(reach[i], 1e-12 * reach.maxCoeff())) + 1e-300;
      for (int j = 0; j < given.cols(); ++j) {
        const double gap =
            std::max(0.0, std::abs(given(i, j) - (*found)(i, j)) - uncertainty(i, j));
        double error = gap * size[j] / scale;
        if (!std::isfinite(given(i, j))) error = 1e300;
        const JacobianEntry entry{function,    name(rows, i, "row "), name(cols, j, "column "),
                                  given(i, j), (*found)(i, j),        error};
        if (out_.worst.function.empty() || error > out_.worst.error) out_.worst = entry;
        if (error > tolerance_) {
          out_.wrong.push_back(entry);
          out_.ok = false;
        }
      }
    }
  }

 private:
  JacobianReport& out_;
  double tolerance_;
  bool at_a_glance_;
};

Eigen::VectorXd sizes_of(const Eigen::VectorXd& x) {
  return x.cwiseAbs().array() * 0.1 + 1e-3 * (x.size() ? x.cwiseAbs().maxCoeff() : 0.0) + 1e-4;
}

// Of a matrix that is compared entry by entry, 128 MB: larger ones are structured, and their
// columns as many evaluations.
constexpr long max_entries = long{1} << 24;

// Compares d(base)/d(vector `which`) as given, else as differentiated, with differences.
template <class Base, class Matrix>
void derivative(Report& report, const char* base_name, const Function<Base>& base,
                const char* matrix_name, const Function<Matrix>& matrix, Arguments<double> a,
                int which, int rows, const Names& row_names, const Names& col_names,
                const ParameterSet& parameters, double inside = 0.0) {
  const auto w = static_cast<std::size_t>(which);
  const int cols = a.n[w];
  if (!base || rows == 0 || cols == 0 || long{rows} * cols > max_entries) return;
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(a.x[w], cols);
  Eigen::VectorXd moved = x;
  const auto safely = [](auto&& call) {
    try {
      return call() == Eval::ok;
    } catch (...) {
      return false;
    }
  };
  const Evaluate evaluate = [&](const Eigen::VectorXd& shift, Eigen::VectorXd& out) {
    moved = x + shift;
    Arguments<double> there = a;
    there.x[w] = moved.data();
    return safely([&] { return base(there, out.data(), rows); }) && out.allFinite();
  };
  Eigen::MatrixXd J(rows, cols);
  if (matrix) {
    if (safely([&] { return matrix(a, J.data(), rows, cols); }))
      report.compare(matrix_name, row_names, col_names, J, evaluate, sizes_of(x));
    return;
  }
  if (!base.differentiable()) {
    const SparseDerivatives* known = base.sparse_derivatives();
    if (known && safely([&] { return given_entries(*known, a, which, J); }))
      report.compare(matrix_name, row_names, col_names, J, evaluate, sizes_of(x));
    return;
  }
  std::optional<Eigen::MatrixXd> exact;
  if (safely([&] {
        exact = by_duals(base, a, which, rows, parameters);
        return exact ? Eval::ok : Eval::reject;
      }))
    report.compare(base_name, row_names, col_names, *exact, evaluate, sizes_of(x), false, inside);
}

const Function<slot::PositionMatrix> no_position_matrix;

void check(const ImplicitProblem& p, Report& r, double t, double nudge, const ParameterSet& ps) {
  const int n = static_cast<int>(p.y0.size());
  const int nd = p.leading_count > 0 ? p.leading_count : n;
  Eigen::VectorXd y = p.y0 + nudge * sizes_of(p.y0);
  Eigen::VectorXd yp = p.yp0.size() ? p.yp0 : Eigen::VectorXd::Zero(nd);
  yp += nudge * sizes_of(yp);
  const auto a = state_arguments<double>(ps, t, y.data(), n, nullptr, 0, yp.data(), nd);
  const Names rows = default_names(p.equations, "equation ", n),
              columns = default_names(p.variables, "y", n);
  derivative(r, "residual", p.residual, "jacobian_y", p.jacobian_y, a, 0, n, rows, columns, ps);
  derivative(r, "residual", p.residual, "jacobian_yp", p.jacobian_yp, a, 2, n, rows, columns, ps);
}

void check(const MassMatrixProblem& p, Report& r, double t, double nudge, const ParameterSet& ps) {
  const int n = static_cast<int>(p.y0.size());
  const Eigen::VectorXd y = p.y0 + nudge * sizes_of(p.y0);
  const auto a = state_arguments<double>(ps, t, y.data(), n);
  derivative(r, "rhs", p.rhs, "jacobian", p.jacobian, a, 0, n,
             default_names(p.equations, "equation ", n), default_names(p.variables, "y", n), ps);
}

void check(const SemiExplicitProblem& p, Report& r, double t, double nudge,
           const ParameterSet& ps) {
  const int ny = static_cast<int>(p.y0.size()), nz = static_cast<int>(p.z0.size());
  const Eigen::VectorXd y = p.y0 + nudge * sizes_of(p.y0);
  const Eigen::VectorXd z = nz ? Eigen::VectorXd(p.z0 + nudge * sizes_of(p.z0)) : p.z0;
  const auto a = state_arguments<double>(ps, t, y.data(), ny, z.data(), nz);
  const Names y_names = default_names(p.y_names, "y", ny),
              z_names = default_names(p.z_names, "z", nz);
  Names f_rows, g_rows;
  for (int i = 0; i < ny + nz; ++i) {
    const bool given = i < static_cast<int>(p.equations.size());
    (i < ny ? f_rows : g_rows)
        .push_back(given    ? p.equations[static_cast<std::size_t>(i)]
                   : i < ny ? "rate of " + y_names[static_cast<std::size_t>(i)]
                            : fmt::format("algebraic equation {}", i - ny + 1));
  }
  derivative(r, "f", p.f, "f_y", p.f_y, a, 0, ny, f_rows, y_names, ps);
  derivative(r, "f", p.f, "f_z", p.f_z, a, 1, ny, f_rows, z_names, ps);
  derivative(r, "g", p.g, "g_y", p.g_y, a, 0, nz, g_rows, y_names, ps);
  derivative(r, "g", p.g, "g_z", p.g_z, a, 1, nz, g_rows, z_names, ps);
}

void check(const MultibodyProblem& p, Report& r, double t, double nudge, const ParameterSet& ps) {
  const int nv = p.velocities(), nl = p.multipliers();
  const Eigen::VectorXd w = nudge * Eigen::VectorXd::Constant(p.space.tangents(), 0.1);
  Eigen::VectorXd q = p.q0;
  p.space.plus(p.q0.data(), w.data(), q.data());
  const Eigen::VectorXd v = p.v0 + nudge * sizes_of(p.v0);
  const Eigen::VectorXd lambda = p.lambda0.size() ? p.lambda0 : Eigen::VectorXd::Zero(nl);
  Arguments<double> a;
  a.t = t;
  a.x = {q.data(), v.data(), lambda.data(), p.c0.data(), p.s0.data()};
  a.n = {p.space.points(), nv, nl, p.dynamic_count, p.contact_count};
  ps.apply(a);
  const Names v_names = default_names(p.v_names, "v", nv),
              q_names = default_names(p.q_names, "q", p.space.points());
  Names balances, constraints;
  for (const std::string& v_name : v_names) balances.push_back("balance of " + v_name);
  for (int k = 0; k < p.constraint_count; ++k)
    constraints.push_back(fmt::format("constraint {}", k + 1));
  // Gyroscopic terms of a body with equal moments of inertia cancel: nothing but rounding is left.
  double gyroscopic = 0.0;
  for (Eigen::Index k = 0; k < p.mass_matrix.nonZeros(); ++k)
    gyroscopic = std::max(gyroscopic, std::abs(p.mass_matrix.valuePtr()[k]));
  gyroscopic *= v.size() ? v.squaredNorm() : 0.0;
  derivative(r, "force", p.force, "", no_position_matrix, a, 1, nv, balances, v_names, ps,
             gyroscopic);
  if (!p.space.is_euclidean()) {
    // Tangent coordinates: compare the given matrix with differences along the group.
    if (!p.constraint || !p.constraint_jacobian) return;
    Eigen::MatrixXd G(p.constraint_count, p.space.tangents());
    if (p.constraint_jacobian(a, G.data(), p.constraint_count, p.space.tangents()) != Eval::ok)
      return;
    Eigen::VectorXd moved(p.space.points());
    r.compare(
        "constraint_jacobian", constraints, {}, G,
        [&](const Eigen::VectorXd& shift, Eigen::VectorXd& out) {
          p.space.plus(q.data(), shift.data(), moved.data());
          Arguments<double> there = a;
          there.x[0] = moved.data();
          return p.constraint(there, out.data(), p.constraint_count) == Eval::ok;
        },
        Eigen::VectorXd::Constant(p.space.tangents(), 0.1));
    return;
  }
  derivative(r, "force", p.force, "", no_position_matrix, a, 0, nv, balances, q_names, ps);
  derivative(r, "constraint", p.constraint, "constraint_jacobian", p.constraint_jacobian, a, 0,
             p.constraint_count, constraints, q_names, ps);
  if (p.kinematics || p.contact_count > 0 || !p.constraint) return;
  // g_t by differences in t alone. The acceleration term is the derivative at e = 0 of the odd
  // function (g(e) - 2 g(0) + g(-e)) / e along q + e v, t + e: no given derivative enters.
  const auto g_at = [&](double time, const Eigen::VectorXd& where, Eigen::VectorXd& out) {
    Arguments<double> there = a;
    there.t = time;
    there.x[0] = where.data();
    return p.constraint(there, out.data(), p.constraint_count) == Eval::ok;
  };
  Eigen::MatrixXd column(p.constraint_count, 1);
  if (p.constraint_time_derivative &&
      p.constraint_time_derivative(a, column.data(), p.constraint_count) == Eval::ok)
    r.compare(
        "constraint_time_derivative", constraints, {"t"}, column,
        [&](const Eigen::VectorXd& shift, Eigen::VectorXd& out) {
          return g_at(t + shift[0], q, out);
        },
        Eigen::VectorXd::Constant(1, 0.1));
  // Quadratic in v: speeds of order one or larger keep it above rounding errors, and its terms may
  // cancel in a row, so that rows are compared with the largest one.
  Eigen::VectorXd fast = v;
  for (int i = 0; i < nv; ++i) fast[i] += 0.5 + 0.1 * i;
  Arguments<double> moving = a;
  moving.x[1] = fast.data();
  Eigen::VectorXd middle(p.constraint_count);
  if (!p.acceleration_term ||
      p.acceleration_term(moving, column.data(), p.constraint_count) != Eval::ok ||
      !g_at(t, q, middle))
    return;
  r.compare(
      "acceleration_term", constraints, {"t"}, column,
      [&](const Eigen::VectorXd& shift, Eigen::VectorXd& out) {
        const double e = shift[0];
        if (e == 0.0) {  // the quotient is odd in e
          out.setZero(p.constraint_count);
          return true;
        }
        Eigen::VectorXd ahead(p.constraint_count), behind(p.constraint_count);
        if (!g_at(t + e, q + e * fast, ahead) || !g_at(t - e, q - e * fast, behind)) return false;
        out = (ahead - 2.0 * middle + behind) / e;
        return true;
      },
      Eigen::VectorXd::Constant(1, 1.0 / fast.cwiseAbs().maxCoeff()), true);
}

}  // namespace

// At the start values and beside them.
static void check_all(const Problem& problem, double t0, Report& report) {
  std::visit(
      [&](const auto& p) {
        const ParameterSet parameters(p.parameters,
                                      std::make_shared<const std::vector<double>>(p.modes));
        for (const double nudge : {0.0, 0.03}) check(p, report, t0, nudge, parameters);
      },
      problem);
}

JacobianReport check_jacobians(const Problem& problem, double t0, double tolerance) {
  JacobianReport out;
  Report report(out, tolerance);
  check_all(problem, t0, report);
  return out;
}

bool jacobians_agree(const Problem& problem, double t0, double tolerance) {
  JacobianReport out;
  Report report(out, tolerance, true);
  check_all(problem, t0, report);
  return out.ok;
}

std::string JacobianReport::text() const {
  if (worst.function.empty()) return "There are no derivatives to compare.";
  return fmt::format(
      "{}: the entry of '{}' in the row of '{}' is {:.10g}, differences give {:.10g} (relative "
      "error {:.2g}). Wrong entries: {}.",
      worst.function, worst.column, worst.row, worst.given, worst.differences, worst.error,
      wrong.size());
}

}  // namespace daedalus::testing
