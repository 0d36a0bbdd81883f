// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/mechanism_file.hpp>

namespace daedalus {

bool urdf_is_available() { return false; }

MechanismFile read_urdf_text(std::string, const std::string& name) {
  throw InvalidArgument("'" + name +
                        "' is URDF, which this build cannot read: it was built without pugixml "
                        "(libpugixml-dev); a mechanism.json needs nothing");
}

}  // namespace daedalus
