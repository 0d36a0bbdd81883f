// Configuration spaces: lists of blocks, each a vector space or copies of a Lie group. Points and
// tangent vectors are plain arrays; x (+) w means x * exp(w) in a group and x + w in R^n.
#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <string>
#include <vector>

#include <daedalus/lie/so3.hpp>

namespace daedalus {

enum class SpaceKind { euclidean, so3 };

class Space {
 public:
  struct Block {
    SpaceKind kind = SpaceKind::euclidean;
    int count = 0;  // dimension of R^n, or number of copies of the group
    int point = 0;  // offsets
    int tangent = 0;
  };

  Space() = default;
  explicit Space(std::vector<Block> blocks);

  int points() const { return points_; }
  int tangents() const { return tangents_; }
  bool is_euclidean() const;
  const std::vector<Block>& blocks() const { return blocks_; }
  std::string name() const;

  // out = x (+) w; out may be x.
  template <class S>
  void plus(const S* x, const S* w, S* out) const;
  // w with to = from (+) w.
  void minus(const double* from, const double* to, double* w) const;
  // out = T(u)^{-1} v: the rate of u in x0 (+) u(t) when the velocity is v. out may be v.
  void tangent_inverse(const double* u, const double* v, double* out) const;
  // How large a point is, seen in tangent coordinates: |x_i| in R^n, 1 in a group.
  void magnitude(const double* x, double* out) const;

 private:
  std::vector<Block> blocks_;
  int points_ = 0, tangents_ = 0;
};

Space euclidean(int n);
Space so3_space(int copies = 1);
Space product(std::initializer_list<Space> factors);

template <class S>
void Space::plus(const S* x, const S* w, S* out) const {
  for (const Block& b : blocks_) {
    if (b.kind == SpaceKind::euclidean) {
      for (int i = 0; i < b.count; ++i) out[b.point + i] = x[b.point + i] + w[b.tangent + i];
      continue;
    }
    for (int i = 0; i < b.count; ++i) {
      using Matrix = Eigen::Matrix<S, 3, 3>;
      using Vector = Eigen::Matrix<S, 3, 1>;
      const Vector increment = Eigen::Map<const Vector>(w + b.tangent + so3::tangents * i);
      const Matrix rotation = Eigen::Map<const Matrix>(x + b.point + so3::points * i);
      const Matrix moved = rotation * so3::exp<S>(increment);
      Eigen::Map<Matrix>(out + b.point + so3::points * i) = moved;
    }
  }
}

}  // namespace daedalus
