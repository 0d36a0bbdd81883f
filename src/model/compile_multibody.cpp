// SPDX-License-Identifier: BSD-3-Clause
// Callables of a multibody model: G, g_t and the acceleration terms follow from the constraints.
#include "graph/gradient.hpp"
#include "graph/lower.hpp"
#include "graph/reach.hpp"
#include "graph/rewrite.hpp"
#include "kernel/at.hpp"
#include "model/compiled.hpp"

namespace daedalus {
namespace {

using graph::InputKind;

class MechanicsCompiler {
 public:
  MechanicsCompiler(const FlatModel& flat, Model::Data& data)
      : flat_(flat), m_(flat.mechanics), g_(*flat.graph), data_(data) {
    for (int i = 0; i < static_cast<int>(m_.q.size()); ++i) {
      q_.push_back(g_.input(InputKind::position, i));
      v_.push_back(g_.input(InputKind::velocity, i));
    }
  }

  void run() {
    MechanicsParts& p = data_.mechanics;
    p.q = static_cast<int>(m_.q.size());
    p.c = static_cast<int>(m_.c.size());
    p.holonomic = static_cast<int>(m_.holonomic.size());
    p.nonholonomic = static_cast<int>(m_.nonholonomic.size());
    mass();
    p.force = function(rows(m_.force));
    if (p.c > 0) p.dynamics = function(rows(m_.dynamics));
    if (p.holonomic > 0) holonomic();
    if (p.nonholonomic > 0) nonholonomic();
    for (auto* list : {&m_.q, &m_.v, &m_.c})
      for (const BuiltVariable& v : *list) {
        data_.names.push_back(v.name);
        data_.variables.push_back(v);
      }
    for (auto* list : {&m_.holonomic, &m_.nonholonomic})
      for (const BuiltItem& i : *list) {
        data_.names.push_back(i.name);
        BuiltVariable multiplier;
        multiplier.name = i.name;
        data_.variables.push_back(std::move(multiplier));
      }
  }

 private:
  static graph::Outputs rows(const std::vector<Expr>& values) {
    graph::Outputs o;
    for (const Expr& e : values) o.add(e);
    return o;
  }
  std::shared_ptr<const FormulaFunction> function(const graph::Outputs& o) const {
    // The library differentiates the pieces of a multibody problem by dual numbers.
    FormulaFunction::Wanted wanted;
    const auto size = [](const auto& list) { return static_cast<int>(list.size()); };
    wanted.tangents = {size(m_.q), size(m_.v), size(m_.holonomic) + size(m_.nonholonomic),
                       size(m_.c), 0};
    return std::make_shared<const FormulaFunction>(flat_.graph, o, data_.settings, wanted);
  }
  // d e / d inputs . along, and by time if asked for.
  std::vector<Expr> gradient(const Expr& e, const std::vector<Expr>& by) {
    const Expr one = 1.0;
    return graph::weighted_gradient(g_, {&e, 1}, {&one, 1}, by);
  }
  Expr rate(const Expr& e) {
    std::vector<Expr> by = q_;
    by.push_back(g_.time());
    const std::vector<Expr> slope = gradient(e, by);
    Expr sum = slope.back();
    for (std::size_t j = 0; j < q_.size(); ++j) sum += slope[j] * v_[j];
    return sum;
  }

  void mass() {
    const int n = static_cast<int>(m_.q.size());
    std::vector<Expr> entries(at(n * n), 0.0);
    for (const auto& e : m_.mass) entries[at(e.row + n * e.column)] += e.value;
    const graph::Outputs dense = rows(entries);
    if ((kinds_of(g_, dense) & ~graph::kind_bit(InputKind::parameter)) != 0) {
      data_.mechanics.mass = function(dense);
      return;
    }
    auto constant = std::make_unique<ConstantMatrix>();
    graph::Outputs sparse;
    constant->pattern = {n, n, {0}, {}};
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        if (entries[at(i + n * j)].is_number(0.0)) continue;
        constant->pattern.row.push_back(i);
        sparse.add(entries[at(i + n * j)]);
      }
      constant->pattern.start.push_back(constant->pattern.nonzeros());
    }
    constant->entries = std::make_unique<Formulas>(g_, graph::lower(g_, sparse), data_.settings);
    data_.mechanics.constant_mass = std::move(constant);
  }

  void holonomic() {
    const int ng = static_cast<int>(m_.holonomic.size()), n = static_cast<int>(q_.size());
    graph::Outputs values, by_time, acceleration, jacobian;
    jacobian.count = ng * n;
    for (int i = 0; i < ng; ++i) {
      const Expr& g = m_.holonomic[at(i)].left;
      std::vector<Expr> by = q_;
      by.push_back(g_.time());
      const std::vector<Expr> slope = gradient(g, by);
      for (int j = 0; j < n; ++j) jacobian.single.push_back({i + ng * j, slope[at(j)]});
      values.add(g);
      by_time.add(slope.back());
      acceleration.add(rate(rate(g)));
    }
    MechanicsParts& p = data_.mechanics;
    p.constraint = function(values);
    p.constraint_jacobian = function(jacobian);
    p.constraint_time_derivative = function(by_time);
    p.acceleration_term = function(acceleration);
  }

  // A = d row / d v, a = row at v = 0.
  void nonholonomic() {
    const int rows_count = static_cast<int>(m_.nonholonomic.size());
    const int n = static_cast<int>(q_.size());
    graph::Outputs matrix, offset;
    matrix.count = rows_count * n;
    for (int i = 0; i < rows_count; ++i) {
      const Expr& row = m_.nonholonomic[at(i)].left;
      const std::vector<Expr> slope = gradient(row, v_);
      for (int j = 0; j < n; ++j) {
        matrix.single.push_back({i + rows_count * j, slope[at(j)]});
        graph::Outputs one;
        one.add(slope[at(j)]);
        if (kinds_of(g_, one) & graph::kind_bit(InputKind::velocity))
          throw InvalidArgument("nonholonomic: '" + text(row, 200) +
                                "' is not linear in the velocities");
      }
      graph::Rewriter at_rest(g_, g_);
      for (const Expr& v : v_) at_rest.replace(v.node(), 0.0);
      offset.add(at_rest(row));
    }
    data_.mechanics.nonholonomic_matrix = function(matrix);
    data_.mechanics.nonholonomic_offset = function(offset);
  }

  const FlatModel& flat_;
  const BuiltMechanics& m_;
  graph::Graph& g_;
  Model::Data& data_;
  std::vector<Expr> q_, v_;
};

}  // namespace

void compile_multibody(const FlatModel& flat, Model::Data& data) {
  data.multibody = true;
  data.form = "multibody";
  MechanicsCompiler(flat, data).run();
}

}  // namespace daedalus
