// SPDX-License-Identifier: BSD-3-Clause
// Every callable of the catalogue that can be recorded: values and Jacobians of its graph, by the
// interpreter and by machine code, agree with those of the callable at many points.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <catalogue/catalogue.hpp>

#include "formulation/callables.hpp"
#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "graph/machine_code.hpp"

namespace daedalus {
namespace {

using graph::InputKind;
constexpr int points = 12;
constexpr double epsilon = 2.220446049250313e-16;
// Differences are powers by squaring, other orders of factors in derivatives: a few units in the
// last place of the largest term of a row. Set before it was measured.
constexpr double value_ulps = 16.0, jacobian_ulps = 256.0;

// Evaluated by interpreter and machine code, whose bits must agree.
class Evaluated {
 public:
  Evaluated(graph::Graph& g, const graph::Outputs& rows)
      : program_(g, rows),
        compiled_(g, rows, graph::MachineCode::program_options()),
        workspace_(program_),
        compiled_workspace_(compiled_),
        code_(graph::MachineCode::compile(compiled_)),
        out_(static_cast<std::size_t>(rows.count)) {}

  const std::vector<double>& at(const graph::Point<double>& point) {
    EXPECT_EQ(workspace_.run(program_, point, out_.data()), -1);
    if (code_) {
      std::vector<double> other(out_.size());
      EXPECT_EQ(code_->run(compiled_, compiled_workspace_, point, other.data()), -1);
      for (std::size_t i = 0; i < out_.size(); ++i)
        EXPECT_TRUE(out_[i] == other[i] || (out_[i] != out_[i] && other[i] != other[i]))
            << "row " << i << ": " << out_[i] << " by the interpreter, " << other[i]
            << " by machine code";
    }
    return out_;
  }

 private:
  graph::Program program_, compiled_;
  graph::Workspace<double> workspace_, compiled_workspace_;
  std::shared_ptr<const graph::MachineCode> code_;
  std::vector<double> out_;
};

CallPoint moved(CallPoint at, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const double size = seed % 4 == 0 ? 1e-6 : seed % 4 == 1 ? 1e-3 : 0.02;
  at.t += size * uniform(random);
  for (auto& v : at.x)
    for (double& x : v) x += size * uniform(random) * std::max(std::fabs(x), 1e-3);
  return at;
}

// df/dx_k of vector `k`, column by column, by dual numbers. False where the callable rejects.
template <class Slot>
bool dual_jacobian(const Function<Slot>& f, const CallPoint& at, std::size_t k, int rows, int cols,
                   std::vector<double>& J) {
  std::vector<Dual4> storage;
  at.over(storage);
  std::size_t first = 1;
  for (std::size_t i = 0; i < k; ++i) first += at.x[i].size();
  const std::size_t n = at.x[k].size(), m = static_cast<std::size_t>(rows * cols);
  J.assign(n * m, 0.0);
  std::vector<Dual4> out(m);
  for (std::size_t c = 0; c < n; c += 4) {
    const std::size_t width = std::min<std::size_t>(4, n - c);
    for (std::size_t d = 0; d < width; ++d) storage[first + c + d].d[d] = 1.0;
    const Eval e =
        f(at.arguments(static_cast<const Dual4*>(storage.data())), out.data(), rows, cols);
    for (std::size_t d = 0; d < width; ++d) storage[first + c + d].d[d] = 0.0;
    if (e != Eval::ok) return false;
    for (std::size_t d = 0; d < width; ++d)
      for (std::size_t r = 0; r < m; ++r) J[(c + d) * m + r] = out[r].d[d];
  }
  return true;
}

struct Tally {
  int callables = 0, points = 0, recorded_again = 0, bound = 0;
  double worst_value = 0.0, worst_jacobian = 0.0;
};

// A recording with everything made from it.
class Compared {
 public:
  template <class Slot>
  Compared(const Function<Slot>& f, const CallPoint& at, int rows, int cols)
      : callable_(record(f, at, rows, cols)) {
    if (callable_.eval != Eval::ok) return;
    graph::Graph& g = callable_.recording->graph();
    const graph::Outputs lowered = graph::lower(g, callable_.outputs);
    values_ = std::make_unique<Evaluated>(g, lowered);
    for (std::size_t k = 0; k < at.x.size(); ++k) {
      const int n = static_cast<int>(at.x[k].size());
      jacobian_[k] = graph::jacobian(g, lowered, callable_.kinds[k], n);
      entries_[k] = std::make_unique<Evaluated>(g, jacobian_[k].entries);
    }
  }
  bool good() const { return values_ != nullptr; }
  bool holds_elsewhere() const { return callable_.recording->holds_elsewhere(); }
  // True where the guards hold at this point.
  bool at(const CallPoint& point) {
    point_ = graph_point(point, callable_.kinds);
    return callable_.guards_hold(values_->at(point_).data());
  }
  const std::vector<double>& values() { return values_->at(point_); }
  // df/dx_k as a full matrix, column by column, without the rows of guards.
  std::vector<double> full(std::size_t k, int rows) {
    const graph::Jacobian& j = jacobian_[k];
    const std::vector<double>& entries = entries_[k]->at(point_);
    std::vector<double> J((j.outer.size() - 1) * static_cast<std::size_t>(rows), 0.0);
    for (std::size_t c = 0; c + 1 < j.outer.size(); ++c)
      for (int e = j.outer[c]; e < j.outer[c + 1]; ++e)
        if (const int row = j.inner[static_cast<std::size_t>(e)]; row < rows)
          J[c * static_cast<std::size_t>(rows) + static_cast<std::size_t>(row)] =
              entries[static_cast<std::size_t>(e)];
    return J;
  }

 private:
  RecordedCallable callable_;
  std::unique_ptr<Evaluated> values_;
  std::array<graph::Jacobian, 5> jacobian_;
  std::array<std::unique_ptr<Evaluated>, 5> entries_;
  graph::Point<double> point_;
};

template <class Slot>
void compare_at(const Function<Slot>& f, Compared& graph, const CallPoint& point, int rows,
                int cols, const std::string& what, Tally& tally) {
  std::vector<double> storage, exact(static_cast<std::size_t>(rows * cols));
  if (f(point.over(storage), exact.data(), rows, cols) != Eval::ok) return;
  ++tally.points;
  const std::size_t m = exact.size();
  std::vector<double> scale(m), largest(m, 0.0);
  for (std::size_t r = 0; r < m; ++r) scale[r] = std::fabs(exact[r]);
  // A row goes through all vectors: where a contact point lies on both profiles its derivatives by
  // the contact coordinates cancel, and nothing but round-off of the other entries is left of them.
  std::array<std::vector<double>, 5> by_duals, by_graph;
  for (std::size_t k = 0; k < point.x.size(); ++k) {
    std::vector<double>& J = by_duals[k];
    if (point.x[k].empty() || !dual_jacobian(f, point, k, rows, cols, J)) {
      J.clear();
      continue;
    }
    by_graph[k] = graph.full(k, rows * cols);
    for (std::size_t i = 0; i < J.size(); ++i) {
      largest[i % m] = std::max(largest[i % m], std::fabs(J[i]));
      scale[i % m] += std::fabs(J[i] * point.x[k][i / m]);
    }
  }
  for (std::size_t k = 0; k < point.x.size(); ++k)
    for (std::size_t i = 0; i < by_duals[k].size(); ++i) {
      const double size = std::max(largest[i % m], std::numeric_limits<double>::min());
      const double ulps = std::fabs(by_duals[k][i] - by_graph[k][i]) / (epsilon * size);
      tally.worst_jacobian = std::max(tally.worst_jacobian, ulps);
      ASSERT_LE(ulps, jacobian_ulps)
          << what << ", row " << i % m << ", column " << i / m << " of vector " << k << ": "
          << by_graph[k][i] << ", not " << by_duals[k][i];
    }
  for (std::size_t r = 0; r < m; ++r) {
    const double size = std::max(scale[r], std::numeric_limits<double>::min());
    const double ulps = std::fabs(exact[r] - graph.values()[r]) / (epsilon * size);
    tally.worst_value = std::max(tally.worst_value, ulps);
    ASSERT_LE(ulps, value_ulps) << what << ", row " << r << ": " << graph.values()[r] << ", not "
                                << exact[r];
  }
}

template <class Slot>
void check_callable(const std::string& what, const Function<Slot>& f, const CallPoint& start,
                    int rows, int cols, Tally& tally) {
  if (!f.differentiable()) return;
  auto recorded = std::make_unique<Compared>(f, start, rows, cols);
  if (!recorded->good()) return;
  ++tally.callables;
  tally.bound += !recorded->holds_elsewhere();
  for (unsigned seed = 0; seed < points; ++seed) {
    const CallPoint point = seed == 0 ? start : moved(start, seed);
    if (seed > 0 && (!recorded->holds_elsewhere() || !recorded->at(point))) {
      recorded = std::make_unique<Compared>(f, point, rows, cols);
      ++tally.recorded_again;
      if (!recorded->good()) {
        recorded = std::make_unique<Compared>(f, start, rows, cols);
        continue;
      }
    }
    ASSERT_TRUE(recorded->at(point)) << what;
    compare_at(f, *recorded, point, rows, cols, what, tally);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(CatalogueGraphs, AgreeWithTheCallables) {
  Tally tally;
  int problems = 0;
  for (const problems::Entry* entry : problems::all_problems()) {
    const int before = tally.callables;
    const Problem problem = entry->problem();
    for_each_callable(
        problem, entry->t0,
        [&](const char* name, const auto& f, const CallPoint& at, int rows, int cols) {
          if (!HasFatalFailure())
            check_callable(entry->name + ": " + name, f, at, rows, cols, tally);
        });
    problems += tally.callables > before;
  }
  RecordProperty("problems", problems);
  std::printf(
      "%d problems, %d callables, %d points, recorded again %d times, %d bound to a point, "
      "values %.1f, Jacobians %.1f units\n",
      problems, tally.callables, tally.points, tally.recorded_again, tally.bound, tally.worst_value,
      tally.worst_jacobian);
  EXPECT_GE(problems, 70);
  EXPECT_GE(tally.points, 8 * tally.callables);
}

}  // namespace
}  // namespace daedalus
