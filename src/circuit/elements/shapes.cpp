// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/elements/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace daedalus::circuit {
namespace {

constexpr std::array<std::string_view, 5> shape_names{"pulse", "sin", "exp", "pwl", "sffm"};
// Corners are computed by other sums than the time modulo the period. Shapes take the formula to
// the right of a corner from this part of the shortest piece before it on.
constexpr double corner_margin = 1e-9;
// More corners than this are not listed: the run would not end anyway.
constexpr double max_corners = 5e6;

Expr plain(const Expr& x) { return no_event(x); }

class ShapeMaker {
 public:
  ShapeMaker(Context& c, const Part& part, const std::vector<Value>& values)
      : c_(c), part_(part), values_(values), t_(c.network.time()) {}

  std::optional<Shape> pulse() {
    const double tstep = c_.network.tstep, tstop = c_.network.tstop;
    const Expr v1 = expr(0), v2 = values_.size() > 1 ? expr(1) : v1;
    const double td = number(2, 0.0);
    double rise = number(3, tstep), fall = number(4, tstep);
    for (double* edge : {&rise, &fall})
      if (*edge == 0.0) {
        if (values_.size() > (edge == &rise ? 3U : 4U))
          c_.files.warning(part_.where, fmt::format("{}: rise or fall time 0 is replaced by tstep",
                                                    part_.written));
        *edge = tstep > 0.0 ? tstep : 1e-12;
      }
    double width = number(5, values_.size() == 5 ? 0.0 : tstop);
    double period = number(6, tstop);
    if (!(period > 0.0)) period = std::max(tstop, rise + width + fall);
    if (rise + width + fall > period * (1.0 + 1e-12) && period < tstop)
      c_.files.warning(part_.where,
                       fmt::format("{}: rise, width and fall take longer than the period, at whose "
                                   "end the value jumps",
                                   part_.written),
                       "give a longer period, or shorter times");
    const double count = number(7, 0.0);
    const double margin =
        corner_margin * std::min({rise, fall, period, width > 0.0 ? width : period});
    // Time since the start of the period, in [-margin, period - margin).
    const Expr shifted = t_ - (td - margin);
    Expr tau = period < tstop ? mod(shifted, period) - margin : shifted - margin;
    const Expr s = tau + margin;
    const Expr down =
        select(s < rise + width + fall, v2 + (v1 - v2) / fall * (tau - rise - width), v1);
    Expr value = select(s < rise, v1 + (v2 - v1) / rise * tau, select(s < rise + width, v2, down));
    value = select(shifted < 0.0, v1, value);
    if (count > 0.0) value = select(shifted < count * period, value, v1);
    return Shape{plain(value), [=](double from, double to, std::vector<double>& times) {
                   const double last = count > 0.0 ? std::min(to, td + count * period) : to;
                   double k = std::max(0.0, std::floor((from - td) / period) - 1.0);
                   if ((last - from) / period * 4.0 > max_corners) return;
                   for (; td + k * period <= last; k += 1.0)
                     for (const double corner : {0.0, rise, rise + width, rise + width + fall})
                       if (corner < period * (1.0 + 1e-12)) {
                         const double at = td + k * period + corner;
                         if (at > from && at <= to) times.push_back(at);
                       }
                 }};
  }

  std::optional<Shape> sine() {
    const Expr offset = expr(0), amplitude = expr(1);
    const double tstop = c_.network.tstop;
    double f = number(2, 0.0);
    if (f == 0.0) f = tstop > 0.0 ? 1.0 / tstop : 1.0;
    const double td = number(3, 0.0), theta = number(4, 0.0);
    const double phase = number(5, 0.0) * std::numbers::pi / 180.0;
    const Expr s = t_ - td;
    Expr wave = amplitude * sin(2.0 * std::numbers::pi * f * s + phase);
    if (theta != 0.0) wave *= exp(-theta * s);
    Expr value = offset + wave;
    if (td > 0.0) value = select(t_ < td, offset + amplitude * std::sin(phase), value);
    return Shape{plain(value), one_by_one({td})};
  }

  std::optional<Shape> exponential() {
    const double tstep = c_.network.tstep;
    const Expr v1 = expr(0), v2 = expr(1);
    const double td1 = number(2, 0.0), tau1 = positive(3, tstep);
    const double td2 = number(4, td1 + tstep), tau2 = positive(5, tstep);
    const Expr up = (v2 - v1) * (1.0 - exp(-(t_ - td1) / tau1));
    const Expr down = (v1 - v2) * (1.0 - exp(-(t_ - td2) / tau2));
    const Expr value = v1 + select(t_ < td1, 0.0, up) + select(t_ < td2, 0.0, down);
    return Shape{plain(value), one_by_one({td1, td2})};
  }

  std::optional<Shape> modulated() {
    const Expr offset = expr(0), amplitude = expr(1);
    const double pi2 = 2.0 * std::numbers::pi, tstop = std::max(c_.network.tstop, 1e-300);
    const double fc = number(2, 1.0 / tstop), index = number(3, 0.0), fs = number(4, 1.0 / tstop);
    return Shape{offset + amplitude * sin(pi2 * fc * t_ + index * sin(pi2 * fs * t_)), {}};
  }

  std::optional<Shape> piecewise(double repeat, double delay) {
    if (values_.size() < 2 || values_.size() % 2 != 0) {
      c_.files.error(part_.where,
                     fmt::format("{}: PWL needs pairs of time and value", part_.written));
      return std::nullopt;
    }
    std::vector<double> times;
    std::vector<Expr> points;
    for (std::size_t k = 0; k < values_.size(); k += 2) {
      times.push_back(number(k, 0.0));
      points.push_back(expr(k + 1));
      if (k > 0 && !(times.back() > times[times.size() - 2])) {
        c_.files.error(values_[k].where,
                       fmt::format("PWL times must increase: {:g} at position {} follows {:g}",
                                   times.back(), k + 1, times[times.size() - 2]),
                       "give a rise time");
        return std::nullopt;
      }
    }
    const double last = times.back();
    Expr t = t_ - delay;
    if (repeat >= 0.0 && last > repeat) {
      const double period = last - repeat;
      t = select(t < last, t, repeat + mod(t - repeat, period));
    }
    Shape shape{plain(piece(t, times, points, 0, times.size())), {}};
    shape.corners = [=](double from, double to, std::vector<double>& list) {
      const double period = last - repeat;
      const bool again = repeat >= 0.0 && period > 0.0;
      for (double shift = delay; shift <= to; shift += period) {
        for (const double at : times)
          if (at + shift > from && at + shift <= to) list.push_back(at + shift);
        if (!again || static_cast<double>(list.size()) > max_corners) break;
      }
    };
    return shape;
  }

 private:
  // The value where t lies between times[first - 1] and times[last], by bisection.
  Expr piece(const Expr& t, const std::vector<double>& times, const std::vector<Expr>& points,
             std::size_t first, std::size_t last) {
    if (first == last) {
      if (first == 0) return points.front();
      if (first == times.size()) return points.back();
      const double t0 = times[first - 1], t1 = times[first];
      return points[first - 1] + (points[first] - points[first - 1]) * ((t - t0) / (t1 - t0));
    }
    const std::size_t middle = (first + last) / 2;
    return select(t < times[middle], piece(t, times, points, first, middle),
                  piece(t, times, points, middle + 1, last));
  }

  static Network::Corners one_by_one(std::vector<double> corners) {
    return [corners = std::move(corners)](double from, double to, std::vector<double>& times) {
      for (const double at : corners)
        if (at > from && at <= to) times.push_back(at);
    };
  }
  Expr expr(std::size_t k) const {
    if (k >= values_.size()) return 0.0;
    return c_.level.parameters->formula(values_[k]).value_or(0.0);
  }
  double number(std::size_t k, double otherwise) const {
    return k < values_.size() ? number_or(c_, values_[k], otherwise) : otherwise;
  }
  double positive(std::size_t k, double otherwise) const {
    const double x = number(k, otherwise);
    return x > 0.0 ? x : otherwise > 0.0 ? otherwise : 1e-12;
  }

  Context& c_;
  const Part& part_;
  const std::vector<Value>& values_;
  Expr t_;
};

}  // namespace

bool is_shape(const std::string& name) {
  return std::find(shape_names.begin(), shape_names.end(), name) != shape_names.end();
}

std::optional<Shape> make_shape(Context& context, const Part& part, const std::string& name,
                                const std::vector<Value>& values, double repeat, double delay) {
  ShapeMaker maker(context, part, values);
  if (values.empty()) {
    context.files.error(part.where, fmt::format("{}: {} has no values", part.written, name));
    return std::nullopt;
  }
  if (name == "pulse") return maker.pulse();
  if (name == "sin") return maker.sine();
  if (name == "exp") return maker.exponential();
  if (name == "sffm") return maker.modulated();
  return maker.piecewise(repeat, delay);
}

}  // namespace daedalus::circuit
