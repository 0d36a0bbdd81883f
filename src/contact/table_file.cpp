// SPDX-License-Identifier: BSD-3-Clause
// Tables as text, one item per line, with a checksum over all lines before the last.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "contact/table_data.hpp"
#include "kernel/new_file.hpp"

namespace daedalus {

namespace {

constexpr const char* magic = "daedalus-contact-table 1";

std::uint64_t checksum(std::uint64_t h, const std::string& line) {
  for (const char c : line) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return (h ^ 10U) * 1099511628211ULL;
}
// Start value of FNV-1a with 64 bits.
constexpr std::uint64_t empty_checksum = 14695981039346656037ULL;

// Nothing that a terminal would act on.
std::string printable(std::string text) {
  for (char& c : text)
    if (c < 0x20 || c == 0x7f) c = '?';
  return text;
}

// A bound for the coefficients that a request asks for, before anything is made for them.
double coefficients_of(const TableRequest& r) {
  double count = static_cast<double>(r.quantities.size());
  for (const TableAxis& a : r.axes)
    count *= a.even ? 2.0 : std::max(1.0, static_cast<double>(a.breaks.size()) - 1.0);
  return count;
}

class Writer {
 public:
  template <class... A>
  void line(const char* format, const A&... a) {
    const std::string text = fmt::format(fmt::runtime(format), a...);
    sum_ = checksum(sum_, text);
    text_ += text + '\n';
  }
  std::string finish() const { return text_ + fmt::format("end {:016x}\n", sum_); }

 private:
  std::string text_;
  std::uint64_t sum_ = empty_checksum;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), in_(path) {
    std::error_code error;
    size_ = std::filesystem::file_size(path, error);
    if (!in_ || error)
      throw InvalidArgument(fmt::format("contact table '{}': cannot be read", path));
  }
  // Every item has a line of two bytes at least: a file cannot ask for more than it holds.
  std::size_t most_items() const { return size_ / 2; }
  [[noreturn]] void fail(const std::string& expected) const {
    throw InvalidArgument(fmt::format("contact table '{}', line {}: found '{}', expected {}", path_,
                                      number_, printable(text_.substr(0, 60)), expected));
  }
  std::uint64_t sum() const { return sum_; }
  void next(const std::string& expected) {
    sum_ = number_ > 0 ? checksum(sum_, text_) : sum_;
    ++number_;
    if (!std::getline(in_, text_))
      throw InvalidArgument(
          fmt::format("contact table '{}': the file ends before line {}, expected {}", path_,
                      number_, expected));
    place_ = 0;
  }
  // The words of a line, one after another.
  std::string word(const std::string& expected) {
    if (place_ >= text_.size()) fail(expected);
    const std::size_t end = std::min(text_.find(' ', place_), text_.size());
    const std::string w = text_.substr(place_, end - place_);
    place_ = end + 1;
    return w;
  }
  void keyword(const std::string& name) {
    next("'" + name + "'");
    if (word("'" + name + "'") != name) fail("'" + name + "'");
  }
  template <class T>
  T number(const std::string& expected, int base = 10) {
    const std::string w = word(expected);
    T value{};
    const char *first = w.data(), *last = first + w.size();
    std::from_chars_result result{};
    if constexpr (std::is_floating_point_v<T>)
      result = std::from_chars(first, last, value);
    else
      result = std::from_chars(first, last, value, base);
    if (result.ec != std::errc{} || result.ptr != last) fail(expected);
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(value)) fail(expected);
    return value;
  }
  void end_of_line() const {
    if (place_ <= text_.size()) fail("the end of the line");
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_, text_;
  std::ifstream in_;
  long number_ = 0;
  std::uintmax_t size_ = 0;
  std::size_t place_ = 0;
  std::uint64_t sum_ = empty_checksum;
};

int count(Reader& in, const std::string& name, int most) {
  most = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(most), in.most_items()));
  const std::string expected = fmt::format("a number from 0 to {} after '{}'", most, name);
  const int n = in.number<int>(expected);
  if (n < 0 || n > most) in.fail(expected);
  return n;
}

TableRequest read_request(Reader& in) {
  TableRequest r;
  in.keyword("profile");
  r.profile = in.number<std::uint64_t>("16 hexadecimal digits", 16);
  in.keyword("grid");
  r.grid = in.number<std::uint64_t>("16 hexadecimal digits", 16);
  in.keyword("nu");
  r.nu = in.number<double>("a number");
  in.keyword("samples");
  r.samples = count(in, "samples", 8);
  in.keyword("axes");
  r.axes.resize(static_cast<std::size_t>(count(in, "axes", 3)));
  for (TableAxis& a : r.axes) {
    in.keyword("axis");
    a.name = in.word("the name of the axis");
    a.even = count(in, "axis", 1) == 1;
    a.breaks.resize(static_cast<std::size_t>(count(in, "axis", 1000000)));
    for (std::size_t i = 0; i < a.breaks.size(); ++i) {
      const std::string what = fmt::format("break {} of axis '{}'", i, a.name);
      in.next(what);
      a.breaks[i] = in.number<double>(what);
    }
  }
  in.keyword("quantities");
  r.quantities.resize(static_cast<std::size_t>(count(in, "quantities", 1000)));
  for (TableQuantity& q : r.quantities) {
    in.keyword("quantity");
    q.name = in.word("the name of the quantity");
    q.degree = count(in, "quantity", 5);
    for (double& mu : q.smoothing) mu = in.number<double>("a smoothing parameter");
  }
  return r;
}

}  // namespace

void ContactTable::save(const std::string& path) const {
  const TableRequest& r = data_->request;
  Writer out;
  out.line("{}", magic);
  out.line("profile {:016x}", r.profile);
  out.line("grid {:016x}", r.grid);
  out.line("nu {:.17g}", r.nu);
  out.line("samples {}", r.samples);
  out.line("axes {}", r.axes.size());
  for (const TableAxis& a : r.axes) {
    out.line("axis {} {} {}", a.name, a.even ? 1 : 0, a.breaks.size());
    for (const double x : a.breaks) out.line("{:.17g}", x);
  }
  out.line("quantities {}", r.quantities.size());
  for (const TableQuantity& q : r.quantities)
    out.line("quantity {} {} {:.17g} {:.17g} {:.17g}", q.name, q.degree, q.smoothing[0],
             q.smoothing[1], q.smoothing[2]);
  for (const Data::Group& g : data_->groups) {
    out.line("coefficients {}", g.coefficients.size());
    for (const double c : g.coefficients) out.line("{:.17g}", c);
  }
  // Whole or not at all: others may read the file at the same time.
  std::string unfinished;
  const int created = create_beside(path, unfinished);
  const auto refuse = [&] {
    const int error = errno;
    if (created >= 0) unlink(unfinished.c_str());
    throw InvalidArgument(
        fmt::format("contact table '{}': cannot be written: {}", path, std::strerror(error)));
  };
  if (created < 0) refuse();
  std::FILE* const file = fdopen(created, "wb");
  if (!file) refuse();
  const std::string text = out.finish();
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                       std::fflush(file) == 0 && (fsync(created) == 0 || errno == EINVAL);
  const int error = errno;
  if (std::fclose(file) != 0 || !written) {
    errno = error;
    refuse();
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) refuse();
}

ContactTable ContactTable::load(const std::string& path) {
  Reader in(path);
  in.next(magic);
  const std::string name = in.word(magic);
  if (name + " " + in.word(magic) != magic) in.fail(magic);
  const TableRequest request = read_request(in);
  if (coefficients_of(request) > static_cast<double>(in.most_items()))
    throw InvalidArgument(
        fmt::format("contact table '{}': its axes and quantities need more coefficients than the "
                    "file can hold",
                    path));
  std::shared_ptr<Data> data;
  try {
    data = std::make_shared<Data>(request);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("contact table '{}': {}", path, error.what()));
  }
  for (Data::Group& g : data->groups) {
    in.keyword("coefficients");
    const std::string size = fmt::format("{} coefficients", g.coefficients.size());
    if (in.number<std::size_t>(size) != g.coefficients.size()) in.fail(size);
    for (std::size_t i = 0; i < g.coefficients.size(); ++i) {
      const std::string what = fmt::format("coefficient {} of degree {}", i, g.degree);
      in.next(what);
      g.coefficients[i] = in.number<double>(what);
      in.end_of_line();
    }
  }
  in.keyword("end");
  const std::string sum = fmt::format("the checksum {:016x} of the lines before", in.sum());
  if (in.number<std::uint64_t>(sum, 16) != in.sum()) in.fail(sum);
  return ContactTable(std::move(data));
}

std::string ContactTable::file_name(const TableRequest& request) {
  return fmt::format("contact-{:016x}.table", request.key());
}

ContactTable ContactTable::stored(const std::string& directory, const TableRequest& request,
                                  const Sample& sample) {
  const std::string path = (std::filesystem::path(directory) / file_name(request)).string();
  if (!std::filesystem::exists(path)) {
    ContactTable table = build(request, sample);
    table.save(path);
    return table;
  }
  ContactTable table = load(path);
  if (table.request().key() != request.key())
    throw InvalidArgument(
        fmt::format("contact table '{}' was made for profile {:016x}, grid {:016x}, nu = {}; "
                    "wanted are profile "
                    "{:016x}, grid {:016x}, nu = {}, with the axes and quantities of the request",
                    path, table.request().profile, table.request().grid, table.request().nu,
                    request.profile, request.grid, request.nu));
  return table;
}

}  // namespace daedalus
