// SPDX-License-Identifier: BSD-3-Clause
#include "injection/faults.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace daedalus::faults {
namespace {

std::atomic<Kind> armed{Kind::none};
std::atomic<long> fails_at{0};
// Shared with the processes that a command starts: their calls count as well.
std::atomic<long>& calls() {
  static auto* const shared = new (mmap(nullptr, sizeof(std::atomic<long>), PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0)) std::atomic<long>(0);
  return *shared;
}
std::atomic<long> in_use{0}, most{0};  // bytes since `arm`; most = 0: no limit yet
std::atomic<bool> goes_on{false};

bool fails(Kind kind) {
  if (armed.load(std::memory_order_relaxed) != kind) return false;
  const long n = ++calls();
  const long at = fails_at.load(std::memory_order_relaxed);
  return at > 0 && (goes_on.load(std::memory_order_relaxed) ? n >= at : n == at);
}

// `more` bytes in place of those that p holds, or beside all others.
bool no_room(std::size_t more, void* p = nullptr) {
  const auto held = static_cast<long>(malloc_usable_size(p));
  if (armed.load(std::memory_order_relaxed) == Kind::memory && goes_on) {
    const long n = ++calls();
    if (n == fails_at) most = in_use.load();
    return n >= fails_at && in_use - held + static_cast<long>(more) > most;
  }
  return fails(Kind::memory);
}
void* taken(void* p) {
  in_use += static_cast<long>(malloc_usable_size(p));
  return p;
}
void given_back(void* p) { in_use -= static_cast<long>(malloc_usable_size(p)); }

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void arm(Kind kind, long n, bool lasting) {
  calls() = in_use = most = 0;
  fails_at = n;
  goes_on = lasting;
  armed = kind;
}

long disarm() {
  armed = Kind::none;
  return calls();
}

}  // namespace daedalus::faults

using daedalus::faults::fails;
using daedalus::faults::given_back;
using daedalus::faults::Kind;
using daedalus::faults::no_room;
using daedalus::faults::real;
using daedalus::faults::taken;

extern "C" {

void* __libc_malloc(std::size_t);  // NOLINT: glibc's names
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

static void* no_memory() {
  if (std::getenv("DAEDALUS_INJECTION_ABORT")) std::abort();  // to see who asked for it
  errno = ENOMEM;
  return nullptr;
}
void* malloc(std::size_t n) { return no_room(n) ? no_memory() : taken(__libc_malloc(n)); }
void* calloc(std::size_t n, std::size_t m) {
  return no_room(n * m) ? no_memory() : taken(__libc_calloc(n, m));
}
void* realloc(void* p, std::size_t n) {
  if (no_room(n, p)) return no_memory();
  given_back(p);
  return taken(__libc_realloc(p, n));
}
void* aligned_alloc(std::size_t a, std::size_t n) {
  return no_room(n) ? no_memory() : taken(__libc_memalign(a, n));
}
int posix_memalign(void** p, std::size_t a, std::size_t n) {
  if (no_room(n)) return ENOMEM;
  *p = taken(__libc_memalign(a, n));
  return *p ? 0 : ENOMEM;
}
void free(void* p) {
  given_back(p);
  __libc_free(p);
}

static long full(int error) {
  errno = error;
  return -1;
}
ssize_t read(int fd, void* p, std::size_t n) {
  return fails(Kind::files) ? full(EIO) : syscall(SYS_read, fd, p, n);
}
ssize_t write(int fd, const void* p, std::size_t n) {
  return fails(Kind::files) ? full(ENOSPC) : syscall(SYS_write, fd, p, n);
}
ssize_t pread(int fd, void* p, std::size_t n, off_t at) {
  return fails(Kind::files) ? full(EIO) : syscall(SYS_pread64, fd, p, n, at);
}
ssize_t pread64(int fd, void* p, std::size_t n, off64_t at) { return pread(fd, p, n, at); }
ssize_t pwrite(int fd, const void* p, std::size_t n, off_t at) {
  return fails(Kind::files) ? full(ENOSPC) : syscall(SYS_pwrite64, fd, p, n, at);
}
ssize_t pwrite64(int fd, const void* p, std::size_t n, off64_t at) { return pwrite(fd, p, n, at); }
ssize_t writev(int fd, const struct iovec* v, int n) {
  return fails(Kind::files) ? full(ENOSPC) : syscall(SYS_writev, fd, v, n);
}
int fsync(int fd) {
  return static_cast<int>(fails(Kind::files) ? full(EIO) : syscall(SYS_fsync, fd));
}
int fdatasync(int fd) {
  return static_cast<int>(fails(Kind::files) ? full(EIO) : syscall(SYS_fdatasync, fd));
}
int ftruncate(int fd, off_t n) noexcept {
  return static_cast<int>(fails(Kind::files) ? full(EIO) : syscall(SYS_ftruncate, fd, n));
}
int ftruncate64(int fd, off64_t n) noexcept { return ftruncate(fd, n); }
int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(fails(Kind::files) ? full(ENOSPC) : syscall(SYS_rename, from, to));
}
// fopen and fdopen call it inside of libc; what is opened by name comes by here.
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return static_cast<int>(fails(Kind::files) ? full(EMFILE)
                                             : syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
std::FILE* fopen64(const char* path, const char* mode) {
  static const auto next = real<std::FILE* (*)(const char*, const char*)>("fopen64");
  if (!fails(Kind::files)) return next(path, mode);
  errno = EMFILE;
  return nullptr;
}
std::FILE* fopen(const char* path, const char* mode) { return fopen64(path, mode); }
std::size_t fwrite(const void* p, std::size_t size, std::size_t n, std::FILE* file) {
  static const auto next =
      real<std::size_t (*)(const void*, std::size_t, std::size_t, std::FILE*)>("fwrite");
  if (!fails(Kind::files)) return next(p, size, n, file);
  errno = ENOSPC;
  return 0;
}
std::size_t fread(void* p, std::size_t size, std::size_t n, std::FILE* file) {
  static const auto next =
      real<std::size_t (*)(void*, std::size_t, std::size_t, std::FILE*)>("fread");
  if (!fails(Kind::files)) return next(p, size, n, file);
  errno = EIO;
  return 0;
}
int fflush(std::FILE* file) {
  static const auto next = real<int (*)(std::FILE*)>("fflush");
  return fails(Kind::files) ? static_cast<int>(full(ENOSPC)) : next(file);
}

}  // extern "C"
