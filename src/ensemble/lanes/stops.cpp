// SPDX-License-Identifier: BSD-3-Clause
// Conditions that end a run. What the library's loop finds with its interpolant is found here by
// whole steps, which have the accuracy of all others and need no code of their own: a step over a
// crossing is taken back, and the next ones divide the interval by the Illinois rule (Dowell,
// Jarratt 1971). One that ends before the crossing is accepted and moves the near end of the
// bracket, one beyond it moves the far end.
#include <limits>

#include "ensemble/lanes/kernel.hpp"
#include "kernel/at.hpp"

namespace daedalus::lanes {
namespace {

using Exprs = std::vector<Expr>;

// Width of the last bracket, as a part of the step that came upon it, and in units of round-off of
// the time: above the least step of the loop (16).
constexpr double last_width = 1e-12, width_in_round_off = 64.0;
// What the value at an end that stays counts when the other one has moved twice: the Illinois rule.
constexpr double kept_share = 0.5;

// The state: values at both ends of the bracket, then these.
enum Number : int { width, moved, natural, number_count };
// Names of the two ends; 0 is neither.
constexpr double near_moved = -1.0, far_moved = 1.0;

Expr either(const Exprs& conditions) {
  Expr any = 0.0;
  for (const Expr& c : conditions) any = any.is_number(0.0) ? c : (any || c);
  return any;
}

Expr crossing(Crossing direction, const Expr& from, const Expr& to) {
  const Expr up = from < 0.0 && to >= 0.0, down = from > 0.0 && to <= 0.0;
  return direction == Crossing::rising ? up : direction == Crossing::falling ? down : (up || down);
}

// Where between the ends of a bracket the first of the crossings is, by secants, and which it is.
struct First {
  Expr part = 1.0, number = 0.0;
};
First first_of(const Exprs& crossed, const Exprs& from, const Exprs& to) {
  First f;
  for (std::size_t i = 0; i < crossed.size(); ++i) {
    const Expr part = from[i] / (from[i] - to[i]), earlier = crossed[i] && part <= f.part;
    f.part = select(earlier, part, f.part);
    f.number = select(earlier, static_cast<double>(i), f.number);
  }
  return f;
}

}  // namespace

int stop_numbers(const Settings& settings) {
  const int count = static_cast<int>(settings.stops.size());
  return count == 0 ? 0 : 2 * count + number_count;
}

std::vector<Expr> stop_start(const std::vector<Expr>& values, const Settings& settings) {
  Exprs numbers = values;
  numbers.resize(at(stop_numbers(settings)), 0.0);
  return numbers;
}

Expr in_bracket(const std::vector<Expr>& before, const Settings& settings) {
  return before.empty() ? Expr(0.0) : before[2 * settings.stops.size() + width] > 0.0;
}

Watch watch(const std::vector<Expr>& x, const std::vector<Expr>& before, const StepLength& step,
            const Verdict& verdict, const std::vector<Expr>& now, const Settings& settings) {
  const std::size_t count = settings.stops.size();
  if (count == 0) return {verdict, {}, 0.0};
  const Expr *near = before.data(), *far = near + count, *numbers = far + count;
  const Expr searching = in_bracket(before, settings);
  const Expr usual = select(searching, numbers[natural], x[place_h]);
  const Expr narrow =
      max(last_width * usual, (width_in_round_off * std::numeric_limits<double>::epsilon()) *
                                  max(abs(x[place_t]), abs(step.t_new)));
  Exprs crossed, beyond;  // beyond: not on the crossing, but past it
  for (std::size_t i = 0; i < count; ++i) {
    crossed.push_back(crossing(settings.stops[i], near[i], now[i]));
    beyond.push_back(crossed[i] && now[i] != 0.0);
  }
  const Expr over = verdict.accepted && either(crossed);
  const Expr arrived = over && (step.h <= narrow || !either(beyond));
  const Expr back = over && !arrived;
  const Expr nearer = verdict.accepted && searching && !over;
  const Expr rest = select(back, step.h, numbers[width] - step.h);
  const Expr closed = nearer && rest <= narrow;

  Exprs from, to, inside;
  const Expr same_far = numbers[moved] == far_moved, same_near = numbers[moved] == near_moved;
  for (std::size_t i = 0; i < count; ++i) {
    from.push_back(select(back, select(same_far, kept_share, 1.0) * near[i],
                          select(verdict.accepted, now[i], near[i])));
    to.push_back(select(back, now[i], select(nearer && same_near, kept_share, 1.0) * far[i]));
    inside.push_back(crossing(settings.stops[i], from[i], to[i]));
  }
  const First there = first_of(crossed, {near, near + count}, now),
              ahead = first_of(inside, from, to);
  const Expr margin = 0.5 * narrow;
  const Expr next = max(min(ahead.part * rest, rest - margin), margin);

  Watch w;
  w.verdict = verdict;
  w.verdict.accepted = verdict.accepted && !back;
  for (const int place : {place_t, place_last_h, place_last_error, place_rejected})
    w.verdict.control[at(place)] = select(back, x[at(place)], verdict.control[at(place)]);
  w.verdict.control[place_h] = select(back || nearer, next, verdict.control[place_h]);
  w.verdict.control[place_accepted] = x[place_accepted] + w.verdict.accepted;
  w.numbers = from;
  w.numbers.insert(w.numbers.end(), to.begin(), to.end());
  w.numbers.push_back(select(back || nearer, rest, numbers[width]));
  w.numbers.push_back(select(back, far_moved, select(nearer, near_moved, numbers[moved])));
  w.numbers.push_back(usual);
  w.stopped = select(arrived, ending_stopped + there.number,
                     select(closed, ending_stopped + ahead.number, 0.0));
  return w;
}

}  // namespace daedalus::lanes
