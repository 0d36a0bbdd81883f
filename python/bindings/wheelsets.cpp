// SPDX-License-Identifier: BSD-3-Clause
// Wheelsets on a track: their problems, events, and what can be read at a state.
#include <daedalus/wheel_rail.hpp>

#include <fmt/format.h>

#include "keyword_record.hpp"

namespace daedalus::python {
namespace {

using Numbers = std::vector<double>;

In viewed(const Numbers& x) { return In(x.data(), static_cast<Eigen::Index>(x.size())); }

py::dict wheel_state(const WheelState& w) {
  py::dict d;
  d["s"] = w.s;
  d["rail_place"] = w.rail_place;
  d["normal_force"] = w.normal_force;
  d["ellipse"] = py::make_tuple(w.ellipse.a, w.ellipse.b, w.ellipse.approach);
  d["creepage"] = py::make_tuple(w.creepage.along, w.creepage.across, w.creepage.spin);
  d["creep_force"] = w.creep_force;
  d["point"] = w.point;
  d["normal"] = w.normal;
  d["pose"] = w.pose;
  d["xi_w"] = w.xi_w;
  return d;
}

const MultibodyProblem& wheelset_problem(const NativeProblem& p) {
  if (const auto* m = std::get_if<MultibodyProblem>(&p.problem)) return *m;
  throw py::type_error("a wheelset is a multibody problem");
}

void add_wheelset_data(py::module_& m) {
  keyword_record<WheelsetData>(m, "WheelsetData", "Masses, distances, springs and speed.")
      .def_readwrite("mass", &WheelsetData::mass)
      .def_readwrite("inertia", &WheelsetData::inertia)
      .def_readwrite("rolling_inertia", &WheelsetData::rolling_inertia)
      .def_readwrite("rolling_radius", &WheelsetData::rolling_radius)
      .def_readwrite("wheel_distance", &WheelsetData::wheel_distance)
      .def_readwrite("rail_distance", &WheelsetData::rail_distance)
      .def_readwrite("inclination", &WheelsetData::inclination)
      .def_readwrite("lateral_spring", &WheelsetData::lateral_spring)
      .def_readwrite("yaw_spring", &WheelsetData::yaw_spring)
      .def_readwrite("gravity", &WheelsetData::gravity)
      .def_readwrite("speed", &WheelsetData::speed)
      .def_readwrite("lateral_force", &WheelsetData::lateral_force)
      .def_readwrite("vertical_force", &WheelsetData::vertical_force)
      .def_property_readonly("load", &WheelsetData::load);
  keyword_record<BogieFrame>(m, "BogieFrame", "The frame that couples two wheelsets.")
      .def_readwrite("mass", &BogieFrame::mass)
      .def_readwrite("inertia", &BogieFrame::inertia)
      .def_readwrite("half_wheelbase", &BogieFrame::half_wheelbase)
      .def_readwrite("lateral_spring", &BogieFrame::lateral_spring)
      .def_readwrite("yaw_spring", &BogieFrame::yaw_spring)
      .def_readwrite("lateral_damper", &BogieFrame::lateral_damper)
      .def_readwrite("yaw_damper", &BogieFrame::yaw_damper);
  keyword_record<TrackAlignment>(m, "TrackAlignment", "Lateral place of the track's middle.")
      .def_readwrite("amplitude", &TrackAlignment::amplitude)
      .def_readwrite("start", &TrackAlignment::start)
      .def_readwrite("length", &TrackAlignment::length)
      .def_property(
          "waves",
          [](const TrackAlignment& t) {
            std::vector<std::array<double, 3>> all;
            for (const auto& w : t.waves) all.push_back({w.amplitude, w.wavelength, w.phase});
            return all;
          },
          [](TrackAlignment& t, const std::vector<std::array<double, 3>>& all) {
            t.waves.clear();
            for (const auto& w : all) t.waves.push_back({w[0], w[1], w[2]});
          })
      .def_property_readonly("straight", &TrackAlignment::straight)
      .def("place", [](const TrackAlignment& t, double x) { return t.place(x); })
      .def("slope", [](const TrackAlignment& t, double x) { return t.slope(x); });
  keyword_record<WheelsetPosition>(m, "WheelsetPosition", "Lateral place, height, roll and yaw.")
      .def_readwrite("y", &WheelsetPosition::y)
      .def_readwrite("z", &WheelsetPosition::z)
      .def_readwrite("alpha", &WheelsetPosition::alpha)
      .def_readwrite("gamma", &WheelsetPosition::gamma);
}

}  // namespace

void add_wheelsets(py::module_& m) {
  add_wheelset_data(m);
  py::class_<WheelsetModel>(m, "WheelsetModel")
      .def(py::init([](const WheelsetData& data, const std::shared_ptr<ContactCondition>& contact,
                       const CreepModel& creep, const TrackAlignment& track) {
        return WheelsetModel(data, contact, creep, track);
      }))
      .def("with_bogie", &WheelsetModel::with_bogie)
      .def_property_readonly("data", &WheelsetModel::data)
      .def_property_readonly("creep", &WheelsetModel::creep)
      .def_property_readonly("wheelsets", &WheelsetModel::wheelsets)
      .def("on_rails", &WheelsetModel::on_rails)
      .def("problem", [](const WheelsetModel& w, const WheelsetPosition& start,
                         double beta_rate) { return NativeProblem{w.problem(start, beta_rate)}; })
      .def("rigid_problem",
           [](const WheelsetModel& w, const WheelsetPosition& start, const ContactGrid& grid,
              double beta_rate) { return NativeProblem{w.rigid_problem(start, grid, beta_rate)}; })
      .def("jump_events",
           [](const WheelsetModel& w, const NativeProblem& rigid, const ContactGrid& grid,
              double hysteresis) {
             return w.jump_events(wheelset_problem(rigid), grid, hysteresis);
           })
      .def("wheel",
           [](const WheelsetModel& w, int side, double t, const Numbers& q, const Numbers& v,
              double lambda) {
             if (q.size() < 5 || v.size() < 5)
               throw py::value_error("q, v: five numbers each are expected");
             return wheel_state(w.wheel(side, t, viewed(q), viewed(v), lambda));
           })
      .def("static_lateral_force", &WheelsetModel::static_lateral_force)
      .def("gaps",
           [](const WheelsetModel& w, const WheelsetPosition& p, double x) -> py::object {
             std::array<double, 2> gap{};
             std::array<std::array<double, 4>, 2> gradient{};
             if (!w.gaps(p, x, gap, gradient)) return py::none();
             return py::make_tuple(gap, gradient);
           })
      .def("picture", [](const WheelsetModel& w, const std::vector<double>& times,
                         const std::vector<Numbers>& q, const std::vector<Numbers>& v,
                         const std::vector<Numbers>& lambda, const Numbers& levels) {
        std::vector<WheelsetPicture> frames;
        for (std::size_t i = 0; i < times.size(); ++i)
          frames.push_back(
              picture(w, times[i], viewed(q.at(i)), viewed(v.at(i)), viewed(lambda.at(i)), levels));
        return to_json(frames);
      });
}

}  // namespace daedalus::python
