// SPDX-License-Identifier: BSD-3-Clause
#include "lab/herk_order.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <unordered_map>

#include <fmt/format.h>

#include <daedalus/types.hpp>

#include "kernel/exact_number.hpp"
#include "lab/herk_stages.hpp"

namespace daedalus::analysis {
namespace {

void check_row(const std::vector<ExactText>& row, const std::string& name, int fewest, int most) {
  const int length = static_cast<int>(row.size());
  if (length >= fewest && length <= most) return;
  throw InvalidArgument(
      fewest == most
          ? fmt::format("{} has {} entries; needed are {}", name, length, most)
          : fmt::format("{} has {} entries; needed are {} to {}", name, length, fewest, most));
}

void check_shape(const HerkTable& table) {
  const int stages = table.stages();
  if (stages < 1) throw InvalidArgument("a has no rows; one per stage is needed");
  if (static_cast<int>(table.gamma.size()) != stages)
    throw InvalidArgument(
        fmt::format("gamma has {} rows; one per stage is needed: {}", table.gamma.size(), stages));
  for (int i = 0; i < stages; ++i) {
    check_row(table.a[i], fmt::format("a[{}]", i + 1), i, i);
    check_row(table.gamma[i], fmt::format("gamma[{}]", i + 1), i + 1, i + 1);
  }
  check_row(table.b, "b", 1, stages);
  check_row(table.d, "d", stages, stages);
  if (!table.embedded.empty()) check_row(table.embedded, "embedded", stages, stages);
}

Quadruple quadruple_root(int n) {
  Quadruple root = static_cast<Quadruple>(std::sqrt(static_cast<long double>(n)));
  if (n == 0) return root;
  // One step of Heron's method doubles the 64 bits.
  return (root + Quadruple(n) / root) / Quadruple(2);
}

template <class Field>
Field value_of(const ExactText& text) {
  if constexpr (std::is_same_v<Field, ExactNumber>)
    return ExactNumber::from_text(text);
  else
    return exact_value<Field>(text, quadruple_root);
}

ExactText text_of(const ExactNumber& x) { return x.text(); }
ExactText text_of(Quadruple x) { return fmt::format("{:.17g}", as_double(x)); }

}  // namespace

class HerkConditions::Arithmetic {
 public:
  Arithmetic(const HerkTable& t, double b) : table(t), bound(b) {}
  virtual ~Arithmetic() = default;

  virtual int add_weights(const std::vector<ExactText>& texts, const ExactText& theta) = 0;
  virtual double residual(int tree, int weights) = 0;
  virtual bool holds(int tree, int weights) = 0;
  virtual std::vector<std::vector<ExactText>> w() const = 0;

  HerkTable table;
  double bound;
  int embedded = -1;
  bool d_sums_to_one = false, explicit_first = false, ends_on_constraint = false, corollary = false;
  ExactText kappa;
  double kappa_number = 0;
};

namespace {

template <class Field>
class FieldArithmetic final : public HerkConditions::Arithmetic {
  using Row = std::vector<Field>;

 public:
  FieldArithmetic(const HerkTable& t, double residual_bound)
      : Arithmetic(t, residual_bound),
        n_(static_cast<std::size_t>(t.stages())),
        vectors_(n_),
        known_(static_cast<std::size_t>(trees_.size()), -1) {
    for (const auto& row : t.a) a_.push_back(values(row));
    for (const auto& row : t.gamma) gamma_.push_back(values(row));
    d_ = values(t.d);
    invert_gamma();
    FieldArithmetic::add_weights(t.b, "1");
    if (!t.embedded.empty()) embedded = FieldArithmetic::add_weights(t.embedded, "1");
    for (std::size_t k = 0; k < n_; ++k) {
      Field sum(0);
      for (std::size_t i = k; i < n_; ++i) sum += d_[i] * w_[i][k];
      dw_.push_back(sum);
    }
    describe();
  }

  int add_weights(const std::vector<ExactText>& texts, const ExactText& theta) override {
    check_row(texts, "weights", 1, static_cast<int>(n_));
    weights_.push_back({values(texts), value_of<Field>(theta), {}});
    return static_cast<int>(weights_.size()) - 1;
  }

  double residual(int tree, int weights) override { return as_double(difference(tree, weights)); }
  bool holds(int tree, int weights) override { return is_zero(difference(tree, weights)); }

  std::vector<std::vector<ExactText>> w() const override {
    std::vector<std::vector<ExactText>> result(n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j <= i; ++j) result[i].push_back(text_of(w_[i][j]));
    return result;
  }

 private:
  struct Weights {
    Row values;
    Field theta;
    std::unordered_map<int, Field> sums;  // by stage vector
  };

  Row values(const std::vector<ExactText>& texts) {
    Row row;
    for (const ExactText& text : texts) {
      row.push_back(value_of<Field>(text));
      // Sums and products would refuse another root only where the two meet.
      if constexpr (std::is_same_v<Field, ExactNumber>)
        root_ = ExactNumber::common_root(root_, row.back().root());
    }
    row.resize(n_, Field(0));
    return row;
  }

  bool is_zero(const Field& x) const {
    if constexpr (std::is_same_v<Field, ExactNumber>)
      return x.is_zero();
    else
      return std::abs(as_double(x)) <= bound;
  }

  void invert_gamma() {
    explicit_first = gamma_[0][0] == Field(0);
    w_.assign(n_, Row(n_, Field(0)));
    for (std::size_t i = 0; i < n_; ++i) {
      const Field diagonal = i == 0 && explicit_first ? Field(1) : gamma_[i][i];
      if (diagonal == Field(0))
        throw InvalidArgument(fmt::format(
            "gamma[{0}][{0}]: {1}: must not be zero, only the first stage may be explicit", i + 1,
            table.gamma[i][i]));
      for (std::size_t j = 0; j <= i; ++j) {
        Field sum(i == j ? 1 : 0);
        for (std::size_t k = j; k < i; ++k) sum -= gamma_[i][k] * w_[k][j];
        w_[i][j] = sum / diagonal;
      }
    }
  }

  void describe() {
    Field sum(0);
    for (const Field& x : d_) sum += x;
    d_sums_to_one = is_zero(sum - Field(1));
    const Row& b = weights_[0].values;
    ends_on_constraint = std::find(gamma_.begin(), gamma_.end(), b) != gamma_.end();
    const Field start = explicit_first ? dw_[0] : Field(0);
    const bool negative = as_double(start) < 0;
    kappa = text_of(negative ? Field(Field(0) - start) : start);
    kappa_number = std::abs(as_double(start));
    corollary = corollary_conditions();
  }

  bool corollary_conditions() const {
    if (!explicit_first) return false;
    for (std::size_t i = 1; i + 1 < n_; ++i)
      if (gamma_[i] != a_[i + 1]) return false;
    const Row& b = weights_[0].values;
    if (n_ > 1 && b[1] != Field(0)) return false;
    const auto row_sum = [](const Row& row) {
      Field sum(0);
      for (const Field& x : row) sum += x;
      return sum;
    };
    Field sum(0);
    for (std::size_t j = 0; j < n_; ++j) sum += b[j] * row_sum(a_[j]) * w_[j][0];
    if (!is_zero(sum)) return false;
    // Z_i = z(t_n + c_i h) + O(h^2); the other tree of order 1 and Y_i ask for nothing.
    for (std::size_t i = 2; i < n_; ++i) {
      Field slope = Field(-2) * row_sum(a_[i]);
      for (std::size_t j = 0; j <= i; ++j) {
        const Field c_hat = row_sum(gamma_[j]);
        slope += w_[i][j] * c_hat * c_hat;
      }
      if (!is_zero(slope)) return false;
    }
    return true;
  }

  int stage_vector(int tree) {
    int& known = known_[tree];
    if (known >= 0) return known;
    const Index2Tree& t = trees_[tree];
    int result = vectors_.ones();
    for (const int child : t.children) {
      const int inner = stage_vector(child);
      const Matrix<Field>& matrix = t.root == Index2Root::z               ? gamma_
                                    : trees_[child].root == Index2Root::z ? w_
                                                                          : a_;
      result = vectors_.product(result, vectors_.image(matrix, inner));
    }
    return known = result;
  }

  Field difference(int tree, int weights) {
    const Index2Tree& t = trees_[tree];
    const int vector = stage_vector(tree);
    const Field pi = Field(t.numerator) / Field(t.denominator);
    if (t.root == Index2Root::z) {
      const auto found = z_sums_.find(vector);
      const Field sum = found != z_sums_.end()
                            ? found->second
                            : z_sums_.emplace(vector, vectors_.inner(dw_, vector)).first->second;
      return sum - pi;
    }
    Weights& set = weights_.at(weights);
    const auto found = set.sums.find(vector);
    const Field sum =
        found != set.sums.end()
            ? found->second
            : set.sums.emplace(vector, vectors_.inner(set.values, vector)).first->second;
    Field right = pi;
    if (set.theta != Field(1))
      for (int k = 0; k < t.order; ++k) right *= set.theta;
    return sum - right;
  }

  const Index2Trees& trees_ = all_index2_trees();
  std::size_t n_;
  int root_ = 0;  // that of the table
  Matrix<Field> a_, gamma_, w_;
  Row d_, dw_;
  std::vector<Weights> weights_;
  std::unordered_map<int, Field> z_sums_;
  StageVectors<Field> vectors_;
  std::vector<int> known_;  // stage vector of a tree
};

}  // namespace

HerkConditions::HerkConditions(const HerkTable& table, double bound) {
  check_shape(table);
  if (!(bound >= 0))
    throw InvalidArgument(fmt::format("bound {} of residuals: must not be negative", bound));
  if (bound == 0)
    arithmetic_ = std::make_unique<FieldArithmetic<ExactNumber>>(table, bound);
  else
    arithmetic_ = std::make_unique<FieldArithmetic<Quadruple>>(table, bound);
}

HerkConditions::~HerkConditions() = default;
HerkConditions::HerkConditions(HerkConditions&&) noexcept = default;
HerkConditions& HerkConditions::operator=(HerkConditions&&) noexcept = default;

const HerkTable& HerkConditions::table() const { return arithmetic_->table; }
double HerkConditions::bound() const { return arithmetic_->bound; }
int HerkConditions::add_weights(const std::vector<ExactText>& weights, const ExactText& theta) {
  return arithmetic_->add_weights(weights, theta);
}
int HerkConditions::embedded() const {
  if (arithmetic_->embedded < 0)
    throw InvalidArgument("embedded: the table " + table().name + " has no embedded weights");
  return arithmetic_->embedded;
}
double HerkConditions::residual(int tree, int weights) {
  return arithmetic_->residual(tree, weights);
}
bool HerkConditions::holds(int tree, int weights) { return arithmetic_->holds(tree, weights); }
std::vector<std::vector<ExactText>> HerkConditions::w() const { return arithmetic_->w(); }
ExactText HerkConditions::kappa() const { return arithmetic_->kappa; }
double HerkConditions::kappa_number() const { return arithmetic_->kappa_number; }
bool HerkConditions::explicit_first() const { return arithmetic_->explicit_first; }
bool HerkConditions::ends_on_constraint() const { return arithmetic_->ends_on_constraint; }
bool HerkConditions::corollary_holds() const { return arithmetic_->corollary; }

int HerkConditions::local_order_z(int most) {
  if (!arithmetic_->d_sums_to_one) return -1;
  for (int order = 1; order <= most; ++order)
    for (const int tree : all_index2_trees().of(Index2Root::z, order))
      if (!holds(tree)) return order - 1;
  return most;
}

}  // namespace daedalus::analysis
