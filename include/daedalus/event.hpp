// SPDX-License-Identifier: BSD-3-Clause
// Model states as users, events and outputs see them, and events.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/types.hpp>

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define DAEDALUS_LIFETIME_BOUND [[clang::lifetimebound]]
#endif
#endif
#ifndef DAEDALUS_LIFETIME_BOUND
#define DAEDALUS_LIFETIME_BOUND
#endif

namespace daedalus {

// Classes of variables; errors, orders and powers are stated per class.
enum class VariableClass { y, z, q, v, lambda, eta, s, c, a };
inline constexpr int class_count = 9;
std::string_view to_string(VariableClass c);

// The variables of a model: names and contiguous ranges of one class. q on a group has more point
// coordinates (names) than tangent coordinates.
struct Variables {
  struct Range {
    VariableClass cls;
    int index;  // differentiation index of these variables in the chosen formulation
    int first, count;
  };
  std::vector<std::string> names;
  std::vector<Range> ranges;
  int size() const { return static_cast<int>(names.size()); }
  int find(std::string_view name) const;  // -1 when there is none
  const Range* range_of(VariableClass c) const;
};

// A view of one model state; valid during the call that hands it out.
class StateView {
 public:
  StateView(const Variables& variables, double t, const double* x)
      : variables_(&variables), t_(t), x_(x) {}
  StateView(const Variables& variables, double t, const double* x, const std::vector<double>& modes,
            const std::vector<double>* parameters = nullptr)
      : variables_(&variables), t_(t), x_(x), modes_(&modes), parameters_(parameters) {}
  double t() const { return t_; }
  In all() const { return {x_, variables_->size()}; }
  In y() const { return all(); }
  In of(VariableClass c) const;
  In q() const { return of(VariableClass::q); }
  In v() const { return of(VariableClass::v); }
  In z() const { return of(VariableClass::z); }
  In lambda() const { return of(VariableClass::lambda); }
  In c() const { return of(VariableClass::c); }
  In s() const { return of(VariableClass::s); }
  double operator[](std::string_view name) const;  // throws InvalidArgument for an unknown name
  const Variables& variables() const { return *variables_; }
  // Discrete modes of the problem during a run (events, sinks); elsewhere there are none.
  In modes() const { return numbers(modes_); }
  // Parameters of the problem, in their order; as modes().
  In p() const { return numbers(parameters_); }

 private:
  static In numbers(const std::vector<double>* v) {
    return {v ? v->data() : nullptr, v ? static_cast<int>(v->size()) : 0};
  }

  const Variables* variables_;
  double t_;
  const double* x_;
  const std::vector<double>* modes_ = nullptr;
  const std::vector<double>* parameters_ = nullptr;
};

// An owned state with the same accessors; it may outlive the solution it came from. Of a temporary
// they give values: auto y = solve(...).end().y() is a vector of its own.
class ModelState {
 public:
  ModelState(std::shared_ptr<const Variables> variables, double t, Eigen::VectorXd x)
      : variables_(std::move(variables)), t_(t), x_(std::move(x)) {}
  // Moving copies: a state that was moved from stays what it was.
  ModelState(const ModelState&) = default;
  ModelState& operator=(const ModelState&) = default;
  StateView view() const& { return {*variables_, t_, x_.data()}; }
  StateView view() const&& = delete;
  // For arguments of functions: f(solution.end()). Like a string_view, not to be kept of a
  // temporary; Clang warns of that.
  operator StateView() const DAEDALUS_LIFETIME_BOUND { return view_here(); }  // NOLINT
  double t() const { return t_; }
  In y() const& { return view().y(); }
  In all() const& { return view().all(); }
  In of(VariableClass c) const& { return view().of(c); }
  In q() const& { return of(VariableClass::q); }
  In v() const& { return of(VariableClass::v); }
  In z() const& { return of(VariableClass::z); }
  In lambda() const& { return of(VariableClass::lambda); }
  In c() const& { return of(VariableClass::c); }
  In s() const& { return of(VariableClass::s); }
  Eigen::VectorXd y() const&& { return view_here().y(); }
  Eigen::VectorXd all() const&& { return view_here().all(); }
  Eigen::VectorXd of(VariableClass c) const&& { return view_here().of(c); }
  Eigen::VectorXd q() const&& { return view_here().q(); }
  Eigen::VectorXd v() const&& { return view_here().v(); }
  Eigen::VectorXd z() const&& { return view_here().z(); }
  Eigen::VectorXd lambda() const&& { return view_here().lambda(); }
  Eigen::VectorXd c() const&& { return view_here().c(); }
  Eigen::VectorXd s() const&& { return view_here().s(); }
  double operator[](std::string_view name) const { return view_here()[name]; }
  const Variables& variables() const& { return *variables_; }
  Variables variables() const&& { return *variables_; }

 private:
  StateView view_here() const { return {*variables_, t_, x_.data()}; }

  std::shared_ptr<const Variables> variables_;
  double t_;
  Eigen::VectorXd x_;
};

enum class Crossing { any, rising, falling };
enum class EventAction { record, stop, handle };

// What a handler may change: the model state and the discrete modes, never sizes.
struct EventContext {
  double t;
  Out y;      // all model variables
  Out modes;  // discrete modes of the problem
  const Variables& variables;
  // Set by a handler: algebraic variables follow from the equations, the values here are guesses.
  // Otherwise the run starts again with what is given, which has to be consistent.
  bool solve_algebraic = false;
  bool stop = false;  // set by a handler: the run ends here, as by EventAction::stop
  In p{nullptr, 0};   // parameters of the problem, in their order
  Out of(VariableClass c);
};

struct Event {
  std::string name{};
  std::function<double(const StateView&)> when{};  // crosses zero at the event
  Crossing direction = Crossing::any;
  EventAction action = EventAction::record;
  std::function<void(EventContext&)> handler{};  // needed for EventAction::handle
  // What follows an infinite number of events in a finite time (a bouncing ball comes to rest):
  // called once in place of the handler when the times of this event accumulate, to set state and
  // modes of the resting phase. The event sleeps then until the handler of another one has acted.
  // Without it such a run ends as Status::events_accumulate.
  std::function<void(EventContext&)> rest{};
};

struct EventRecord {
  std::string name;
  double t;
  Eigen::VectorXd y;  // model variables at the event (before a handler acts)
  // With Options::sensitivities, one entry or column per column of the run: derivatives of the time
  // of the event, and of the state there as the event moves, dx/dp + x' dt/dp.
  Eigen::VectorXd time_derivative{};
  Eigen::MatrixXd total{};
};

}  // namespace daedalus
