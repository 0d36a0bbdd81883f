// SPDX-License-Identifier: BSD-3-Clause
// Contact families whose zeta(s, p) is written in Python: formulas in place of a C++ template.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <daedalus/contact_table.hpp>

#include "traced_law.hpp"

namespace daedalus::python {

// zeta(s, p), s in the place of the time.
template <std::size_t D>
struct FormulaZeta {
  TracedLaw law;
  // One per grid point: there a number stands in the formulas, whose derivative nobody asks for. At
  // the end of a profile it may be infinite.
  std::shared_ptr<const std::vector<TracedLaw>> nodes;

  template <class S>
  S operator()(int i, double, const std::array<S, D>& p) const {
    S out{};
    (*nodes)[static_cast<std::size_t>(i)](S(0.0), p.data(), &out);
    return out;
  }
  template <class T, class S>
  auto operator()(const T& s, const std::array<S, D>& p) const {
    using R = std::decay_t<decltype(s + p[0])>;  // one of the two may be differentiated
    std::array<R, D> at;
    for (std::size_t i = 0; i < D; ++i) at[i] = R(p[i]);
    R out{};
    law(R(s), at.data(), &out);
    return out;
  }
};

template <std::size_t D>
class FormulaFamily : public ContactFamily<FormulaZeta<D>> {
 public:
  using Base = ContactFamily<FormulaZeta<D>>;
  FormulaFamily(const ContactGrid& grid, double nu, const FormulaZeta<D>& zeta)
      : Base(grid, nu, zeta), slope_(zeta.law.by_time()) {}
  // By the formula of the derivative: dual numbers over any number are more than formulas take.
  template <class S>
  S slope(const S& s, const std::array<S, D>& p) const {
    S out{};
    slope_(s, p.data(), &out);
    return out;
  }
  ContactExpansion<D> expansion(const std::array<double, D>& p) const {
    return Base::expansion(p, [this](int node, double, const std::array<double, D>& at) {
      return node_expansion(node, at);
    });
  }

 private:
  // Gradient by dual numbers, each row of the Hessian by a series in that direction.
  ContactExpansion<D> node_expansion(int node, const std::array<double, D>& p) const {
    ContactExpansion<D> e;
    for (std::size_t j = 0; j < D; ++j) {
      std::array<Taylor2Dual, D> x;
      for (std::size_t i = 0; i < D; ++i) {
        x[i] = Taylor2Dual(Dual4::variable(p[i], static_cast<int>(i)));
        if (i == j) x[i].c[1] = Dual4(1.0);
      }
      const Taylor2Dual z = this->function()(node, 0.0, x);
      e.value = z.c[0].v;
      for (std::size_t k = 0; k < D; ++k) {
        e.gradient[k] = z.c[0].d[k];
        e.hessian[j][k] = z.c[1].d[k];
      }
    }
    return e;
  }
  TracedLaw slope_;
};

// As daedalus::Contact, pose and height of one law: D numbers, then the height.
template <std::size_t D>
struct FormulaContact {
  std::string name;
  FormulaFamily<D> family;
  TracedLaw place;

  template <class S, class Q>
  std::array<S, D + 1> at(const S& t, const Q& q) const {
    std::array<S, D + 1> out{};
    place(t, q.data(), out.data());
    return out;
  }
  template <class S, class Q>
  std::array<S, D> pose(const S& t, const Q& q) const {
    const std::array<S, D + 1> all = at(t, q);
    std::array<S, D> p{};
    std::copy_n(all.begin(), D, p.begin());
    return p;
  }
  template <class S, class Q>
  S height(const S& t, const Q& q) const {
    return at(t, q)[D];
  }
};

}  // namespace daedalus::python
