// SPDX-License-Identifier: BSD-3-Clause
#include "io/spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "io/atomic_file.hpp"

namespace daedalus {
namespace {

constexpr char spool_mark[] = "daedalus states 2\n";
constexpr std::size_t mark_size = sizeof spool_mark - 1;

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}:{}\n", name.size(), name);
  return text;
}

// Nothing, where the text is not of that form.
bool parse_names(const std::string& text, std::vector<std::string>& names) {
  names.clear();
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0;
    const char* const end = text.data() + text.size();
    const auto [colon, error] = std::from_chars(text.data() + at, end, length);
    if (error != std::errc() || colon == end || *colon != ':') return false;
    at = static_cast<std::size_t>(colon - text.data()) + 1;
    if (length >= text.size() - at || text[at + length] != '\n') return false;
    names.push_back(text.substr(at, length));
    at += length + 1;
  }
  return true;
}

}  // namespace

Spool::Spool(const std::filesystem::path& target, bool to_be_found) : target_(target) {
  if (!to_be_found) {
    path_ = new_file_beside(target);
    open(O_RDWR);
    return;
  }
  path_ = target;
  path_ += ".part";
  std::error_code ignored;
  found_ = std::filesystem::exists(path_, ignored);
  open(O_RDWR | O_CREAT);
}

Spool::Spool(const std::filesystem::path& leftover) : target_(leftover), path_(leftover) {
  found_ = true;
  open(O_RDWR);
  read_head();
}

Spool::~Spool() {
  if (file_) std::fclose(file_);
}

bool Spool::is_one(const std::filesystem::path& file) {
  char mark[mark_size] = {};
  std::ifstream in(file, std::ios::binary);
  in.read(mark, mark_size);
  return in && std::memcmp(mark, spool_mark, mark_size) == 0;
}

void Spool::fail(const char* what) const {
  throw FileError("'" + target_.string() + "' " + what + ": " + std::strerror(errno));
}

void Spool::open(int flags) {
  const int fd = ::open(path_.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0 && errno == ELOOP)
    throw FileError("'" + path_.string() + "' is a symbolic link; states are not written there");
  if (fd < 0) fail("cannot be written");
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(fd);
    throw FileError("'" + path_.string() + "' is no file for states");
  }
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(fd);
    throw FileError("'" + path_.string() + "' is in use by another run");
  }
  file_ = fdopen(fd, "r+b");
  if (!file_) {
    close(fd);
    fail("cannot be written");
  }
  std::setvbuf(file_, nullptr, _IOFBF, 1u << 18);
}

void Spool::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void Spool::write(const void* data, std::size_t size) {
  if (std::fwrite(data, 1, size, file_) != size) fail("could not be written");
  crc_.add(data, size);
}

void Spool::begin(const std::vector<std::string>& names) {
  names_ = names;
  row_.resize(names.size() + 1);
  const std::string text = names_text(names);
  const std::uint64_t size = text.size();
  if (std::fseek(file_, 0, SEEK_SET) != 0 || ftruncate(fileno(file_), 0) != 0)
    fail("could not be written");
  crc_ = {};
  write(spool_mark, mark_size);
  write(&size, sizeof size);
  write(text.data(), text.size());
  head_ = mark_size + sizeof size + text.size();
}

// The number of the row is part of it: rows cannot change places.
std::uint64_t Spool::check_of_row() const {
  Crc32 crc;
  crc.add(&at_row_, sizeof at_row_);
  crc.add(row_.data(), row_.size() * sizeof(double));
  return crc.value();
}

void Spool::add(double t, const double* y) {
  row_[0] = t;
  std::memcpy(row_.data() + 1, y, (row_.size() - 1) * sizeof(double));
  at_row_ = count_;
  check_ = check_of_row();
  write(row_.data(), row_.size() * sizeof(double));
  write(&check_, sizeof check_);
  ++count_;
}

std::string Spool::mark() {
  if (std::fflush(file_) != 0) fail("could not be written");
  if (fsync(fileno(file_)) != 0 && errno != EINVAL) fail("could not be written");
  return fmt::format("{} {}", count_, crc_.value());
}

bool Spool::read_row() {
  if (std::fread(row_.data(), sizeof(double), row_.size(), file_) != row_.size() ||
      std::fread(&check_, sizeof check_, 1, file_) != 1) {
    // A disk that cannot be read is no end of the states: what follows may be whole.
    if (!std::feof(file_)) fail("cannot be read");
    return false;
  }
  if (check_ != check_of_row()) return false;
  ++at_row_;
  return true;
}

std::uint64_t Spool::size_on_disk() const {
  struct stat status {};
  if (fstat(fileno(file_), &status) != 0) fail("cannot be read");
  return static_cast<std::uint64_t>(status.st_size);
}

void Spool::each(const std::function<void(const double*)>& use) {
  if (std::fflush(file_) != 0) fail("could not be written");
  if (std::fseek(file_, static_cast<long>(head_), SEEK_SET) != 0) fail("cannot be read");
  at_row_ = 0;
  for (long i = 0; i < count_; ++i) {
    if (!read_row())
      files::damaged(path_,
                     fmt::format("byte {}: it ends, or its check sum differs, after {} of "
                                 "{} states",
                                 head_ + static_cast<std::size_t>(i) * row_bytes(), i, count_));
    use(row_.data());
  }
  std::fseek(file_, 0, SEEK_END);
}

files::Rows Spool::rows() {
  return {names_, count_, [this](const auto& use) { each(use); }};
}

void Spool::read_head() {
  char mark[mark_size];
  std::uint64_t size = 0;
  const std::uint64_t whole = size_on_disk();
  std::fseek(file_, 0, SEEK_SET);
  if (std::fread(mark, 1, mark_size, file_) != mark_size ||
      std::memcmp(mark, spool_mark, mark_size) != 0)
    files::damaged(path_, "byte 0: not the states of an interrupted run");
  if (std::fread(&size, sizeof size, 1, file_) != 1 || size > whole - mark_size - sizeof size)
    files::damaged(path_,
                   fmt::format("byte {}: the names of the variables are cut off", mark_size));
  std::string text(size, '\0');
  if (std::fread(text.data(), 1, size, file_) != size || !parse_names(text, names_))
    files::damaged(
        path_, fmt::format("byte {}: these are no names of variables", mark_size + sizeof size));
  head_ = mark_size + sizeof size + size;
  row_.resize(names_.size() + 1);
  crc_ = {};
  crc_.add(mark, mark_size);
  crc_.add(&size, sizeof size);
  crc_.add(text.data(), text.size());
}

double Spool::go_back(const std::string& text) {
  long count = 0;
  std::uint32_t sum = 0;
  std::istringstream in(text);
  double last = std::numeric_limits<double>::quiet_NaN();
  if (!(in >> count >> sum) || count < 0)
    throw InvalidArgument("go_back: '" + files::printable(text) +
                          "' is no mark of a trajectory file");
  if (count == 0) {
    head_ = 0;
    count_ = 0;
    return last;
  }
  if (!exists())
    throw FileError(fmt::format(
        "'{}' does not exist: it held the first {} states of the interrupted run, which cannot go "
        "on without them",
        path_.string(), count));
  read_head();
  const std::uint64_t there = (size_on_disk() - head_) / row_bytes();
  if (static_cast<std::uint64_t>(count) > there)
    files::damaged(
        path_, fmt::format("byte {}: it ends after {} of {} states", size_on_disk(), there, count));
  count_ = count;
  const std::size_t size = head_ + static_cast<std::size_t>(count) * row_bytes();
  each([&](const double* row) {
    crc_.add(row, row_.size() * sizeof(double));
    crc_.add(&check_, sizeof check_);
    last = row[0];
  });
  if (crc_.value() != sum)
    files::damaged(path_, fmt::format("the check sum of the first {} states, bytes 0 to {}, is "
                                      "not that of the checkpoint",
                                      count, size));
  if (ftruncate(fileno(file_), static_cast<off_t>(size)) != 0 ||
      std::fseek(file_, 0, SEEK_END) != 0)
    fail("could not be written");
  return last;
}

long Spool::take_what_is_whole() {
  if (std::fseek(file_, static_cast<long>(head_), SEEK_SET) != 0) fail("cannot be read");
  at_row_ = count_ = 0;
  while (read_row()) ++count_;
  lost_ = size_on_disk() - head_ - static_cast<std::size_t>(count_) * row_bytes();
  if (count_ == 0) files::damaged(path_, "it holds no whole state");
  return count_;
}

}  // namespace daedalus
