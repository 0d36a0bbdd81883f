// SPDX-License-Identifier: BSD-3-Clause
// One event, or the start of a run: relations, discrete variables and when-clauses are brought to a
// state that reproduces itself.
#pragma once

#include <string>
#include <vector>

#include "model/compiled.hpp"

namespace daedalus {

class EventRun {
  friend class ModeSearch;

 public:
  // `y`: model variables in the order of the problem; `modes`: EventProgram::size() values.
  EventRun(const Model::Data& data, const std::vector<double>& parameters, double t, double* y,
           double* modes);

  void start();                  // all modes from the start values
  void cross(int relation);      // its crossing function was located at zero
  void take_samples(int fired);  // of this clock and all that tick with it; -1: those alone
  bool stops() const { return stops_; }
  const std::string& message() const { return message_; }

 private:
  void settle(int fired);
  void finish();
  void follow_end();
  void solve_mixed(int fired, int pass);
  void find_relations(int fired, int pass);
  bool update_relations(int fired, bool first);
  bool outcome_now(int relation, int fired) const;  // of the crossing functions evaluated last
  bool pass();
  bool update_discrete(int k);
  bool follow_discretes();
  bool settle_discretes();
  bool act(int first);
  void evaluate_values() { e_.values->run(arguments(), values_.data()); }
  void remember_previous(bool of_variables);
  void remember_conditions();
  void find_sleepers();
  void check_sides(int fired);
  std::vector<double> sample_times();  // first, period of each clock
  bool ring_clocks(int fired);         // whether one ticks now
  void silence_clocks();
  std::vector<char> indifferent(int row, const std::vector<int>& relations);
  void evaluate_crossings();
  void solve();
  bool newton();
  bool newton_of_array();  // index above 1
  bool rates_of_diagonal();
  // Of the crossing function of a relation: whether its rate of change is known, and what follows
  // from it for the side to the right of zero.
  bool rate_is_known(int relation) const;
  [[noreturn]] void give_up() const;
  Arguments<double> arguments() const;
  double current(const EventProgram::Previous& p) const;
  double* value_of(graph::InputKind kind, int number);

  const Model::Data& d_;
  const EventProgram& e_;
  const std::vector<double>& p_;
  double t_;
  double* y_;
  double* modes_;
  Eigen::VectorXd yp_;
  std::vector<Dual4> crossing_;
  std::vector<double> values_;
  std::vector<std::string> changed_;               // in the last pass
  std::vector<std::pair<double*, double>> jumps_;  // of reinit in this pass
  enum class Rates { none, differentiated, all } rates_ = Rates::none;
  double noise_ = 0.0;          // what the fired crossing function is off by, without any change
  std::vector<char> at_event_;  // relations of the same crossing function
  bool by_rate_ = false;        // the rates of these alone decide (ModeSearch)
  std::vector<int> ticking_;
  bool stops_ = false;
  std::string message_;
};

}  // namespace daedalus
