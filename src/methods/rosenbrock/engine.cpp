#include "methods/rosenbrock/engine.hpp"

#include <array>

#include "system/stepper.hpp"
#include "system/system.hpp"

namespace daedalus {
namespace {

class RosenbrockStepper final : public Stepper {
 public:
  RosenbrockStepper(System& system, const RosenbrockCoefficients& table, int order,
                    ClassOrders power)
      : system_(system), view_(*system.linear_view()), table_(table), order_(order), power_(power) {
    const int n = system.layout.tangents();
    u_.setZero(n, table.stages);
    stage_.setZero(n);
    rhs_.setZero(n);
    combined_.setZero(n);
    f_first_.setZero(n);
    error_.setZero(n);
    current_.x.setZero(n);
    trial_.x.setZero(n);
    trial_.xd.setZero(n);
  }

  Outcome start(const Start& s) override {
    current_ = s.at;
    fresh_ = false;
    return Outcome::ok;
  }

  Attempt attempt(const StepRequest& r) override {
    Attempt result;
    result.advice.after_failure = 0.25;
    const auto stop = [&](Outcome o) {
      result.outcome = o;
      return result;
    };
    const int n = system_.layout.tangents();
    const double h = r.h;
    // f and J belong to the beginning of the step and survive a rejection.
    if (!fresh_) {
      if (const Outcome o = view_.rhs(r.t, current_.x.data(), f_first_.data()); o != Outcome::ok)
        return stop(o);
      if (const Outcome o = view_.linearise(r.t, current_.x.data()); o != Outcome::ok)
        return stop(o);
      fresh_ = true;
    }
    Pencil& pencil = view_.linear_pencil();
    if (const Outcome o = pencil.factorise(1.0 / (h * table_.gamma), -1.0); o != Outcome::ok) {
      result.culprit = {Culprit::Kind::variable, pencil.singular_column()};
      return stop(o);
    }
    const double* f_t = view_.time_derivative().data();
    for (int i = 0; i < table_.stages; ++i) {
      double* u = u_.col(i).data();
      const double* a = table_.a + i * table_.stages;
      const double* c = table_.c + i * table_.stages;
      const double* first = f_first_.data();
      if (i > 0) {
        combine(a, i, stage_.data(), current_.x.data());
        combine(c, i, combined_.data(), nullptr);
        if (const Outcome o = view_.rhs(r.t + table_.abscissae[i] * h, stage_.data(), rhs_.data());
            o != Outcome::ok)
          return stop(o);
        first = rhs_.data();
      }
      const double d = h * table_.time_weights[i];
      for (int k = 0; k < n; ++k) u[k] = first[k] + d * f_t[k];
      if (i > 0) view_.add_mass_times(1.0 / h, combined_.data(), u);
      pencil.solve(u);
    }
    combine(table_.weights, table_.stages, trial_.x.data(), current_.x.data());
    combine(table_.error, table_.stages, error_.data(), nullptr);
    trial_.t = r.t_new;
    if (const int bad = first_not_finite(trial_.x.data(), n); bad >= 0) {
      result.culprit = {Culprit::Kind::variable, bad};
      return stop(Outcome::not_finite);
    }
    estimate_ = {order_, power_, {error_.data(), static_cast<std::size_t>(n)}, false};
    result.estimates = {&estimate_, 1};
    return result;
  }

  State& trial() override { return trial_; }

  Outcome interpolant(Interpolant& out) override {
    // (1 - theta) y0 + theta y1 + theta (1 - theta) (K_1 + theta K_2 + ...)
    out.t0 = current_.t;
    out.h = trial_.t - current_.t;
    out.base = current_.x;
    const int rows = table_.dense_rows;
    out.degree = rows + 1;
    out.c.col(1) = trial_.x - current_.x;
    for (int j = 2; j <= out.degree; ++j) out.c.col(j).setZero();
    for (int j = 0; j < rows; ++j) {
      combine(table_.dense + j * table_.stages, table_.stages, combined_.data(), nullptr);
      out.c.col(j + 1) += combined_;
      out.c.col(j + 2) -= combined_;
    }
    return Outcome::ok;
  }
  int interpolant_degree() const override { return table_.dense_rows + 1; }

  void commit(bool) override {
    current_.t = trial_.t;
    current_.x = trial_.x;
    fresh_ = false;
  }

  void archive(Archive& a) override { a(current_.t, current_.x, fresh_, f_first_); }

 private:
  // out = base + sum_{j < count} weights[j] u_j. Four rows at a time: the sums stay in registers and
  // -O2 uses vector instructions.
  void combine(const double* __restrict__ weights, int count, double* __restrict__ out,
               const double* __restrict__ base) const {
    const int n = static_cast<int>(u_.rows());
    const double* __restrict__ u = u_.data();
    int k = 0;
    for (; k + 4 <= n; k += 4) {
      double sum[4] = {0.0, 0.0, 0.0, 0.0};
      if (base)
        for (int lane = 0; lane < 4; ++lane) sum[lane] = base[k + lane];
      const double* column = u + k;
      for (int j = 0; j < count; ++j, column += n) {
        const double w = weights[j];
        for (int lane = 0; lane < 4; ++lane) sum[lane] += w * column[lane];
      }
      for (int lane = 0; lane < 4; ++lane) out[k + lane] = sum[lane];
    }
    for (; k < n; ++k) {
      double sum = base ? base[k] : 0.0;
      for (int j = 0; j < count; ++j) sum += weights[j] * u[k + static_cast<std::ptrdiff_t>(j) * n];
      out[k] = sum;
    }
  }

  System& system_;
  LinearView& view_;
  RosenbrockCoefficients table_;
  int order_;
  ClassOrders power_;
  Eigen::MatrixXd u_;
  Eigen::VectorXd stage_, rhs_, combined_, f_first_, error_;
  State current_, trial_;
  Estimate estimate_;
  bool fresh_ = false;
};

}  // namespace

Method rosenbrock(const RosenbrockCoefficients& table, Method m) {
  m.family = "rosenbrock";
  m.view = View::linear;
  m.formulations = {"index1"};
  const int order = m.order;
  const ClassOrders power = ClassOrders::all(m.error_order + 1);
  m.make = [table, order, power](System& system, const MethodSettings&) {
    return std::make_unique<RosenbrockStepper>(system, table, order, power);
  };
  return m;
}

}  // namespace daedalus
