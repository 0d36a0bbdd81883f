// SPDX-License-Identifier: BSD-3-Clause
#include "model/json/affine.hpp"

namespace daedalus::model {
namespace {

bool is_constant(const Affine& a) {
  for (const double slope : a.slopes)
    if (slope != 0.0) return false;
  return a.good;
}

Affine affine_sum(Affine a, const Affine& b, double sign) {
  a.good = a.good && b.good;
  a.constant += sign * b.constant;
  for (std::size_t k = 0; k < a.slopes.size() && k < b.slopes.size(); ++k)
    a.slopes[k] += sign * b.slopes[k];
  return a;
}

Affine affine_multiple(Affine a, double factor) {
  a.constant *= factor;
  for (double& slope : a.slopes) slope *= factor;
  return a;
}

}  // namespace

AffineReader::AffineReader(const Formula& formula, const std::vector<LoopIndex>& loop)
    : formula_(formula), loop_(loop), known_(formula.nodes.size()) {
  for (int i = 0; i <= formula.root(); ++i) known_[static_cast<std::size_t>(i)] = one(i);
}

Affine AffineReader::one(int i) const {
  const Syntax& node = formula_.at(i);
  switch (node.kind) {
    case SyntaxKind::number:
      return number(node.value);
    case SyntaxKind::name: {
      const std::string name = formula_.plain_name(node);
      for (std::size_t k = 0; k < loop_.size(); ++k)
        if (loop_[k].name == name) {
          Affine a = number(0.0);
          a.slopes[k] = 1.0;
          return a;
        }
      return {};
    }
    case SyntaxKind::negate:
      return affine_multiple(at(node.a), -1.0);
    case SyntaxKind::binary: {
      const Affine &a = at(node.a), &b = at(node.b);
      if (node.op == TokenKind::plus) return affine_sum(a, b, 1.0);
      if (node.op == TokenKind::minus) return affine_sum(a, b, -1.0);
      if (node.op == TokenKind::times && is_constant(a)) return affine_multiple(b, a.constant);
      if (node.op == TokenKind::times && is_constant(b)) return affine_multiple(a, b.constant);
      return {};
    }
    default:
      return {};
  }
}

}  // namespace daedalus::model
