// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cstdint>

#include <fmt/ranges.h>

#include <daedalus/types.hpp>
#include <daedalus/wheel_rail/geometry.hpp>

namespace daedalus {
namespace {

// smax, s~, curvatures of the wheel along and across, of the rail across.
constexpr int quantities = 5;

std::vector<double> graded(const TableRange& r) {
  bool increasing = r.places.size() >= 2 && r.intervals.size() + 1 == r.places.size();
  for (std::size_t i = 0; increasing && i < r.intervals.size(); ++i)
    increasing = r.places[i] < r.places[i + 1] && r.intervals[i] >= 1;
  if (!increasing)
    throw InvalidArgument(
        fmt::format("contact table: places {} with intervals {}; places must increase, with at "
                    "least one interval between neighbours",
                    fmt::join(r.places, ", "), fmt::join(r.intervals, ", ")));
  std::vector<double> breaks{r.places.front()};
  for (std::size_t i = 0; i < r.intervals.size(); ++i)
    for (int k = 1; k <= r.intervals[i]; ++k)
      breaks.push_back(r.places[i] + (r.places[i + 1] - r.places[i]) * k / r.intervals[i]);
  return breaks;
}

double middle_of(const TableRange& r) { return 0.5 * (r.phi_low + r.phi_high); }

ContactTable build(const QuasiElasticOnline& source, const TableRange& r,
                   const std::string& directory) {
  const WheelRail& g = source.geometry();
  if (!g.rail().constant())
    throw InvalidArgument(
        fmt::format("contact table of wheel '{}': the rail changes from '{}' to '{}' along the "
                    "track; tables are "
                    "for constant rails, use the on-line condition",
                    g.wheel().name(), g.rail().profile().name(), g.rail().profile_after().name()));
  const double radius = g.wheel().value(0.0), middle = middle_of(r), shift = radius * r.yaw_shift;
  TableRequest request;
  request.axes = {TableAxis{"u", graded(r), false},
                  TableAxis::uniform("phi", r.phi_low, r.phi_high, r.phi_intervals),
                  TableAxis::parabola("psi", r.psi_0)};
  const double mu = r.smoothing;
  request.quantities = {{"smax", 4, {mu, mu, 0.0}}};
  for (const char* name : {"attack", "wheel_along", "wheel_across", "rail_across"})
    request.quantities.push_back({name, 2, {10.0 * mu, 10.0 * mu, 0.0}});
  request.profile =
      (g.wheel().hash() * 31 + g.rail().hash()) * 31 + std::bit_cast<std::uint64_t>(shift);
  request.grid = source.grid().hash();
  request.nu = source.nu();
  const ContactTable::Sample sample = [&](const std::array<double, 3>& p, double* values) {
    RailContact c;
    const double xi_v = p[0] + radius * (p[1] - middle) - shift * p[2] * p[2];
    if (!source.evaluate({xi_v, p[1], p[2], 0.0}, false, c))
      throw InvalidArgument(fmt::format(
          "contact table: no contact at xi_v = {}, phi = {}, psi = {}", xi_v, p[1], p[2]));
    values[0] = c.value;
    values[1] = c.s;
    values[2] = c.curvature[0];
    values[3] = c.curvature[1];
    values[4] = c.curvature[3];
  };
  return directory.empty() ? ContactTable::build(request, sample)
                           : ContactTable::stored(directory, request, sample);
}

}  // namespace

QuasiElasticTable::QuasiElasticTable(const QuasiElasticOnline& source, const TableRange& range,
                                     const std::string& directory)
    : geometry_(source.geometry()),
      radius_(source.geometry().wheel().value(0.0)),
      middle_(middle_of(range)),
      yaw_shift_(radius_ * range.yaw_shift),
      table_(build(source, range, directory)) {}

Taylor2Dual QuasiElasticTable::series(const RailPose<Taylor2Dual>& p) const {
  return table_.value(0, std::array<Taylor2Dual, 3>{abscissa(p[0], p[1], p[2]), p[1], p[2]});
}

bool QuasiElasticTable::evaluate(const RailPose<double>& p, bool derivatives,
                                 RailContact& out) const {
  std::array<double, quantities> values{};
  std::array<double, 3> gradient{};
  const std::array<double, 3> place{abscissa(p[0], p[1], p[2]), p[1], p[2]};
  if (!table_.contains(place.data())) return false;
  out = {};
  if (!derivatives) {
    table_.evaluate(place.data(), values.data(), gradient.data());
    out.gradient = {gradient[0], gradient[1] - radius_ * gradient[0],
                    gradient[2] + 2.0 * yaw_shift_ * p[2] * gradient[0], 0.0};
  } else {
    using Inner = Dual<double, 3>;
    using Outer = Dual<Inner, 3>;
    std::array<Outer, 3> x;
    std::array<Inner, 3> y;
    for (std::size_t i = 0; i < 3; ++i) {
      y[i] = Inner::variable(p[i], static_cast<int>(i));
      x[i] = Outer(y[i]);
      x[i].d[i] = Inner(1.0);
    }
    x[0] = abscissa(x[0], x[1], x[2]);
    y[0] = abscissa(y[0], y[1], y[2]);
    const Outer smooth = table_.value(0, x);
    values[0] = smooth.v.v;
    for (std::size_t i = 0; i < 3; ++i) {
      out.gradient[i] = smooth.v.d[i];
      for (std::size_t j = 0; j < 3; ++j) out.hessian[i][j] = smooth.d[i].d[j];
    }
    for (int k = 1; k < quantities; ++k) {
      const Inner mean = table_.value(k, y);
      values[static_cast<std::size_t>(k)] = mean.v;
      RailContact::Gradient& g =
          k == 1 ? out.s_gradient
                 : out.curvature_gradient[static_cast<std::size_t>(k == 4 ? 3 : k - 2)];
      for (std::size_t i = 0; i < 3; ++i) g[i] = mean.d[i];
    }
  }
  out.value = values[0];
  out.s = values[1];
  out.curvature = {values[2], values[3], 0.0, values[4]};
  return true;
}

}  // namespace daedalus
