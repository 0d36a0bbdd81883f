// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/gpu/driver.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>

#include <daedalus/types.hpp>

#include "kernel/at.hpp"

namespace daedalus::gpu {
namespace {

// From cuda.h and nvrtc.h, whose interfaces are stable; results of functions are 0 on success.
using Address = unsigned long long;
// CUdevice_attribute by number.
constexpr int attribute_multiprocessors = 16, attribute_major = 75, attribute_minor = 76,
              attribute_single_to_double = 87;
// Flags of the same headers.
constexpr unsigned int portable_memory = 1, stream_apart = 1;

// What a device does with double precision at less than this share of single precision is there to
// check results with.
constexpr int weak_double = 8;

template <class Function>
void find(void* library, const char* name, Function& function) {
  void* found = dlsym(library, name);
  std::memcpy(&function, &found, sizeof function);
}

struct Driver {
  int (*init)(unsigned int) = nullptr;
  int (*error_string)(int, const char**) = nullptr;
  int (*count)(int*) = nullptr;
  int (*get)(int*, int) = nullptr;
  int (*name)(char*, int, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
  int (*retain)(void**, int) = nullptr;
  int (*release)(int) = nullptr;
  int (*use)(void*) = nullptr;
  int (*load)(void**, const void*) = nullptr;
  int (*unload)(void*) = nullptr;
  int (*function)(void**, void*, const char*) = nullptr;
  int (*occupancy)(int*, void*, int, std::size_t) = nullptr;
  int (*allocate)(Address*, std::size_t) = nullptr;
  int (*free)(Address) = nullptr;
  int (*allocate_host)(void**, std::size_t, unsigned int) = nullptr;
  int (*free_host)(void*) = nullptr;
  int (*stream)(void**, unsigned int) = nullptr;
  int (*end_stream)(void*) = nullptr;
  int (*wait)(void*) = nullptr;
  int (*upload)(Address, const void*, std::size_t, void*) = nullptr;
  int (*download)(void*, Address, std::size_t, void*) = nullptr;
  int (*clear)(Address, unsigned int, std::size_t, void*) = nullptr;
  int (*launch)(void*, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                unsigned int, unsigned int, void*, void**, void**) = nullptr;
  std::string missing{};  // why there is none

  Driver() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      missing = "there is no driver of an NVIDIA GPU (libcuda.so.1)";
      return;
    }
    bind(library);
    if (!launch || !occupancy || !clear) {
      missing = "the driver of the GPU is too old (libcuda.so.1)";
      return;
    }
    if (const int failed = init(0); failed != 0)
      missing = fmt::format("the driver of the GPU does not start: {}", words(failed));
  }
  std::string words(int failed) const {
    const char* text = nullptr;
    if (!error_string || error_string(failed, &text) != 0 || !text)
      return fmt::format("error {}", failed);
    return text;
  }
  void check(int failed, const char* what) const {
    if (failed != 0) throw InvalidArgument(fmt::format("GPU: {}: {}", what, words(failed)));
  }

 private:
  void bind(void* library) {
    find(library, "cuInit", init);
    find(library, "cuGetErrorString", error_string);
    find(library, "cuDeviceGetCount", count);
    find(library, "cuDeviceGet", get);
    find(library, "cuDeviceGetName", name);
    find(library, "cuDeviceGetAttribute", attribute);
    find(library, "cuDevicePrimaryCtxRetain", retain);
    find(library, "cuDevicePrimaryCtxRelease_v2", release);
    find(library, "cuCtxSetCurrent", use);
    find(library, "cuModuleLoadData", load);
    find(library, "cuModuleUnload", unload);
    find(library, "cuModuleGetFunction", function);
    find(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", occupancy);
    find(library, "cuMemAlloc_v2", allocate);
    find(library, "cuMemFree_v2", free);
    find(library, "cuMemHostAlloc", allocate_host);
    find(library, "cuMemFreeHost", free_host);
    find(library, "cuStreamCreate", stream);
    find(library, "cuStreamDestroy_v2", end_stream);
    find(library, "cuStreamSynchronize", wait);
    find(library, "cuMemcpyHtoDAsync_v2", upload);
    find(library, "cuMemcpyDtoHAsync_v2", download);
    find(library, "cuMemsetD32Async", clear);
    find(library, "cuLaunchKernel", launch);
  }
};

const Driver& driver() {
  static const Driver opened;
  return opened;
}

struct Compiler {
  int (*create)(void**, const char*, const char*, int, const char* const*,
                const char* const*) = nullptr;
  int (*destroy)(void**) = nullptr;
  int (*compile)(void*, int, const char* const*) = nullptr;
  int (*log_size)(void*, std::size_t*) = nullptr;
  int (*log)(void*, char*) = nullptr;
  int (*code_size)(void*, std::size_t*) = nullptr;
  int (*code)(void*, char*) = nullptr;
  int (*text_size)(void*, std::size_t*) = nullptr;
  int (*text)(void*, char*) = nullptr;
  int (*target_count)(int*) = nullptr;
  int (*targets)(int*) = nullptr;
  std::string missing{};

  Compiler() {
    void* library = nullptr;
    for (const std::string& name : names())
      if (!library) library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      missing =
          "the run-time compiler of CUDA is not found (libnvrtc.so of CUDA 12 or later); its "
          "folder belongs into LD_LIBRARY_PATH, or the file's name into DAEDALUS_NVRTC";
      return;
    }
    find(library, "nvrtcCreateProgram", create);
    find(library, "nvrtcDestroyProgram", destroy);
    find(library, "nvrtcCompileProgram", compile);
    find(library, "nvrtcGetProgramLogSize", log_size);
    find(library, "nvrtcGetProgramLog", log);
    find(library, "nvrtcGetCUBINSize", code_size);
    find(library, "nvrtcGetCUBIN", code);
    find(library, "nvrtcGetPTXSize", text_size);
    find(library, "nvrtcGetPTX", text);
    find(library, "nvrtcGetNumSupportedArchs", target_count);
    find(library, "nvrtcGetSupportedArchs", targets);
    if (!create || !code || !targets) missing = "libnvrtc.so is older than CUDA 11.2";
  }

 private:
  static std::vector<std::string> names() {
    std::vector<std::string> list;
    if (const char* named = std::getenv("DAEDALUS_NVRTC")) list.emplace_back(named);
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
      list.emplace_back(name);
    for (const char* folder : {"lib64", "lib"})
      list.push_back(fmt::format("/usr/local/cuda/{}/libnvrtc.so", folder));
    return list;
  }
};

const Compiler& compiler() {
  static const Compiler opened;
  return opened;
}

// The best target of NVRTC for a device, as ten times major plus minor; 0: it is too old.
int target_for(int major, int minor) {
  int count = 0;
  if (compiler().target_count(&count) != 0 || count <= 0) return 0;
  std::vector<int> known(at(count));
  if (compiler().targets(known.data()) != 0) return 0;
  int best = 0;
  for (const int t : known)
    if (t <= 10 * major + minor) best = std::max(best, t);
  return best;
}

std::string log_of(void* program) {
  std::size_t size = 0;
  if (compiler().log_size(program, &size) != 0 || size < 2) return {};
  std::string log(size, '\0');
  compiler().log(program, log.data());
  constexpr std::size_t most = 2000;  // characters
  return log.substr(0, std::min(most, size - 1));
}

}  // namespace

std::vector<Device> devices(std::string& why) {
  const Driver& d = driver();
  why = d.missing;
  int count = 0;
  if (!why.empty()) return {};
  if (const int failed = d.count(&count); failed != 0 || count == 0) {
    why = failed != 0 ? fmt::format("no GPU is found: {}", d.words(failed)) : "there is no GPU";
    return {};
  }
  std::vector<Device> all;
  for (int k = 0; k < count; ++k) {
    Device device;
    char name[256] = "";
    if (d.get(&device.number, k) != 0 || d.name(name, sizeof name, device.number) != 0) continue;
    device.name = name;
    d.attribute(&device.major, attribute_major, device.number);
    d.attribute(&device.minor, attribute_minor, device.number);
    d.attribute(&device.single_to_double, attribute_single_to_double, device.number);
    all.push_back(device);
  }
  if (all.empty()) why = "the driver does not say what GPUs there are";
  return all;
}

std::vector<Device> strong(const std::vector<Device>& all, std::string& why) {
  std::vector<Device> good;
  for (const Device& d : all) {
    if (d.single_to_double <= weak_double)
      good.push_back(d);
    else
      why = fmt::format("the GPU {} has weak double precision, 1/{} of its single precision",
                        d.name, d.single_to_double);
  }
  return good;
}

std::string compiler_missing() { return compiler().missing; }

std::vector<char> compile_source(const std::string& source, int major, int minor) {
  const Compiler& c = compiler();
  if (!c.missing.empty()) throw InvalidArgument(c.missing);
  const int target = target_for(major, minor);
  if (target == 0)
    throw InvalidArgument(
        fmt::format("libnvrtc.so does not know GPUs of compute capability {}.{}", major, minor));
  const bool exact = target == 10 * major + minor;
  const std::string architecture =
      fmt::format("--gpu-architecture={}_{}", exact ? "sm" : "compute", target);
  const char* options[] = {architecture.c_str(), "-std=c++17"};
  void* program = nullptr;
  if (c.create(&program, source.c_str(), "daedalus_kernel.cu", 0, nullptr, nullptr) != 0)
    throw InvalidArgument("libnvrtc.so does not take a source");
  const std::shared_ptr<void> held(program, [&c](void* p) { c.destroy(&p); });
  if (c.compile(program, 2, options) != 0)
    throw InvalidArgument("libnvrtc.so does not compile the kernel: " + log_of(program));
  std::size_t size = 0;
  const int failed = exact ? c.code_size(program, &size) : c.text_size(program, &size);
  std::vector<char> made(size);
  if (failed != 0 || size == 0 || (exact ? c.code : c.text)(program, made.data()) != 0)
    throw InvalidArgument("libnvrtc.so gives no code");
  return made;
}

class Module {
 public:
  Module(const Device& d, const std::vector<char>& code) : device(d) {
    const Driver& g = driver();
    g.check(g.retain(&context, device.number), "context");
    g.check(g.use(context), "context");
    g.check(g.load(&module_, code.data()), "loading the kernel");
    g.check(g.function(&start, module_, start_function), "start");
    g.check(g.function(&attempts, module_, attempts_function), "attempts");
    int blocks = 0, processors = 0;
    g.check(g.occupancy(&blocks, attempts, threads_per_block, 0), "occupancy");
    g.attribute(&processors, attribute_multiprocessors, device.number);
    resident_blocks = at(std::max(1, blocks * processors));
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module() {
    if (driver().use(context) == 0 && module_) driver().unload(module_);
    driver().release(device.number);
  }

  Device device;
  void *context = nullptr, *start = nullptr, *attempts = nullptr;
  std::size_t resident_blocks = 1;  // of attempts, on the device at once

 private:
  void* module_ = nullptr;
};

namespace {

class DeviceBatch final : public Batch {
 public:
  DeviceBatch(const std::shared_ptr<const Module>& module, const Columns& columns,
              std::size_t capacity)
      : Batch(columns, capacity), module_(module), g_(driver()) {
    g_.check(g_.use(module_->context), "context");
    try {
      host(in_, most_in_bytes());
      host(out_, most_out_bytes());
      for (Table* t : {&in_there_, &state_, &out_there_, &next_})
        g_.check(g_.allocate(&t->address, bytes_of(t)), "memory of the device");
      g_.check(g_.stream(&stream_, stream_apart), "stream");
    } catch (...) {
      free_all();
      throw;
    }
  }
  ~DeviceBatch() override { free_all(); }

  void solve() override {
    g_.check(g_.use(module_->context), "context");
    Arguments a = arguments(in_there_.numbers(), state_.numbers(), out_there_.numbers(),
                            reinterpret_cast<unsigned int*>(next_.address));
    g_.check(g_.upload(in_there_.address, in_, in_numbers() * sizeof(double), stream_), "upload");
    g_.check(g_.clear(next_.address, 0, 1, stream_), "counter");
    const std::size_t blocks = (count() + threads_per_block - 1) / threads_per_block;
    launch(module_->start, blocks, a);
    const std::size_t share = (module_->resident_blocks + batches_at_once_ - 1) / batches_at_once_;
    launch(module_->attempts, std::min(blocks, share), a);
    g_.check(g_.download(out_, out_there_.address, out_bytes(), stream_), "download");
    g_.check(g_.wait(stream_), "the kernel");
  }

 private:
  struct Table {
    Address address = 0;
    double* numbers() const { return reinterpret_cast<double*>(address); }
  };
  std::size_t bytes_of(const Table* t) const {
    return t == &in_there_    ? most_in_bytes()
           : t == &state_     ? most_state_bytes()
           : t == &out_there_ ? most_out_bytes()
                              : sizeof(double);
  }
  void host(double*& place, std::size_t bytes) {
    void* made = nullptr;
    g_.check(g_.allocate_host(&made, bytes, portable_memory), "memory of the host");
    place = static_cast<double*>(made);
  }
  void launch(void* function, std::size_t blocks, Arguments& a) {
    void* parameters[] = {&a};
    g_.check(g_.launch(function, static_cast<unsigned int>(blocks), 1, 1, threads_per_block, 1, 1,
                       0, stream_, parameters, nullptr),
             "launch");
  }
  void free_all() {
    if (g_.use(module_->context) != 0) return;
    if (stream_) g_.wait(stream_), g_.end_stream(stream_);
    for (const Table* t : {&in_there_, &state_, &out_there_, &next_})
      if (t->address) g_.free(t->address);
    for (double* h : {in_, out_})
      if (h) g_.free_host(h);
  }

  std::shared_ptr<const Module> module_;
  const Driver& g_;
  Table in_there_, state_, out_there_, next_;
  void* stream_ = nullptr;
};

}  // namespace

std::shared_ptr<const Module> load(const Device& device, const std::vector<char>& code) {
  return std::make_shared<const Module>(device, code);
}

std::unique_ptr<Batch> batch_on(const std::shared_ptr<const Module>& module, const Columns& columns,
                                std::size_t capacity) {
  return std::make_unique<DeviceBatch>(module, columns, capacity);
}

}  // namespace daedalus::gpu
