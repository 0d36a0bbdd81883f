// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/lanes/capture.hpp"

#include <algorithm>

#include "formulation/parameters.hpp"
#include "kernel/at.hpp"

namespace daedalus::lanes {
namespace {

using graph::InputKind;

void append(std::vector<double>& list, const Eigen::VectorXd& v) {
  list.insert(list.end(), v.data(), v.data() + v.size());
}

// Every callable of the problem that the equations need: use(function, rows, columns).
template <class Use>
void each_callable(const MassMatrixProblem& p, Use&& use) {
  use(p.rhs, static_cast<int>(p.y0.size()), 1);
}
template <class Use>
void each_callable(const SemiExplicitProblem& p, Use&& use) {
  use(p.f, static_cast<int>(p.y0.size()), 1);
  use(p.g, static_cast<int>(p.z0.size()), 1);
}
template <class Use>
void each_callable(const MultibodyProblem& p, Use&& use) {
  const int n = p.velocities();
  if (p.mass && !p.mass_blocks.empty()) {
    int entries = 0;
    for (const int b : p.mass_blocks) entries += b * b;
    use(p.mass, entries, 1);
  } else if (p.mass) {
    use(p.mass, n, n);
  }
  use(p.force, n, 1);
  if (p.constraint_count > 0) use(p.constraint, p.constraint_count, 1);
}
template <class Use>
void each_callable(const ImplicitProblem&, Use&&) {}

template <class Use>
void each_callable(const EnsembleTask& task, Use&& use) {
  std::visit([&](const auto& p) { each_callable(p, use); }, task.problem);
  for (const EnsembleStop& stop : task.stops) use(stop.when, 1, 1);
}

}  // namespace

Capture::Shape Capture::shape_of(const EnsembleTask& task, std::vector<double>& given,
                                 std::vector<double>& mass, std::vector<double>& parameters) {
  Shape s;
  s.form = task.problem.index();
  given.clear();
  mass.clear();
  parameters.clear();
  // Start values may be a function of the parameters.
  Problem applied;
  const bool function =
      std::visit([](const auto& p) { return static_cast<bool>(p.start); }, task.problem);
  if (function) {
    applied = task.problem;
    apply_start(applied);
  }
  const Problem& problem = function ? applied : task.problem;
  const SparseMatrix* matrix = nullptr;
  if (const auto* p = std::get_if<MassMatrixProblem>(&problem)) {
    append(given, p->y0);
    s.unit_mass = p->mass_matrix.size() == 0;
    matrix = &p->mass_matrix;
  } else if (const auto* q = std::get_if<SemiExplicitProblem>(&problem)) {
    append(given, q->y0);
    append(given, q->z0);
    s.second = static_cast<int>(q->z0.size());
  } else if (const auto* b = std::get_if<MultibodyProblem>(&problem)) {
    append(given, b->q0);
    append(given, b->v0);
    s.multibody = true;
    s.second = static_cast<int>(b->v0.size());
    s.constraints = b->constraint_count;
    s.called_mass = static_cast<bool>(b->mass);
    s.mass_blocks = b->mass_blocks;
    matrix = &b->mass_matrix;
  }
  s.n = static_cast<int>(given.size()) - (s.multibody ? s.second : 0);
  if (matrix && !s.called_mass)
    for (int j = 0; j < matrix->outerSize(); ++j)
      for (SparseMatrix::InnerIterator i(*matrix, j); i; ++i) {
        s.mass_rows.push_back(static_cast<int>(i.row()));
        s.mass_columns.push_back(j);
        mass.push_back(i.value());
      }
  std::visit(
      [&](const auto& p) {
        for (const Parameter& parameter : p.parameters) parameters.push_back(parameter.value);
      },
      task.problem);
  s.parameters = static_cast<int>(parameters.size());
  for (const EnsembleStop& stop : task.stops) s.stops.push_back(stop.direction);
  each_callable(task, [&](const auto& f, int, int) { s.bodies.push_back(f.sparse_derivatives()); });
  return s;
}

Capture::Capture(const EnsembleTask& task) : recording_(std::make_unique<Recording>(tape_)) {
  each_callable(task, [](const auto& f, int, int) {
    if (!f.differentiable())
      throw InvalidArgument("a callable is not wrapped in autodiff(): its formulas are not known");
  });
  std::vector<double> given;
  shape_ = shape_of(task, given, mass_, named_);
  formulas_only_ = std::none_of(shape_.bodies.begin(), shape_.bodies.end(),
                                [](const void* body) { return body == nullptr; });
  if (!play(task, given, named_))
    throw InvalidArgument("the equations cannot be evaluated at the start values");
  if (!recording_->holds_elsewhere())
    throw InvalidArgument("a callable looks at values in a way that formulas do not have");
  constants_ = tape_.constants();
}

Capture::Capture(const Capture& other)
    : shape_(other.shape_),
      formulas_only_(other.formulas_only_),
      tape_(other.tape_),
      recording_(std::make_unique<Recording>(tape_)),
      constants_(other.constants_) {}

bool Capture::play(const EnsembleTask& task, const std::vector<double>& given,
                   const std::vector<double>& parameters) {
  Recording& r = *recording_;
  inputs_.clear();
  inputs_.push_back(tape_.input(r, InputKind::time, 0, task.interval.from));
  int number = 0;
  for (const double x : given) inputs_.push_back(tape_.input(r, InputKind::state, number++, x));
  // What the equations must not depend on, but a callable may be given.
  for (int i = 0; i < shape_.constraints; ++i)
    inputs_.push_back(tape_.input(r, InputKind::multiplier, i, 0.0));
  number = 0;
  for (const double p : parameters)
    inputs_.push_back(tape_.input(r, InputKind::parameter, number++, p));
  Arguments<Recorded> a;
  const Recorded* at_state = inputs_.data() + 1;
  const int all = static_cast<int>(given.size());
  a.t = inputs_.front();
  a.x = {at_state, at_state + (all - shape_.second), at_state + all, nullptr, nullptr};
  a.n = {all - shape_.second, shape_.second, shape_.multibody ? shape_.constraints : 0, 0, 0};
  a.p = at_state + all + shape_.constraints;
  a.parameter_count = shape_.parameters;
  bool good = true;
  each_callable(task, [&](const auto& f, int rows, int columns) {
    out_.assign(at(rows * columns), Recorded(0.0));
    good = good && f(a, out_.data(), rows, columns) == Eval::ok;
    for (const Recorded& x : out_) tape_.output(x);
  });
  return good;
}

bool Capture::read(const EnsembleTask& task, std::vector<double>& numbers,
                   std::vector<double>& given) {
  Shape here = shape_of(task, given, mass_, named_);
  if (!formulas_only_) here.bodies = shape_.bodies;
  if (!(here == shape_)) return false;
  if (!formulas_only_) {
    tape_.rewind();
    if (!play(task, given, named_) || !tape_.same() || !recording_->holds_elsewhere()) return false;
  }
  numbers = named_;
  const std::vector<double>& constants = formulas_only_ ? constants_ : tape_.constants();
  numbers.insert(numbers.end(), constants.begin(), constants.end());
  numbers.insert(numbers.end(), mass_.begin(), mass_.end());
  return true;
}

Formulas Capture::formulas(const std::vector<double>& numbers,
                           const std::vector<char>& fixed) const {
  Formulas m;
  m.graph = std::make_unique<graph::Graph>();
  graph::Graph& graph = *m.graph;
  std::vector<Expr> value;
  int free = 0;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    value.push_back(fixed[k] ? Expr(numbers[k]) : graph.input(InputKind::parameter, free++));
  const auto of_tape = tape_.formulas(
      graph,
      [&](InputKind kind, int number) {
        return kind == InputKind::parameter ? value[at(number)] : graph.input(kind, number);
      },
      [&](int k) { return value[at(shape_.parameters + k)]; });
  m.guards = of_tape.guards;
  m.n = shape_.n;
  m.constraints = shape_.constraints;
  m.algebraic = !shape_.multibody && shape_.second > 0;
  m.mass.resize(at(m.n * m.n));
  const auto mass = [&](int i, int j) -> Expr& { return m.mass[at(i * m.n + j)]; };
  const std::vector<Expr>& out = of_tape.outputs;
  std::size_t next = 0;
  if (shape_.called_mass && !shape_.mass_blocks.empty()) {
    int first = 0;
    for (const int b : shape_.mass_blocks) {
      for (int j = 0; j < b; ++j)
        for (int i = 0; i < b; ++i) mass(first + i, first + j) = out[next++];
      first += b;
    }
  } else if (shape_.called_mass) {
    for (int j = 0; j < m.n; ++j)
      for (int i = 0; i < m.n; ++i) mass(i, j) = out[next++];
  } else if (shape_.mass_rows.empty()) {
    const int ones = shape_.unit_mass || shape_.multibody ? m.n : m.n - shape_.second;
    for (int i = 0; i < ones; ++i) mass(i, i) = 1.0;
  } else {
    const std::size_t first = numbers.size() - shape_.mass_rows.size();
    for (std::size_t k = 0; k < shape_.mass_rows.size(); ++k)
      mass(shape_.mass_rows[k], shape_.mass_columns[k]) = value[first + k];
  }
  const std::size_t equations = out.size() - shape_.stops.size(),
                    forces = shape_.multibody ? at(m.n) : equations;
  for (std::size_t k = 0; k < forces; ++k) m.f.push_back(out[next++]);
  while (next < equations) m.g.push_back(out[next++]);
  while (next < out.size()) m.stops.push_back(out[next++]);
  differentiate(m, shape_.multibody);
  return m;
}

}  // namespace daedalus::lanes
