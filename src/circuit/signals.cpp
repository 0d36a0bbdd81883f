// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/nearest.hpp"

namespace daedalus::circuit {
namespace {

constexpr std::array<std::string_view, 6> voltages{"v", "vdb", "vm", "vp", "vr", "vi"};

bool is_voltage(const std::string& kind) {
  return std::find(voltages.begin(), voltages.end(), kind) != voltages.end();
}

std::optional<SignalValue> voltage(const Signal& signal, const Network& net, Files& files) {
  SignalValue s;
  for (std::size_t k = 0; k < signal.arguments.size(); ++k) {
    const int node = net.find_node(signal.arguments[k]);
    if (node == no_node) {
      files.warning(signal.where,
                    fmt::format("{}: there is no node {}", signal.text, signal.arguments[k]),
                    model::name_hint(signal.arguments[k], net.node_names));
      return std::nullopt;
    }
    (k == 0 ? s.a : s.b) = node;
  }
  return s;
}

std::optional<SignalValue> current(const Signal& signal, const Assembly& a, Files& files) {
  const std::string& name = signal.arguments[0];
  const auto part =
      std::find_if(a.parts.begin(), a.parts.end(), [&](const auto& p) { return p->name == name; });
  if (part == a.parts.end()) {
    std::vector<std::string> names;
    for (const auto& p : a.parts) names.push_back(p->name);
    files.warning(signal.where, fmt::format("{}: there is no element {}", signal.text, name),
                  model::name_hint(name, names));
    return std::nullopt;
  }
  const int branch = a.network.find_branch(name);
  if (branch < 0) {
    files.warning(signal.where,
                  fmt::format("{}: {} has more than two terminals", signal.text, (*part)->written),
                  "put a voltage source of 0 V in series with the one that is meant");
    return std::nullopt;
  }
  SignalValue s;
  s.current = a.network.row_of_branch(branch);
  s.is_power = signal.kind == "p";
  s.a = (*part)->nodes[0];
  s.b = (*part)->nodes[1];
  return s;
}

}  // namespace

std::optional<SignalValue> resolve(const Signal& signal, const Assembly& a, Files& files) {
  const std::size_t count = signal.arguments.size();
  if (is_voltage(signal.kind) && (count == 1 || count == 2))
    return voltage(signal, a.network, files);
  if ((signal.kind == "i" || signal.kind == "p") && count == 1) return current(signal, a, files);
  files.warning(signal.where, fmt::format("{} is not known here", signal.text),
                "v(node), v(a,b), i(element), p(element), and of .ac vdb, vm, vp, vr, vi");
  return std::nullopt;
}

bool read_signal(Cursor& cursor, Signal& signal) {
  signal.where = cursor.where();
  if (!cursor.signal(signal.kind, signal.arguments)) return false;
  signal.text = fmt::format("{}({})", signal.kind, fmt::join(signal.arguments, ","));
  return true;
}

}  // namespace daedalus::circuit
