// SPDX-License-Identifier: BSD-3-Clause
// One writer and one reader per format. Writers get the states as a stream of rows that can be read
// as often as needed; readers throw FileError with the place.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <daedalus/trajectory_file.hpp>

namespace daedalus::files {

enum class Format { csv, json, npz, raw, hdf5 };
Format format_of(const std::filesystem::path& file);  // throws InvalidArgument

struct Rows {
  std::vector<std::string> names;
  long count = 0;
  // Calls the function with t and the values of every state, first to last.
  std::function<void(const std::function<void(const double* row)>&)> each;
};

void write_csv(const std::filesystem::path& file, const Rows& rows);
void write_json(const std::filesystem::path& file, const Rows& rows, const std::string& run);
void write_npz(const std::filesystem::path& file, const Rows& rows, const std::string& run);

void write_raw_trajectory(const std::filesystem::path& file, const Rows& rows,
                          const std::string& title, bool as_text);

// In the format of the target's ending, under the name; whole or not at all.
void write_whole(const std::filesystem::path& target, const std::filesystem::path& name,
                 const Rows& rows, const std::string& run);

FileTrajectory read_csv(const std::filesystem::path& file);
FileTrajectory read_json(const std::filesystem::path& file);
FileTrajectory read_npz(const std::filesystem::path& file);
FileTrajectory read_raw_trajectory(const std::filesystem::path& file);

// Set by enable_hdf5() of the component hdf5, which this one does not know; empty before.
struct Hdf5Format {
  void (*write)(const std::filesystem::path&, const Rows&, const std::string& run) = nullptr;
  FileTrajectory (*read)(const std::filesystem::path&, bool foreign) = nullptr;
};
Hdf5Format& hdf5_format();

std::string contents(const std::filesystem::path& file);  // throws FileError
[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& what);
// Quoted where it has to be (RFC 4180); what a spreadsheet would take for a formula gets an
// apostrophe in front, which the reader takes away.
std::string csv_field(const std::string& name);
// What a file holds as part of a message: nothing that a terminal would act on, and not too long.
std::string printable(std::string_view text);

}  // namespace daedalus::files
