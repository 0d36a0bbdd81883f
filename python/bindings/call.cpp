// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>

namespace daedalus::python {
namespace {

constexpr int double_type = py::detail::npy_api::NPY_DOUBLE_;

bool is_array(PyObject* o) { return py::detail::npy_api::get().PyArray_Check_(o); }

// An array of doubles in C order, in the byte order of this machine.
bool is_plain(PyObject* o, int dimensions) {
  if (!is_array(o)) return false;
  const auto* a = py::detail::array_proxy(o);
  const auto* d = py::detail::array_descriptor_proxy(a->descr);
  constexpr int wanted =
      py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ | py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  return d->type_num == double_type && d->byteorder != '>' && a->nd == dimensions &&
         (a->flags & wanted) == wanted;
}

// Numbers that a real problem cannot take, though their shape is right.
std::string hint_for(py::handle o) {
  if (!is_array(o.ptr()) || std::string(py::str(o.attr("dtype").attr("kind"))) != "c") return {};
  return "; start values with a complex one among them (y0 + 0j) make solve_ivp and solve_dae "
         "solve for complex numbers";
}

std::string shape_of(py::handle o) {
  if (!is_array(o.ptr()))
    return fmt::format("a {}", std::string(py::str(py::type::of(o).attr("__name__"))));
  return fmt::format("shape {} of {}", std::string(py::str(o.attr("shape"))),
                     std::string(py::str(o.attr("dtype"))));
}

// Any array-like of real numbers as doubles; null with the error cleared where that is impossible.
py::object as_doubles(py::handle o) {
  py::object source = py::reinterpret_borrow<py::object>(o);
  if (py::hasattr(o, "toarray")) source = o.attr("toarray")();  // scipy.sparse
  try {
    const py::object raw = py::module_::import("numpy").attr("asarray")(source);
    const std::string kind = py::str(raw.attr("dtype").attr("kind"));
    if (kind != "f" && kind != "i" && kind != "u" && kind != "b" && kind != "O") return {};
    if (kind == "O")  // astype would turn None into NaN
      for (const py::handle item : raw.attr("flat"))
        if (!PyNumber_Check(item.ptr())) return {};
    return raw.attr("astype")("float64", py::arg("order") = "C", py::arg("copy") = false);
  } catch (py::error_already_set& error) {
    // Lists of unequal lengths, entries that are no numbers; an interrupt is none of these.
    if (error.matches(PyExc_ValueError) || error.matches(PyExc_TypeError)) return {};
    throw;
  }
}

// What Python raised, in words of one line: pybind11's own have the whole traceback, which the
// exception itself carries.
class Raised : public py::error_already_set {
 public:
  explicit Raised(const py::error_already_set& error) : py::error_already_set(error) {
    const std::string said = py::str(value());
    text_ = std::string(py::str(type().attr("__name__"))) + (said.empty() ? "" : ": " + said);
  }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace

PythonFunction::PythonFunction(std::string name, py::object function, std::vector<int> vectors,
                               CallStyle style, py::object parameters, py::object point)
    : name_(std::move(name)),
      function_(std::move(function)),
      make_parameters_(std::move(parameters)),
      make_point_(std::move(point)),
      vectors_(std::move(vectors)),
      style_(style) {}

PythonFunction::~PythonFunction() {
  for (PyObject* a : arrays_) Py_XDECREF(a);
}

std::shared_ptr<PythonFunction> python_function(const py::tuple& d) {
  auto* made = new PythonFunction(
      d[0].cast<std::string>(), d[1].cast<py::object>(), d[2].cast<std::vector<int>>(),
      static_cast<CallStyle>(d[3].cast<int>()), d[4].cast<py::object>(), d[5].cast<py::object>());
  return {made, [](PythonFunction* f) {
            if (!Py_IsInitialized()) return;  // the interpreter is gone, and its objects with it
            const py::gil_scoped_acquire lock;
            delete f;
          }};
}

PyObject* PythonFunction::array_for(std::size_t place, const double* x, int n) {
  PyObject*& kept = arrays_[place];
  const bool free = kept != nullptr && Py_REFCNT(kept) == 1 && is_plain(kept, 1) &&
                    py::detail::array_proxy(kept)->dimensions[0] == n;
  if (!free) {
    Py_XDECREF(kept);
    kept = py::array_t<double>(n).release().ptr();
  }
  if (n > 0)
    std::memcpy(py::detail::array_proxy(kept)->data, x,
                static_cast<std::size_t>(n) * sizeof(double));
  Py_INCREF(kept);
  return kept;
}

py::object PythonFunction::parameters_of(const Arguments<double>& a) {
  const auto n = static_cast<std::size_t>(a.parameter_count);
  if (p_ && values_.size() == n &&
      (n == 0 || std::memcmp(values_.data(), a.p, n * sizeof(double)) == 0))
    return p_;
  // Python runs here, and with it other threads that call this function with other values: values
  // and object change together, behind it.
  py::object made = make_parameters_(py::array_t<double>(a.parameter_count, a.p));
  values_.assign(a.p, a.p + n);
  p_ = made;
  return made;
}

py::object PythonFunction::invoke(const Arguments<double>& a) {
  if (style_ == CallStyle::point) {
    py::list vectors;
    for (std::size_t k = 0; k < 5; ++k) vectors.append(py::array_t<double>(a.n[k], a.x[k]));
    const py::object x =
        make_point_(a.t, vectors, parameters_of(a), py::array_t<double>(a.mode_count, a.modes));
    return function_(x);
  }
  std::array<PyObject*, 7> given{};
  std::size_t count = 0;
  given[count++] = PyFloat_FromDouble(a.t);
  for (const int k : vectors_) {
    const auto i = static_cast<std::size_t>(k);
    given[count] = array_for(count - 1, a.x[i], a.n[i]);
    ++count;
  }
  if (style_ == CallStyle::with_parameters) given[count++] = parameters_of(a).release().ptr();
  PyObject* result = PyObject_Vectorcall(function_.ptr(), given.data(), count, nullptr);
  for (std::size_t i = 0; i < count; ++i) Py_DECREF(given[i]);
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

void PythonFunction::wrong_result(py::handle result, const std::string& wanted, double t) const {
  const std::string text = fmt::format("{}: the function returned {}, expected {} (t = {:g}){}",
                                       name_, shape_of(result), wanted, t, hint_for(result));
  PyErr_SetString(is_array(result.ptr()) ? PyExc_ValueError : PyExc_TypeError, text.c_str());
  throw py::error_already_set();
}

void PythonFunction::take_vector(py::handle result, double* out, int n, double t) const {
  PyObject* o = result.ptr();
  if (is_plain(o, 1)) {
    if (py::detail::array_proxy(o)->dimensions[0] != n)
      wrong_result(result, fmt::format("shape ({},)", n), t);
    std::memcpy(out, py::detail::array_proxy(o)->data,
                static_cast<std::size_t>(n) * sizeof(double));
    return;
  }
  if (PyList_Check(o) || PyTuple_Check(o)) {
    if (PySequence_Fast_GET_SIZE(o) == n) {
      int i = 0;
      for (PyObject** item = PySequence_Fast_ITEMS(o); i < n && PyFloat_Check(item[i]); ++i)
        out[i] = PyFloat_AS_DOUBLE(item[i]);
      if (i == n) return;
    }
  }
  const py::object numbers = as_doubles(result);
  if (!numbers) wrong_result(result, "real numbers", t);
  const auto* a = py::detail::array_proxy(numbers.ptr());
  const auto size = static_cast<int>(numbers.attr("size").cast<long>());
  // (n, 1), and a number for one equation, are what people mean.
  const bool fits = size == n && (a->nd <= 1 || (a->nd == 2 && a->dimensions[1] == 1));
  if (!fits) wrong_result(numbers, fmt::format("shape ({},)", n), t);
  std::memcpy(out, a->data, static_cast<std::size_t>(n) * sizeof(double));
}

void PythonFunction::take_matrix(py::handle result, double* out, int rows, int cols,
                                 double t) const {
  py::object numbers =
      is_plain(result.ptr(), 2) ? py::reinterpret_borrow<py::object>(result) : as_doubles(result);
  if (!numbers) wrong_result(result, "real numbers", t);
  const auto* a = py::detail::array_proxy(numbers.ptr());
  const auto size = numbers.attr("size").cast<long>();
  const bool matrix = a->nd == 2 && a->dimensions[0] == rows && a->dimensions[1] == cols;
  const bool flat = (a->nd <= 1 && (rows == 1 || cols == 1) && size == long{rows} * cols);
  if (!matrix && !flat) wrong_result(numbers, fmt::format("shape ({}, {})", rows, cols), t);
  const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> from(
      reinterpret_cast<const double*>(a->data), rows, cols);
  Eigen::Map<Eigen::MatrixXd>(out, rows, cols) = from;
}

namespace {

std::atomic<long> current_run{0};

// So many calls of a run are remembered, and so many numbers of each at most.
constexpr long remembered_calls = 256;
constexpr std::size_t remembered_numbers = 1000;

// Calls f(first, count) for all that a function may read.
template <class F>
void for_arguments(const Arguments<double>& a, F&& f) {
  f(&a.t, std::size_t{1});
  for (std::size_t k = 0; k < a.x.size(); ++k) f(a.x[k], static_cast<std::size_t>(a.n[k]));
  f(a.p, static_cast<std::size_t>(a.parameter_count));
  f(a.modes, static_cast<std::size_t>(a.mode_count));
}

}  // namespace

std::uint64_t RememberedCalls::hash_of(const Arguments<double>& a) {
  std::uint64_t hash = 0;
  for_arguments(a, [&](const double* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {  // finaliser of splitmix64: Steele, Lea, Flood (2014)
      hash = (hash ^ std::bit_cast<std::uint64_t>(x[i])) * 0xbf58476d1ce4e5b9ull;
      hash ^= hash >> 31;
    }
  });
  return hash;
}

const double* RememberedCalls::find(const Arguments<double>& a, std::uint64_t hash) const {
  if (place_.empty()) return nullptr;
  for (std::size_t p = hash % places; place_[p] >= 0; p = (p + 1) % places) {
    const Entry& e = entries_[static_cast<std::size_t>(place_[p])];
    if (e.hash != hash) continue;
    const double* known = numbers_.data() + e.first;
    bool same = true;
    for_arguments(a, [&](const double* x, std::size_t n) {
      const auto left = static_cast<std::size_t>(numbers_.data() + e.first + e.numbers - known);
      same = same && n <= left && (n == 0 || std::memcmp(known, x, n * sizeof(double)) == 0);
      known += same ? n : 0;
    });
    if (same && known == numbers_.data() + e.first + e.numbers) return known;
  }
  return nullptr;
}

void RememberedCalls::add(const Arguments<double>& a, std::uint64_t hash, const double* values,
                          std::size_t count) {
  if (entries_.size() >= static_cast<std::size_t>(remembered_calls)) return;
  if (place_.empty()) place_.assign(places, -1);
  std::size_t p = hash % places;
  while (place_[p] >= 0) p = (p + 1) % places;
  place_[p] = static_cast<std::int16_t>(entries_.size());
  const std::size_t first = numbers_.size();
  for_arguments(a,
                [&](const double* x, std::size_t n) { numbers_.insert(numbers_.end(), x, x + n); });
  entries_.push_back({hash, first, numbers_.size() - first});
  numbers_.insert(numbers_.end(), values, values + count);
}

void RememberedCalls::clear() {
  if (entries_.empty()) return;
  entries_.clear();
  numbers_.clear();
  std::fill(place_.begin(), place_.end(), std::int16_t{-1});
}

void begin_run() { ++current_run; }

bool PythonFunction::begins_run() {
  if (const long now = current_run; run_ != now) {
    run_ = now;
    calls_in_run_ = 0;
    first_.clear();
  }
  if (calls_in_run_ == remembered_calls) first_.clear();
  return calls_in_run_++ < remembered_calls;
}

void PythonFunction::call(const Arguments<double>& a, double* out, int rows, int cols,
                          bool matrix) {
  const py::gil_scoped_acquire lock;
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  if (!begins_run() || size > remembered_numbers) return evaluate(a, out, rows, cols, matrix);
  const std::uint64_t hash = RememberedCalls::hash_of(a);
  if (const double* known = first_.find(a, hash)) {
    std::copy(known, known + size, out);
    return;
  }
  const long run = run_;
  evaluate(a, out, rows, cols, matrix);
  // Python ran, and with it perhaps another thread that began a run of its own with this function.
  if (run != run_) return;
  const bool finite = std::all_of(out, out + size, [](double x) { return std::isfinite(x); });
  if (finite) first_.add(a, hash, out, size);
}

void PythonFunction::evaluate(const Arguments<double>& a, double* out, int rows, int cols,
                              bool matrix) {
  try {
    const py::object result = invoke(a);
    if (matrix)
      take_matrix(result, out, rows, cols, a.t);
    else
      take_vector(result, out, rows * cols, a.t);
  } catch (py::error_already_set& error) {
    if (error.matches(py::module_::import("daedalus._daedalus").attr("Reject")))
      throw Reject(std::string(py::str(error.value())));
    throw Raised(error);
  }
}

double seconds_per_call(const py::tuple& description, const std::vector<double>& y, long count) {
  const std::shared_ptr<PythonFunction> f = python_function(description);
  std::vector<double> out(y.size());
  Arguments<double> a;
  a.x[0] = y.data();
  a.n[0] = static_cast<int>(y.size());
  const py::gil_scoped_release unlocked;  // as in a run: each call takes the lock
  begin_run();
  for (long i = 0; i < remembered_calls; ++i) f->call(a, out.data(), a.n[0], 1, false);
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i) {
    a.t = 1e-9 * static_cast<double>(i);
    f->call(a, out.data(), a.n[0], 1, false);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
         static_cast<double>(count);
}

std::vector<double> numbers_from(py::handle object, const std::string& what) {
  const py::object numbers = as_doubles(object);
  if (!numbers) throw py::type_error(what + ": expected real numbers");
  const auto n = numbers.attr("size").cast<std::size_t>();
  const auto* first = reinterpret_cast<const double*>(py::detail::array_proxy(numbers.ptr())->data);
  return {first, first + n};
}

}  // namespace daedalus::python
