// SPDX-License-Identifier: BSD-3-Clause
// Matrices that act on the tangent space of a configuration space element by element: one small
// block per copy of a group, a diagonal for Euclidean coordinates, where brackets vanish.
#pragma once

#include <Eigen/Core>
#include <vector>

#include <daedalus/space.hpp>

namespace daedalus {

class ElementMatrices {
 public:
  struct Element {
    SpaceKind kind = SpaceKind::euclidean;
    int tangent = 0, size = 0;
    std::size_t first = 0;  // of its numbers; Euclidean: `size` of them, else size x size
    bool diagonal() const { return kind == SpaceKind::euclidean; }
  };

  explicit ElementMatrices(const Space& space) {
    std::size_t first = 0;
    space.for_each_element([&](const Space::Element& e) {
      elements_.push_back({e.kind, e.tangent, e.tangents, first});
      const auto n = static_cast<std::size_t>(e.tangents);
      first += elements_.back().diagonal() ? n : n * n;
    });
    values_.assign(first, 0.0);
  }

  const std::vector<Element>& elements() const { return elements_; }
  double* values(const Element& e) { return values_.data() + e.first; }
  const double* values(const Element& e) const { return values_.data() + e.first; }
  // Of a group element.
  Eigen::Map<Eigen::MatrixXd> block(const Element& e) { return {values(e), e.size, e.size}; }
  Eigen::Map<const Eigen::MatrixXd> block(const Element& e) const {
    return {values(e), e.size, e.size};
  }

  void set_multiple_of_identity(double factor) {
    std::fill(values_.begin(), values_.end(), 0.0);
    for (const Element& e : elements_)
      for (int i = 0; i < e.size; ++i) values(e)[e.diagonal() ? i : i * (e.size + 1)] = factor;
  }

  // Calls visit(row, column, value) for every entry, in a fixed order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Element& e : elements_) {
      const double* x = values(e);
      for (int c = 0; c < e.size; ++c)
        for (int r = e.diagonal() ? c : 0; r < (e.diagonal() ? c + 1 : e.size); ++r)
          visit(e.tangent + r, e.tangent + c, *x++);
    }
  }

 private:
  std::vector<Element> elements_;
  std::vector<double> values_;
};

}  // namespace daedalus
