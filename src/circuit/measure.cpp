// SPDX-License-Identifier: BSD-3-Clause
// .meas on the dense output of a run: integrals by Gauss's formula on every step, crossings and
// extrema by bracketing between its points. Nothing is sampled on a grid of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <functional>

#include <daedalus/solution.hpp>

#include "circuit/circuit_data.hpp"
#include "circuit/signals.hpp"
#include "kernel/bracketing.hpp"

namespace daedalus {
namespace {

using namespace circuit;  // NOLINT: the public face of what is there

// Nodes and weights on [0, 1] of degree 11: twice the order 5 of the dense output, for squares.
constexpr std::array<std::pair<double, double>, 6> gauss{
    {{0.033765242898423986, 0.085662246189585173},
     {0.16939530676686774, 0.18038078652406930},
     {0.38069040695840155, 0.23395696728634552},
     {0.61930959304159845, 0.23395696728634552},
     {0.83060469323313226, 0.18038078652406930},
     {0.96623475710157601, 0.085662246189585173}}};
constexpr int pieces = 6;  // of a step, between which a signal has at most one crossing or extremum

class Measurer {
 public:
  Measurer(const Solution& solution, const Assembly& assembly, Files& files)
      : solution_(solution), assembly_(assembly), files_(files) {}

  Measured run(const MeasureRequest& m) {
    Measured result;
    result.name = m.name;
    try {
      result.value = value(m);
    } catch (const InvalidArgument& reason) {
      result.value = std::nan("");
      result.problem = reason.what();
    }
    return result;
  }

 private:
  using Wave = std::function<double(double)>;

  Wave wave(const Signal& signal) {
    const auto resolved = resolve(signal, assembly_, files_);
    if (!resolved) throw InvalidArgument(signal.text + " does not exist");
    return [this, s = *resolved](double t) { return s.at(solution_.at(t).all().data()); };
  }

  // Step ends in [from, to], with these.
  std::vector<double> grid(double from, double to) const {
    const double end = solution_.end_time();
    if (to > end * (1.0 + 1e-12)) throw InvalidArgument("the run ended before");
    to = std::min(to, end);
    std::vector<double> list{from};
    for (const double t : solution_.times())
      if (t > list.back() && t < to) list.push_back(t);
    if (to > list.back()) list.push_back(to);
    return list;
  }

  static double integral(const Wave& f, const std::vector<double>& steps) {
    double sum = 0.0;
    for (std::size_t k = 1; k < steps.size(); ++k) {
      const double h = steps[k] - steps[k - 1];
      for (const auto& [x, w] : gauss) sum += h * w * f(steps[k - 1] + x * h);
    }
    return sum;
  }

  // sign 1: the largest value, -1: the smallest.
  static double extremum(const Wave& f, const std::vector<double>& steps, double sign) {
    double best = sign * f(steps.front());
    const auto against = [&](double t) { return -sign * f(t); };
    for (std::size_t k = 1; k < steps.size(); ++k) {
      const double a = steps[k - 1], h = (steps[k] - a) / pieces;
      std::array<double, pieces + 1> y{};
      for (int i = 0; i <= pieces; ++i) y[static_cast<std::size_t>(i)] = -against(a + i * h);
      const auto top = std::max_element(y.begin(), y.end());
      best = std::max(best, *top);
      const auto i = top - y.begin();
      if (i == 0 || i == pieces) continue;
      const auto inside = boost::math::tools::brent_find_minima(
          against, a + static_cast<double>(i - 1) * h, a + static_cast<double>(i + 1) * h, 40);
      best = std::max(best, -inside.second);
    }
    return sign * best;
  }

  double crossing(const MeasureRequest::Crossing& c, double from, double to) {
    if (c.at >= 0.0) {
      if (c.at > solution_.end_time()) throw InvalidArgument("the run ended before");
      return c.at;
    }
    const Wave f = wave(c.signal);
    const auto g = [&](double t) { return f(t) - c.level; };
    const std::vector<double> steps = grid(std::max(from, c.delay), to);
    int count = 0;
    double last = std::nan(""), before = g(steps.front()), t_before = steps.front();
    for (std::size_t k = 1; k < steps.size(); ++k)
      for (int i = 1; i <= pieces; ++i) {
        const double h = (steps[k] - steps[k - 1]) / pieces;
        const double t = i == pieces ? steps[k] : steps[k - 1] + i * h, now = g(t);
        const bool rises = before < 0.0 && now >= 0.0, falls = before > 0.0 && now <= 0.0;
        if ((rises && c.direction >= 0) || (falls && c.direction <= 0)) {
          last = bracketed_root(g, {t_before, before, t, now}, 1e-15 * std::fabs(t));
          if (++count == c.number) return last;
        }
        if (now != 0.0) before = now;
        t_before = t;
      }
    if (c.number < 0 && count > 0) return last;
    throw InvalidArgument(fmt::format("{} = {:g} is crossed {} time{}", c.signal.text, c.level,
                                      count, count == 1 ? "" : "s"));
  }

  double value(const MeasureRequest& m) {
    if (m.what == "when") return crossing(m.when, m.from, m.until);
    if (m.what == "trig") {
      const double begin = crossing(m.when, m.from, m.until);
      return crossing(m.to, m.from, m.until) - begin;
    }
    const Wave f = wave(m.signal);
    if (m.what == "find") return f(crossing(m.when, m.from, m.until));
    const std::vector<double> steps = grid(m.from, m.until);
    if (m.what == "max") return extremum(f, steps, 1.0);
    if (m.what == "min") return extremum(f, steps, -1.0);
    if (m.what == "pp") return extremum(f, steps, 1.0) - extremum(f, steps, -1.0);
    const double length = steps.back() - steps.front();
    if (m.what == "avg") return integral(f, steps) / length;
    return std::sqrt(integral([&](double t) { return f(t) * f(t); }, steps) / length);
  }

  const Solution& solution_;
  const Assembly& assembly_;
  Files& files_;
};

}  // namespace

bool Circuit::measures() const { return !data_->assembly->requests.measures.empty(); }

std::vector<Measured> Circuit::measure(const Solution& solution) const {
  std::vector<Measured> list;
  Measurer measurer(solution, *data_->assembly, data_->netlist->files);
  for (const MeasureRequest& m : data_->assembly->requests.measures)
    list.push_back(measurer.run(m));
  return list;
}

}  // namespace daedalus
