// SPDX-License-Identifier: BSD-3-Clause
// SciPy's solve_ivp with Radau and BDF for x' = f(t, x), in the interpreter of the distribution
// inside this process: f and f_x are called through their addresses (ctypes), so that an evaluation
// costs what Python costs and nothing else. The interpreter is loaded when it is first used.
#include "peers/scipy.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <Eigen/LU>
#include <memory>

#include "peers/deadline.hpp"
#include "peers/peer.hpp"

namespace daedalus::peers {
namespace {

// What Python calls; M^-1 is applied here.
struct Bridge {
  Model* model = nullptr;
  Eigen::PartialPivLU<Eigen::MatrixXd> mass{};
  long evaluations = 0, matrices = 0;
};

int bridge_rates(void* data, double t, const double* x, double* f) {
  Bridge& b = *static_cast<Bridge*>(data);
  ++b.evaluations;
  const Answer answer = b.model->rates(t, x, f);
  if (answer == fine && b.model->mass.size() > 0) {
    Eigen::Map<Eigen::VectorXd> values(f, b.model->size());
    values = b.mass.solve(values).eval();
  }
  return answer;
}

int bridge_matrix(void* data, double t, const double* x, double* out) {
  Bridge& b = *static_cast<Bridge*>(data);
  ++b.matrices;
  const Answer answer = b.model->dense_rates_matrix(t, x, out);
  if (answer == fine && b.model->mass.size() > 0) {
    Eigen::Map<Eigen::MatrixXd> values(out, b.model->size(), b.model->size());
    values = b.mass.solve(values).eval();
  }
  return answer;
}

// results: status, seconds, steps, LU decompositions.
constexpr const char* script = R"(
import ctypes, time
import numpy as np
from scipy.integrate import solve_ivp

class Stop(Exception):
    pass

def array(address, n):
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_double)), (n,))

kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)

def run(method, data, rates, matrix, n, t0, t1, rtol, atol, x0, end, results):
    rates, matrix = kind(rates), kind(matrix)
    def f(t, x):
        x = np.ascontiguousarray(x)
        out = np.empty(n)
        answer = rates(data, t, x.ctypes.data, out.ctypes.data)
        if answer < 0:
            raise Stop
        if answer > 0:
            out.fill(np.nan)
        return out
    def jac(t, x):
        x = np.ascontiguousarray(x)
        out = np.empty((n, n), order='F')
        if matrix(data, t, x.ctypes.data, out.ctypes.data) < 0:
            raise Stop
        return out
    results, end = array(results, 4), array(end, n)
    begin = time.thread_time()
    try:
        with np.errstate(all='ignore'):
            s = solve_ivp(f, (t0, t1), array(x0, n).copy(), method=method, rtol=rtol,
                          atol=array(atol, n).copy(), jac=jac, t_eval=None)
        results[:] = s.status, time.thread_time() - begin, len(s.t) - 1, s.nlu
        end[:] = s.y[:, -1]
    except Exception:
        results[:] = -2, time.thread_time() - begin, 0, 0
)";

class Interpreter {
 public:
  static Interpreter& only() {
    static Interpreter interpreter;
    return interpreter;
  }
  bool run(const std::string& text) const { return run_ && run_(text.c_str(), nullptr) == 0; }
  const std::string& obstacle() const { return obstacle_; }

 private:
  Interpreter() {
    void* library = dlopen(DAEDALUS_PEER_PYTHON_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
      obstacle_ = dlerror();
      return;
    }
    const auto find = [&](const char* name) { return dlsym(library, name); };
    const auto set_name = reinterpret_cast<void (*)(const wchar_t*)>(find("Py_SetProgramName"));
    const auto start = reinterpret_cast<void (*)(int)>(find("Py_InitializeEx"));
    run_ = reinterpret_cast<int (*)(const char*, void*)>(find("PyRun_SimpleStringFlags"));
    if (!start || !run_) {
      obstacle_ = "the library of Python lacks functions";
      run_ = nullptr;
      return;
    }
    static const std::string path = DAEDALUS_PEER_PYTHON;
    static const std::wstring name(path.begin(), path.end());
    if (set_name) set_name(name.c_str());
    start(0);
    if (run_(script, nullptr) != 0) {
      obstacle_ = "numpy or scipy cannot be imported";
      run_ = nullptr;
    }
  }
  int (*run_)(const char*, void*) = nullptr;
  std::string obstacle_;
};

class Scipy final : public Peer {
 public:
  explicit Scipy(const char* method) : method_(method) {
    library = "SciPy " DAEDALUS_PEER_SCIPY_VERSION;
    solver = std::string("scipy-") + method;
  }
  bool takes(const Model& model) const override { return model.ode; }

  PeerRun run(Model& model, const Task& task) const override {
    PeerRun run;
    Bridge bridge{&model};
    if (model.mass.size() > 0) bridge.mass.compute(model.mass);
    run.end.setZero(model.size());
    double results[4] = {-2.0, 0.0, 0.0, 0.0};
    const auto address = [](const auto* p) { return reinterpret_cast<std::uintptr_t>(p); };
    Interpreter::only().run(
        fmt::format("run('{}', {}, {}, {}, {}, {:.17g}, {:.17g}, {:.17g}, {}, {}, {}, {})\n",
                    method_, address(&bridge), reinterpret_cast<std::uintptr_t>(&bridge_rates),
                    reinterpret_cast<std::uintptr_t>(&bridge_matrix), model.size(), task.t0,
                    task.t1, task.rtol, address(task.atol.data()), address(model.x0.data()),
                    address(run.end.data()), address(&results[0])));
    run.ok = results[0] == 0.0;
    run.message = run.ok ? "success" : fmt::format("status {:.0f}", results[0]);
    run.seconds = results[1];
    run.steps = static_cast<long>(results[2]);
    run.evaluations = bridge.evaluations;
    run.jacobians = bridge.matrices;
    run.factorisations = static_cast<long>(results[3]);
    return run;
  }

 private:
  const char* method_;
};

}  // namespace

std::string scipy_obstacle() { return Interpreter::only().obstacle(); }

void add_scipy(Peers& list) {
  if (!scipy_obstacle().empty()) return;
  for (const char* method : {"Radau", "BDF"}) list.push_back(std::make_unique<Scipy>(method));
}

}  // namespace daedalus::peers
