// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <fmt/format.h>

#include <daedalus/ensemble.hpp>

namespace daedalus {
namespace {

template <class Value>
std::vector<double> spaced(double to, std::size_t count, Value&& value) {
  if (count < 2) throw InvalidArgument("a range of values has at least two");
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = value(static_cast<double>(i) / static_cast<double>(count - 1));
  values.back() = to;  // exactly
  return values;
}

}  // namespace

std::vector<double> equidistant(double from, double to, std::size_t count) {
  return spaced(to, count, [&](double part) { return from + part * (to - from); });
}

std::vector<double> logarithmic(double from, double to, std::size_t count) {
  if (!(from > 0.0 && to > 0.0))
    throw InvalidArgument(
        fmt::format("a logarithmic range has positive ends; {} and {} are given", from, to));
  return spaced(to, count, [&](double part) { return from * std::pow(to / from, part); });
}

ParameterGrid::ParameterGrid(std::initializer_list<Axis> axes) {
  for (const Axis& axis : axes) add(axis);
}

void ParameterGrid::add(Axis axis) {
  for (const Axis& other : axes_)
    if (other.name == axis.name)
      throw InvalidArgument(fmt::format("parameter '{}' is given twice", axis.name));
  if (axis.values.empty())
    throw InvalidArgument(fmt::format("parameter '{}' has no values", axis.name));
  if (axis.values.size() > max_runs / size_)
    throw InvalidArgument(
        fmt::format("parameter '{}' makes more than {} runs", axis.name, max_runs));
  size_ *= axis.values.size();
  axes_.push_back(std::move(axis));
}

std::vector<double> ParameterGrid::point(std::size_t run) const {
  std::vector<double> values(axes_.size());
  for (std::size_t k = axes_.size(); k-- > 0;) {
    const std::vector<double>& all = axes_[k].values;
    values[k] = all[run % all.size()];
    run /= all.size();
  }
  return values;
}

std::vector<Parameter> ParameterGrid::parameters(std::size_t run) const {
  const std::vector<double> values = point(run);
  std::vector<Parameter> named;
  for (std::size_t k = 0; k < values.size(); ++k) named.push_back({axes_[k].name, values[k]});
  return named;
}

}  // namespace daedalus
