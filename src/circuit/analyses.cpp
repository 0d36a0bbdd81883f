// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/analyses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "circuit/netlist/constants.hpp"

namespace daedalus::circuit {
namespace {

// More are a mistake in a range: each is a solution that is kept.
constexpr double max_analysis_points = 1e6;

class RequestReader {
 public:
  RequestReader(Netlist& netlist, const Parameters& parameters) : n_(netlist), p_(parameters) {}

  Requests run() {
    options();
    for (const Command& command : n_.commands) {
      Cursor cursor(n_.files, command.statement, command.words, 0);
      if (command.name != "meas") one(command.name, cursor);
    }
    for (const Command& command : n_.commands) {  // they need tstop
      Cursor cursor(n_.files, command.statement, command.words, 0);
      if (command.name == "meas") measure(cursor);
    }
    if (r_.order.empty() && !n_.files.wrong())
      n_.files.error({0, n_.title_span}, "nothing to do: the netlist asks for no analysis",
                     "add .tran tstep tstop, .op, .dc, .ac or .pz");
    return std::move(r_);
  }

 private:
  void one(const std::string& name, Cursor& cursor) {
    if (name == "tran")
      transient(cursor);
    else if (name == "ac")
      frequencies(cursor);
    else if (name == "dc")
      sweep(cursor);
    else if (name == "ic" || name == "nodeset")
      node_values(cursor, name == "ic" ? r_.initial : r_.guesses);
    else if (name == "print" || name == "plot" || name == "save" || name == "probe")
      printed(cursor);
    else if (name == "temp")
      r_.temperature = numbers(cursor, 1).empty() ? r_.temperature : last_[0] + zero_celsius;
    if (name == "op" || name == "pz") r_.order.push_back(name);
  }

  const std::vector<double>& numbers(Cursor& cursor, std::size_t max_count) {
    last_.clear();
    while (cursor.is_value() && last_.size() < max_count) {
      if (cursor.is(WordKind::word) && !read_number(cursor.text()).value) break;
      last_.push_back(p_.number(cursor.value()).value_or(0.0));
    }
    return last_;
  }

  void transient(Cursor& cursor) {
    const Where where = cursor.statement().whole();
    const auto& x = numbers(cursor, 4);
    if (x.size() < 2) {
      n_.files.error(where, ".tran needs tstep and tstop", "for example .tran 1u 1m");
      return;
    }
    TransientRequest t;
    t.step = x[0];
    t.stop = x[1];
    if (x.size() > 2) t.start = x[2];
    if (x.size() > 3) t.max_step = x[3];
    t.use_initial_conditions = cursor.is(WordKind::word) && cursor.lower() == "uic";
    if (!(t.stop > 0.0) || !(t.step > 0.0) || t.start < 0.0 || t.start >= t.stop) {
      n_.files.error(where, ".tran needs 0 < tstep and 0 <= tstart < tstop");
      return;
    }
    r_.transient = t;
    r_.order.push_back("tran");
  }

  void frequencies(Cursor& cursor) {
    const Where where = cursor.statement().whole();
    FrequencyRequest f;
    if (cursor.is_word()) f.kind = cursor.take_lower();
    const auto& x = numbers(cursor, 3);
    if ((f.kind != "dec" && f.kind != "oct" && f.kind != "lin") || x.size() < 3 || x[0] < 1.0 ||
        !(x[1] > 0.0) || x[2] < x[1]) {
      n_.files.error(where, ".ac needs dec, oct or lin, a number of points and two frequencies",
                     "for example .ac dec 10 1 1meg");
      return;
    }
    f.from = x[1];
    f.to = x[2];
    const double wide =
        f.kind == "lin" ? 1.0 : std::log(f.to / f.from) / std::log(f.kind == "dec" ? 10.0 : 2.0);
    if (!(x[0] * std::max(1.0, wide) <= max_analysis_points)) {
      n_.files.error(where, fmt::format(".ac has more than {} frequencies", max_analysis_points));
      return;
    }
    f.points = static_cast<int>(x[0]);
    r_.frequencies = f;
    r_.order.push_back("ac");
  }

  void sweep(Cursor& cursor) {
    const Where where = cursor.statement().whole();
    double points = 1.0;
    while (cursor.is_word()) {
      SweepRequest s;
      s.where = cursor.where();
      s.source = cursor.take_lower();
      const auto& x = numbers(cursor, 3);
      if (x.size() < 3 || x[2] == 0.0 || (x[1] - x[0]) / x[2] < 0.0) {
        n_.files.error(where, ".dc needs a source, start, stop and a step towards the stop",
                       "for example .dc V1 0 5 0.1");
        return;
      }
      if (!((points *= (x[1] - x[0]) / x[2] + 1.0) <= max_analysis_points)) {
        n_.files.error(where, fmt::format(".dc has more than {} points", max_analysis_points));
        return;
      }
      s.from = x[0], s.to = x[1], s.step = x[2];
      r_.sweep.push_back(s);
    }
    if (r_.sweep.empty()) {
      n_.files.error(where, ".dc needs a source, start, stop and step");
      return;
    }
    r_.order.push_back("dc");
  }

  void node_values(Cursor& cursor, std::vector<NodeValue>& list) {
    while (!cursor.done()) {
      const Where where = cursor.where();
      std::string kind;
      std::vector<std::string> nodes;
      if (!cursor.signal(kind, nodes) || kind != "v" || nodes.size() != 1 ||
          !cursor.is(WordKind::equals)) {
        n_.files.error(where, "v(node)=value is expected here");
        return;
      }
      cursor.skip();
      if (!cursor.is_value()) {
        n_.files.error(where, fmt::format("v({}) has no value", nodes[0]));
        return;
      }
      list.push_back({nodes[0], p_.number(cursor.value()).value_or(0.0), where});
    }
  }

  void printed(Cursor& cursor) {
    if (cursor.is_word() && (cursor.lower() == "tran" || cursor.lower() == "ac" ||
                             cursor.lower() == "dc" || cursor.lower() == "op"))
      cursor.skip();
    while (!cursor.done()) {
      Signal signal;
      if (read_signal(cursor, signal))
        r_.printed.push_back(std::move(signal));
      else if (cursor.is(WordKind::word) && cursor.text()[0] == '@') {
        n_.files.error(cursor.where(), "inner quantities of devices are not printed",
                       ".op gives them; print voltages, or currents of elements: i(R1)");
        return;
      } else {
        if (cursor.is_word() && cursor.lower() != "all")
          n_.files.warning(cursor.where(),
                           fmt::format("'{}' is not printed: v(node), v(a,b), i(element) or "
                                       "p(element) is expected",
                                       cursor.text()));
        cursor.skip();
      }
    }
  }

  void measure(Cursor& cursor) {
    MeasureRequest m;
    const auto value = [this](Cursor& c) { return p_.number(c.value()).value_or(0.0); };
    if (read_measure(cursor, value, r_.transient ? r_.transient->stop : 0.0, m))
      r_.measures.push_back(std::move(m));
  }

  void options() {
    std::vector<std::string> unknown;
    for (const Assignment& a : n_.options) {
      if (a.name == "method") {
        method(a);
        continue;
      }
      const double x = a.value.good() ? p_.number(a.value).value_or(0.0) : 0.0;
      if (a.name == "reltol")
        r_.rtol = x;
      else if (a.name == "vntol")
        r_.voltage_tolerance = x;
      else if (a.name == "abstol")
        r_.current_tolerance = x;
      else if (a.name == "gmin")
        r_.gmin = x;
      else if (a.name == "temp")
        r_.temperature = x + zero_celsius;
      else if (a.name == "tnom")
        r_.nominal_temperature = x + zero_celsius;
      else if (a.name == "rshunt")
        r_.shunt = x;
      else if (a.name == "maxord")
        r_.max_order = static_cast<int>(x);
      else if (a.name == "chgtol")
        r_.charge_tolerance = x;
      else if (a.name == "itl1" || a.name == "itl2")  // of operating points, of .dc
        r_.limits.max_iterations = std::max(1, static_cast<int>(x));
      else if (a.name == "itl6" || a.name == "srcsteps")
        r_.limits.max_source_steps = std::max(1, static_cast<int>(x));
      else
        unknown.push_back(a.written);
    }
    if (!unknown.empty())
      n_.files.warning(n_.options.front().where,
                       fmt::format("options without effect here: {}", fmt::join(unknown, ", ")));
  }

  void method(const Assignment& a) {
    if (a.written == "trap" || a.written == "trapezoidal")
      n_.files.warning(a.where, "method=trap is not followed: the method is chosen here");
    else
      r_.method = a.written == "gear" ? "bdf" : a.written;
  }

  Netlist& n_;
  const Parameters& p_;
  Requests r_;
  std::vector<double> last_;
};

}  // namespace

std::vector<double> FrequencyRequest::frequencies() const {
  std::vector<double> list;
  if (kind == "lin") {
    for (int k = 0; k < points; ++k)
      list.push_back(points == 1 ? from : from + (to - from) * k / (points - 1));
    return list;
  }
  const double base = kind == "dec" ? 10.0 : 2.0;
  const double count = std::log(to / from) / std::log(base) * points;
  for (int k = 0; k <= count + 1e-9; ++k)
    list.push_back(from * std::pow(base, k / static_cast<double>(points)));
  return list;
}

Requests read_requests(Netlist& netlist, const Parameters& parameters) {
  return RequestReader(netlist, parameters).run();
}

}  // namespace daedalus::circuit
