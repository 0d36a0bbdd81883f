// SPDX-License-Identifier: BSD-3-Clause
#include "peers/plain.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::peers {
namespace {

class PlainModel final : public Model {
 public:
  PlainModel(const PlainProblem& problem, const problems::Entry& entry, Model& like)
      : problem_(problem) {
    const int n = problem.size;
    formulation = problem.mechanics ? "plain-ode" : "plain";
    names = like.names;
    std::vector<double> y(names.size());
    like.to_model(entry.t0, like.x0.data(), y.data());
    x0.resize(n);
    if (problem.from_model)
      problem.from_model(entry.t0, y.data(), x0.data());
    else
      std::copy_n(y.data(), n, x0.data());
    ode = problem.ode;
    linear = true;
    autonomous = problem.autonomous;
    rates_only = problem.jacobian == nullptr;
    plain_rates = problem.rates;
    plain_jacobian = problem.jacobian;
    mechanics = problem.mechanics;
    if (problem.full_mass)
      mass = Eigen::Map<const Eigen::MatrixXd>(problem.full_mass, n, n);
    else if (problem.mass)
      mass = Eigen::Map<const Eigen::VectorXd>(problem.mass, n).asDiagonal();
    pattern = SparsePattern::dense(n, n);
    columns = n;
    for (int c = 0; c < n; ++c)
      algebraic.push_back(mass.size() > 0 && mass.col(c).isZero(0.0) ? 1 : 0);
    xd0.setZero(n);
    // Rates of the algebraic variables are those of the model, where they are the same numbers.
    if (!problem.from_model && like.size() >= n) xd0 = like.xd0.head(n);
    if (mass.size() == 0) problem.rates(entry.t0, x0.data(), xd0.data());
    f_.resize(n);
    J_.resize(n, n);
  }

  void to_model(double t, const double* x, double* y) override {
    if (problem_.to_model)
      problem_.to_model(t, x, y);
    else
      std::copy_n(x, size(), y);
  }

 private:
  Answer do_rates(double t, const double* x, double* f) override {
    problem_.rates(t, x, f);
    return fine;
  }
  Answer do_residual(double t, const double* x, const double* xd, double* r) override {
    const int n = size();
    problem_.rates(t, x, f_.data());
    if (problem_.full_mass)
      Eigen::Map<Eigen::VectorXd>(r, n) = mass * Eigen::Map<const Eigen::VectorXd>(xd, n) - f_;
    else
      for (int i = 0; i < n; ++i) r[i] = (problem_.mass ? problem_.mass[i] : 1.0) * xd[i] - f_[i];
    return std::isfinite(f_.sum()) ? fine : recoverable;
  }
  Answer do_matrix(double t, double alpha, const double* x, const double*,
                   double* values) override {
    const int n = size();
    problem_.jacobian(t, x, J_.data());
    Eigen::Map<Eigen::MatrixXd> out(values, n, n);
    out = -J_;
    if (problem_.full_mass)
      out += alpha * mass;
    else
      for (int i = 0; i < n; ++i) out(i, i) += alpha * (problem_.mass ? problem_.mass[i] : 1.0);
    return fine;
  }

  const PlainProblem& problem_;
  Eigen::VectorXd f_;
  Eigen::MatrixXd J_;
};

}  // namespace

std::unique_ptr<Model> plain_model(const problems::Entry& entry, Model& like) {
  const PlainProblem* found = plain_first_order(entry.name);
  if (!found) found = plain_mechanism(entry.name);
  return found ? std::make_unique<PlainModel>(*found, entry, like) : nullptr;
}

}  // namespace daedalus::peers
