// Checkpoint files: sections with names, lengths and check sums, replaced as a whole. The first one
// says what the run is, as names with values, so that another run is refused with the difference.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace daedalus {

using Identity = std::vector<std::pair<std::string, std::string>>;

struct Checkpoint {
  Identity identity;
  std::vector<char> state;  // an archive of the loop
  std::string outside;      // LongRun::save
};

void write_checkpoint(const std::string& file, const Checkpoint& checkpoint);
// Throws FileError that names the place where the file is damaged, cut off or of another kind.
Checkpoint read_checkpoint(const std::string& file);
// Throws InvalidArgument naming what differs.
void require_same(const std::string& file, const Identity& there, const Identity& here);

}  // namespace daedalus
