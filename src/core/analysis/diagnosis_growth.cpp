// SPDX-License-Identifier: BSD-3-Clause
// Solutions that grow beyond bounds, and the terms that drive them. For F(t, x, x') = 0 linearised,
// E x' + J x = 0, an eigenvalue mu with left and right vectors l, r obeys
//   mu = -sum_ij l_i J_ij r_j / l^T E r:
// the entries with the largest positive share feed the growth.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "analysis/diagnosis_parts.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus::diagnosis {
namespace {

constexpr double large_growth = 1e4;     // of a variable, over its size and tolerance before
constexpr double overflow = 1e60;        // its fifth power, as in a Jacobian, is beyond all numbers
constexpr double enough_to_drive = 3.0;  // exponent over the time of the run
constexpr double explained = 0.7;        // of the logarithm of the growth

struct Share {
  int row, column;
  double value;
};

std::vector<Share> shares(const Place& p, std::complex<double> mu) {
  const int n = p.size();
  // (mu E + J) r = 0 over the reals, r = a + i b.
  Eigen::MatrixXd A(2 * n, 2 * n);
  const Eigen::MatrixXd real = mu.real() * p.E + p.J, imaginary = mu.imag() * p.E;
  A << real, -imaginary, imaginary, real;
  for (int i = 0; i < n; ++i) {
    const double size = A.row(i).cwiseAbs().maxCoeff();
    if (!(size > 0.0)) continue;  // an equation of its own: all of it vanishes at its eigenvalue
    A.row(i) /= size, A.row(i + n) /= size;
  }
  const SingularValues svd = singular_value_decomposition(A);
  const auto vector = [n](const Eigen::MatrixXd& m) {
    return Eigen::VectorXcd(m.col(2 * n - 1).head(n).cast<std::complex<double>>() +
                            std::complex<double>(0.0, 1.0) *
                                m.col(2 * n - 1).tail(n).cast<std::complex<double>>());
  };
  const Eigen::VectorXcd r = vector(svd.v);
  Eigen::VectorXcd l = vector(svd.u);
  for (int i = 0; i < n; ++i) {
    const double size =
        std::max(real.row(i).cwiseAbs().maxCoeff(), imaginary.row(i).cwiseAbs().maxCoeff());
    if (size > 0.0) l[i] /= size;
  }
  const std::complex<double> norm = l.dot(p.E.cast<std::complex<double>>() * r);  // conj(l)
  if (std::abs(norm) == 0.0) return {};
  std::vector<Share> all;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (p.J(i, j) != 0.0)
        all.push_back({i, j, (-std::conj(l[i]) * p.J(i, j) * r[j] / norm).real()});
  return all;
}

// The finite eigenvalue with the largest real part, if it is positive.
std::complex<double> fastest_growth(const Place& p) {
  const PencilEigenvalues found = pencil_eigenvalues(-p.J, p.E);
  std::complex<double> mu = 0.0;
  for (int i = 0; i < p.size(); ++i) {
    if (std::abs(found.beta[i]) <= 1e-12 * p.E.cwiseAbs().maxCoeff()) continue;
    const std::complex<double> value = found.alpha[i] / found.beta[i];
    if (std::isfinite(value.real()) && value.real() > mu.real()) mu = value;
  }
  return mu;
}

struct Grown {
  Eigen::VectorXd before, after;
  int variable = -1;
  double factor = 0.0;  // over its size and tolerance before
  bool large() const { return factor > large_growth; }
};

Grown grown_most(const Site& site) {
  const Place& from = *site.start;
  const int n = site.size();
  Grown g;
  g.before.resize(n), g.after.resize(n);
  site.system->layout.magnitude(from.s.x.data(), g.before.data());
  site.system->layout.magnitude(site.end->s.x.data(), g.after.data());
  const double common = g.before.maxCoeff();
  const Eigen::VectorXd weight = site.weight(from);
  for (int i = 0; i < n; ++i) {
    // Algebraic variables follow the others at once, whatever was guessed for them.
    if (from.E.col(i).cwiseAbs().maxCoeff() == 0.0) continue;
    const double factor =
        g.after[i] / std::max({g.before[i], 1e-3 * common, 1e3 * weight[i], 1e-300});
    if (factor > g.factor) g.factor = factor, g.variable = i;
  }
  return g;
}

double time_of(const Site& site) { return std::abs(site.run->t - site.run->t0); }

}  // namespace

// Forces of a mechanism that grow with the velocity they should damp. In a motion that they have
// driven far the eigenvalues are those of fast rotations, and hide them.
std::string driven_bodies(const Site& site) {
  const LayoutBlock* velocities = site.system->layout.find(VariableClass::v);
  if (!std::holds_alternative<MultibodyProblem>(*site.problem) || !velocities ||
      !grown_most(site).large())
    return {};
  const double time = time_of(site);
  std::string terms;
  double fastest = 0.0;
  int named = 0;
  for (int k = 0; k < velocities->space.tangents(); ++k) {
    const int i = velocities->tangent + k;
    const double mass = std::abs(site.start->E(i, i));
    const double rate = mass > 0.0 ? -site.start->J(i, i) / mass : 0.0;
    if (!(rate * time > enough_to_drive)) continue;
    fastest = std::max(fastest, rate);
    if (named < 4)
      terms += fmt::format("{}'{}' in equation '{}'", named++ ? ", " : "", site.variable(i),
                           site.equation(i));
  }
  if (named == 0) return {};
  return fmt::format(
      " The solution grows beyond bounds: forces grow with the velocities that they act on, like "
      "exp({:.2g} t) by themselves: {}. If they should damp, a sign is wrong.",
      fastest, terms);
}

std::string growth(const Site& site) {
  const Place& from = *site.start;
  const Place& to = *site.end;
  Grown grown = grown_most(site);
  if (!grown.large() || site.size() > 150) return {};
  if (std::string text = driven_bodies(site); !text.empty()) return text;
  const Eigen::VectorXd &before = grown.before, &after = grown.after;
  if (after.maxCoeff() > overflow) after.maxCoeff(&grown.variable);
  const double time = time_of(site);
  // What explains the growth by itself at the start is its cause; later, terms that have grown hide
  // it, and where numbers overflow nothing can be computed any more.
  std::complex<double> mu = fastest_growth(from);
  const bool from_start =
      after.maxCoeff() > overflow || mu.real() * time > explained * std::log(grown.factor);
  const Place& seen = from_start ? from : to;
  if (!from_start) mu = fastest_growth(to);
  const double exponent = mu.real() * time;
  std::string text =
      fmt::format(" The solution grows beyond bounds: '{}' went from {:.3g} to {:.3g}.",
                  site.variable(grown.variable), before[grown.variable], after[grown.variable]);
  if (mu.real() > 0.0 && exponent > 3.0) {
    std::vector<Share> all = shares(seen, mu);
    std::sort(all.begin(), all.end(),
              [](const Share& a, const Share& b) { return a.value > b.value; });
    std::string terms;
    for (std::size_t k = 0; k < all.size() && k < 3 && all[k].value > 0.3 * all[0].value; ++k)
      if (all[k].value > 0.0)
        terms += fmt::format("{}'{}' in equation '{}'", terms.empty() ? "" : ", ",
                             site.variable(all[k].column), site.equation(all[k].row));
    if (!terms.empty())
      text += fmt::format(
          " Disturbances grow like exp({:.2g} t) there, driven by {}. If they should decay, a sign "
          "is wrong.",
          mu.real(), terms);
  }
  return text;
}

}  // namespace daedalus::diagnosis
