// SPDX-License-Identifier: BSD-3-Clause
// Partitioned multistep methods with constant steps on small systems
//   y' = phi(t, y, w),  0 = gamma(t, y, w),   gamma_w of constant rank, index 2 at most
// (w = z and gamma = g(t, y) in Hessenberg form), in any floating-point type: order studies where
// double would show rounding errors, and formulas that the library does not offer because they
// fail. Start values are exact. Arnold (1998), Algorithm 2, (3.88) and Remark 34.
//
// A model has ny, nw and, over pointers, rate(t, y, w, out), constraint(t, y, w, out),
// exact(t, y, w).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/at.hpp"
#include "kernel/plmsm.hpp"

namespace daedalus::plmsm {

// y' = f(t, y, z), 0 = g(t, y) with one z, from a type with static f, g, exact and y_count.
template <class S, class System>
struct HessenbergModel {
  // One z, as said above.
  static constexpr int ny = System::y_count, nw = 1;
  void rate(const S& t, const S* y, const S* w, S* out) const { System::f(t, y, w, out); }
  void constraint(const S& t, const S* y, const S*, S* out) const { System::g(t, y, out); }
  void exact(const S& t, S* y, S* w) const {
    const auto x = System::exact(t);
    for (int i = 0; i < ny; ++i) y[i] = x.y[static_cast<std::size_t>(i)];
    w[0] = x.z;
  }
};

enum class StudyMethod {
  adams_type,     // Adams-Moulton for y, BDF for z: choice (III), Definition 8
  adams_hidden,   // Adams-Moulton, z from the hidden constraint: choice (I)
  adams_blocked,  // Adams-Moulton blocked by gamma (xi - 1)^k: choice (II)
  dcbdf_blocked,  // difference corrected BDF, blocked
  adams_moulton,  // the classical formula: unstable for k >= 2
  bdf,
};

struct StudySetting {
  StudyMethod method = StudyMethod::adams_type;
  int k = 1;
  int correctors = 2;  // M of P(EC)^M E
  double gamma = -0.1;
  int steps = 80;
  double t_end = 1.0;
};

template <class S, int NY, int NW>
struct StudyErrors {
  std::array<S, NY> y{};
  std::array<S, NW> w{};
  S max_y() const { return largest(y.data(), NY); }
  S max_w() const { return largest(w.data(), NW); }

 private:
  static S largest(const S* e, int n) {
    S m = 0;
    for (int i = 0; i < n; ++i)
      if (!(e[i] < m)) m = e[i];  // not a number wins
    return m;
  }
};

template <class S, class Model>
class Study {
 public:
  static constexpr int NY = Model::ny, NW = Model::nw;
  using Y = std::array<S, NY>;
  using W = std::array<S, NW>;

  Study(const Model& model, const StudySetting& setting)
      : model_(model), set_(setting), h_(S(setting.t_end) / S(setting.steps)) {}

  StudyErrors<S, NY, NW> run() {
    const int k = set_.k;
    prepare();
    for (int i = 0; i < k; ++i) {
      Y y;
      W w;
      model_.exact(S(i) * h_, y.data(), w.data());
      push(S(i) * h_, y, w);
    }
    for (int n = k; n <= set_.steps; ++n) step(S(n) * h_);
    using std::abs;
    StudyErrors<S, NY, NW> e;
    model_.exact(S(set_.t_end), e.y.data(), e.w.data());
    for (int i = 0; i < NY; ++i) e.y[at(i)] = abs(e.y[at(i)] - y_[0][at(i)]);
    for (int i = 0; i < NW; ++i) e.w[at(i)] = abs(e.w[at(i)] - w_[0][at(i)]);
    return e;
  }

 private:
  void prepare() {
    const int k = set_.k;
    const Row<S> x = equidistant<S>();
    predictor_ = adams_bashforth(x.data() + 1, k);
    second_ = plmsm::bdf(x.data(), k);
    main_ = set_.method == StudyMethod::bdf             ? second_
            : set_.method == StudyMethod::dcbdf_blocked ? difference_corrected_bdf(x.data(), k)
                                                        : plmsm::adams_moulton(x.data(), k);
    tau_ = set_.method == StudyMethod::dcbdf_blocked ? blocking(main_)
                                                     : blocking(x.data(), k, S(set_.gamma));
  }

  void push(const S& t, const Y& y, const W& w) {
    Y f;
    model_.rate(t, y.data(), w.data(), f.data());
    y_.insert(y_.begin(), y);
    w_.insert(w_.begin(), w);
    f_.insert(f_.begin(), f);
    if (static_cast<int>(y_.size()) > set_.k) y_.pop_back(), w_.pop_back(), f_.pop_back();
  }

  // What is known of sum alpha_j y_j = h sum beta_j f_j, over alpha of the new value.
  Y remainder(const Formula<S>& formula) const {
    Y r{};
    for (int i = 0; i < NY; ++i) {
      S sum = 0;
      for (int j = 0; j < set_.k; ++j)
        sum += h_ * formula.beta[at(j + 1)] * f_[at(j)][at(i)] -
               formula.alpha[at(j + 1)] * y_[at(j)][at(i)];
      r[at(i)] = sum / formula.alpha[0];
    }
    return r;
  }

  void step(const S& t) {
    Y y = y_[0];
    for (int i = 0; i < NY; ++i)
      for (int j = 0; j < set_.k; ++j) y[at(i)] += h_ * predictor_[at(j)] * f_[at(j)][at(i)];
    const Y r = remainder(main_);
    const S factor = h_ * main_.beta[0] / main_.alpha[0];
    W w = w_[0];
    for (int l = 0; l < set_.correctors; ++l) {
      solve([&](const W& v, W& out) { residual(t, r, factor, y, v, out); }, w);
      y = moved(t, r, factor, y, w);
    }
    if (set_.method == StudyMethod::adams_hidden) {
      solve([&](const W& v, W& out) { hidden(t, y, v, out); }, w);
    } else if (set_.method == StudyMethod::adams_type) {
      const Y second = remainder(second_);
      const S second_factor = h_ / second_.alpha[0];
      solve([&](const W& v, W& out) { residual(t, second, second_factor, y, v, out); }, w);
    } else {
      solve([&](const W& v, W& out) { residual(t, r, factor, y, v, out); }, w);
    }
    if (set_.method == StudyMethod::adams_blocked || set_.method == StudyMethod::dcbdf_blocked)
      for (int i = 0; i < NW; ++i) {
        S sum = main_.beta[0] * w[at(i)];
        for (int j = 0; j < set_.k; ++j) sum += tau_[at(j + 1)] * w_[at(j)][at(i)];
        w[at(i)] = sum / (main_.beta[0] - tau_[0]);
      }
    push(t, y, w);
  }

  Y moved(const S& t, const Y& r, const S& factor, const Y& y, const W& w) const {
    Y f;
    model_.rate(t, y.data(), w.data(), f.data());
    for (int i = 0; i < NY; ++i) f[at(i)] = r[at(i)] + factor * f[at(i)];
    return f;
  }
  void residual(const S& t, const Y& r, const S& factor, const Y& y, const W& w, W& out) const {
    const Y end = moved(t, r, factor, y, w);
    model_.constraint(t, end.data(), w.data(), out.data());
  }

  // d/dt g along y' by central differences of order 8.
  void hidden(const S& t, const Y& y, const W& w, W& out) const {
    constexpr std::array<int, 4> numerator{672, -168, 32, -3};
    const S e = S(1) / S(128);
    Y f, there;
    W value;
    model_.rate(t, y.data(), w.data(), f.data());
    out = W{};
    for (int j = 1; j <= 4; ++j)
      for (const int side : {1, -1}) {
        for (int i = 0; i < NY; ++i) there[at(i)] = y[at(i)] + S(side * j) * e * f[at(i)];
        model_.constraint(t + S(side * j) * e, there.data(), w.data(), value.data());
        for (int i = 0; i < NW; ++i)
          out[at(i)] += S(side * numerator[at(j - 1)]) * value[at(i)] / (S(840) * e);
      }
  }

  // Newton's method; the matrix by differences, so that an iteration gains half of the digits.
  template <class Residual>
  void solve(const Residual& residual_of, W& w) const {
    using std::abs, std::sqrt;
    const S epsilon = std::numeric_limits<S>::epsilon(), root = sqrt(epsilon);
    for (int iteration = 0; iteration < 12; ++iteration) {
      W r, shifted;
      std::array<W, NW> A;  // rows
      residual_of(w, r);
      for (int j = 0; j < NW; ++j) {
        W there = w;
        const S e = root * (S(1) + abs(w[at(j)]));
        there[at(j)] += e;
        residual_of(there, shifted);
        for (int i = 0; i < NW; ++i) A[at(i)][at(j)] = (shifted[at(i)] - r[at(i)]) / e;
      }
      eliminate(A, r);
      S largest = 0;
      for (int i = 0; i < NW; ++i) {
        w[at(i)] -= r[at(i)];
        largest = std::max(largest, abs(r[at(i)]) / (S(1) + abs(w[at(i)])));
      }
      if (!(largest > S(64) * epsilon)) return;
    }
  }
  static void eliminate(std::array<W, NW>& A, W& r) {
    using std::abs;
    for (int c = 0; c < NW; ++c) {
      int best = c;
      for (int i = c + 1; i < NW; ++i)
        if (abs(A[at(i)][at(c)]) > abs(A[at(best)][at(c)])) best = i;
      std::swap(A[at(c)], A[at(best)]);
      std::swap(r[at(c)], r[at(best)]);
      for (int i = c + 1; i < NW; ++i) {
        const S m = A[at(i)][at(c)] / A[at(c)][at(c)];
        for (int j = c; j < NW; ++j) A[at(i)][at(j)] -= m * A[at(c)][at(j)];
        r[at(i)] -= m * r[at(c)];
      }
    }
    for (int i = NW - 1; i >= 0; --i) {
      for (int j = i + 1; j < NW; ++j) r[at(i)] -= A[at(i)][at(j)] * r[at(j)];
      r[at(i)] /= A[at(i)][at(i)];
    }
  }

  Model model_;
  StudySetting set_;
  S h_;
  Row<S> predictor_{}, tau_{};
  Formula<S> main_{}, second_{};
  std::vector<Y> y_, f_;  // newest first
  std::vector<W> w_;
};

template <class S, class Model>
auto study(const Model& model, const StudySetting& setting) {
  return Study<S, Model>(model, setting).run();
}

}  // namespace daedalus::plmsm
