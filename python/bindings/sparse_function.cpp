// SPDX-License-Identifier: BSD-3-Clause
#include "sparse_function.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "linalg/sparse_pattern.hpp"

namespace daedalus::python {
namespace {

// Times below this are no measure for a difference in time.
constexpr double time_scale = 1e-3;

class SparseFunction final : public detail::FunctionBody, public SparseDerivatives {
 public:
  explicit SparseFunction(const py::tuple& description) : value_(python_function(description)) {
    for (const py::handle part : description[6].cast<py::list>()) {
      const auto d = part.cast<py::tuple>();
      Part made{d[0].cast<int>(), {}, python_function(d[3].cast<py::tuple>())};
      made.pattern.start = d[1].cast<std::vector<int>>();
      made.pattern.row = d[2].cast<std::vector<int>>();
      made.pattern.cols = static_cast<int>(made.pattern.start.size()) - 1;
      made.pattern.rows = made.pattern.cols;
      parts_.push_back(std::move(made));
    }
  }

  const SparseDerivatives* sparse_derivatives() const override { return this; }
  bool differentiable() const override { return false; }
  bool point_form() const override { return true; }
  bool names_vector(int) const override { return false; }
  Eval call(const Arguments<double>& a, double* out, int rows, int cols) const override {
    value_->call(a, out, rows, cols, false);
    return Eval::ok;
  }
  Eval call(const Arguments<Dual4>&, Dual4*, int, int) const override { return no_numbers(); }
  Eval call(const Arguments<Taylor2>&, Taylor2*, int, int) const override { return no_numbers(); }
  Eval call(const Arguments<Taylor2Dual>&, Taylor2Dual*, int, int) const override {
    return no_numbers();
  }
  Eval call(const Arguments<Recorded>&, Recorded*, int, int) const override { return no_numbers(); }

  const SparsePattern& pattern(int vector) const override { return part(vector).pattern; }
  Eval by_vector(int vector, const Arguments<double>& a, double* entries) const override {
    const Part& p = part(vector);
    p.entries->call(a, entries, p.pattern.nonzeros(), 1, false);
    return Eval::ok;
  }
  // By a difference: nobody gives the derivative by time.
  Eval by_time(const Arguments<double>& a, double* column) const override {
    const int n = parts_.front().pattern.rows;
    const double step =
        std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(std::abs(a.t), time_scale);
    std::vector<double> base(static_cast<std::size_t>(n));
    value_->call(a, base.data(), n, 1, false);
    Arguments<double> later = a;
    later.t = a.t + step;
    value_->call(later, column, n, 1, false);
    for (int i = 0; i < n; ++i)
      column[i] = (column[i] - base[static_cast<std::size_t>(i)]) / (later.t - a.t);
    return Eval::ok;
  }

 private:
  struct Part {
    int vector;
    SparsePattern pattern;
    std::shared_ptr<PythonFunction> entries;
  };
  const Part& part(int vector) const {
    for (const Part& p : parts_)
      if (p.vector == vector) return p;
    throw std::logic_error("a sparse Jacobian was asked for that was not given");
  }
  static Eval no_numbers() {
    throw std::logic_error("a Python function was asked for numbers that it does not have");
  }

  std::shared_ptr<PythonFunction> value_;
  std::vector<Part> parts_;
};

}  // namespace

std::shared_ptr<const detail::FunctionBody> sparse_function(const py::tuple& description) {
  return std::make_shared<SparseFunction>(description);
}

}  // namespace daedalus::python
