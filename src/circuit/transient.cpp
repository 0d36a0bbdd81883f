// SPDX-License-Identifier: BSD-3-Clause
// The problem that is integrated: equations, start values, corners, and how errors are measured.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "circuit/circuit_data.hpp"
#include "circuit/signals.hpp"

namespace daedalus::circuit {
namespace {

using Callable = std::shared_ptr<const detail::FunctionBody>;

constexpr double large_current =
    1e-3;  // A, where 1 V is a large voltage: atol 1e-9 A beside 1e-6 V

// From here on one real matrix per step is cheaper than a real and a complex one of fewer steps;
// the order pays below this tolerance (`daedalus_circuits` on meshes and ladders).
constexpr int large_circuit = 200;
constexpr double loose_tolerance = 2e-6;

// Of the tolerance where the index is 3: errors of what is differentiated twice are some hundred
// times those that are tested (two differentiators in a row, 1e-4 to 1e-9).
constexpr double share_of_index3 = 1.0 / 30.0;

int index_number(const CircuitIndex& index) {
  return index.by_numbers && index.numerical >= 0 ? index.numerical : index.topology;
}

bool is_large_and_linear(const Circuit::Data& data) {
  return data.transient.form == CircuitForm::conventional && index_number(*data.index) < 2 &&
         data.assembly->network.unknowns() > large_circuit;
}

bool same_as_defaults(const Circuit::Data& data, const Values& values) {
  for (const Parameter& p : data.assembly->network.parameters()) {
    const auto given = values.find(p.name);
    if (given != values.end() && given->second != p.value) return false;
  }
  return true;
}

std::vector<double> corners_of(const Network& net) {
  std::vector<double> breaks;
  for (const Network::Corners& corners : net.corners) corners(0.0, net.tstop, breaks);
  std::sort(breaks.begin(), breaks.end());
  // Corners that differ by round-off alone are one.
  breaks.erase(std::unique(breaks.begin(), breaks.end(),
                           [](double x, double y) { return y - x <= 1e-13 * y; }),
               breaks.end());
  while (!breaks.empty() && breaks.back() >= net.tstop * (1.0 - 1e-13)) breaks.pop_back();
  return breaks;
}

// E of E x' + ... = 0 where charges are linear: the same at every point.
SparseMatrix capacitance_matrix(Circuit::Data& data) {
  const Linearised l = linearised(data, data.operating_point());
  return Eigen::Map<const SparseMatrix>(
      l.e_pattern.rows, l.e_pattern.cols, static_cast<Eigen::Index>(l.e.size()),
      l.e_pattern.start.data(), l.e_pattern.row.data(), l.e.data());
}

// Where charges are variables of their own: which rows their rates enter.
SparseMatrix incidence_matrix(const Network& net, const std::vector<int>& charges) {
  const int n = net.unknowns(), size = n + static_cast<int>(charges.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < charges.size(); ++k) {
    const Charge& q = net.charges[static_cast<std::size_t>(charges[k])];
    const int column = n + static_cast<int>(k);
    if (q.plus != ground) entries.emplace_back(q.plus, column, 1.0);
    if (q.minus != ground) entries.emplace_back(q.minus, column, -1.0);
  }
  SparseMatrix m(size, size);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

// At the operating point x' = 0, which is not what currents in loops and voltages in cutsets follow
// where sources move: they are derivatives. One step of implicit Euler gives them (its error falls
// with the step and its start does not matter to them); two of different lengths, extrapolated.
void start_index2(Circuit::Data& data, Eigen::VectorXd& y0) {
  // Short beside the first piece of the sources, long beside rounding of the charges.
  constexpr double part_of_first_piece = 1e-5;
  const Network& net = data.assembly->network;
  const std::vector<double> corners = corners_of(net);
  double piece = net.tstop > 0.0 ? 1e-2 * net.tstop : 1.0;
  if (!corners.empty()) piece = std::min(piece, corners.front());
  const std::vector<double> coarse = euler_step(data, part_of_first_piece * piece);
  const std::vector<double> fine = euler_step(data, 0.5 * part_of_first_piece * piece);
  if (coarse.empty() || fine.empty()) return;
  const std::set<std::string> high(data.index->variables.begin(), data.index->variables.end());
  for (std::size_t k = 0; k < fine.size(); ++k)
    if (high.count(net.unknown_names[k]))
      y0[static_cast<Eigen::Index>(k)] = 2.0 * fine[k] - coarse[k];
}

// What problems of both forms have.
template <class P>
void complete(P& p, Circuit::Data& data) {
  const Network& net = data.assembly->network;
  const StartPoint& start = data.operating_point();
  const CircuitIndex& index = *data.index;
  p.name = data.netlist->title;
  p.variables = net.unknown_names;
  p.equations = net.row_names;
  p.parameters = net.parameters();
  for (std::size_t k = 0; k < p.parameters.size(); ++k)
    p.parameters[k].value = data.equations->parameters[k];
  p.modes = start.modes;
  const auto n = static_cast<Eigen::Index>(net.unknowns());
  p.y0.resize(n + static_cast<Eigen::Index>(data.transient.charges.size()));
  p.y0.head(n) = Eigen::Map<const Eigen::VectorXd>(start.x.data(), n);
  data.equations->modes = start.modes;
  data.equations->charges(start.x.data());
  for (std::size_t k = 0; k < data.transient.charges.size(); ++k) {
    const auto number = static_cast<std::size_t>(data.transient.charges[k]);
    p.y0[n + static_cast<Eigen::Index>(k)] = data.equations->charge[number];
    p.variables.push_back(net.charges[number].name);
    p.equations.push_back("charge " + net.charges[number].name);
  }
  p.index = index_number(index);
  if (!data.transient.charges.empty()) p.index = std::max(p.index, 1);
  if (p.index == 2) start_index2(data, p.y0);
  if (p.index >= 2 && !index.variables.empty()) {
    const std::set<std::string> high(index.variables.begin(), index.variables.end());
    p.variable_index.assign(p.variables.size(), 1);
    for (std::size_t k = 0; k < p.variables.size(); ++k)
      if (high.count(p.variables[k])) p.variable_index[k] = 2;
    for (std::size_t k = 0; k < index.levels.size(); ++k) p.variable_index[k] = index.levels[k];
  }
  p.break_times = corners_of(net);
}

// Signals of .print that are not unknowns themselves: differences and powers.
void add_printed(Circuit::Data& data, Entry& entry) {
  const Network& net = data.assembly->network;
  std::vector<SignalValue> values;
  for (const Signal& s : data.assembly->requests.printed) {
    const bool unknown =
        s.arguments.size() == 1 && s.kind != "p" && (s.kind == "v" || s.kind == "i");
    if (unknown || (s.kind != "v" && s.kind != "p")) continue;
    const auto value = resolve(s, *data.assembly, data.netlist->files);
    if (!value) continue;
    values.push_back(*value);
    entry.outputs.push_back({s.text, s.kind == "p" ? "W" : "V", "printed", false});
  }
  if (values.empty()) return;
  entry.evaluate_outputs = [values, n = net.unknowns()](const Values&, const StateView& s,
                                                        Out out) {
    if (static_cast<int>(s.all().size()) < n) return;
    for (std::size_t k = 0; k < values.size(); ++k)
      out[static_cast<int>(k)] = values[k].at(s.all().data());
  };
}

}  // namespace

Problem transient_problem(Circuit::Data& data) {
  if (data.transient.rhs) {
    MassMatrixProblem p;
    complete(p, data);
    p.rhs = Function<slot::RightHandSide>(Callable(data.transient.rhs));
    p.mass_matrix = data.transient.form == CircuitForm::conventional
                        ? capacitance_matrix(data)
                        : incidence_matrix(data.assembly->network, data.transient.charges);
    return p;
  }
  ImplicitProblem p;
  complete(p, data);
  p.residual = Function<slot::Residual>(Callable(data.transient.residual));
  p.yp0 = Eigen::VectorXd::Zero(p.y0.size());
  return p;
}

Entry circuit_entry(std::shared_ptr<Circuit::Data> data) {
  Entry entry;
  const Assembly& a = *data->assembly;
  entry.name = data->file;
  entry.title = data->netlist->title;
  entry.form = data->transient.rhs ? "mass-matrix" : "implicit";
  entry.source = data->file;
  entry.stiff = true;
  entry.parameters = a.network.parameters();
  entry.t0 = 0.0;
  entry.t_end = a.requests.transient ? a.requests.transient->stop : 1.0;
  entry.index = index_number(*data->index);
  if (!data->transient.charges.empty()) entry.index = std::max(entry.index, 1);
  entry.notes.push_back(data->index->text);
  for (const std::string& name : a.network.unknown_names)
    if (name[0] == 'i') entry.atol_scale[name] = large_current;
  for (const int k : data->transient.charges) {
    const Charge& q = a.network.charges[static_cast<std::size_t>(k)];
    entry.atol_scale[q.name] = q.nominal;
  }
  add_printed(*data, entry);
  // Other values mean another operating point, and parameters may decide on structure: the circuit
  // is put together again.
  const auto of = [data](const Values& values) {
    return same_as_defaults(*data, values)
               ? data
               : read_circuit_data(data->netlist, data->file, values, data->formulation);
  };
  entry.build = [of](const Values& values) { return transient_problem(*of(values)); };
  if (!data->transient.crossings.empty())
    entry.build_events = [of](const Values& values) { return switching_events(of(values)); };
  // With index 2 the values are trusted: currents in loops and voltages in cutsets are right after
  // the first step, and nothing else depends on them.
  entry.start = entry.index == 2  ? StartStrategy::given
                : entry.index > 2 ? StartStrategy::solve
                                  : StartStrategy::automatic;
  return entry;
}

}  // namespace daedalus::circuit

namespace daedalus {

std::string Circuit::method_reason() const {
  const std::string& asked = data_->assembly->requests.method;
  if (!asked.empty()) return "asked for by .options method";
  if (circuit::is_large_and_linear(*data_))
    return "large linear circuit: one real matrix per step and no iteration";
  if (circuit::index_number(*data_->index) < 2) return {};
  return fmt::format(
      "circuit of index {}: currents in loops and voltages in cutsets jump where sources ramp, "
      "which takes a method without a past; order 5, L-stable",
      circuit::index_number(*data_->index));
}

Options Circuit::options(double rtol) const {
  const circuit::Requests& asked = data_->assembly->requests;
  Options options;
  options.rtol = circuit_tolerance_share * (rtol > 0.0 ? rtol : asked.rtol.value_or(options.rtol));
  if (circuit::index_number(*data_->index) > 2) options.rtol *= circuit::share_of_index3;
  const auto absolute = [&](const std::optional<double>& given, double large) {
    return given && !(rtol > 0.0) ? circuit_tolerance_share * *given : options.rtol * large;
  };
  const double voltage = absolute(asked.voltage_tolerance, 1.0);
  const double current = absolute(asked.current_tolerance, circuit::large_current);
  const std::vector<std::string>& names = data_->assembly->network.unknown_names;
  const std::vector<int>& charges = data_->transient.charges;
  Eigen::VectorXd atol(static_cast<Eigen::Index>(names.size() + charges.size()));
  for (std::size_t k = 0; k < names.size(); ++k)
    atol[static_cast<Eigen::Index>(k)] = names[k][0] == 'i' ? current : voltage;
  for (std::size_t k = 0; k < charges.size(); ++k)
    atol[static_cast<Eigen::Index>(names.size() + k)] =
        asked.charge_tolerance && !(rtol > 0.0)
            ? circuit_tolerance_share * *asked.charge_tolerance
            : voltage *
                  data_->assembly->network.charges[static_cast<std::size_t>(charges[k])].nominal;
  options.atol = atol;
  // Sources that ramp and devices that switch make the currents of index 2 jump, and nothing but
  // their own smoothness controls their error: a method without a past and with short steps.
  if (circuit::index_number(*data_->index) == 2) options.method = "radau5";
  if (circuit::index_number(*data_->index) > 2) options.method = "radau";
  if (circuit::is_large_and_linear(*data_))
    options.method = options.rtol > circuit::loose_tolerance ? "rodas4" : "rodas5p";
  if (!asked.method.empty()) options.method = asked.method;
  if (asked.transient) options.max_step = asked.transient->max_step;
  entry().apply(options);
  return options;
}

}  // namespace daedalus
