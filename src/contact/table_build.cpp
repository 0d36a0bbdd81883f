// SPDX-License-Identifier: BSD-3-Clause
// Requests, sampling and the fit of one quantity after another.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "contact/table_data.hpp"

namespace daedalus {

namespace {

void require(bool fine, const std::string& message) {
  if (!fine) throw InvalidArgument("contact table: " + message);
}

void check_name(const std::string& what, const std::string& name) {
  require(!name.empty() && name.find_first_of(" \t\n\r") == std::string::npos,
          fmt::format("{} has the name '{}', allowed: one word", what, name));
}

void check_axis(const TableAxis& a) {
  check_name("an axis", a.name);
  require(a.breaks.size() >= 2,
          fmt::format("axis '{}' has {} breaks, allowed: at least 2", a.name, a.breaks.size()));
  for (std::size_t i = 0; i < a.breaks.size(); ++i)
    require(std::isfinite(a.breaks[i]) && (i == 0 || a.breaks[i] > a.breaks[i - 1]),
            fmt::format("break {} of axis '{}' is {}, allowed: finite and increasing", i, a.name,
                        a.breaks[i]));
  require(!a.even || (a.breaks.size() == 2 && a.breaks.front() == 0.0),
          fmt::format("even axis '{}' has {} breaks from {}, allowed: 0 and a positive value",
                      a.name, a.breaks.size(), a.breaks.front()));
}

void check(const TableRequest& r) {
  require(!r.axes.empty() && r.axes.size() <= 3,
          fmt::format("{} axes, allowed: 1 to 3", r.axes.size()));
  require(!r.quantities.empty(), "no quantities, allowed: at least one");
  require(r.samples >= 1 && r.samples <= 8,
          fmt::format("samples is {}, allowed: 1 to 8", r.samples));
  for (const TableAxis& a : r.axes) check_axis(a);
  for (const TableQuantity& q : r.quantities) {
    check_name("a quantity", q.name);
    require(q.degree >= 1 && q.degree <= 5,
            fmt::format("degree of '{}' is {}, allowed: 1 to 5", q.name, q.degree));
    for (const double mu : q.smoothing)
      require(mu >= 0.0 && std::isfinite(mu),
              fmt::format("smoothing of '{}' is {}, allowed: 0 or positive", q.name, mu));
    for (const TableAxis& a : r.axes) {
      const auto intervals = static_cast<int>(a.breaks.size()) - 1;
      require(a.even || r.samples * intervals >= intervals + q.degree,
              fmt::format("{} samples on axis '{}' for {} functions of '{}', allowed: at least as "
                          "many; raise samples or the number of breaks",
                          r.samples * intervals, a.name, intervals + q.degree, q.name));
    }
  }
}

// FNV-1a.
class Hash {
 public:
  void bytes(const void* data, std::size_t size) {
    const auto* c = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) h_ = (h_ ^ c[i]) * 1099511628211ULL;
  }
  template <class T>
  void add(const T& x) {
    bytes(&x, sizeof x);
  }
  void add(const std::string& s) {
    add(s.size());
    bytes(s.data(), s.size());
  }
  std::uint64_t value() const { return h_; }

 private:
  std::uint64_t h_ = 14695981039346656037ULL;
};

}  // namespace

TableAxis TableAxis::uniform(std::string name, double low, double high, int intervals) {
  require(intervals >= 1,
          fmt::format("axis '{}' has {} intervals, allowed: at least 1", name, intervals));
  TableAxis axis{.name = std::move(name), .breaks = {}, .even = false};
  for (int i = 0; i <= intervals; ++i)
    axis.breaks.push_back(i == intervals ? high : low + (high - low) * i / intervals);
  return axis;
}

TableAxis TableAxis::parabola(std::string name, double p_0) {
  return {.name = std::move(name), .breaks = {0.0, p_0}, .even = true};
}

std::uint64_t TableRequest::key() const {
  Hash h;
  for (const TableAxis& a : axes) {
    h.add(a.name);
    h.add(a.even);
    for (const double x : a.breaks) h.add(x);
  }
  for (const TableQuantity& q : quantities) {
    h.add(q.name);
    h.add(q.degree);
    h.add(q.smoothing);
  }
  h.add(samples);
  h.add(profile);
  h.add(grid);
  h.add(nu);
  return h.value();
}

ContactTable::Data::Data(TableRequest given) : request(std::move(given)) {
  check(request);
  for (std::size_t k = 0; k < request.quantities.size(); ++k) {
    const int degree = request.quantities[k].degree;
    std::size_t g = 0;
    while (g < groups.size() && groups[g].degree != degree) ++g;
    if (g == groups.size()) {
      Group group;
      group.degree = degree;
      for (std::size_t d = 0; d < request.axes.size(); ++d)
        group.basis[d] = AxisBasis(request.axes[d], degree);
      groups.push_back(std::move(group));
    }
    where.emplace_back(static_cast<int>(g), static_cast<int>(groups[g].members.size()));
    groups[g].members.push_back(static_cast<int>(k));
  }
  for (Group& g : groups) g.coefficients.assign(g.functions() * g.members.size(), 0.0);
}

ContactTable ContactTable::build(const TableRequest& request, const Sample& sample) {
  auto data = std::make_shared<Data>(request);
  const FitPoints points = fit_points(request);
  const std::size_t count = request.quantities.size();
  std::vector<std::vector<double>> values(count);
  std::vector<double> omega, one(count);
  for (const double x : points.x[0])
    for (const double y : points.x[1])
      for (const double z : points.x[2]) {
        const std::array<double, 3> p{x, y, z};
        sample(p, one.data());
        omega.push_back(request.weight ? request.weight(p) : 1.0);
        require(omega.back() > 0.0 && std::isfinite(omega.back()),
                fmt::format("the weight at p = ({}, {}, {}) is {}, allowed: positive and finite", x,
                            y, z, omega.back()));
        for (std::size_t k = 0; k < count; ++k) {
          require(std::isfinite(one[k]), fmt::format("'{}' at p = ({}, {}, {}) is {}",
                                                     request.quantities[k].name, x, y, z, one[k]));
          values[k].push_back(one[k]);
        }
      }
  for (std::size_t k = 0; k < count; ++k) {
    const auto [group, member] = data->where[k];
    Data::Group& g = data->groups[static_cast<std::size_t>(group)];
    const std::vector<double> c = fit_splines(*data, static_cast<int>(k), points, omega, values[k]);
    for (std::size_t i = 0; i < c.size(); ++i)
      g.coefficients[i * g.members.size() + static_cast<std::size_t>(member)] = c[i];
  }
  return ContactTable(std::move(data));
}

}  // namespace daedalus
