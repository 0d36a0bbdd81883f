// SPDX-License-Identifier: BSD-3-Clause
// HDF5: data sets t (n), y (n x m), names (m) and run, in chunks with Fletcher check sums, and with
// the metadata of format 1.10, which carry sums of their own. The user block, 512 bytes before the
// data that HDF5 leaves to programs, holds a hash of all that follows: what differs is refused
// before libhdf5 sees it.
#include <daedalus/hdf5.hpp>

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "io/content_hash.hpp"
#include "io/isolated.hpp"
#include "io/trajectory_formats.hpp"

namespace daedalus {

namespace files {

namespace {

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT
  // What is written last may be written here, and fail.
  bool closed() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The library prints its stack of errors unless told not to; the deepest entry says the most.
class Quiet {
 public:
  Quiet() {
    // After a write that failed, on a full disk, closing fails too; what the library then does with
    // the rest at the end of the program is an invalid memory access.
    static const herr_t once = H5dont_atexit();
    (void)once;
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

std::string reason() {
  std::string text = "unknown reason";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* e, void* out) -> herr_t {
        if (n == 0 && e->desc) *static_cast<std::string*>(out) = e->desc;
        return 0;
      },
      &text);
  // The words of the system stand in the middle of addresses and sizes.
  constexpr std::string_view words = "error message = '";
  if (const std::size_t at = text.find(words); at != std::string::npos) {
    const std::size_t from = at + words.size();
    return text.substr(from, text.find('\'', from) - from);
  }
  return text;
}

constexpr hsize_t chunk_rows = 4096;
// The smallest user block that HDF5 allows.
constexpr std::size_t block_size = 512;
constexpr std::string_view block_mark = "daedalus trajectory\nhash ";

// Writes the hash of what follows the user block into it.
void seal(const std::filesystem::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(block_size);
  ContentHash hash;
  std::vector<char> part(1u << 20);
  while (file) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    hash.add(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad() || !file.eof())
    throw FileError("'" + path.string() + "' could not be written: " + std::strerror(errno));
  file.clear();
  file.seekp(0);
  std::string block = std::string(block_mark) + hash.hex() + "\n";
  block.resize(block_size, '\0');
  file.write(block.data(), block_size);
  file.close();
  if (!file)
    throw FileError("'" + path.string() + "' could not be written: " + std::strerror(errno));
}

// Whether the file says that it is ours; throws where its hash says otherwise.
bool is_sealed(const std::filesystem::path& path, const std::string& bytes) {
  if (!bytes.starts_with(block_mark) || bytes.size() < block_size) return false;
  const std::string_view all = bytes;
  const std::size_t digits = block_mark.size();
  const std::string_view rest = all.substr(digits + hash_digits, block_size - digits - hash_digits);
  if (rest.front() != '\n' || rest.find_first_not_of('\0', 1) != std::string_view::npos ||
      all.substr(digits, hash_digits) != ContentHash::of(all.substr(block_size)))
    damaged(path, "the hash of its contents differs: it was cut off, damaged or changed");
  return true;
}

struct Writer {
  const std::filesystem::path& path;
  void check(bool ok) const {
    if (!ok) throw FileError("'" + path.string() + "' could not be written: " + reason());
  }
  // With nothing of the time of writing in it: equal runs give equal files.
  hid_t create(hid_t file, const char* name, hid_t type, hid_t space, hsize_t chunk0,
               hsize_t chunk1, int rank) const {
    const Handle p(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(p, false);
    if (rank > 0 && chunk0 > 0 && (rank < 2 || chunk1 > 0)) {
      const hsize_t chunk[2] = {chunk0, chunk1};
      H5Pset_chunk(p, rank, chunk);
      H5Pset_fletcher32(p);
    }
    return H5Dcreate2(file, name, type, space, H5P_DEFAULT, p, H5P_DEFAULT);
  }
  void texts(hid_t file, const char* name, const std::vector<std::string>& list, int rank) const {
    std::size_t longest = 1;
    for (const std::string& s : list) longest = std::max(longest, s.size());
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, longest);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    const hsize_t n = list.size();
    const Handle space(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, nullptr),
                       H5Sclose);
    Handle set(create(file, name, type, space, n, 0, rank), H5Dclose);
    std::string flat;
    for (std::string s : list) {
      s.resize(longest, '\0');
      flat += s;
    }
    check(set >= 0 &&
          (flat.empty() || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat.data()) >= 0));
    check(set.closed());
  }
};

struct Reader {
  const std::filesystem::path& path;
  std::size_t file_size;
  // Our data sets are not compressed: none is larger than the file.
  std::size_t count_of(hid_t space, std::size_t item, const std::string& name) const {
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count < 0 || (item > 0 && static_cast<std::size_t>(count) > file_size / item))
      damaged(path, "data set '" + name + "': it claims to be larger than the file");
    return static_cast<std::size_t>(count);
  }
  Handle open(hid_t file, const std::string& name) const {
    const hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    if (set < 0) damaged(path, "data set '" + name + "': " + reason());
    return {set, H5Dclose};
  }
  std::vector<double> numbers(hid_t file, const std::string& name) const {
    const Handle set = open(file, name);
    const Handle space(H5Dget_space(set), H5Sclose);
    std::vector<double> list(count_of(space, sizeof(double), name));
    if (!list.empty() &&
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, list.data()) < 0)
      damaged(path, "data set '" + name + "': " + reason());
    return list;
  }
  std::vector<std::string> texts(hid_t file, const std::string& name) const {
    const Handle set = open(file, name);
    const Handle space(H5Dget_space(set), H5Sclose), type(H5Dget_type(set), H5Tclose);
    const std::size_t size = H5Tget_class(type) == H5T_STRING ? H5Tget_size(type) : 0;
    const std::size_t count = count_of(space, std::max<std::size_t>(size, 1), name);
    std::string flat(count * size, '\0');
    if (size == 0 || H5Tis_variable_str(type) > 0 ||
        (count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat.data()) < 0))
      damaged(path, "data set '" + name + "': " + (size == 0 ? "it holds no texts" : reason()));
    std::vector<std::string> list;
    for (std::size_t i = 0; i < count; ++i) list.emplace_back(flat.substr(i * size, size).c_str());
    return list;
  }
};

}  // namespace

static void write_data_sets(const std::filesystem::path& path, const Rows& rows,
                            const std::string& run) {
  const Quiet quiet;
  const Writer w{path};
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_userblock(creation, block_size);
  H5Pset_obj_track_times(creation, false);  // of the root group: equal runs give equal files
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  w.check(file >= 0);
  const auto n = static_cast<hsize_t>(rows.count), m = static_cast<hsize_t>(rows.names.size());
  const hsize_t size[2] = {n, m};
  const Handle space_t(H5Screate_simple(1, size, nullptr), H5Sclose);
  const Handle space_y(H5Screate_simple(2, size, nullptr), H5Sclose);
  const hsize_t most = std::min(n, chunk_rows);
  // About a megabyte per chunk of y.
  const hsize_t rows_y = std::min(n, std::max<hsize_t>(1, 131072 / std::max<hsize_t>(m, 1)));
  Handle t(w.create(file, "t", H5T_IEEE_F64LE, space_t, most, 0, 1), H5Dclose);
  Handle y(w.create(file, "y", H5T_IEEE_F64LE, space_y, rows_y, m, 2), H5Dclose);
  w.check(t >= 0 && y >= 0);
  std::vector<double> part_t, part_y;
  hsize_t first = 0;
  const auto flush = [&] {
    if (part_t.empty()) return;
    const hsize_t count[2] = {part_t.size(), m}, start[2] = {first, 0};
    const Handle memory_t(H5Screate_simple(1, count, nullptr), H5Sclose);
    const Handle memory_y(H5Screate_simple(2, count, nullptr), H5Sclose);
    H5Sselect_hyperslab(space_t, H5S_SELECT_SET, start, nullptr, count, nullptr);
    H5Sselect_hyperslab(space_y, H5S_SELECT_SET, start, nullptr, count, nullptr);
    w.check(H5Dwrite(t, H5T_NATIVE_DOUBLE, memory_t, space_t, H5P_DEFAULT, part_t.data()) >= 0 &&
            (m == 0 ||
             H5Dwrite(y, H5T_NATIVE_DOUBLE, memory_y, space_y, H5P_DEFAULT, part_y.data()) >= 0));
    first += part_t.size();
    part_t.clear();
    part_y.clear();
  };
  rows.each([&](const double* row) {
    part_t.push_back(row[0]);
    part_y.insert(part_y.end(), row + 1, row + 1 + m);
    if (part_t.size() == rows_y) flush();
  });
  flush();
  w.texts(file, "names", rows.names, 1);
  w.texts(file, "run", {run}, 0);
  w.check(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
  w.check(t.closed() && y.closed() && file.closed());
}

static void write_hdf5(const std::filesystem::path& path, const Rows& rows,
                       const std::string& run) {
  // Where memory fails it, the library may crash.
  isolated_write(path, [&] { write_data_sets(path, rows, run); });
  seal(path);
}

static FileTrajectory read_data_sets(const std::filesystem::path& path, std::size_t file_size) {
  const Quiet quiet;
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file < 0) damaged(path, "byte 0: " + reason());
  const Reader in{path, file_size};
  FileTrajectory result;
  result.t = in.numbers(file, "t");
  result.y = in.numbers(file, "y");
  result.names = in.texts(file, "names");
  const std::vector<std::string> run = in.texts(file, "run");
  if (run.size() != 1) damaged(path, "data set 'run': it does not hold one text");
  result.run = run.front();
  if (result.names.empty() ? !result.y.empty()
                           : result.y.size() / result.names.size() != result.t.size() ||
                                 result.y.size() % result.names.size() != 0)
    damaged(path, fmt::format("{} values for {} times and {} variables", result.y.size(),
                              result.t.size(), result.names.size()));
  return result;
}

static FileTrajectory read_hdf5(const std::filesystem::path& path, bool foreign) {
  std::size_t size = 0;
  {
    const std::string bytes = contents(path);
    size = bytes.size();
    if (!is_sealed(path, bytes) && !foreign)
      damaged(path,
              bytes.find("\x89HDF\r\n\x1a\n") == std::string::npos
                  ? "byte 0: not an HDF5 file"
                  : "it has no hash of its contents: another program or an older version wrote it; "
                    "ask for it by name (--foreign) where you trust it");
  }
  // The library has crashed on files that were made for it (docs/reliability.md).
  return isolated(path, [&] { return read_data_sets(path, size); });
}

}  // namespace files

void enable_hdf5() { files::hdf5_format() = {files::write_hdf5, files::read_hdf5}; }

}  // namespace daedalus
