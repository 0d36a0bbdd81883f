// SPDX-License-Identifier: BSD-3-Clause
// Peers beside our methods, and the tables of the benchmarks.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tool/work_run.hpp"

namespace daedalus::bench {

// SUNDIALS IDA on one problem; prepared once, run often. Without SUNDIALS or for a form it does not
// take, make_peer returns nothing.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual Run run(double tol, bool tight_newton) const = 0;
};
std::unique_ptr<Peer> make_peer(const problems::Entry& entry, const Problem& problem);
std::string peer_version();  // "" without peers

// Where and from what a result comes; the last columns of every table.
struct Provenance {
  std::string machine, compiler, commit;
};
Provenance provenance(std::string commit);

// A comma-separated file with the provenance at the end of each row.
class Csv {
 public:
  Csv(const std::filesystem::path& file, std::string_view columns, Provenance from);
  void row(std::string_view values);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  Provenance from_;
};

}  // namespace daedalus::bench
