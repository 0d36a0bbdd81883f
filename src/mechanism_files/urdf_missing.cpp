// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism_files/reader.hpp"

namespace daedalus {

bool urdf_is_available() { return false; }

MechanismFile read_urdf_text(std::string, const std::string& name) {
  throw InvalidArgument("'" + name +
                        "' is URDF, which this build cannot read: it was built without pugixml "
                        "(libpugixml-dev); a mechanism.json needs nothing");
}

namespace mechanism_files {

UrdfPart urdf_part(std::string, const std::string& file, const std::string&, const Values&) {
  read_urdf_text({}, file);  // throws
  return {};
}

}  // namespace mechanism_files

}  // namespace daedalus
