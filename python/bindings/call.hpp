// SPDX-License-Identifier: BSD-3-Clause
// Calls of a Python function as a callable of a problem: views of the arguments go in, numbers come
// back. The interpreter's lock is held during the call alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <daedalus/function.hpp>

#include "bindings.hpp"

namespace daedalus::python {

// What a Python function is called with.
enum class CallStyle {
  vectors,          // (t, y, ...)
  with_parameters,  // (t, y, ..., p)
  point,            // (x) with x.t, x.y, ..., x.p, x.modes
};

// Results of calls by the bits of their arguments. Nothing is allocated once as many were kept as
// ever will be.
class RememberedCalls {
 public:
  static std::uint64_t hash_of(const Arguments<double>& a);
  // Null: these arguments were not met.
  const double* find(const Arguments<double>& a, std::uint64_t hash) const;
  void add(const Arguments<double>& a, std::uint64_t hash, const double* values, std::size_t count);
  void clear();

 private:
  static constexpr std::size_t places = 1024;  // four for each call that is remembered
  struct Entry {
    std::uint64_t hash;
    std::size_t first, numbers;  // in numbers_: the arguments, then the values
  };
  std::vector<Entry> entries_;
  std::vector<double> numbers_;
  std::vector<std::int16_t> place_;  // number of an entry by hash; -1: free
};

class PythonFunction {
 public:
  // `vectors`: numbers of the argument vectors of its slot, in the order it takes them.
  // `parameters`: makes p out of an array of values. `point`: makes x.
  PythonFunction(std::string name, py::object function, std::vector<int> vectors, CallStyle style,
                 py::object parameters, py::object point);
  PythonFunction(const PythonFunction&) = delete;
  ~PythonFunction();

  // Throws Reject for daedalus.Reject, otherwise what Python raised.
  void call(const Arguments<double>& a, double* out, int rows, int cols, bool matrix);

 private:
  PyObject* array_for(std::size_t place, const double* x, int n);
  py::object parameters_of(const Arguments<double>& a);
  py::object invoke(const Arguments<double>& a);
  void evaluate(const Arguments<double>& a, double* out, int rows, int cols, bool matrix);
  bool begins_run();
  void take_vector(py::handle result, double* out, int n, double t) const;
  void take_matrix(py::handle result, double* out, int rows, int cols, double t) const;
  [[noreturn]] void wrong_result(py::handle result, const std::string& wanted, double t) const;

  std::string name_;
  py::object function_, make_parameters_, make_point_;
  std::vector<int> vectors_;
  CallStyle style_;
  // Arrays that nobody but this object holds are filled again in the next call; one that the
  // function kept is left to it.
  std::array<PyObject*, 5> arrays_{};
  std::vector<double> values_;  // of the parameters that p_ was made of
  py::object p_;
  // What the first calls of a run gave: start values, choice of method and structure ask for the
  // same points again.
  RememberedCalls first_;
  long run_ = -1;  // whose calls these are
  long calls_in_run_ = 0;
};

// Seconds per call of the function as a callable of a problem, in a loop of `count` calls.
double seconds_per_call(const py::tuple& description, const std::vector<double>& y, long count);

// Made and destroyed with the interpreter's lock, copied and shared without.
std::shared_ptr<PythonFunction> python_function(const py::tuple& description);

// The callable of a slot: in point form, so that one kind of object serves all forms.
template <class Slot>
struct Callback {
  std::shared_ptr<PythonFunction> function;
  using Point = typename Slot::template Point<double>;
  void operator()(const Point& x, detail::OutputOf<Slot, double>& out) const {
    function->call(arguments(x), out.data(), static_cast<int>(out.rows()),
                   static_cast<int>(out.cols()), Slot::matrix);
  }

 private:
  static void place(Arguments<double>& a, std::size_t k, const In& x) {
    a.x[k] = x.data();
    a.n[k] = static_cast<int>(x.size());
  }
  template <class P>
  static Arguments<double> arguments(const P& x) {
    Arguments<double> a;
    a.t = x.t;
    if constexpr (std::is_same_v<P, StatePoint<double>>) {
      place(a, 0, x.y), place(a, 1, x.z), place(a, 2, x.yp);
    } else {
      place(a, 0, x.q), place(a, 1, x.v), place(a, 2, x.lambda), place(a, 3, x.c), place(a, 4, x.s);
    }
    a.p = x.p.data();
    a.parameter_count = static_cast<int>(x.p.size());
    a.modes = x.modes.data();
    a.mode_count = static_cast<int>(x.modes.size());
    return a;
  }
};

// Numbers from whatever Python returned or was given; names `what` in the error.
std::vector<double> numbers_from(py::handle object, const std::string& what);

}  // namespace daedalus::python
