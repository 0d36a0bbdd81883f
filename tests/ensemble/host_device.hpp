// SPDX-License-Identifier: BSD-3-Clause
// The source of a kernel for GPUs, compiled by the host's compiler and run in the place of a
// device.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <daedalus/autodiff.hpp>
#include <daedalus/ensemble.hpp>

#include "ensemble/gpu/engine.hpp"

namespace daedalus::gpu_test {

inline double uniform(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

// A source as functions of this process; empty where there is no compiler.
struct HostCode {
  void (*start)(const gpu::Arguments&) = nullptr;
  void (*attempts)(const gpu::Arguments&) = nullptr;
};
inline HostCode compile_on_host(const std::string& source) {
  static std::atomic<int> number = 0;
  const std::string name = testing::TempDir() + fmt::format("kernel-{}-{}", getpid(), number++);
  std::ofstream(name + ".cpp") << source;
  const std::string command =
      fmt::format("c++ -std=c++17 -O1 -ffp-contract=off -shared -fPIC -w {0}.cpp -o {0}.so", name);
  HostCode code;
  if (std::system(command.c_str()) != 0) return code;
  void* library = dlopen((name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  unlink((name + ".cpp").c_str());
  unlink((name + ".so").c_str());
  if (!library) return code;
  void *start = dlsym(library, gpu::start_function),
       *attempts = dlsym(library, gpu::attempts_function);
  __builtin_memcpy(&code.start, &start, sizeof start);
  __builtin_memcpy(&code.attempts, &attempts, sizeof attempts);
  return code;
}

class HostBatch final : public gpu::Batch {
 public:
  HostBatch(HostCode code, const gpu::Columns& columns, std::size_t capacity)
      : Batch(columns, capacity),
        code_(code),
        in_memory_(most_in_bytes() / 8 + 1),
        state_(most_state_bytes() / 8 + 1),
        out_memory_(most_out_bytes() / 8 + 1) {
    in_ = in_memory_.data();
    out_ = out_memory_.data();
  }
  void solve() override {
    unsigned int next = 0;
    const gpu::Arguments a = arguments(in_, state_.data(), out_, &next);
    code_.start(a);
    code_.attempts(a);
  }

 private:
  HostCode code_;
  std::vector<double> in_memory_, state_, out_memory_;
};

class BrokenBatch final : public gpu::Batch {
 public:
  BrokenBatch(const gpu::Columns& columns, std::size_t capacity)
      : Batch(columns, capacity), memory_(2 * (most_in_bytes() + most_out_bytes()) / 8 + 2) {
    in_ = memory_.data();
    out_ = memory_.data() + most_in_bytes() / 8;
  }
  void solve() override { throw InvalidArgument("GPU: the kernel: out of order"); }

 private:
  std::vector<double> memory_;
};

inline std::shared_ptr<gpu::Engine> host_engine(const std::vector<EnsembleTask>& probes,
                                                std::string& reason,
                                                const std::vector<char>& varied = {},
                                                int devices = 2) {
  auto engine = std::make_shared<gpu::Engine>();
  engine->plan = lanes::make_plan(probes, true, reason, {.lanes = false, .varied = varied});
  if (!engine->plan) return nullptr;
  const HostCode code = compile_on_host(gpu::source_of(*engine->plan));
  if (!code.attempts) return nullptr;
  for (int k = 0; k < devices; ++k)
    engine->processor.devices.push_back(
        [code](const gpu::Columns& columns, std::size_t capacity) -> std::unique_ptr<gpu::Batch> {
          return std::make_unique<HostBatch>(code, columns, capacity);
        });
  return engine;
}

inline double difference(const std::vector<double>& a, const std::vector<double>& b,
                         const Options& o) {
  double largest = a.size() == b.size() ? 0.0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(
        largest, std::abs(a[i] - b[i]) / (o.atol[static_cast<int>(i)] + o.rtol * std::abs(b[i])));
  return largest;
}

struct Ran {
  std::vector<EnsembleRun> runs;
  std::size_t handed_over = 0;
};
inline Ran run_batches(const gpu::Engine& engine,
                       const std::function<EnsembleTask(std::size_t)>& make, std::size_t count,
                       std::size_t capacity) {
  Ran ran;
  ran.runs.resize(count);
  std::size_t next = 0;
  gpu::work(engine, 0, capacity,
            {[&]() -> std::optional<std::size_t> {
               if (next == count) return {};
               return next++;
             },
             make, [&](std::size_t k, EnsembleRun&& run) { ran.runs[k] = std::move(run); },
             [&](std::size_t) { ++ran.handed_over; }, [] { return false; }});
  return ran;
}

// y' = rate y^2 and its kin: some blow up, some leave the branch they were recorded in.
inline EnsembleTask branching(std::size_t k) {
  MassMatrixProblem p;
  p.name = "branches";
  const double rate = k % 10 == 3 ? 1.0 : -1.0 - 0.01 * static_cast<double>(k);
  p.y0 = Eigen::VectorXd::Ones(1);
  p.index = 0;
  p.rhs = autodiff([rate, level = k % 10 == 7 ? 0.5 : 0.0](const auto&, const auto& y, auto& f) {
    f[0] = rate * y[0] * y[0];
    if (y[0] < level) f[0] = -f[0];
  });
  EnsembleTask task{p, {0.0, 2.0}, {}};
  task.options.max_steps = 2000;
  return task;
}

// Robertson's reaction with parameters by name.
inline MassMatrixProblem reaction() {
  MassMatrixProblem p;
  p.name = "reaction";
  p.parameters = {{"k1", 0.04}, {"k2", 3e7}, {"k3", 1e4}};
  p.y0 = Eigen::Vector3d(1.0, 0.0, 0.0);
  p.index = 1;
  p.mass_matrix = SparseMatrix(3, 3);
  p.mass_matrix.insert(0, 0) = 1.0;
  p.mass_matrix.insert(1, 1) = 1.0;
  p.rhs = autodiff([](const auto& x, auto& f) {
    const auto &y = x.y, &k = x.p;
    f[0] = -k[0] * y[0] + k[2] * y[1] * y[2];
    f[1] = k[0] * y[0] - k[2] * y[1] * y[2] - k[1] * y[1] * y[1];
    f[2] = y[0] + y[1] + y[2] - 1.0;
  });
  return p;
}
inline Options tight() {
  Options o;
  o.rtol = 1e-6;
  o.atol = Eigen::VectorXd(Eigen::Vector3d(1e-8, 1e-12, 1e-6));
  return o;
}

}  // namespace daedalus::gpu_test
