// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/trajectory_file.hpp>

#include <daedalus/raw_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>

#include "io/atomic_file.hpp"
#include "io/file_lock.hpp"
#include "io/spool.hpp"
#include "io/trajectory_formats.hpp"

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
  // Devices have no end. A pipe has one, and may stand where the shell makes a file of a command.
  using Type = std::filesystem::file_type;
  std::error_code error;
  const Type kind = std::filesystem::status(file, error).type();
  if (kind == Type::directory)
    throw FileError("'" + file.string() + "' cannot be read: it is a folder");
  if (kind == Type::character || kind == Type::block)
    throw FileError("'" + file.string() + "' cannot be read: it is a device");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw FileError("'" + file.string() + "' cannot be read: " + std::strerror(errno));
  // Not by operator<<, which takes bytes that could not be read for the end of the file.
  std::string text;
  char part[1 << 16];
  while (in.read(part, sizeof part), in.gcount() > 0)
    text.append(part, static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw FileError("'" + file.string() + "' cannot be read: " + std::strerror(errno));
  return text;
}

void damaged(const std::filesystem::path& file, const std::string& what) {
  throw FileError("'" + file.string() + "' cannot be used: " + what);
}

Hdf5Format& hdf5_format() {
  static Hdf5Format format;
  return format;
}

void write_whole(const std::filesystem::path& target, const std::filesystem::path& name,
                 const Rows& rows, const std::string& run) {
  const std::filesystem::path written = new_file_beside(target);
  try {
    switch (format_of(target)) {
      case Format::csv:
        write_csv(written, rows);
        break;
      case Format::json:
        write_json(written, rows, run);
        break;
      case Format::npz:
        write_npz(written, rows, run);
        break;
      case Format::raw:
        write_raw_trajectory(written, rows, target.stem().string(), raw_as_text(target));
        break;
      case Format::hdf5:
        hdf5_format().write(written, rows, run);
        break;
    }
    replace(written, name);
  } catch (const FileError& error) {
    std::error_code ignored;
    std::filesystem::remove(written, ignored);
    std::string text = error.what();
    if (const std::size_t at = text.find(written.string()); at != std::string::npos)
      text.replace(at, written.string().size(), target.string());
    throw FileError(text);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(written, ignored);
    throw;
  }
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

}  // namespace

// States lie beside the target in a spool until the target is made from them: the formats need
// their number beforehand, and rows of fixed size make it easy to go back.
struct TrajectoryFile::Impl {
  std::filesystem::path target;
  bool checkpointed = false, committed = false, marked = false;
  FileLock lock;
  std::unique_ptr<Spool> spool;
  double last = std::numeric_limits<double>::quiet_NaN();

  ~Impl() { release(); }

  void release() {
    if (!spool) return;
    // States of an interrupted run that was not gone on with are still needed.
    const bool left_alone = spool->found() && !spool->begun();
    if (committed || (!marked && !left_alone)) spool->remove();
    spool.reset();
  }
};

TrajectoryFile::TrajectoryFile(std::filesystem::path target, bool checkpointed)
    : impl_(std::make_unique<Impl>()) {
  const files::Format format = files::format_of(target);
  if (format == files::Format::hdf5) require_hdf5(target);
  impl_->target = std::move(target);
  impl_->checkpointed = checkpointed;
  impl_->lock = FileLock(impl_->target);
  impl_->spool = std::make_unique<Spool>(impl_->target, checkpointed);
}

TrajectoryFile::~TrajectoryFile() = default;

long TrajectoryFile::states() const { return impl_->spool->states(); }
double TrajectoryFile::last_time() const { return impl_->last; }

void TrajectoryFile::attach(Options& options, LongRun& run) {
  options.sink = [this](const StateView& s) { add(s); };
  run.save = [this] { return mark(); };
  run.load = [this](const std::string& text) { go_back(text); };
}

void TrajectoryFile::add(const StateView& state) {
  Spool& spool = *impl_->spool;
  if (!spool.begun()) spool.begin(state.variables().names);
  spool.add(state.t(), state.y().data());
  impl_->last = state.t();
}

std::string TrajectoryFile::mark() {
  const std::string text = impl_->spool->mark();
  impl_->marked = true;
  return text;
}

void TrajectoryFile::go_back(const std::string& text) {
  impl_->marked = true;  // whatever is wrong, it is not ours to remove
  if (!impl_->spool->exists()) impl_->marked = false;
  impl_->last = impl_->spool->go_back(text);
}

std::filesystem::path TrajectoryFile::commit(const std::string& run, bool good) {
  Impl& f = *impl_;
  const files::Rows rows = f.spool->rows();
  const std::filesystem::path name = final_name(f.target, good);
  files::write_whole(f.target, name, rows, run);
  f.committed = true;
  // With checkpoints the states stay until the owner has removed the checkpoint that needs them.
  if (!f.checkpointed) f.release();
  f.lock.release();
  return name;
}

std::vector<std::filesystem::path> leftovers(const std::filesystem::path& target) {
  std::vector<std::filesystem::path> found;
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  const std::string begin = target.filename().string() + ".part";
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return found;
  constexpr auto readable = std::filesystem::directory_options::skip_permission_denied;
  for (const auto& entry : std::filesystem::directory_iterator(folder, readable))
    if (const std::string name = entry.path().filename().string();
        name.starts_with(begin) && entry.is_regular_file(error) && !entry.is_symlink(error) &&
        Spool::is_one(entry.path()))
      found.push_back(target.has_parent_path() ? entry.path() : entry.path().filename());
  std::sort(found.begin(), found.end());
  return found;
}

Recovered recover_trajectory(const std::filesystem::path& leftover,
                             const std::filesystem::path& target) {
  const files::Format format = files::format_of(target);
  if (format == files::Format::hdf5) require_hdf5(target);
  const FileLock lock(target);
  Spool spool(leftover);
  const Recovered result{spool.take_what_is_whole(), spool.lost_bytes()};
  files::write_whole(target, target, spool.rows(),
                     R"({"version":1,"status":"cancelled","message":"recovered from what a killed )"
                     R"(run left"})");
  return result;
}

FileTrajectory read_trajectory(const std::filesystem::path& file, bool foreign) {
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
      return files::hdf5_format().read(file, foreign);
  }
}

}  // namespace daedalus
