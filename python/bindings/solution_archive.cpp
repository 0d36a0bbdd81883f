// SPDX-License-Identifier: BSD-3-Clause
#include "solution_archive.hpp"

#include <daedalus/version.hpp>

#include <daedalus/stepper/archive.hpp>

namespace daedalus::python {
namespace {

void text(Archive& a, std::string& x) {
  std::vector<char> bytes(x.begin(), x.end());
  a(bytes);
  if (!a.saving()) x.assign(bytes.begin(), bytes.end());
}

template <class Item, class Each>
void list(Archive& a, std::vector<Item>& items, Each each) {
  long n = static_cast<long>(items.size());
  a(n);
  if (!a.saving()) items.assign(static_cast<std::size_t>(n), Item{});
  for (Item& item : items) each(item);
}

// One block of numbers: item by item is slow for long trajectories.
void numbers(Archive& a, std::vector<double>& x) {
  Eigen::VectorXd all = Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<long>(x.size()));
  a(all);
  if (!a.saving()) x.assign(all.data(), all.data() + all.size());
}

void variables(Archive& a, SolutionData& d) {
  Variables v = d.variables ? *d.variables : Variables{};
  list(a, v.names, [&](std::string& name) { text(a, name); });
  list(a, v.ranges, [&](Variables::Range& r) { a(r); });
  if (!a.saving()) d.variables = std::make_shared<const Variables>(std::move(v));
}

// The layout is built again by its blocks.
void layout(Archive& a, Layout& x) {
  struct Part {
    VariableClass cls = VariableClass::y;
    int index = 1, tested = 1;
    std::vector<Space::Block> blocks;
    std::vector<std::string> names;
  };
  std::vector<Part> parts;
  for (const LayoutBlock& b : x.blocks()) {
    Part p{b.cls, b.index, b.tested ? 1 : 0, b.space.blocks(), {}};
    for (int i = 0; i < b.space.tangents(); ++i) p.names.push_back(x.name(b.tangent + i));
    parts.push_back(std::move(p));
  }
  list(a, parts, [&](Part& p) {
    a(p.cls, p.index, p.tested, p.blocks);
    list(a, p.names, [&](std::string& name) { text(a, name); });
  });
  if (a.saving()) return;
  x = Layout{};
  for (Part& p : parts) x.add(p.cls, p.index, Space(p.blocks), std::move(p.names), p.tested != 0);
}

void statistics(Archive& a, Statistics& s) {
  a(s.accepted, s.rejected, s.projections, s.chart_changes, s.restarts, s.events, s.order_histogram,
    s.h_min, s.h_max, s.proposed_step, s.last_step, s.last_error, s.error_test_failures,
    s.projection_failures, s.seconds, s.phases, s.position_residual, s.velocity_residual,
    s.acceleration_residual, s.position_growth, s.velocity_growth, s.acceleration_growth);
}

void archive(Archive& a, SolutionData& d) {
  std::string made_by(version);
  text(a, made_by);
  if (made_by != version)
    throw std::runtime_error("this solution was pickled by version " + made_by + " of daedalus");
  variables(a, d);
  layout(a, d.layout);
  numbers(a, d.times);
  numbers(a, d.states);
  list(a, d.interpolants, [&](Interpolant& p) { a(p.t0, p.h, p.degree, p.base, p.c); });
  list(a, d.events, [&](EventRecord& e) {
    text(a, e.name);
    a(e.t, e.y);
  });
  a(d.drift, d.start_time, d.end_time, d.start, d.end, d.status, d.said);
  statistics(a, d.statistics);
  text(a, d.choice.method);
  text(a, d.choice.formulation);
  text(a, d.choice.linear_solver);
  text(a, d.choice.reason);
  a(d.choice.tolerance_share);
  text(a, d.message);
  list(a, d.warnings, [&](std::string& w) { text(a, w); });
}

}  // namespace

std::string save_solution(const Solution& solution) {
  SolutionData copy = solution.data();
  Archive a;
  archive(a, copy);
  return {a.bytes().begin(), a.bytes().end()};
}

Solution load_solution(const std::string& bytes) {
  Archive a(std::vector<char>(bytes.begin(), bytes.end()));
  const auto data = std::make_shared<SolutionData>();
  archive(a, *data);
  return Solution(data);
}

}  // namespace daedalus::python
