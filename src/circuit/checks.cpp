// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "circuit/circuit_data.hpp"

namespace daedalus::circuit {
namespace {

std::vector<std::string> names_of(const std::vector<int>& edges, const Assembly& a) {
  std::vector<std::string> names;
  for (const int e : edges) {
    const std::string& name = a.part(a.network.edges[static_cast<std::size_t>(e)].element).written;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string node_list(const std::vector<int>& nodes, const Assembly& a) {
  std::vector<std::string> names;
  for (const int n : nodes) names.push_back(a.network.node_names[static_cast<std::size_t>(n)]);
  if (names.size() > 8) {
    names.resize(8);
    names.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string node_name(int n, const Assembly& a) {
  return n == ground ? "0" : a.network.node_names[static_cast<std::size_t>(n)];
}

Where edge_place(int edge, const Assembly& a) {
  return a.part(a.network.edges[static_cast<std::size_t>(edge)].element).where;
}

void voltage_loop(const std::vector<int>& loop, const Assembly& a, Files& files) {
  const Edge& closing = a.network.edges[static_cast<std::size_t>(loop.front())];
  std::vector<std::string> lines;
  for (const int e : loop) lines.push_back(files.place(edge_place(e, a)));
  const std::string from = node_name(closing.a, a);
  files.error(edge_place(loop.front(), a),
              fmt::format("voltage sources {} ({}) form a loop {}-{}-{}: their voltages contradict "
                          "or leave the current undetermined",
                          fmt::join(names_of(loop, a), ", "), fmt::join(lines, ", "), from,
                          node_name(closing.b, a), from),
              "add a series resistor");
}

// Nodes at which the given direct voltage decides: .ic or UIC.
bool is_fixed(const Topology::Island& island, const Assembly& a) {
  const Requests& r = a.requests;
  if (r.transient && r.transient->use_initial_conditions) return true;
  for (const NodeValue& v : r.initial) {
    const int node = a.network.find_node(v.node);
    if (std::find(island.nodes.begin(), island.nodes.end(), node) != island.nodes.end())
      return true;
  }
  return false;
}

void island_without_path(const Topology::Island& island, const Assembly& a, Files& files) {
  std::vector<std::string> names = names_of(island.edges, a);
  const std::set<int> inside(island.nodes.begin(), island.nodes.end());
  Where where = island.edges.empty() ? Where{0, {}} : edge_place(island.edges.front(), a);
  for (const auto& part : a.parts)
    for (std::size_t k = 0; k < part->nodes.size(); ++k) {
      if (!inside.count(part->nodes[k])) continue;
      if (where.file < 0 || island.edges.empty()) where = part->where;
      if (part->kind == 'm' && k == 1) {
        names.erase(std::remove(names.begin(), names.end(), part->written), names.end());
        names.push_back("gate of " + part->written);
      }
    }
  files.error(
      where,
      fmt::format("node {} has no DC path to ground ({})", node_list(island.nodes, a),
                  fmt::join(names, ", ")),
      fmt::format("give .ic v({})=0 or .options rshunt=1e12", node_name(island.nodes.front(), a)));
}

// Coils that are coupled, directly or through others: their matrix must not have negative
// eigenvalues.
void check_couplings(const Assembly& a, Files& files) {
  std::map<int, std::vector<CouplingOf>> groups;
  std::map<int, int> root;
  const auto find = [&](int x) {
    while (root.count(x) && root[x] != x) x = root[x];
    return x;
  };
  for (const CouplingOf& c : a.network.couplings) {
    root.try_emplace(c.first, c.first);
    root.try_emplace(c.second, c.second);
    root[find(c.first)] = find(c.second);
  }
  for (const CouplingOf& c : a.network.couplings) groups[find(c.first)].push_back(c);
  for (const auto& [key, list] : groups) {
    std::vector<int> coils;
    for (const CouplingOf& c : list)
      for (const int coil : {c.first, c.second})
        if (std::find(coils.begin(), coils.end(), coil) == coils.end()) coils.push_back(coil);
    const auto place = [&](int coil) {
      return std::find(coils.begin(), coils.end(), coil) - coils.begin();
    };
    // Scaled to ones in the diagonal: the signs of the eigenvalues are the same.
    Eigen::MatrixXd m = Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(coils.size()),
                                                  static_cast<Eigen::Index>(coils.size()));
    for (const CouplingOf& c : list)
      m(place(c.first), place(c.second)) = m(place(c.second), place(c.first)) = c.factor;
    const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m).eigenvalues()[0];
    const Where where = a.part(list.front().element).where;
    std::vector<std::string> names;
    for (const int coil : coils)
      names.push_back(a.network.branches[static_cast<std::size_t>(coil)].name);
    if (least < -1e-12)
      files.error(where, fmt::format("the couplings of {} contradict each other: their matrix has "
                                     "the eigenvalue {:.3g}",
                                     fmt::join(names, ", "), least));
    else if (least < 1e-12)
      files.warning(where,
                    fmt::format("{} with k = 1 makes the inductance matrix of {} singular",
                                a.part(list.front().element).written, fmt::join(names, ", ")));
  }
}

// A gyrator carries direct currents although its edges are current sources: whether controlled ones
// hold a node is seen when the operating point is solved for.
bool has_controlled_current(const std::vector<int>& edges, const Assembly& a) {
  return std::any_of(edges.begin(), edges.end(), [&](int k) {
    const Edge& e = a.network.edges[static_cast<std::size_t>(k)];
    return e.kind == EdgeKind::current && a.part(e.element).kind != 'i';
  });
}

void only_currents(const Topology::Cutset& c, const Assembly& a, Files& files) {
  files.error(edge_place(c.edges.front(), a),
              fmt::format("only current sources {} meet at node {}",
                          fmt::join(names_of(c.edges, a), ", "), node_list(c.nodes, a)),
              "add a resistor from the node to ground");
}

// Nodes that nothing but current sources holds; `controlled`: with controlled ones among them.
void unheld_nodes(const Topology& topology, const Assembly& a, bool controlled, Files& files) {
  std::set<int> reported;
  for (const Topology::Cutset& c : topology.cutsets) {
    if (!c.only_currents || c.edges.empty()) continue;
    if (has_controlled_current(c.edges, a) == controlled) only_currents(c, a, files);
    reported.insert(c.nodes.begin(), c.nodes.end());
  }
  if (a.requests.shunt) return;
  for (const Topology::Island& island : topology.islands)
    if (!reported.count(island.nodes.front()) && !is_fixed(island, a) &&
        has_controlled_current(island.edges, a) == controlled)
      island_without_path(island, a, files);
}

}  // namespace

void check_topology(const Topology& topology, const Assembly& a, Files& files) {
  for (const auto& loop : topology.voltage_loops) voltage_loop(loop, a, files);
  const bool uic = a.requests.transient && a.requests.transient->use_initial_conditions;
  for (const auto& loop : topology.direct_loops)
    if (!uic)
      files.error(
          edge_place(loop.front(), a),
          fmt::format("{} form a loop without resistance: its direct current is undetermined",
                      fmt::join(names_of(loop, a), ", ")),
          "add a series resistor, or start with .tran ... UIC");
  unheld_nodes(topology, a, false, files);
  check_couplings(a, files);
}

void blame_controlled_currents(const Topology& topology, const Assembly& a, Files& files) {
  unheld_nodes(topology, a, true, files);
}

std::vector<NodeGuess> start_guesses(const Assembly& a) {
  std::vector<NodeGuess> guesses;
  for (const NodeValue& v : a.requests.guesses)
    if (const int node = a.network.find_node(v.node); node >= 0) guesses.push_back({node, v.value});
  return guesses;
}

namespace {

// Ohm and Siemens of what gives way where given voltages or currents contradict each other: far
// below what else is in a circuit.
constexpr double small_resistance = 1e-9, small_conductance = 1e-12;
// Less is rounding.
constexpr double contradiction = 1e-6;

// Coils keep their currents; around nodes that nothing but coils and current sources holds they
// follow from each other.
void hold_coils(const Network& net, Conditions& conditions) {
  Components joined(net.nodes() + 1);
  for (const Edge& e : net.edges)
    if (e.kind != EdgeKind::coil && e.kind != EdgeKind::current) joined.join(e.a + 1, e.b + 1);
  for (const Edge& e : net.edges) {
    if (e.kind != EdgeKind::coil) continue;
    Conditions::Clamp clamp{net.row_of_branch(e.branch),
                            net.branches[static_cast<std::size_t>(e.branch)].start};
    if (joined.root(e.a + 1) != joined.root(e.b + 1))
      clamp = {clamp.row, clamp.value, e.a, e.b, small_conductance};
    conditions.clamps.push_back(clamp);
  }
}

// Charges of devices, which nobody gave, take what is left to them.
bool is_capacitor(const Charge& q) {  // q(x1.c1)
  const std::size_t dot = q.name.rfind('.');
  return q.name[dot == std::string::npos ? 2 : dot + 1] == 'c';
}

Where place_of(const Assembly& a, const std::string& element) {
  for (const auto& part : a.parts)
    if (part->name == element) return part->where;
  return {0, {}};
}

}  // namespace

bool relax_contradictions(const std::vector<double>& x, Conditions& conditions) {
  const auto voltage = [&x](const Conditions::Hold& h) {
    return (h.a == ground ? 0.0 : x[static_cast<std::size_t>(h.a)]) -
           (h.b == ground ? 0.0 : x[static_cast<std::size_t>(h.b)]);
  };
  const bool contradicts =
      std::any_of(conditions.closing.begin(), conditions.closing.end(), [&](const auto& h) {
        return std::fabs(voltage(h) - h.value) > contradiction * (1.0 + std::fabs(h.value));
      });
  if (!contradicts) return false;
  conditions.holds.insert(conditions.holds.end(), conditions.closing.begin(),
                          conditions.closing.end());
  conditions.closing.clear();
  for (Conditions::Hold& h : conditions.holds)
    if (h.charge >= 0) h.resistance = small_resistance;
  return true;
}

void report_relaxed(const std::vector<double>& x, const Conditions& conditions, const Assembly& a,
                    Files& files) {
  const Network& net = a.network;
  const auto value = [&x](int k) { return k == ground ? 0.0 : x[static_cast<std::size_t>(k)]; };
  const auto say = [&](const std::string& element, double given, double now, char unit,
                       const char* with) {
    if (std::fabs(now - given) > contradiction * (1e-3 + std::fabs(given)))
      files.warning(place_of(a, element),
                    fmt::format("{} starts with {:.6g} {} in place of {:.6g} {}: {}", element, now,
                                unit, given, unit, with));
  };
  for (const Conditions::Hold& h : conditions.holds) {
    if (h.charge < 0 || h.resistance == 0.0) continue;
    const Charge& charge = net.charges[static_cast<std::size_t>(h.charge)];
    if (!charge.has_start) continue;
    const std::string& name = charge.name;  // q(c1)
    say(name.substr(2, name.find_first_of(",)") - 2), h.value, value(h.a) - value(h.b), 'V',
        "the voltages of its loop contradict each other");
  }
  for (const Conditions::Clamp& c : conditions.clamps) {
    if (c.conductance == 0.0) continue;
    const std::string& name = net.unknown_names[static_cast<std::size_t>(c.row)];  // i(l1)
    say(name.substr(2, name.size() - 3), c.value, value(c.row), 'A',
        "the currents of its cutset contradict each other");
  }
}

Conditions start_conditions(const Assembly& a, Files& files, bool with_uic) {
  Conditions conditions;
  const Network& net = a.network;
  const bool uic = with_uic && a.requests.transient && a.requests.transient->use_initial_conditions;
  Components held(net.nodes() + 1);
  const auto free = [&](int x, int y) { return held.join(x + 1, y + 1); };  // no loop with others
  for (const Edge& e : net.edges)
    if (e.kind == EdgeKind::voltage) free(e.a, e.b);
  for (const NodeValue& v : a.requests.initial) {
    const int node = net.find_node(v.node);
    if (node == no_node) {
      files.error(v.where, fmt::format("there is no node {}", v.node),
                  model::name_hint(v.node, net.node_names));
      continue;
    }
    if (node == ground) continue;
    if (!free(node, ground))
      files.warning(v.where,
                    fmt::format("v({}) follows from voltage sources and other .ic values: {:g} is "
                                "not followed",
                                v.node, v.value));
    else if (!uic)
      conditions.clamps.push_back({node, v.value});
    else
      conditions.holds.push_back({node, ground, v.value});
  }
  if (!uic) return conditions;
  hold_coils(net, conditions);
  for (const bool given : {true, false})
    for (std::size_t k = 0; k < net.charges.size(); ++k) {
      const Charge& q = net.charges[k];
      if (q.has_start != given || q.node_a == q.node_b) continue;
      if (free(q.node_a, q.node_b))
        conditions.holds.push_back({q.node_a, q.node_b, q.start, static_cast<int>(k)});
      else if (is_capacitor(q))
        conditions.closing.push_back({q.node_a, q.node_b, q.start, static_cast<int>(k)});
    }
  return conditions;
}

}  // namespace daedalus::circuit
