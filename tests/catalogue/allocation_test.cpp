// SPDX-License-Identifier: BSD-3-Clause
// No callable of the catalogue allocates. Counted at malloc, since Eigen does not go through
// operator new; a sanitizer brings its own malloc and leaves this file out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include <daedalus/method.hpp>

#include "evaluate.hpp"

#include "count_allocations.hpp"

#if DAEDALUS_COUNTS_MALLOC

namespace daedalus::catalogue_test {
namespace {

using problems::all_problems;
using problems::Entry;

// Calls `function` for doubles, duals and Taylor series and returns how often memory was asked for.
class Counter {
 public:
  Counter(const std::vector<double>& parameters, double t, const Vector& x, int n0, int n1,
          const Vector& xp, const Vector& s = Vector(), const Vector& c = Vector())
      : parameters_(parameters), t_(t), n0_(n0), n1_(n1), x_(x), xp_(xp), s_(s), c_(c) {}

  template <class Slot>
  long count(const Function<Slot>& function, int rows, int cols = 1) const {
    if (!function) return 0;
    return in<double>(function, rows, cols) + in<Dual4>(function, rows, cols) +
           in<Taylor2>(function, rows, cols) + in<Taylor2Dual>(function, rows, cols);
  }

 private:
  template <class S, class Slot>
  long in(const Function<Slot>& function, int rows, int cols) const {
    if (!detail::asked_for<Slot, S>) return 0;
    if (!std::is_same_v<S, double> && !function.differentiable()) return 0;
    std::vector<S> x(x_.data(), x_.data() + x_.size()), xp(xp_.data(), xp_.data() + xp_.size()),
        s(s_.data(), s_.data() + s_.size()), c(c_.data(), c_.data() + c_.size());
    std::vector<S> out(static_cast<std::size_t>(rows * cols));
    Arguments<S> a = arguments(S(t_), static_cast<const S*>(x.data()), n0_,
                               static_cast<const S*>(x.data() + n0_), n1_);
    a.x[2] = xp.data();
    a.n[2] = static_cast<int>(xp.size());
    a.x[3] = c.data();
    a.n[3] = static_cast<int>(c.size());
    a.x[4] = s.data();
    a.n[4] = static_cast<int>(s.size());
    const std::vector<S> parameters(parameters_.begin(), parameters_.end());
    a = with(a, parameters);
    const long before = allocations;
    (void)function(a, out.data(), rows, cols);
    return allocations - before;
  }

  std::vector<double> parameters_;
  double t_;
  int n0_, n1_;
  Vector x_, xp_, s_, c_;
};

long count(const Problem& problem, double t) {
  const Vector x = variables_of(problem).start;
  const int n = static_cast<int>(x.size());
  if (const auto* p = std::get_if<ImplicitProblem>(&problem))
    return Counter(parameter_values<double>(*p), t, x, n, 0, p->yp0).count(p->residual, n);
  if (const auto* p = std::get_if<MassMatrixProblem>(&problem)) {
    const Counter counter(parameter_values<double>(*p), t, x, n, 0, x);
    return counter.count(p->rhs, n) + counter.count(p->mass, n, n);
  }
  if (const auto* p = std::get_if<SemiExplicitProblem>(&problem)) {
    const int ny = static_cast<int>(p->y0.size());
    const Counter counter(parameter_values<double>(*p), t, x, ny, n - ny, x);
    return counter.count(p->f, ny) + counter.count(p->g, n - ny);
  }
  const auto& p = std::get<MultibodyProblem>(problem);
  const int nq = static_cast<int>(p.q0.size()), m = p.constraint_count;
  const Counter counter(parameter_values<double>(p), t, x, nq, nq, x.tail(p.multipliers()), p.s0,
                        p.c0);
  int entries = 0;
  for (const int size : p.mass_blocks) entries += size * size;
  const int mass_rows = p.mass_blocks.empty() ? nq : entries;
  return counter.count(p.mass, mass_rows, p.mass_blocks.empty() ? nq : 1) +
         counter.count(p.force, nq) + counter.count(p.constraint, m) +
         counter.count(p.contact, p.contact_count) + counter.count(p.constraint_jacobian, m, nq) +
         counter.count(p.constraint_time_derivative, m) + counter.count(p.acceleration_term, m) +
         counter.count(p.nonholonomic_matrix, p.nonholonomic_count, nq) +
         counter.count(p.nonholonomic_offset, p.nonholonomic_count);
}

TEST(Allocation, NoCallableAllocates) {
  for (const Entry* entry : all_problems())
    EXPECT_EQ(count(entry->problem(), entry->t0), 0) << entry->name;
}

TEST(Allocation, ATemporaryOnTheHeapIsCounted) {
  const MassMatrixProblem wasteful{.rhs = autodiff([](const auto&, const auto& y, auto& f) {
                                     using S = std::decay_t<decltype(f[0])>;
                                     const Eigen::Matrix<S, Eigen::Dynamic, 1> copy = y;
                                     f = copy;
                                   }),
                                   .y0 = Vector::Ones(3),
                                   .variables = {"a", "b", "c"}};
  EXPECT_EQ(count(wasteful, 0.0), 3);  // one for each kind of number that a right-hand side has
}

// The tables of all methods cost more than a short run, so a method is found without them: counted
// in a process where no one has asked for the list yet.
TEST(Registry, FindsAMethodWithoutMakingTheOthers) {
  const long before = allocations;
  const Method* const one = find_method("rodas5p");
  const long of_one = allocations - before;
  const auto all = all_methods();
  const long of_the_others = allocations - before - of_one;
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->name, "rodas5p");
  EXPECT_EQ(std::count(all.begin(), all.end(), one), 1);
  EXPECT_LT(of_one, 50);  // strings, options and the factory of one description
  EXPECT_GT(of_the_others, 50 * of_one);
}

}  // namespace
}  // namespace daedalus::catalogue_test

#endif
