// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/solution.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrate/solution_data.hpp"

namespace daedalus {

const SolutionData& Solution::data() const& {
  if (!data_) throw InvalidArgument("Solution: it was moved from; use the one it was moved to");
  return *data_;
}

Status Solution::status() const { return data().status; }
const std::string& Solution::message() const& { return data().message; }
double Solution::end_time() const { return data().end_time; }
const Variables& Solution::variables() const& { return *data().variables; }
const std::vector<double>& Solution::times() const& { return data().times; }
const std::vector<EventRecord>& Solution::events() const& { return data().events; }
const std::vector<DriftSample>& Solution::drift() const& { return data().drift; }
const Statistics& Solution::statistics() const& { return data().statistics; }
const MethodChoice& Solution::choice() const& { return data().choice; }
const std::vector<std::string>& Solution::warnings() const& { return data().warnings; }
std::exception_ptr Solution::exception() const { return data().exception; }

ModelState Solution::state(std::size_t i) const {
  if (i >= data().times.size())
    throw InvalidArgument(
        fmt::format("state: index {} of {} reported states", i, data().times.size()));
  const auto n = static_cast<std::size_t>(data().variables->size());
  const Eigen::Map<const Eigen::VectorXd> x(data().states.data() + i * n,
                                            static_cast<Eigen::Index>(n));
  return {data().variables, data().times[i], x};
}

ModelState Solution::start() const { return {data().variables, data().start_time, data().start}; }
ModelState Solution::end() const { return {data().variables, data().end_time, data().end}; }

ModelState Solution::at(double t) const {
  const SolutionData& d = data();
  if (!std::isfinite(t)) throw InvalidArgument(fmt::format("at: t = {} is not finite", t));
  const double tiny = 1e-14 * std::max(std::abs(d.start_time), std::abs(d.end_time));
  if (std::abs(t - d.end_time) <= tiny) return end();
  if (std::abs(t - d.start_time) <= tiny) return start();
  const double sign = d.end_time >= d.start_time ? 1.0 : -1.0;
  if (sign * (t - d.start_time) < 0.0 || sign * (t - d.end_time) > 0.0)
    throw InvalidArgument(fmt::format("at: t = {} is outside the computed interval [{}, {}]", t,
                                      d.start_time, d.end_time));
  if (!d.interpolants.empty()) {
    const auto it =
        std::partition_point(d.interpolants.begin(), d.interpolants.end(),
                             [&](const Interpolant& p) { return sign * (p.t0 + p.h - t) < 0.0; });
    const Interpolant& p = it == d.interpolants.end() ? d.interpolants.back() : *it;
    Eigen::VectorXd x(d.layout.points()), w(d.layout.tangents());
    p.evaluate(d.layout, t, w, x.data());
    return {d.variables, t, std::move(x)};
  }
  for (std::size_t i = 0; i < d.times.size(); ++i)
    if (std::abs(d.times[i] - t) <= tiny) return state(i);
  throw InvalidArgument(fmt::format(
      "at: t = {} is not a reported time; ask for the output 'dense' to evaluate anywhere", t));
}

}  // namespace daedalus
