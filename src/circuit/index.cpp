// SPDX-License-Identifier: BSD-3-Clause
// The index: from the graph, confirmed by the matrix chain of the equations at the operating point.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "circuit/circuit_data.hpp"
#include "linalg/matrix_chain.hpp"

namespace daedalus::circuit {
namespace {

constexpr int max_chain_size = 150;  // unknowns; the chain is dense

// A list without repetitions, in the order of the first occurrences.
struct Once {
  std::vector<std::string> list;
  std::set<std::string> known;
  void add(const std::string& name) {
    if (known.insert(name).second) list.push_back(name);
  }
};

// In sentences long lists are cut; the fields of the report have them all.
std::string joined(std::vector<std::string> names, std::string_view between) {
  // A sentence with more names is not read.
  constexpr std::size_t most = 12;
  if (names.size() > most) names.resize(most), names.emplace_back("...");
  return fmt::format("{}", fmt::join(names, between));
}

class IndexReport {
 public:
  explicit IndexReport(Circuit::Data& data)
      : data_(data), a_(*data.assembly), net_(a_.network), t_(data.topology) {}

  CircuitIndex run() {
    r_.topology = t_.index();
    std::vector<std::string> sentences;
    for (const auto& loop : t_.loops) sentences.push_back(loop_sentence(loop));
    for (const auto& cutset : t_.cutsets) sentences.push_back(cutset_sentence(cutset));
    numbers();
    r_.cause = std::move(cause_.list);
    r_.variables = std::move(variables_.list);
    const int index = r_.by_numbers && r_.numerical >= 0 ? r_.numerical : r_.topology;
    if (r_.by_numbers) r_.topology = std::max(r_.topology, index);
    r_.text = fmt::format("index {}", index);
    if (!sentences.empty()) r_.text += fmt::format(": {}", fmt::join(sentences, "; "));
    if (index > 2) r_.text += feeding();
    if (r_.by_numbers) r_.text += "; controlled sources take part, the index is decided by numbers";
    if (index == 2 && harmless()) r_.text += "; harmless: only currents of sources are affected";
    r_.text += ".";
    return std::move(r_);
  }

 private:
  const Edge& edge(int k) const { return net_.edges[static_cast<std::size_t>(k)]; }
  std::string node(int n) const {
    return n == ground ? "0" : net_.node_names[static_cast<std::size_t>(n)];
  }

  std::vector<std::string> elements(const std::vector<int>& edges) {
    Once names;
    for (const int e : edges) {
      const Part& part = a_.part(edge(e).element);
      names.add(part.name);
      cause_.add(part.name);
      if (edge(e).controlled) r_.by_numbers = true;
    }
    return std::move(names.list);
  }

  std::string loop_sentence(const std::vector<int>& loop) {
    auto names = elements(loop);
    Once nodes, currents;
    for (const int e : loop) {
      nodes.add(node(edge(e).a));
      nodes.add(node(edge(e).b));
      if (edge(e).branch >= 0)
        currents.add(
            fmt::format("i({})", net_.branches[static_cast<std::size_t>(edge(e).branch)].name));
    }
    for (const std::string& c : currents.list) variables_.add(c);
    const bool one = currents.list.size() == 1;
    std::string text =
        fmt::format("loop {} ({}); {} {} the derivative of the voltages in it", joined(names, "-"),
                    joined(nodes.list, ", "), joined(currents.list, ", "), one ? "is" : "follow") +
        (one ? at_ramps(loop) : std::string());
    r_.loops.push_back(std::move(names));
    return text;
  }

  // C dv/dt of a loop of one source and linear capacitors, where the source has ramps.
  std::string at_ramps(const std::vector<int>& loop) const {
    const Part* source = nullptr;
    double inverse = 0.0;  // of the capacitances in series
    for (const int e : loop) {
      const Part& part = a_.part(edge(e).element);
      if (edge(e).kind == EdgeKind::voltage) {
        source = &part;
        continue;
      }
      const auto q = std::find_if(net_.charges.begin(), net_.charges.end(), [&](const Charge& c) {
        return c.linear && !c.tabled && c.name == "q(" + part.name + ")";
      });
      if (q == net_.charges.end() || !(q->nominal > 0.0)) return {};
      inverse += 1.0 / q->nominal;
    }
    const auto s = std::find_if(net_.sources.begin(), net_.sources.end(), [&](const auto& one) {
      return source && one.name == source->name;
    });
    if (s == net_.sources.end() || inverse == 0.0 || net_.unknowns() > max_chain_size) return {};
    const double slope = steepest_ramp(static_cast<std::size_t>(s - net_.sources.begin()));
    return slope > 0.0 ? fmt::format(", {:.3g} A at its ramps", slope / inverse) : std::string();
  }

  // Of source k, over its first corners; 0: it has no straight pieces that rise or fall.
  double steepest_ramp(std::size_t k) const {
    // A source repeats its slopes after this many corners.
    constexpr std::size_t max_corners = 64;
    std::vector<double> times{0.0};
    for (const Network::Corners& corners : net_.corners) corners(0.0, net_.tstop, times);
    std::sort(times.begin(), times.end());
    if (times.size() > max_corners) times.resize(max_corners);
    StaticEquations& eq = *data_.equations;
    const auto value = [&](double t) {
      eq.t = t;
      const double v = eq.source_values(data_.assembly->network)[k];
      eq.t = 0.0;
      return v;
    };
    double steepest = 0.0;
    for (std::size_t i = 1; i < times.size(); ++i) {
      const double h = times[i] - times[i - 1];
      if (!(h > 1e-12 * times[i])) continue;
      const double a = value(times[i - 1]), b = value(times[i]), m = value(times[i - 1] + h / 2.0);
      if (std::fabs(m - (a + b) / 2.0) <= 1e-9 * (std::fabs(a) + std::fabs(b)))
        steepest = std::max(steepest, std::fabs(b - a) / h);
    }
    return steepest;
  }

  std::string cutset_sentence(const Topology::Cutset& cutset) {
    auto names = elements(cutset.edges);
    std::vector<std::string> nodes;
    for (const int n : cutset.nodes) {
      nodes.push_back(node(n));
      variables_.add(fmt::format("v({})", node(n)));
    }
    std::string text =
        fmt::format("cutset {} around node {}; v({}) is the derivative of the currents in it",
                    joined(names, ", "), joined(nodes, ", "), nodes.front());
    r_.cutsets.push_back(std::move(names));
    return text;
  }

  void numbers() {
    const int n = net_.unknowns();
    if (n > max_chain_size || !data_.operating_point().report.found) return;
    const Linearised l = linearised(data_, data_.operating_point());
    Eigen::MatrixXd e = Eigen::MatrixXd::Zero(n, n), j = Eigen::MatrixXd::Zero(n, n);
    add_dense(l.e_pattern, l.e, e);
    add_dense(l.j_pattern, l.j, j);
    const MatrixChain chain = matrix_chain(e, j);
    r_.numerical = chain.index;
    if (chain.index == 2 && r_.topology == 2)
      for (std::size_t k = 0; k < chain.kinds.size(); ++k)
        if (chain.kinds[k] == ComponentKind::algebraic_index2)
          variables_.add(net_.unknown_names[k]);
    if (chain.index > 2 && r_.by_numbers) levels();
  }

  // A variable of index k is a (k-1)-th derivative of the right-hand side: what one step of
  // implicit Euler answers to a perturbation grows with the (k-1)-th power of 1/h.
  void levels() {
    const double span = net_.tstop > 0.0 ? net_.tstop : 1.0;
    const std::vector<double> coarse = euler_answer(data_, 1e-7 * span);
    const std::vector<double> fine = euler_answer(data_, 1e-8 * span);
    if (coarse.empty() || fine.empty()) return;
    variables_ = {};
    r_.levels.assign(coarse.size(), 1);
    for (std::size_t k = 0; k < coarse.size(); ++k) {
      const double growth = std::log10(std::fabs(fine[k] / coarse[k]));
      if (std::isfinite(growth))
        r_.levels[k] = std::clamp(1 + static_cast<int>(std::lround(growth)), 1, 3);
    }
    // What holds such a voltage delivers such a current to whatever is connected there.
    for (const Edge& e : net_.edges)
      if (e.kind == EdgeKind::voltage && e.a != ground &&
          r_.levels[static_cast<std::size_t>(e.a)] == 3)
        r_.levels[static_cast<std::size_t>(net_.row_of_branch(e.branch))] = 3;
    for (std::size_t k = 0; k < coarse.size(); ++k)
      if (r_.levels[k] == 3) variables_.add(net_.unknown_names[k]);
  }

  // The source whose current reaches a controlled source: its own control, or that of what holds
  // the node it looks at; empty: none.
  std::string feeder(const Part& source) const {
    const auto name_of_branch = [&](int b) {
      return net_.branches[static_cast<std::size_t>(b)].name;
    };
    if (source.control_branch() >= 0) return name_of_branch(source.control_branch());
    for (const int node : source.control_nodes())
      for (const Edge& e : net_.edges)
        if (node != ground && e.kind == EdgeKind::voltage && (e.a == node || e.b == node))
          if (const int b = a_.part(e.element).control_branch(); b >= 0) return name_of_branch(b);
    return {};
  }

  // Where the current of one loop drives another loop, its derivative is taken twice.
  std::string feeding() const {
    std::string text;
    for (std::size_t k = 0; k < t_.loops.size(); ++k)
      for (const int e : t_.loops[k]) {
        if (!edge(e).controlled) continue;
        const Part& source = a_.part(edge(e).element);
        const std::string from = feeder(source);
        const bool elsewhere = std::any_of(
            r_.loops.begin(), r_.loops.end(), [&](const std::vector<std::string>& other) {
              return &other != &r_.loops[k] &&
                     std::find(other.begin(), other.end(), from) != other.end();
            });
        if (elsewhere)
          text += fmt::format("; {} feeds {}, which is in the loop {}", from, source.name,
                              joined(r_.loops[k], "-"));
      }
    return text;
  }

  // All variables of index 2 are currents of sources that control nothing.
  bool harmless() const {
    for (const std::string& v : r_.variables)
      if (v[0] != 'i') return false;
    return !r_.by_numbers;
  }

  Circuit::Data& data_;
  const Assembly& a_;
  const Network& net_;
  const Topology& t_;
  CircuitIndex r_;
  Once cause_, variables_;
};

}  // namespace

CircuitIndex index_report(Circuit::Data& data) { return IndexReport(data).run(); }

void add_dense(const SparsePattern& p, const std::vector<double>& values, Eigen::MatrixXd& m) {
  for (int c = 0; c < p.cols; ++c)
    for (int k = p.start[static_cast<std::size_t>(c)]; k < p.start[static_cast<std::size_t>(c) + 1];
         ++k)
      m(p.row[static_cast<std::size_t>(k)], c) += values[static_cast<std::size_t>(k)];
}

Linearised linearised(Circuit::Data& data, const StartPoint& at) {
  StaticEquations& eq = *data.equations;
  eq.modes = at.modes;
  eq.linearise(at.x.data());
  eq.capacitances(at.x.data());
  Linearised l;
  l.j_pattern = eq.pattern();
  l.j = eq.jacobian;
  const SparsePattern& q = eq.charge_pattern();
  const Network& net = data.assembly->network;
  l.e_pattern.rows = l.e_pattern.cols = eq.size();
  l.e_pattern.start.assign(1, 0);
  std::vector<std::pair<int, double>> column;  // by row; a few entries
  for (int c = 0; c < q.cols; ++c) {
    column.clear();
    const auto add = [&column](int row, double value) {
      if (row == ground) return;
      const auto place = std::lower_bound(column.begin(), column.end(), row,
                                          [](const auto& e, int r) { return e.first < r; });
      if (place != column.end() && place->first == row)
        place->second += value;
      else
        column.insert(place, {row, value});
    };
    for (int k = q.start[static_cast<std::size_t>(c)]; k < q.start[static_cast<std::size_t>(c) + 1];
         ++k) {
      const Charge& charge =
          net.charges[static_cast<std::size_t>(q.row[static_cast<std::size_t>(k)])];
      const double value = eq.charge_jacobian[static_cast<std::size_t>(k)];
      add(charge.plus, value);
      add(charge.minus, -value);
    }
    for (const auto& [row, value] : column) {
      l.e_pattern.row.push_back(row);
      l.e.push_back(value);
    }
    l.e_pattern.start.push_back(static_cast<int>(l.e_pattern.row.size()));
  }
  return l;
}

namespace {

// x of (E/h + J) x = b; false: the matrix is singular.
bool solve_euler(Circuit::Data& data, double h, std::vector<double>& x) {
  const Linearised l = linearised(data, data.operating_point());
  std::vector<int> place_j, place_e;
  const SparsePattern both = unite(l.j_pattern, l.e_pattern, &place_j, &place_e);
  std::vector<double> matrix(both.row.size(), 0.0);
  for (std::size_t k = 0; k < place_j.size(); ++k)
    matrix[static_cast<std::size_t>(place_j[k])] += l.j[k];
  for (std::size_t k = 0; k < place_e.size(); ++k)
    matrix[static_cast<std::size_t>(place_e[k])] += l.e[k] / h;
  const auto solver = make_linear_solver(both);
  if (!solver->factorise(matrix)) return false;
  solver->solve(x.data());
  return true;
}

}  // namespace

std::vector<double> euler_answer(Circuit::Data& data, double h) {
  std::vector<double> x(static_cast<std::size_t>(data.equations->size()));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = 1.0 + 0.1 * std::sin(static_cast<double>(k));
  return solve_euler(data, h, x) ? x : std::vector<double>{};
}

std::vector<double> euler_step(Circuit::Data& data, double h) {
  StaticEquations& eq = *data.equations;
  eq.modes = data.operating_point().modes;
  const std::vector<double>& x = data.operating_point().x;
  eq.t = h;
  const bool good = eq.evaluate(x.data());
  eq.t = 0.0;
  if (!good) return {};
  std::vector<double> next(static_cast<std::size_t>(eq.size()));
  for (std::size_t k = 0; k < next.size(); ++k) next[k] = -(eq.rest[k] + eq.sources[k]);
  if (!solve_euler(data, h, next)) return {};
  for (std::size_t k = 0; k < next.size(); ++k) next[k] += x[k];
  return next;
}

}  // namespace daedalus::circuit
