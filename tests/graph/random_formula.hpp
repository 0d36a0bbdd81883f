// SPDX-License-Identifier: BSD-3-Clause
// Random formulas over a few inputs, together with the same computation over any number type: the
// callable that graphs are compared with.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include <daedalus/graph.hpp>

#include "graph/numbers.hpp"

namespace daedalus::graph {

// A straight-line program: value k is made from earlier ones. Arguments of functions are kept in
// their domains by squares and sums, so that every formula is smooth at every point.
class RandomFormula {
 public:
  RandomFormula(unsigned seed, int inputs, int length) : inputs_(inputs) {
    std::mt19937 random(seed);
    for (int k = 0; k < length; ++k) {
      const int known = inputs + k;
      steps_.push_back({static_cast<int>(random() % 16), static_cast<int>(random() % known),
                        static_cast<int>(random() % known)});
    }
  }

  int inputs() const { return inputs_; }
  int outputs() const { return std::min<int>(4, static_cast<int>(steps_.size())); }

  template <class S>
  std::vector<S> operator()(const std::vector<S>& x) const {
    using std::atan, std::atan2, std::cos, std::exp, std::log, std::sin, std::sqrt, std::tanh,
        std::pow;
    std::vector<S> v(x);
    for (const Step& s : steps_) {
      const S a = v[static_cast<std::size_t>(s.a)], b = v[static_cast<std::size_t>(s.b)];
      switch (s.op) {
        case 0:
        case 1:
          v.push_back(a + b);
          break;
        case 2:
        case 3:
          v.push_back(a - 0.5 * b);
          break;
        case 4:
        case 5:
        case 6:
          v.push_back(0.3 * a * b);
          break;
        case 7:
          v.push_back(a / (1.5 + b * b));
          break;
        case 8:
          v.push_back(sin(a));
          break;
        case 9:
          v.push_back(cos(a) * b);
          break;
        case 10:
          v.push_back(exp(-(a * a)));
          break;
        case 11:
          v.push_back(sqrt(1.0 + a * a));
          break;
        case 12:
          v.push_back(log(2.0 + a * a));
          break;
        case 13:
          v.push_back(tanh(a));
          break;
        case 14:
          v.push_back(atan2(a, 2.0 + b * b));
          break;
        default:
          v.push_back(pow(1.0 + a * a, 0.7));
      }
    }
    return {v.end() - outputs(), v.end()};
  }

 private:
  struct Step {
    int op, a, b;
  };
  int inputs_;
  std::vector<Step> steps_;
};

inline std::vector<double> random_point(unsigned seed, int n) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  std::vector<double> x;
  for (int k = 0; k < n; ++k) x.push_back(uniform(random));
  return x;
}

// The formula as rows of a graph over states.
inline Outputs record(Graph& graph, const RandomFormula& formula) {
  std::vector<Expr> x;
  for (int k = 0; k < formula.inputs(); ++k) x.push_back(graph.state("x" + std::to_string(k)));
  Outputs outputs;
  for (const Expr& e : formula(x)) outputs.add(e);
  return outputs;
}

// |a - b| in units of the last place of max(|a|, |b|, 1).
inline double ulps(double a, double b) {
  if (a == b || (a != a && b != b)) return 0.0;
  const double size = std::max({std::fabs(a), std::fabs(b), 1.0});
  return std::fabs(a - b) / (size * 2.220446049250313e-16);
}

}  // namespace daedalus::graph
