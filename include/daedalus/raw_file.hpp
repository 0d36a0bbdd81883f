// SPDX-License-Identifier: BSD-3-Clause
// Raw files of SPICE, as waveform viewers read them: plots one after another, each with names,
// kinds and values of its vectors, as text or as binary numbers. A trajectory file that ends in
// .raw is one of them (.ascii.raw: as text).
#pragma once

#include <complex>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace daedalus {

struct RawPlot {
  std::string title;               // of the circuit
  std::string name;                // "Transient Analysis"; viewers tell plots apart by it
  bool complex_values = false;     // of AC analyses: every value has two numbers
  std::vector<std::string> names;  // the first is the axis: time, frequency, ...
  std::vector<std::string> kinds;  // time, frequency, voltage, current, notype; empty: by the names
  long count = 0;                  // of points
  // Calls the function with the numbers of every point, first to last.
  std::function<void(const std::function<void(const double* row)>&)> each;
  // The same from rows in memory.
  void set_rows(std::vector<std::vector<double>> rows);
};

// v(...) is a voltage, i(...) a current.
std::string raw_kind(const std::string& name);

bool raw_as_text(const std::filesystem::path& file);  // whether the name ends in .ascii.raw
// Throws FileError where nothing can be written. The file appears as a whole or not at all.
void write_raw(const std::filesystem::path& file, const std::vector<RawPlot>& plots, bool as_text);

struct RawVectors {
  std::string title, name;
  bool complex_values = false;
  std::vector<std::string> names, kinds;
  std::vector<double> values;  // point by point; complex ones as pairs
  std::size_t points() const {
    const std::size_t each = names.size() * (complex_values ? 2 : 1);
    return each == 0 ? 0 : values.size() / each;
  }
};
// All plots of a file, whichever way they are stored. Throws FileError with the place.
std::vector<RawVectors> read_raw(const std::filesystem::path& file);

}  // namespace daedalus
