// SPDX-License-Identifier: BSD-3-Clause
// Callables with branches whose other side depends on further variables. The terms behind a branch
// vanish on the solution, so that it stays smooth while the pattern of the Jacobian changes.
#include <cmath>

#include "soak/smooth_model.hpp"

namespace daedalus::soak {
namespace {

struct BranchedModel {
  SmoothModel base;
  int index = 1;
  int watched = 0;       // y[watched] or t decides
  bool by_time = false;  // of the two
  double threshold = 0.0;
  Eigen::VectorXd strength;        // of the terms behind the branch, per rate
  std::vector<int> hidden;         // the variable that they read
  double kink = 0.0, level = 0.0;  // kink max(0, y - level)
  double beside = 0.0;             // in the constraints

  template <class S, class Y>
  bool other(const S& t, const Y& y) const {
    return by_time ? t > threshold : y[watched] > threshold;
  }
  template <class S, class Y, class Z, class X>
  S rate(int i, const S& t, const Y& y, const Z& z, const X& ys) const {
    const int ny = static_cast<int>(hidden.size());
    S sum = base.rate<S>(i, t, y, z, ys);
    const int k = hidden[static_cast<std::size_t>(i)];
    // The branch is the one that the state takes, for the solution as well: the term is continuous
    // there.
    if (other(t, ys)) sum += strength[i] * y[k];
    if (kink != 0.0 && y[(i + 1) % ny] > level) sum += kink * (y[(i + 1) % ny] - level);
    return sum;
  }
  template <class S, class Y, class Z, class X>
  S constraint(int i, const S& t, const Y& y, const Z& z, const X& ys) const {
    if (index == 2) return y[i] + (other(t, ys) ? beside * y[i + 1] : S(0.0));
    S sum = base.constraint<S>(i, t, y, z, ys);
    if (other(t, ys)) {
      sum += beside * y[hidden[0]];
      if (i > 0) sum += 0.2 * z[i - 1];
    }
    return sum;
  }
};

// The same decided by the state itself, which differs from the solution by the error only.
struct StateBranchedModel : BranchedModel {
  template <class S, class Y, class Z, class X>
  S rate(int i, const S& t, const Y& y, const Z& z, const X& ys) const {
    S sum = base.rate<S>(i, t, y, z, ys);
    const int k = hidden[static_cast<std::size_t>(i)];
    if (other(t, y)) sum += strength[i] * (y[k] - ys[static_cast<std::size_t>(k)]);
    return sum;
  }
  template <class S, class Y, class Z, class X>
  S constraint(int i, const S& t, const Y& y, const Z& z, const X& ys) const {
    S sum = base.constraint<S>(i, t, y, z, ys);
    const auto k = static_cast<std::size_t>(hidden[0]);
    if (other(t, y)) sum += beside * (y[hidden[0]] - ys[k]);
    return sum;
  }
};

template <class Model>
Case draw_with(Random& random, int ny, int nz, int index) {
  Case c;
  c.t1 = random.uniform(1.0, 4.0);
  auto system = std::make_shared<Manufactured<Model>>();
  Model& m = system->model;
  m.base = draw_smooth_model(random, ny, nz, random.chance(0.3) ? 1e4 : 0.0);
  // Neither full matrices, where no pattern is hidden, nor strong coupling of many variables.
  for (int i = 0; i < ny; ++i)
    for (int j = 0; j < ny; ++j)
      if (i != j) m.base.A(i, j) = std::abs(i - j) == 1 && random.chance(0.5) ? 0.3 : 0.0;
  m.base.saturated = Eigen::MatrixXd::Identity(ny, ny);
  if (index == 2) {
    m.base.B = Eigen::MatrixXd::Zero(ny, nz);
    m.base.B.topRows(nz).setIdentity();
  } else {
    for (int i = 0; i < ny; ++i)
      for (int j = 0; j < nz; ++j)
        if (i != j) m.base.B(i, j) = 0.0;
    m.base.C = Eigen::MatrixXd::Zero(nz, ny);
    for (int i = 0; i < nz; ++i) m.base.C(i, i % ny) = 0.5;
  }
  m.index = index;
  m.strength = random.vector(ny, -1.0, 1.0) * random.log_uniform(0.3, 100.0);
  m.beside = random.uniform(0.2, 0.8) * random.sign();
  for (int i = 0; i < ny; ++i) {
    int k = random.integer(0, ny - 1);
    if (k == i) k = (i + 1) % ny;
    // Terms of one direction only: no loop gain, the system stays as stable as its diagonal.
    if (k < i) m.strength[i] = 0.0;
    m.hidden.push_back(k);
  }
  m.by_time = random.chance(0.3);
  system->y = draw_signals(random, ny, {.max_frequency = 4.0});
  system->z = draw_signals(random, nz, {.max_frequency = 4.0});
  m.watched = random.integer(0, ny - 1);
  const double share = random.uniform(0.2, 0.8), t = c.t0 + share * (c.t1 - c.t0);
  m.threshold = m.by_time ? t : system->y[static_cast<std::size_t>(m.watched)].value(t);
  if (random.chance(0.3)) m.kink = random.uniform(-1.0, 1.0), m.level = random.uniform(-0.5, 0.5);
  c.stiff = m.base.A.diagonal().minCoeff() < -50.0;
  c.description = std::to_string(ny) + " + " + std::to_string(nz) + ", index " +
                  std::to_string(index) + (m.by_time ? ", by time" : ", by state");
  write_problem<Model>(c, system, draw_form(random), index);
  return c;
}

}  // namespace

Case draw_branches(Random& random) {
  const bool many = random.chance(0.1);  // enough for a sparse solver
  const int ny = many ? random.integer(40, 60) : random.integer(2, 5);
  const bool index2 = random.chance(0.3);
  const int nz = many ? random.integer(10, 20) : random.integer(1, std::min(3, ny - 1));
  if (index2) return draw_with<BranchedModel>(random, ny, nz, 2);
  return random.chance(0.5) ? draw_with<BranchedModel>(random, ny, nz, 1)
                            : draw_with<StateBranchedModel>(random, ny, nz, 1);
}

}  // namespace daedalus::soak
