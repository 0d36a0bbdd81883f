// SPDX-License-Identifier: BSD-3-Clause
// NumPy's .npz: a ZIP archive of .npy arrays, stored without compression. Sizes are written in the
// ZIP64 way, so that files may exceed 4 GB (APPNOTE.TXT 4.5.3; NumPy NEP 1).
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

#include "io/trajectory_formats.hpp"
#include "kernel/crc32.hpp"

namespace daedalus::files {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are written as they lie in memory");

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xffu);
}
std::uint64_t get(const std::string& in, std::size_t at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |=
        static_cast<std::uint64_t>(static_cast<unsigned char>(in[at + static_cast<std::size_t>(i)]))
        << (8 * i);
  return value;
}

// Signatures of the ZIP format (APPNOTE 4.3).
constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                        end64_mark = 0x06064b50, locator64_mark = 0x07064b50;
constexpr std::uint64_t in_extra = 0xffffffff;  // the size stands in the ZIP64 field
constexpr std::uint64_t date = 0x21;            // 1 January 1980: the same bytes whenever written

// Header of an array (NEP 1): dictionary of type, order and shape, padded to 64 bytes.
std::string npy_header(const std::string& type, const std::string& shape) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  put(header, text.size(), 2);
  return header + text;
}

// Unicode arrays have four bytes per character and one length for all.
std::u32string decoded(const std::string& utf8) {
  std::u32string text;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    const int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    char32_t code = more == 0 ? c : c & (0x3fu >> more);
    for (int k = 1; k <= more && i + static_cast<std::size_t>(k) < utf8.size(); ++k)
      code =
          (code << 6) | (static_cast<unsigned char>(utf8[i + static_cast<std::size_t>(k)]) & 0x3fu);
    text += code;
    i += static_cast<std::size_t>(more) + 1;
  }
  return text;
}
std::string encoded(char32_t c) {
  std::string s;
  if (c < 0x80) {
    s += static_cast<char>(c);
  } else if (c < 0x800) {
    s += static_cast<char>(0xc0 | (c >> 6));
    s += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    s += static_cast<char>(0xe0 | (c >> 12));
    s += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    s += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    s += static_cast<char>(0xf0 | (c >> 18));
    s += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    s += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    s += static_cast<char>(0x80 | (c & 0x3f));
  }
  return s;
}

class ZipWriter {
 public:
  explicit ZipWriter(const std::filesystem::path& file)
      : file_(file), out_(file, std::ios::binary | std::ios::trunc) {}

  void begin(const std::string& name, std::uint64_t size) {
    member_ = {name, place_, size, 0};
    crc_ = {};
    write_local();
  }
  void data(const void* bytes, std::size_t size) {
    crc_.add(bytes, size);
    raw(static_cast<const char*>(bytes), size);
  }
  void end() {
    member_.crc = crc_.value();
    const std::uint64_t after = place_;
    out_.seekp(static_cast<std::streamoff>(member_.offset));
    place_ = member_.offset;
    write_local();
    out_.seekp(static_cast<std::streamoff>(after));
    place_ = after;
    members_.push_back(member_);
  }
  void close() {
    const std::uint64_t directory = place_;
    for (const Member& m : members_) {
      std::string h;
      put(h, central_mark, 4), put(h, 45, 2), put(h, 45, 2), put(h, 0, 2), put(h, 0, 2);
      put(h, 0, 2), put(h, date, 2), put(h, m.crc, 4), put(h, in_extra, 4), put(h, in_extra, 4);
      put(h, m.name.size(), 2), put(h, 28, 2), put(h, 0, 2), put(h, 0, 2), put(h, 0, 2);
      put(h, 0, 4), put(h, in_extra, 4);
      h += m.name;
      put(h, 1, 2), put(h, 24, 2), put(h, m.size, 8), put(h, m.size, 8), put(h, m.offset, 8);
      raw(h.data(), h.size());
    }
    const std::uint64_t size = place_ - directory, locator = place_;
    std::string h;
    put(h, end64_mark, 4), put(h, 44, 8), put(h, 45, 2), put(h, 45, 2), put(h, 0, 4), put(h, 0, 4);
    put(h, members_.size(), 8), put(h, members_.size(), 8), put(h, size, 8), put(h, directory, 8);
    put(h, locator64_mark, 4), put(h, 0, 4), put(h, locator, 8), put(h, 1, 4);
    put(h, end_mark, 4), put(h, 0, 2), put(h, 0, 2), put(h, members_.size(), 2);
    put(h, members_.size(), 2), put(h, in_extra, 4), put(h, in_extra, 4), put(h, 0, 2);
    raw(h.data(), h.size());
    out_.close();
    if (!out_)
      throw FileError("'" + file_.string() + "' could not be written: " + std::strerror(errno));
  }

 private:
  struct Member {
    std::string name;
    std::uint64_t offset, size;
    std::uint32_t crc;
  };
  void raw(const char* bytes, std::size_t size) {
    out_.write(bytes, static_cast<std::streamsize>(size));
    place_ += size;
  }
  void write_local() {
    std::string h;
    put(h, local_mark, 4), put(h, 45, 2), put(h, 0, 2), put(h, 0, 2), put(h, 0, 2), put(h, date, 2);
    put(h, member_.crc, 4), put(h, in_extra, 4), put(h, in_extra, 4);
    put(h, member_.name.size(), 2), put(h, 20, 2);
    h += member_.name;
    put(h, 1, 2), put(h, 16, 2), put(h, member_.size, 8), put(h, member_.size, 8);
    raw(h.data(), h.size());
  }
  std::filesystem::path file_;
  std::ofstream out_;
  std::uint64_t place_ = 0;
  Member member_{};
  std::vector<Member> members_;
  Crc32 crc_;
};

void write_texts(ZipWriter& zip, const std::string& name, const std::vector<std::string>& texts,
                 const std::string& shape) {
  std::vector<std::u32string> wide;
  std::size_t longest = 1;
  for (const std::string& t : texts) {
    wide.push_back(decoded(t));
    longest = std::max(longest, wide.back().size());
  }
  const std::string header = npy_header(fmt::format("<U{}", longest), shape);
  zip.begin(name, header.size() + 4 * longest * texts.size());
  zip.data(header.data(), header.size());
  for (std::u32string& text : wide) {
    text.resize(longest, U'\0');
    zip.data(text.data(), 4 * longest);
  }
  zip.end();
}

// An array as it stands in the archive.
struct Array {
  std::string type;
  std::vector<std::size_t> shape;
  std::size_t data, bytes;  // place in the file
};

class NpzReader {
 public:
  explicit NpzReader(const std::filesystem::path& file) : file_(file), bytes_(contents(file)) {
    if (bytes_.size() < 22 || get(bytes_, 0, 4) != local_mark)
      damaged(file_, "byte 0: not a NumPy archive");
    const std::size_t end = bytes_.size() - 22;
    if (get(bytes_, end, 4) != end_mark)
      damaged(file_, fmt::format("byte {}: the directory at the end is missing; the file was cut "
                                 "off or something follows it",
                                 bytes_.size()));
  }

  Array find(const std::string& name) const {
    std::optional<Array> found;
    for (std::size_t at = 0; at + 30 <= bytes_.size() && get(bytes_, at, 4) == local_mark;) {
      const std::size_t name_size = get(bytes_, at + 26, 2), extra = get(bytes_, at + 28, 2);
      const std::size_t begin = at + 30 + name_size + extra;
      if (begin > bytes_.size()) break;
      std::uint64_t size = get(bytes_, at + 18, 4);
      const std::string member = bytes_.substr(at + 30, name_size);
      if (size == in_extra && extra >= 20) size = get(bytes_, at + 30 + name_size + 12, 8);
      if (get(bytes_, at + 8, 2) != 0)
        damaged(file_, fmt::format("byte {}: '{}' is compressed, written by another program", at,
                                   printable(member)));
      if (size > bytes_.size() - begin)
        damaged(file_, fmt::format("byte {}: '{}' is cut off", begin, printable(member)));
      if (member == name && found)
        damaged(file_, fmt::format("byte {}: '{}' stands in it twice", at, name));
      if (member == name) found = array(name, begin, size, at);
      at = begin + size;
    }
    if (found) return *found;
    damaged(file_, "there is no array '" + name + "': not an output file of a run");
  }

  std::vector<double> numbers(const std::string& name, std::size_t dimensions) const {
    const Array a = find(name);
    const std::size_t count = items(a, sizeof(double));
    if (a.type != "<f8" || a.shape.size() != dimensions || a.bytes != 8 * count)
      damaged(file_, fmt::format("byte {}: '{}' is no array of numbers with {} dimensions", a.data,
                                 name, dimensions));
    std::vector<double> list(count);
    if (count > 0) std::memcpy(list.data(), bytes_.data() + a.data, a.bytes);
    return list;
  }

  std::vector<std::string> texts(const std::string& name) const {
    const Array a = find(name);
    std::size_t length = 0;
    const char* const end = a.type.data() + a.type.size();
    const bool texts = a.type.starts_with("<U") &&
                       std::from_chars(a.type.data() + 2, end, length).ptr == end && length > 0 &&
                       length <= a.bytes / 4 + 1;
    const std::size_t count = texts ? items(a, 4 * length) : 0;
    if (!texts || a.bytes != 4 * length * count)
      damaged(file_, fmt::format("byte {}: '{}' is no array of texts", a.data, name));
    std::vector<std::string> list(count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < length; ++k) {
        const auto c = static_cast<char32_t>(get(bytes_, a.data + 4 * (i * length + k), 4));
        if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
          damaged(file_, fmt::format("byte {}: '{}' holds what is no character",
                                     a.data + 4 * (i * length + k), name));
        if (c != 0) list[i] += encoded(c);
      }
    return list;
  }

 private:
  // The items of a shape; a product that exceeds the bytes of the array, so many for each, is
  // none.
  std::size_t items(const Array& a, std::size_t each) const {
    std::size_t count = 1;
    for (const std::size_t n : a.shape) {
      if (n == 0) return 0;
      if (count > a.bytes / each / n)
        damaged(file_, fmt::format("byte {}: an array is larger than the file", a.data));
      count *= n;
    }
    return count;
  }
  Array array(const std::string& name, std::size_t begin, std::size_t size, std::size_t at) const {
    if (Crc32::of(bytes_.data() + begin, size) != get(bytes_, at + 14, 4))
      damaged(file_, fmt::format("bytes {} to {}, array '{}': the check sum differs", begin,
                                 begin + size, name));
    Array a;
    if (size < 10 || bytes_.compare(begin, 6, "\x93NUMPY") != 0)
      damaged(file_, fmt::format("byte {}: '{}' is no NumPy array", begin, name));
    const std::size_t header = get(bytes_, begin + 8, 2);
    if (10 + header > size) damaged(file_, fmt::format("byte {}: '{}' is cut off", begin, name));
    const std::string text = bytes_.substr(begin + 10, header);
    const auto after = [&](const std::string& key, char open, char close) {
      const std::size_t k = text.find(key);
      const std::size_t from = k == std::string::npos ? k : text.find(open, k + key.size());
      const std::size_t to = from == std::string::npos ? from : text.find(close, from + 1);
      if (to == std::string::npos)
        damaged(file_, fmt::format("byte {}: the header of '{}' lacks {}", begin, name, key));
      return text.substr(from + 1, to - from - 1);
    };
    a.type = after("'descr':", '\'', '\'');
    std::size_t value = 0;
    bool digits = false;
    for (const char c : after("'shape':", '(', ')') + ",") {
      if (c >= '0' && c <= '9') {
        if (value > size)
          damaged(file_, fmt::format("byte {}: '{}' is larger than the file", begin, name));
        value = 10 * value + static_cast<std::size_t>(c - '0');
        digits = true;
      } else if (c == ',' && digits) {
        a.shape.push_back(value);
        value = 0;
        digits = false;
      }
    }
    a.data = begin + 10 + header;
    a.bytes = size - 10 - header;
    return a;
  }

  std::filesystem::path file_;
  std::string bytes_;
};

}  // namespace

void write_npz(const std::filesystem::path& file, const Rows& rows, const std::string& run) {
  ZipWriter zip(file);
  const auto n = static_cast<std::uint64_t>(rows.count);
  const std::size_t m = rows.names.size();
  std::string header = npy_header("<f8", fmt::format("({},)", n));
  zip.begin("t.npy", header.size() + 8 * n);
  zip.data(header.data(), header.size());
  rows.each([&](const double* row) { zip.data(row, sizeof(double)); });
  zip.end();
  header = npy_header("<f8", fmt::format("({}, {})", n, m));
  zip.begin("y.npy", header.size() + 8 * n * m);
  zip.data(header.data(), header.size());
  rows.each([&](const double* row) { zip.data(row + 1, m * sizeof(double)); });
  zip.end();
  write_texts(zip, "names.npy", rows.names, fmt::format("({},)", m));
  write_texts(zip, "run.npy", {run}, "()");
  zip.close();
}

FileTrajectory read_npz(const std::filesystem::path& file) {
  const NpzReader in(file);
  FileTrajectory result;
  result.t = in.numbers("t.npy", 1);
  result.y = in.numbers("y.npy", 2);
  result.names = in.texts("names.npy");
  const std::vector<std::string> run = in.texts("run.npy");
  if (run.size() != 1) damaged(file, "array 'run.npy': it does not hold one text");
  result.run = run.front();
  if (result.names.empty() ? !result.y.empty()
                           : result.y.size() / result.names.size() != result.t.size() ||
                                 result.y.size() % result.names.size() != 0)
    damaged(file, fmt::format("{} values for {} times and {} variables", result.y.size(),
                              result.t.size(), result.names.size()));
  return result;
}

}  // namespace daedalus::files
