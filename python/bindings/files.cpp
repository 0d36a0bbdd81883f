// SPDX-License-Identifier: BSD-3-Clause
// Trajectories and runs as files of the library's formats, and long runs with checkpoints.
#include <daedalus/checkpoint_file.hpp>
#include <daedalus/run_file.hpp>
#include <daedalus/trajectory_file.hpp>

#include <sstream>

#include "bindings.hpp"
#include "entries.hpp"

namespace daedalus::python {
namespace {

std::string save_trajectory(const Solution& s, const std::string& path, const std::string& run) {
  TrajectoryFile file(path);
  for (std::size_t i = 0; i < s.times().size(); ++i) file.add(s.state(i));
  return file.commit(run).string();
}

py::tuple load_trajectory(const std::string& path) {
  const FileTrajectory f = read_trajectory(path);
  py::array_t<double> t(static_cast<py::ssize_t>(f.t.size()), f.t.data());
  py::array_t<double> y({f.t.size(), f.names.size()});
  std::copy(f.y.begin(), f.y.end(), y.mutable_data());
  return py::make_tuple(f.names, t, y, f.run);
}

// The document of the report; `entry` and `scene` are None, or what is known about the problem.
std::string run_document(const NativeProblem& p, const Solution& s, const py::object& entry,
                         const Values& overrides, const py::object& scene) {
  RunFile file;
  file.title = name_of(p.problem);
  if (!entry.is_none()) {
    const Entry& e = *entry.cast<const NativeEntry&>().entry;
    file.title = e.title;
    file.source = e.source;
    file.equations = e.equations;
    if (e.scene) file.scene = e.scene(e.all_values(overrides));
  }
  if (!scene.is_none()) file.scene = scene.cast<const Scene&>();
  std::ostringstream out;
  write_run(out, p.problem, s, file);
  return out.str();
}

Solution long_run(const NativeProblem& p, double t0, double t1, const py::dict& keywords,
                  const py::dict& run) {
  Options o = options_from(keywords);
  LongRun r;
  const auto take = [&](const char* name, auto& to) {
    if (run.contains(name)) to = run[name].cast<std::decay_t<decltype(to)>>();
  };
  take("keep_states", r.keep_states);
  take("times_between", r.times_between);
  take("checkpoint", r.checkpoint);
  take("checkpoint_seconds", r.checkpoint_seconds);
  take("checkpoint_steps", r.checkpoint_steps);
  take("resume", r.resume);
  std::string out;
  take("file", out);
  const py::gil_scoped_release unlocked;
  if (out.empty()) return solve(p.problem, {t0, t1}, o, r);
  TrajectoryFile file(out, !r.checkpoint.empty());
  file.attach(o, r);
  const Solution s = solve(p.problem, {t0, t1}, o, r);
  file.commit({}, s.ok());
  return s;
}

}  // namespace

void add_files(py::module_& m) {
  m.def("save_trajectory", save_trajectory);
  m.def("load_trajectory", load_trajectory);
  m.def("run_document", run_document);
  m.def("long_run", long_run);
  m.def("write_checkpoint",
        [](const std::string& file, const Checkpoint& c) { write_checkpoint(file, c); });
  m.def("read_checkpoint", [](const std::string& file) { return read_checkpoint(file); });
}

}  // namespace daedalus::python
