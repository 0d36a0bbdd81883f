// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/trajectory_file.hpp>

#include <daedalus/raw_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>

#include "io/atomic_file.hpp"
#include "io/trajectory_formats.hpp"
#include "kernel/crc32.hpp"

namespace daedalus {
namespace files {

Format format_of(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".csv") return Format::csv;
  if (ending == ".json") return Format::json;
  if (ending == ".npz") return Format::npz;
  if (ending == ".raw") return Format::raw;
  if (ending == ".h5" || ending == ".hdf5") return Format::hdf5;
  throw InvalidArgument("'" + file.string() +
                        "' is not allowed; the name must end in .csv, .json, .npz, .raw or .h5");
}

std::string contents(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw FileError("'" + file.string() + "' cannot be read: it is a folder");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw FileError("'" + file.string() + "' cannot be read: " + std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void damaged(const std::filesystem::path& file, const std::string& what) {
  throw FileError("'" + file.string() + "' cannot be used: " + what);
}

Hdf5Format& hdf5_format() {
  static Hdf5Format format;
  return format;
}

}  // namespace files

bool hdf5_enabled() { return files::hdf5_format().write != nullptr; }

namespace {

void require_hdf5(const std::filesystem::path& file) {
  if (!hdf5_enabled())
    throw FileError("'" + file.string() +
                    "': this program has no HDF5; build Daedalus with libhdf5-dev, link "
                    "daedalus::hdf5 and call enable_hdf5(), or use .npz");
}

constexpr char spool_mark[] = "daedalus states 1\n";
constexpr std::size_t mark_size = sizeof spool_mark - 1;

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}:{}\n", name.size(), name);
  return text;
}

}  // namespace

// States lie beside the target as plain rows of numbers until the target is made from them: the
// formats need their number beforehand, and rows of fixed size make it easy to go back.
struct TrajectoryFile::Impl {
  std::filesystem::path target, spool;
  bool checkpointed = false, committed = false, marked = false, found = false;
  std::FILE* file = nullptr;
  std::vector<std::string> names;
  std::size_t head = 0;  // bytes before the first row
  long count = 0;
  double last = std::numeric_limits<double>::quiet_NaN();
  Crc32 crc;
  std::vector<double> row;

  ~Impl() { release(); }

  void release() {
    if (!file) return;
    std::fclose(file);
    file = nullptr;
    std::error_code ignored;
    // States of an interrupted run that was not gone on with are still needed.
    const bool left_alone = found && head == 0;
    if (committed || (!marked && !left_alone)) std::filesystem::remove(spool, ignored);
  }

  [[noreturn]] void fail(const char* what) const {
    throw FileError("'" + target.string() + "' " + what + ": " + std::strerror(errno));
  }

  void open() {
    std::error_code ignored;
    if (std::filesystem::is_directory(target, ignored))
      throw FileError("'" + target.string() + "' cannot be written: it is a folder");
    found = checkpointed && std::filesystem::exists(spool, ignored);
    const int fd = ::open(spool.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
      throw FileError("'" + target.string() + "' cannot be written: " + std::strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
      close(fd);
      throw FileError("'" + spool.string() + "' is in use by another run");
    }
    file = fdopen(fd, "r+b");
    if (!file) fail("cannot be written");
    std::setvbuf(file, nullptr, _IOFBF, 1u << 18);
  }

  void write(const void* data, std::size_t size) {
    if (std::fwrite(data, 1, size, file) != size) fail("could not be written");
    crc.add(data, size);
  }

  void begin(const std::vector<std::string>& variables) {
    names = variables;
    row.resize(names.size() + 1);
    const std::string text = names_text(names);
    const std::uint64_t size = text.size();
    if (std::fseek(file, 0, SEEK_SET) != 0 || ftruncate(fileno(file), 0) != 0)
      fail("could not be written");
    crc = {};
    write(spool_mark, mark_size);
    write(&size, sizeof size);
    write(text.data(), text.size());
    head = mark_size + sizeof size + text.size();
  }

  void flush() {
    if (std::fflush(file) != 0) fail("could not be written");
  }

  void each(const std::function<void(const double*)>& use) {
    if (std::fseek(file, static_cast<long>(head), SEEK_SET) != 0) fail("cannot be read");
    for (long i = 0; i < count; ++i) {
      if (std::fread(row.data(), sizeof(double), row.size(), file) != row.size())
        files::damaged(spool, fmt::format("byte {}: it ends after {} of {} states",
                                          std::ftell(file), i, count));
      use(row.data());
    }
    std::fseek(file, 0, SEEK_END);
  }

  void read_head() {
    char mark[mark_size];
    std::uint64_t size = 0;
    std::fseek(file, 0, SEEK_SET);
    if (std::fread(mark, 1, mark_size, file) != mark_size ||
        std::memcmp(mark, spool_mark, mark_size) != 0)
      files::damaged(spool, "byte 0: not the states of an interrupted run");
    if (std::fread(&size, sizeof size, 1, file) != 1 || size > (1u << 28))
      files::damaged(spool,
                     fmt::format("byte {}: the names of the variables are missing", mark_size));
    std::string text(size, '\0');
    if (std::fread(text.data(), 1, size, file) != size)
      files::damaged(spool, fmt::format("byte {}: the names of the variables are cut off",
                                        mark_size + sizeof size));
    head = mark_size + sizeof size + size;
    names.clear();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t colon = text.find(':', at);
      if (colon == std::string::npos) break;
      const std::size_t length = std::stoul(text.substr(at, colon - at));
      names.push_back(text.substr(colon + 1, length));
      at = colon + 1 + length + 1;
    }
    row.resize(names.size() + 1);
    crc = {};
    crc.add(mark, mark_size);
    crc.add(&size, sizeof size);
    crc.add(text.data(), text.size());
  }
};

TrajectoryFile::TrajectoryFile(std::filesystem::path target, bool checkpointed)
    : impl_(std::make_unique<Impl>()) {
  const files::Format format = files::format_of(target);
  if (format == files::Format::hdf5) require_hdf5(target);
  impl_->target = std::move(target);
  impl_->checkpointed = checkpointed;
  impl_->spool = impl_->target;
  impl_->spool += checkpointed ? std::string(".part") : ".part" + std::to_string(getpid());
  impl_->open();
}

TrajectoryFile::~TrajectoryFile() = default;

long TrajectoryFile::states() const { return impl_->count; }
double TrajectoryFile::last_time() const { return impl_->last; }

void TrajectoryFile::attach(Options& options, LongRun& run) {
  options.sink = [this](const StateView& s) { add(s); };
  run.save = [this] { return mark(); };
  run.load = [this](const std::string& text) { go_back(text); };
}

void TrajectoryFile::add(const StateView& state) {
  Impl& f = *impl_;
  if (f.head == 0) f.begin(state.variables().names);
  f.row[0] = f.last = state.t();
  std::memcpy(f.row.data() + 1, state.y().data(), (f.row.size() - 1) * sizeof(double));
  f.write(f.row.data(), f.row.size() * sizeof(double));
  ++f.count;
}

std::string TrajectoryFile::mark() {
  impl_->flush();
  if (fsync(fileno(impl_->file)) != 0 && errno != EINVAL) impl_->fail("could not be written");
  impl_->marked = true;
  return fmt::format("{} {}", impl_->count, impl_->crc.value());
}

void TrajectoryFile::go_back(const std::string& text) {
  Impl& f = *impl_;
  f.marked = true;  // whatever is wrong, it is not ours to remove
  long count = 0;
  std::uint32_t sum = 0;
  std::istringstream in(text);
  if (!(in >> count >> sum) || count < 0)
    throw InvalidArgument("go_back: '" + text + "' is no mark of a trajectory file");
  if (count == 0) {
    f.head = 0;
    return;
  }
  if (!f.found && f.head == 0) {
    f.marked = false;
    throw FileError(fmt::format(
        "'{}' does not exist: it held the first {} states of the interrupted run, which cannot go "
        "on without them",
        f.spool.string(), count));
  }
  f.read_head();
  f.count = count;
  f.each([&](const double* row) {
    f.crc.add(row, f.row.size() * sizeof(double));
    f.last = row[0];
  });
  if (f.crc.value() != sum)
    files::damaged(f.spool, fmt::format("the check sum of the first {} states, bytes 0 to {}, is "
                                        "not that of the checkpoint",
                                        count,
                                        f.head + static_cast<std::size_t>(count) * f.row.size() *
                                                     sizeof(double)));
  const auto size =
      static_cast<off_t>(f.head + static_cast<std::size_t>(count) * f.row.size() * sizeof(double));
  if (ftruncate(fileno(f.file), size) != 0 || std::fseek(f.file, 0, SEEK_END) != 0)
    f.fail("could not be written");
}

std::filesystem::path TrajectoryFile::commit(const std::string& run, bool good) {
  Impl& f = *impl_;
  f.flush();
  const files::Rows rows{f.names, f.count, [&f](const auto& use) { f.each(use); }};
  std::filesystem::path written = f.spool;
  written += "w";
  try {
    switch (files::format_of(f.target)) {
      case files::Format::csv:
        files::write_csv(written, rows);
        break;
      case files::Format::json:
        files::write_json(written, rows, run);
        break;
      case files::Format::npz:
        files::write_npz(written, rows, run);
        break;
      case files::Format::raw:
        files::write_raw_trajectory(written, rows, f.target.stem().string(), raw_as_text(f.target));
        break;
      case files::Format::hdf5:
        files::hdf5_format().write(written, rows, run);
        break;
    }
    const std::filesystem::path name = final_name(f.target, good);
    replace(written, name);
    f.committed = true;
    // With checkpoints the states stay until the owner has removed the checkpoint that needs them.
    if (!f.checkpointed) f.release();
    return name;
  } catch (const FileError& error) {
    std::error_code ignored;
    std::filesystem::remove(written, ignored);
    std::string text = error.what();
    if (const std::size_t at = text.find(written.string()); at != std::string::npos)
      text.replace(at, written.string().size(), f.target.string());
    throw FileError(text);
  }
}

FileTrajectory read_trajectory(const std::filesystem::path& file) {
  switch (files::format_of(file)) {
    case files::Format::csv:
      return files::read_csv(file);
    case files::Format::json:
      return files::read_json(file);
    case files::Format::npz:
      return files::read_npz(file);
    case files::Format::raw:
      return files::read_raw_trajectory(file);
    default:
      require_hdf5(file);
      return files::hdf5_format().read(file);
  }
}

}  // namespace daedalus
