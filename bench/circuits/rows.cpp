// SPDX-License-Identifier: BSD-3-Clause
#include "bench/circuits/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>

namespace daedalus::bench {
namespace {

using Json = nlohmann::json;

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

CircuitRow from_folder(const std::string& name, const std::string& variable) {
  const std::string path = std::string(DAEDALUS_CIRCUITS) + "/" + name;
  CircuitRow row;
  row.name = name;
  row.variable = variable;
  row.netlist = content(path + ".cir");
  const Json reference = Json::parse(content(path + ".json"));
  row.times = reference.at("times").get<std::vector<double>>();
  const Json& v = reference.at("variables").at(variable);
  row.values = v.at("values").get<std::vector<double>>();
  row.scale = v.at("scale").get<double>();
  row.t_end = row.times.back();
  row.nodes = 10;
  return row;
}

// Voltage of the corner node: a sum over the eigenfunctions of the mesh.
double mesh_corner(int n, double t) {
  constexpr double r = 100.0, leak = 1e5, c = 1e-12, current = 1e-3, pi = std::numbers::pi;
  const auto weight = [n](int j) {
    const double phi = std::cos(pi * j * 0.5 / n);
    return (j == 0 ? 1.0 : 2.0) / n * phi * phi;
  };
  double sum = 0.0;
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < n; ++k) {
      const double g =
          (4.0 - 2.0 * std::cos(pi * j / n) - 2.0 * std::cos(pi * k / n)) / r + 1.0 / leak;
      sum += weight(j) * weight(k) * -std::expm1(-g * t / c) / g;
    }
  return current * sum;
}

double ladder_node(int n, int node, double t) {
  constexpr double rc = 1e-9, pi = std::numbers::pi;
  double sum = 0.0;
  for (int j = 1; j <= n; ++j) {
    const double th = (2.0 * j - 1.0) * pi / (2.0 * n + 1.0), l = 2.0 - 2.0 * std::cos(th);
    sum += 4.0 / (2.0 * n + 1.0) * std::sin(node * th) * std::sin(th) / l * std::exp(-l * t / rc);
  }
  return 1.0 - sum;
}

void finish_large(CircuitRow& row) {
  row.large = true;
  row.scale = *std::max_element(row.values.begin(), row.values.end());
  row.t_end = row.times.back();
}

CircuitRow mesh(int n) {
  CircuitRow row;
  row.name = fmt::format("mesh-{}", n);
  row.variable = "v(n0_0)";
  row.netlist = mesh_text(n);
  row.times = {1e-8, 3e-8, 1e-7, 3e-7, 1e-6};
  for (const double t : row.times) row.values.push_back(mesh_corner(n, t));
  row.nodes = n * n;
  finish_large(row);
  return row;
}

CircuitRow ladder(int n) {
  CircuitRow row;
  const int node = std::min(n, 1000) / 10;
  const double end = 1e-9 * std::pow(std::min(n, 1000), 2.0);
  row.name = fmt::format("ladder-{}", n);
  row.variable = fmt::format("v(n{})", node);
  row.netlist = ladder_text(n);
  row.times = {0.01 * end, 0.03 * end, 0.1 * end, 0.3 * end, end};
  for (const double t : row.times) row.values.push_back(ladder_node(n, node, t));
  row.nodes = n;
  finish_large(row);
  return row;
}

}  // namespace

std::string mesh_text(int n) {
  std::string out = fmt::format("mesh with n = {}\nI1 0 n0_0 PULSE(0 1m 0 1f 1f 1 2)\n", n);
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) {
      out += fmt::format("C{0}_{1} n{0}_{1} 0 1p\nRL{0}_{1} n{0}_{1} 0 100k\n", p, q);
      if (p + 1 < n) out += fmt::format("RX{0}_{1} n{0}_{1} n{2}_{1} 100\n", p, q, p + 1);
      if (q + 1 < n) out += fmt::format("RY{0}_{1} n{0}_{1} n{0}_{2} 100\n", p, q, q + 1);
    }
  return out + ".tran 10n 1u\n.end\n";
}

std::string ladder_text(int n) {
  std::string out = fmt::format("ladder with n = {}\nV1 n0 0 PULSE(0 1 0 1f 1f 1 2)\n", n);
  for (int k = 1; k <= n; ++k) out += fmt::format("R{1} n{0} n{1} 1k\nC{1} n{1} 0 1p\n", k - 1, k);
  const double length = std::min(n, 1000);
  return out +
         fmt::format(".tran {:g} {:g}\n.end\n", 1e-11 * length * length, 1e-9 * length * length);
}

std::string oscillators_text(int rows, int stages) {
  std::string out = fmt::format("{} ring oscillators of {} stages\n", rows, stages);
  out +=
      ".subckt inv in out vdd\nMP out in vdd vdd PM W=4u L=1u\nMN out in 0 0 NM W=2u L=1u\n"
      "CL out 0 5f\n.ends\n"
      ".model NM NMOS(VTO=0.7 KP=110u LAMBDA=0.04 CGSO=0.3n CGDO=0.3n)\n"
      ".model PM PMOS(VTO=-0.8 KP=40u LAMBDA=0.05 CGSO=0.3n CGDO=0.3n)\n"
      "VDD vdd 0 PWL(0 0 0.1n 3)\n";
  for (int r = 0; r < rows; ++r)
    for (int s = 0; s < stages; ++s)
      out += fmt::format("X{0}_{1} n{0}_{1} n{0}_{2} vdd inv\n", r, s, (s + 1) % stages);
  for (int r = 0; r < rows; ++r)
    out += fmt::format("I{0} 0 n{0}_0 PULSE(0 10u 0 10p 10p 50p 1)\n", r);
  return out + ".tran 10p 1n\n.end\n";
}

std::vector<CircuitRow> circuit_rows(const std::vector<std::string>& wanted, bool with_largest) {
  std::vector<CircuitRow> rows;
  const auto asked = [&](const std::string& name) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  const std::pair<const char*, const char*> small[] = {
      {"halfwave", "v(out)"}, {"emitter", "v(out)"}, {"colpitts", "v(c)"}, {"astable", "v(c2)"},
      {"ringosc", "v(a)"},    {"nand", "v(y)"},      {"buck", "v(out)"},   {"diffpair", "v(c1)"}};
  for (const auto& [name, variable] : small)
    if (asked(name)) rows.push_back(from_folder(name, variable));
  for (const int n : {32, 100, 316})
    if (asked(fmt::format("mesh-{}", n)) && (n < 300 || with_largest || !wanted.empty()))
      rows.push_back(mesh(n));
  for (const int n : {1000, 10000, 100000})
    if (asked(fmt::format("ladder-{}", n)) && (n < 50000 || with_largest || !wanted.empty()))
      rows.push_back(ladder(n));
  return rows;
}

}  // namespace daedalus::bench
