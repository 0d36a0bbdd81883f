// SPDX-License-Identifier: BSD-3-Clause
// Least squares over tensor products: conjugate gradients for the normal equations of (4.27),
// preconditioned by their separable part, the inverse of B_1^T W_1 B_1 (x) B_2^T W_2 B_2 (x) ...
// Without smoothing and with omega = 1 that part is everything, and one iteration is enough; a few
// more remove the round-off of the inverse (Golub, Van Loan 2013, section 11.5).
#include <fmt/format.h>

#include <cmath>

#include "contact/table_data.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// A tensor with three axes, the last one fastest.
struct Tensor {
  std::array<int, 3> n{};
  Vector x;
};

// M along one axis.
Tensor times(const Matrix& M, const Tensor& a, int axis) {
  Tensor out;
  out.n = a.n;
  out.n[static_cast<std::size_t>(axis)] = static_cast<int>(M.rows());
  int before = 1, after = 1;
  for (int d = 0; d < axis; ++d) before *= a.n[static_cast<std::size_t>(d)];
  for (int d = axis + 1; d < 3; ++d) after *= a.n[static_cast<std::size_t>(d)];
  const int old_size = static_cast<int>(M.cols()) * after;
  const int new_size = static_cast<int>(M.rows()) * after;
  out.x.resize(static_cast<Eigen::Index>(before) * new_size);
  for (int k = 0; k < before; ++k) {
    const Eigen::Map<const Matrix> from(a.x.data() + static_cast<Eigen::Index>(k) * old_size, after,
                                        M.cols());
    Eigen::Map<Matrix> to(out.x.data() + static_cast<Eigen::Index>(k) * new_size, after, M.rows());
    to.noalias() = from * M.transpose();
  }
  return out;
}

// Basis functions and two derivatives at the points of an axis.
std::array<Matrix, 3> collocation(const AxisBasis& basis, const std::vector<double>& x) {
  std::array<Matrix, 3> B;
  for (Matrix& m : B) m.setZero(static_cast<Eigen::Index>(x.size()), basis.count());
  for (std::size_t i = 0; i < x.size(); ++i) {
    double b[4][widest_basis];
    const int first = basis.evaluate(x[i], 2, b);
    for (std::size_t r = 0; r < 3; ++r)
      for (int f = 0; f < basis.width(); ++f)
        B[r](static_cast<Eigen::Index>(i), first + f) = b[r][f];
  }
  return B;
}

class NormalEquations {
 public:
  NormalEquations(const ContactTable::Data& data, int quantity, const FitPoints& points,
                  const std::vector<double>& omega) {
    const auto& group =
        data.groups[static_cast<std::size_t>(data.where[static_cast<std::size_t>(quantity)].first)];
    for (std::size_t d = 0; d < 3; ++d) {
      B_[d] = collocation(group.basis[d], points.x[d]);
      functions_[d] = group.basis[d].count();
      samples_[d] = static_cast<int>(points.x[d].size());
      const Vector w = Eigen::Map<const Vector>(points.w[d].data(), samples_[d]);
      const Matrix gram = B_[d][0].transpose() * w.asDiagonal() * B_[d][0];
      inverse_[d] = PivotedLu(gram).solve_columns(Matrix::Identity(gram.rows(), gram.cols()));
    }
    area_.resize(static_cast<Eigen::Index>(omega.size()));
    Eigen::Index k = 0;
    for (const double a : points.w[0])
      for (const double b : points.w[1])
        for (const double c : points.w[2]) area_[k++] = a * b * c;
    omega_ = Eigen::Map<const Vector>(omega.data(), area_.size());
    const auto& q = data.request.quantities[static_cast<std::size_t>(quantity)];
    for (std::size_t d = 0; d < data.request.axes.size(); ++d)
      mu_[d] = data.request.axes[d].even ? 0.0 : q.smoothing[d];
  }

  Vector right_hand_side(const std::vector<double>& values) const {
    const Eigen::Map<const Vector> v(values.data(), area_.size());
    return transposed({0, 0, 0}, area_.cwiseProduct(omega_).cwiseProduct(v));
  }
  Vector apply(const Vector& c) const {
    Vector y = form({0, 0, 0}, area_.cwiseProduct(omega_), c);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i; j < 3; ++j) {
        const double factor = (i == j ? 1.0 : 2.0) * mu_[i] * mu_[j];
        if (factor == 0.0) continue;
        std::array<std::size_t, 3> derivative{0, 0, 0};
        ++derivative[i];
        ++derivative[j];
        y += form(derivative, factor * area_, c);
      }
    return y;
  }
  Vector precondition(const Vector& r) const {
    Tensor t{functions_, r};
    for (int d = 0; d < 3; ++d) t = times(inverse_[static_cast<std::size_t>(d)], t, d);
    return t.x;
  }

 private:
  Vector transposed(const std::array<std::size_t, 3>& derivative, const Vector& y) const {
    Tensor t{samples_, y};
    for (int d = 0; d < 3; ++d) {
      const auto e = static_cast<std::size_t>(d);
      t = times(B_[e][derivative[e]].transpose(), t, d);
    }
    return t.x;
  }
  Vector form(const std::array<std::size_t, 3>& derivative, const Vector& weight,
              const Vector& c) const {
    Tensor t{functions_, c};
    for (int d = 0; d < 3; ++d) {
      const auto e = static_cast<std::size_t>(d);
      t = times(B_[e][derivative[e]], t, d);
    }
    return transposed(derivative, weight.cwiseProduct(t.x));
  }

  std::array<std::array<Matrix, 3>, 3> B_;
  std::array<Matrix, 3> inverse_;
  std::array<int, 3> functions_{}, samples_{};
  std::array<double, 3> mu_{};
  Vector area_, omega_;
};

}  // namespace

FitPoints fit_points(const TableRequest& request) {
  FitPoints points;
  for (std::size_t d = 0; d < 3; ++d) {
    if (d >= request.axes.size()) {
      points.x[d] = {0.0};
      points.w[d] = {1.0};
    } else if (request.axes[d].even) {
      points.x[d] = request.axes[d].breaks;
      points.w[d] = {1.0, 1.0};
    } else {
      const ContactGrid grid = ContactGrid::gauss(request.axes[d].breaks, request.samples);
      for (int i = 0; i < grid.size(); ++i) {
        points.x[d].push_back(grid.point(i));
        points.w[d].push_back(grid.weight(i) * grid.length());
      }
    }
  }
  return points;
}

std::vector<double> fit_splines(const ContactTable::Data& data, int quantity,
                                const FitPoints& points, const std::vector<double>& omega,
                                const std::vector<double>& values) {
  const NormalEquations system(data, quantity, points, omega);
  const Vector b = system.right_hand_side(values);
  Vector x = system.precondition(b), r = b - system.apply(x), z = system.precondition(r), p = z;
  const double size = std::sqrt(std::abs(b.dot(system.precondition(b))));
  double rz = r.dot(z), best = std::abs(rz);
  int idle = 0;
  // Round-off stops the residual; ten iterations without progress are the end of it.
  for (int k = 0; k < 20000 && idle < 10 && std::sqrt(best) > 1e-16 * size && rz > 0.0; ++k) {
    const Vector q = system.apply(p);
    const double step = rz / p.dot(q);
    x += step * p;
    r -= step * q;
    z = system.precondition(r);
    const double next = r.dot(z);
    p = z + (next / rz) * p;
    rz = next;
    idle = std::abs(rz) < 0.99 * best ? 0 : idle + 1;
    best = std::min(best, std::abs(rz));
  }
  if (!x.allFinite() || std::sqrt(best) > 1e-10 * size)
    throw InvalidArgument(fmt::format(
        "contact table: the fit of '{}' did not settle (residual {:.1e}); less smoothing or fewer "
        "breaks may help",
        data.request.quantities[static_cast<std::size_t>(quantity)].name,
        size > 0.0 ? std::sqrt(best) / size : best));
  return {x.data(), x.data() + x.size()};
}

}  // namespace daedalus
