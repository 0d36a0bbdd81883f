// SPDX-License-Identifier: BSD-3-Clause
// Options from keywords. One function visits all fields, to read them and to list them with kind,
// default and allowed words; tests/test_tables.py compares the list with the public header.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include <daedalus/sensitivity.hpp>

#include "call.hpp"
#include "hooks.hpp"

namespace daedalus::python {
namespace {

using Words = std::vector<const char*>;
Words words(Output) { return {"none", "end", "steps", "times", "dense"}; }
Words words(ProjectionWhen) { return {"none", "automatic", "every_step"}; }
Words words(ErrorNorm) { return {"rms", "maximum"}; }
Words words(ErrorPolicy) {
  return {"automatic", "all", "differential", "without_index2", "index_weighted"};
}
Words words(StartStrategy) { return {"automatic", "solve", "given"}; }
Words words(LinearAlgebra) {
  return {"automatic", "dense", "sparse", "range_space", "null_space", "krylov"};
}
Words words(DerivativeSource) { return {"automatic", "differences"}; }

#define DAEDALUS_OPTION(name) visit(#name, o.name)
template <class Visit>
void visit_options(Visit& visit, Options& o) {
  DAEDALUS_OPTION(method);
  DAEDALUS_OPTION(formulation);
  DAEDALUS_OPTION(formulation_options);
  DAEDALUS_OPTION(projection);
  DAEDALUS_OPTION(project_invariants);
  DAEDALUS_OPTION(watch_drift);
  DAEDALUS_OPTION(rtol);
  DAEDALUS_OPTION(atol);
  DAEDALUS_OPTION(output);
  DAEDALUS_OPTION(output_times);
  DAEDALUS_OPTION(project_output);
  DAEDALUS_OPTION(events);
  DAEDALUS_OPTION(break_times);
  DAEDALUS_OPTION(initial_step);
  DAEDALUS_OPTION(max_step);
  DAEDALUS_OPTION(min_step);
  DAEDALUS_OPTION(max_steps);
  DAEDALUS_OPTION(fixed_step);
  DAEDALUS_OPTION(step_sequence);
  DAEDALUS_OPTION(control);
  DAEDALUS_OPTION(safety);
  DAEDALUS_OPTION(min_ratio);
  DAEDALUS_OPTION(max_ratio);
  DAEDALUS_OPTION(stabilisation);
  DAEDALUS_OPTION(norm);
  DAEDALUS_OPTION(error_test);
  DAEDALUS_OPTION(projector);
  DAEDALUS_OPTION(index_weights);
  DAEDALUS_OPTION(untested);
  DAEDALUS_OPTION(start);
  DAEDALUS_OPTION(fixed);
  DAEDALUS_OPTION(linear_algebra);
  DAEDALUS_OPTION(krylov);
  DAEDALUS_OPTION(derivatives);
  DAEDALUS_OPTION(difference_increment);
  DAEDALUS_OPTION(method_options);
  DAEDALUS_OPTION(cancel);
  DAEDALUS_OPTION(progress);
  DAEDALUS_OPTION(trace);
  DAEDALUS_OPTION(sink);
  DAEDALUS_OPTION(defect);
  DAEDALUS_OPTION(known);
  DAEDALUS_OPTION(sensitivities);
}
#undef DAEDALUS_OPTION

struct OptionList {
  py::dict all;
  void add(const char* name, const char* kind, py::object standard) {
    py::dict facts;
    facts["kind"] = kind;
    facts["standard"] = standard;
    all[name] = facts;
  }
  void operator()(const char* n, std::string& x) { add(n, "text", py::cast(x)); }
  void operator()(const char* n, bool& x) { add(n, "flag", py::cast(x)); }
  void operator()(const char* n, double& x) { add(n, "number", py::cast(x)); }
  void operator()(const char* n, long& x) { add(n, "integer", py::cast(x)); }
  void operator()(const char* n, Tolerance& x) { add(n, "tolerance", py::cast(x[0])); }
  void operator()(const char* n, std::map<std::string, double>&) { add(n, "mapping", py::dict()); }
  void operator()(const char* n, std::vector<std::string>&) { add(n, "names", py::list()); }
  void operator()(const char* n, std::vector<double>&) { add(n, "numbers", py::list()); }
  void operator()(const char* n, std::vector<Event>&) { add(n, "events", py::list()); }
  void operator()(const char* n, Eigen::MatrixXd&) { add(n, "matrix", py::none()); }
  void operator()(const char* n, KrylovOptions&) { add(n, "krylov", py::none()); }
  void operator()(const char* n, SensitivityOptions&) { add(n, "sensitivities", py::none()); }
  template <class F>
  void operator()(const char* n, std::function<F>&) {
    add(n, "function", py::none());
  }
  template <class Choice>
  requires std::is_enum_v<Choice>
  void operator()(const char* n, Choice& x) {
    const Words allowed = words(x);
    add(n, "choice", py::str(allowed[static_cast<std::size_t>(x)]));
    all[n]["words"] = py::cast(std::vector<std::string>(allowed.begin(), allowed.end()));
  }
};

SensitivityMethod scheme_named(const std::string& name) {
  for (const SensitivityMethod m : {SensitivityMethod::automatic, SensitivityMethod::staggered,
                                    SensitivityMethod::simultaneous, SensitivityMethod::step})
    if (to_string(m) == name) return m;
  throw py::value_error(fmt::format(
      "sensitivities: method is '{}', expected automatic, staggered, simultaneous or step", name));
}

void read_sensitivities(const py::dict& from, SensitivityOptions& o) {
  for (const auto& [key, value] : from) {
    const std::string name = py::str(key);
    if (name == "parameters")
      o.parameters = value.cast<std::vector<std::string>>();
    else if (name == "start_values")
      o.start_values = value.cast<std::vector<std::string>>();
    else if (name == "method")
      o.method = scheme_named(value.cast<std::string>());
    else if (name == "error_test")
      o.error_test = value.cast<bool>();
    else if (name == "family")  // given by the problem
      o.family = value.cast<std::shared_ptr<ParameterFamily>>();
    else
      throw py::type_error(fmt::format(
          "sensitivities: there is no '{}'; allowed are parameters, start_values, method, "
          "error_test",
          name));
  }
}

// Few of the many options are given: their names are compared here, which takes no Python object
// per option.
struct OptionReader {
  explicit OptionReader(const py::dict& from) {
    for (const auto& [key, value] : from) given_.emplace_back(key.cast<std::string>(), value);
  }
  py::handle at(std::string_view name) const {
    for (const auto& [key, value] : given_)
      if (key == name) return value;
    return {};
  }

  template <class T>
  void plain(const char* n, T& x, const char* wanted) const {
    if (const py::handle h = at(n)) {
      try {
        x = h.cast<T>();
      } catch (const py::cast_error&) {
        throw py::type_error(
            fmt::format("{}: {} is given, expected {}", n, std::string(py::repr(h)), wanted));
      }
    }
  }
  void operator()(const char* n, std::string& x) const { plain(n, x, "a text"); }
  void operator()(const char* n, bool& x) const { plain(n, x, "True or False"); }
  void operator()(const char* n, double& x) const { plain(n, x, "a number"); }
  void operator()(const char* n, long& x) const { plain(n, x, "an integer"); }
  void operator()(const char* n, std::vector<std::string>& x) const { plain(n, x, "names"); }
  void operator()(const char* n, std::map<std::string, double>& x) const {
    plain(n, x, "a dictionary of numbers");
  }
  void operator()(const char* n, std::vector<double>& x) const {
    if (const py::handle h = at(n)) x = numbers_from(h, n);
  }
  void operator()(const char* n, Tolerance& x) const {
    const py::handle h = at(n);
    if (!h) return;
    const std::vector<double> list = numbers_from(h, n);
    x = Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(list.data(), static_cast<int>(list.size())));
  }
  void operator()(const char* n, Eigen::MatrixXd& x) const {
    const py::handle h = at(n);
    if (!h) return;
    const auto shape = h.attr("shape").cast<std::pair<int, int>>();
    const std::vector<double> list = numbers_from(h, n);
    x = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(list.data(), shape.first,
                                                                         shape.second);
  }
  void operator()(const char* n, std::vector<Event>& x) const {
    if (const py::handle h = at(n))
      for (const py::handle event : h) x.push_back(event_from(event));
  }
  void operator()(const char* n, KrylovOptions& x) const {
    if (const py::handle h = at(n)) read_krylov(h.cast<py::dict>(), x);
  }
  void operator()(const char* n, SensitivityOptions& x) const {
    if (const py::handle h = at(n)) read_sensitivities(h.cast<py::dict>(), x);
  }
  template <class Choice>
  requires std::is_enum_v<Choice>
  void operator()(const char* n, Choice& x) const {
    const py::handle h = at(n);
    if (!h) return;
    std::string word = py::str(h);
    std::replace(word.begin(), word.end(), '-', '_');
    if (word == "auto") word = "automatic";
    const Words allowed = words(x);
    for (std::size_t k = 0; k < allowed.size(); ++k)
      if (word == allowed[k]) {
        x = static_cast<Choice>(k);
        return;
      }
    throw py::value_error(
        fmt::format("{}: '{}' is given; allowed are {}", n, word, fmt::join(allowed, ", ")));
  }
  template <class F>
  void operator()(const char* n, std::function<F>& x) const {
    if (const py::handle h = at(n)) x = hook<F>(h);
  }

 private:
  std::vector<std::pair<std::string, py::handle>> given_;
};

// An interrupt must stop a run within 0.2 s; asking more often than this costs time.
constexpr auto signal_interval = std::chrono::milliseconds(20);

// Pending signals raise in the main thread; the loop keeps what is thrown with the solution.
std::function<bool()> with_signals(std::function<bool()> asked) {
  return [asked = std::move(asked), last = std::chrono::steady_clock::now()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now - last > signal_interval) {
      last = now;
      const py::gil_scoped_acquire lock;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    return asked && asked();
  };
}

}  // namespace

Options options_from(const py::dict& keywords) {
  begin_run();
  Options o;
  const OptionReader read{keywords};
  visit_options(read, o);
  o.cancel = with_signals(std::move(o.cancel));
  return o;
}

void add_options(py::module_& m) {
  py::class_<CancelFlag>(m, "CancelFlag", "Ends the runs whose option cancel it is.")
      .def(py::init<>())
      .def("set", &CancelFlag::set)
      .def("is_set", &CancelFlag::is_set)
      .def("__call__", &CancelFlag::is_set);
  m.def("option_table", [] {
    OptionList list;
    Options o;
    visit_options(list, o);
    return list.all;
  });
}

}  // namespace daedalus::python
