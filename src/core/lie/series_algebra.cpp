// SPDX-License-Identifier: BSD-3-Clause
#include "lie/series_algebra.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace daedalus::lie::series {

// Wieloch (2022), (2.33) and appendix C; mu_7 from (C.1).
const std::array<Monomial, monomial_count> monomials = {{
    {1, 1, {0}, 1.0},
    {2, 1, {1}, 1.0},
    {3, 1, {2}, 1.0},
    {3, 2, {0, 1}, 1.0 / 2},
    {4, 1, {3}, 1.0},
    {4, 2, {0, 2}, 1.0},
    {4, 3, {0, 0, 1}, 0.0},
    {5, 1, {4}, 1.0},
    {5, 2, {0, 3}, 3.0 / 2},
    {5, 2, {1, 2}, 1.0},
    {5, 3, {0, 0, 2}, 1.0 / 6},
    {5, 3, {1, 0, 1}, -1.0 / 2},
    {5, 4, {0, 0, 0, 1}, -1.0 / 6},
    {6, 1, {5}, 1.0},
    {6, 2, {0, 4}, 2.0},
    {6, 2, {1, 3}, 5.0 / 2},
    {6, 3, {0, 0, 3}, 1.0 / 2},
    {6, 3, {0, 1, 2}, 2.0},
    {6, 3, {1, 0, 2}, -5.0 / 2},
    {6, 4, {0, 0, 0, 2}, -1.0 / 2},
    {6, 4, {1, 0, 0, 1}, -1.0},
    {6, 5, {0, 0, 0, 0, 1}, 0.0},
    {7, 1, {6}, 1.0},
    {7, 2, {0, 5}, 5.0 / 2},
    {7, 2, {1, 4}, 9.0 / 2},
    {7, 2, {2, 3}, 5.0 / 2},
    {7, 3, {0, 0, 4}, 1.0},
    {7, 3, {0, 1, 3}, 5.0},
    {7, 3, {1, 0, 3}, -9.0 / 2},
    {7, 3, {1, 1, 2}, -1.0 / 2},
    {7, 3, {2, 0, 2}, -25.0 / 6},
    {7, 4, {0, 0, 0, 3}, -1.0},
    {7, 4, {0, 0, 1, 2}, 11.0 / 6},
    {7, 4, {0, 1, 0, 2}, -5.0},
    {7, 4, {1, 0, 0, 2}, -4.0 / 3},
    {7, 4, {1, 1, 0, 1}, -1.0},
    {7, 5, {0, 0, 0, 0, 2}, -1.0 / 6},
    {7, 5, {0, 0, 1, 0, 1}, -1.0 / 6},
    {7, 5, {1, 0, 0, 0, 1}, 2.0 / 3},
    {7, 6, {0, 0, 0, 0, 0, 1}, 1.0 / 6},
}};

namespace {

// Words of letters are compositions of their weight: bit i of the code says that a letter ends
// behind the (i+1)-th unit. Codes of weight w follow those of smaller weights: 2^(w-1) of them.
constexpr int word_count = (1 << top_weight) - 1;
int first_word(int weight) { return (1 << (weight - 1)) - 1; }
int joined(int wa, int a, int wb, int b) {
  return first_word(wa + wb) +
         (((b - first_word(wb)) << wa) | (1 << (wa - 1)) | (a - first_word(wa)));
}

struct Words : std::array<double, word_count> {
  Words() { fill(0.0); }
};
int weight_of(int word) {
  int weight = 1;
  while (first_word(weight + 1) <= word) ++weight;
  return weight;
}
void add_product(double factor, const Words& a, const Words& b, Words& out) {
  for (int i = 0; i < word_count; ++i) {
    if (a[static_cast<std::size_t>(i)] == 0.0) continue;
    const int wi = weight_of(i);
    for (int j = 0; j < first_word(top_weight - wi + 1); ++j)
      if (b[static_cast<std::size_t>(j)] != 0.0)
        out[static_cast<std::size_t>(joined(wi, i, weight_of(j), j))] +=
            factor * a[static_cast<std::size_t>(i)] * b[static_cast<std::size_t>(j)];
  }
}
Words commutator(const Words& a, const Words& b) {
  Words out;
  add_product(1.0, a, b, out);
  add_product(-1.0, b, a, out);
  return out;
}

struct Product {  // monomials[left], monomials[right] -> factor * monomials[result]
  int weight, left, right, result;
  double factor;
};
struct Branch {  // a common beginning of monomials
  struct Leaf {
    int letter, monomial;
  };
  struct Child {
    int letter, branch;
  };
  std::vector<Leaf> leaves;
  std::vector<Child> children;
};

struct Algebra {
  Algebra();
  int find(const int* letters, int length) const;

  std::vector<Product> products;  // by weight
  std::vector<Branch> branches;   // [0] is the empty beginning
  // nu over [c, c + r] has the coefficient sum over a of power[monomial][a] r^a c^(weight - a).
  double power[monomial_count][top_weight + 1] = {};
};

int Algebra::find(const int* letters, int length) const {
  for (int m = 0; m < monomial_count; ++m) {
    const Monomial& one = monomials[static_cast<std::size_t>(m)];
    if (one.length == length && std::equal(letters, letters + length, one.letters)) return m;
  }
  return -1;
}

const Algebra& algebra() {
  static const Algebra one;
  return one;
}

Element multiplied(const std::vector<Product>& products, const Element& a, const Element& b,
                   int weight) {
  Element out;
  for (const Product& p : products) {
    if (p.weight > weight) break;
    const auto left = static_cast<std::size_t>(p.left), right = static_cast<std::size_t>(p.right);
    out[static_cast<std::size_t>(p.result)] += p.factor * (a[left] * b[right] - a[right] * b[left]);
  }
  return out;
}

Algebra::Algebra() {
  std::vector<Words> words(monomial_count);
  for (std::size_t m = 0; m < monomial_count; ++m) {
    const Monomial& one = monomials[m];
    for (int i = one.length - 1; i >= 0; --i) {
      Words single;
      single[static_cast<std::size_t>(first_word(one.letters[i] + 1))] = 1.0;
      words[m] = i == one.length - 1 ? single : commutator(single, words[m]);
    }
  }
  // Brackets of monomials in the monomials: their words are independent, the coefficients integers
  // or fractions with small denominators, to which rounding restores them.
  int first = 0;
  for (int w = 1; w <= top_weight; ++w) {
    int count = 0;
    while (first + count < monomial_count &&
           monomials[static_cast<std::size_t>(first + count)].weight == w)
      ++count;
    Eigen::MatrixXd basis(1 << (w - 1), count);
    for (int m = 0; m < count; ++m)
      for (int i = 0; i < basis.rows(); ++i)
        basis(i, m) =
            words[static_cast<std::size_t>(first + m)][static_cast<std::size_t>(first_word(w) + i)];
    const Eigen::LDLT<Eigen::MatrixXd> normal(basis.transpose() * basis);
    for (int a = 0; a < first; ++a)
      for (int b = a + 1; b < first; ++b) {
        if (monomials[static_cast<std::size_t>(a)].weight +
                monomials[static_cast<std::size_t>(b)].weight !=
            w)
          continue;
        const Words product =
            commutator(words[static_cast<std::size_t>(a)], words[static_cast<std::size_t>(b)]);
        const Eigen::Map<const Eigen::VectorXd> part(product.data() + first_word(w), basis.rows());
        const Eigen::VectorXd x = normal.solve(basis.transpose() * part);
        for (int m = 0; m < count; ++m) {
          const double snapped = std::round(60.0 * x[m]) / 60.0;
          if (snapped != 0.0) products.push_back({w, a, b, first + m, snapped});
        }
      }
    first += count;
  }
  branches.emplace_back();
  for (int m = 0; m < monomial_count; ++m) {
    const Monomial& one = monomials[static_cast<std::size_t>(m)];
    int at = 0;
    for (int i = 0; i + 1 < one.length; ++i) {
      const auto& children = branches[static_cast<std::size_t>(at)].children;
      const auto child =
          std::find_if(children.begin(), children.end(),
                       [&](const Branch::Child& c) { return c.letter == one.letters[i]; });
      if (child != children.end()) {
        at = child->branch;
        continue;
      }
      const int next = static_cast<int>(branches.size());
      branches[static_cast<std::size_t>(at)].children.push_back({one.letters[i], next});
      branches.emplace_back();
      at = next;
    }
    branches[static_cast<std::size_t>(at)].leaves.push_back({one.letters[one.length - 1], m});
  }
  // Moving the point of expansion by c is exp(c D), D the derivation with D x_j = x_(j+1).
  const auto derivative = [this](const Element& a) {
    Element out;
    for (std::size_t m = 0; m < monomial_count; ++m) {
      const Monomial& one = monomials[m];
      if (a[m] == 0.0 || one.weight == top_weight) continue;
      for (int raised = 0; raised < one.length; ++raised) {
        Element nested;
        for (int i = one.length - 1; i >= 0; --i) {
          const Element single = letter(one.letters[i] + (i == raised ? 1 : 0));
          nested = i == one.length - 1 ? single : multiplied(products, single, nested, top_weight);
        }
        out.add(a[m], nested);
      }
    }
    return out;
  };
  double factorial = 1.0;
  for (int a = 1; a <= top_weight; ++a) {
    factorial *= a;
    Element term;
    for (std::size_t m = 0; m < monomial_count; ++m)
      if (monomials[m].weight == a) term[m] = monomials[m].magnus / factorial;
    for (int l = 0; a + l <= top_weight; ++l) {
      for (std::size_t m = 0; m < monomial_count; ++m)
        if (monomials[m].weight == a + l) power[m][a] = term[m];
      Element next;
      next.add(1.0 / (l + 1), derivative(term));
      term = next;
    }
  }
}

bool is_active(const Element& coefficients, int low, int high, bool letters, int at) {
  const Branch& branch = algebra().branches[static_cast<std::size_t>(at)];
  for (const Branch::Leaf& leaf : branch.leaves) {
    const auto m = static_cast<std::size_t>(leaf.monomial);
    if (letters && monomials[m].weight >= low && monomials[m].weight <= high &&
        coefficients[m] != 0.0)
      return true;
  }
  return std::any_of(branch.children.begin(), branch.children.end(), [&](const auto& child) {
    return is_active(coefficients, low, high, true, child.branch);
  });
}

void sum_branch(const Bracket& bracket, const Element& coefficients, int low, int high,
                const double* const* v, int at, double* scratch, double* out) {
  const Branch& branch = algebra().branches[static_cast<std::size_t>(at)];
  const int size = bracket.size();
  std::fill(out, out + size, 0.0);
  for (const Branch::Leaf& leaf : branch.leaves) {
    const auto m = static_cast<std::size_t>(leaf.monomial);
    if (monomials[m].weight < low || monomials[m].weight > high || coefficients[m] == 0.0) continue;
    const double factor = coefficients[m];
    const double* x = v[leaf.letter];
    for (int i = 0; i < size; ++i) out[i] += factor * x[i];
  }
  if (bracket.is_zero()) return;
  for (const Branch::Child& child : branch.children) {
    if (!is_active(coefficients, low, high, true, child.branch)) continue;
    sum_branch(bracket, coefficients, low, high, v, child.branch, scratch + size, scratch);
    bracket(v[child.letter], scratch, scratch);
    for (int i = 0; i < size; ++i) out[i] += scratch[i];
  }
}

}  // namespace

Element& Element::add(double factor, const Element& other) {
  for (std::size_t m = 0; m < size(); ++m) (*this)[m] += factor * other[m];
  return *this;
}

int monomial_index(std::initializer_list<int> letters) {
  return algebra().find(letters.begin(), static_cast<int>(letters.size()));
}

std::string monomial_name(int index) {
  const Monomial& one = monomials[static_cast<std::size_t>(index)];
  std::string text;
  for (int i = 0; i < one.length; ++i) {
    if (i + 1 < one.length) text += '[';
    text += one.letters[i] > 3 ? "v^(" + std::to_string(one.letters[i]) + ")"
                               : "v" + std::string(static_cast<std::size_t>(one.letters[i]), '\'');
    if (i + 1 < one.length) text += ',';
  }
  return text + std::string(static_cast<std::size_t>(one.length - 1), ']');
}

Element letter(int j) {
  Element out;
  for (std::size_t m = 0; m < monomial_count; ++m)
    if (monomials[m].length == 1 && monomials[m].letters[0] == j) out[m] = 1.0;
  return out;
}

Element bracket(const Element& a, const Element& b, int weight) {
  return multiplied(algebra().products, a, b, weight);
}

Bracket element_bracket() {
  static const auto call = [](const double* a, const double* b, double* out) {
    Element left, right;
    std::copy(a, a + monomial_count, left.begin());
    std::copy(b, b + monomial_count, right.begin());
    const Element product = bracket(left, right);
    std::copy(product.begin(), product.end(), out);
  };
  return {monomial_count, call};
}

Element velocity(double c) {
  Element out;
  double factor = 1.0;
  for (std::size_t m = 0; m < monomial_count; ++m) {
    if (monomials[m].length != 1) continue;
    const int j = monomials[m].letters[0];
    if (j > 0) factor *= c / j;
    out[m] = factor;
  }
  return out;
}

Element increment(double c, double r) {
  double of_c[top_weight + 1] = {1.0}, of_r[top_weight + 1] = {1.0};
  for (int i = 1; i <= top_weight; ++i) {
    of_c[i] = of_c[i - 1] * c;
    of_r[i] = of_r[i - 1] * r;
  }
  Element out;
  for (std::size_t m = 0; m < monomial_count; ++m)
    for (int a = 1; a <= monomials[m].weight; ++a)
      out[m] += algebra().power[m][a] * of_r[a] * of_c[monomials[m].weight - a];
  return out;
}

void evaluate(const Bracket& bracket, const Element& coefficients, int low, int high,
              const double* const* v, double* scratch, double* out) {
  sum_branch(bracket, coefficients, low, high, v, 0, scratch, out);
}

}  // namespace daedalus::lie::series
