// SPDX-License-Identifier: BSD-3-Clause
// Look-ups in tables, in place of the external functions of Modelica.Blocks.Tables.
#pragma once

#include "modelica/context.hpp"

namespace daedalus::modelica {

// What was given to the constructor of a table, and the place of the call for messages.
struct TableCall {
  Context& c;
  const Value& table;
  const Place& place;

  Expr one(int column, const Expr& u) const;  // of one argument
  Expr two(const Expr& u1, const Expr& u2) const;
  double first() const;  // abscissa
  double last() const;
  // Of time. `next`: the time event to come, which tells the piece.
  Expr at_time(int column, const Expr& t, const Expr& next) const;
  Expr next_event(const Expr& t) const;

 private:
  enum class Smoothness { linear = 1, akima, constant };
  enum class Beyond { hold = 1, last_two, periodic, none };
  enum class Events { always = 1, at_discontinuities, never };
  struct Pair {
    double x, y;
  };

  std::vector<double> numbers(const char* member) const;
  double number(const char* member) const;
  std::vector<Pair> column(int k) const;
  Smoothness smoothness() const;
  bool holds() const;  // beyond the ends
  std::vector<double> event_times() const;
  Expr piece(const std::vector<Pair>& points, double from, double to, const Expr& t) const;
};

}  // namespace daedalus::modelica
