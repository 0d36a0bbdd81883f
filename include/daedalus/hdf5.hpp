// SPDX-License-Identifier: BSD-3-Clause
// Trajectories as HDF5, a component of its own: programs that do not link daedalus::hdf5 do not
// load the shared objects that libhdf5 brings along.
#pragma once

namespace daedalus {

// From here on TrajectoryFile and read_trajectory take names that end in .h5 or .hdf5. Calling it
// again changes nothing; call it before other threads read or write files.
void enable_hdf5();

}  // namespace daedalus
