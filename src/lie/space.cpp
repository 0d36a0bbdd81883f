#include <daedalus/space.hpp>

#include <cmath>

#include <daedalus/types.hpp>

namespace daedalus {

Space::Space(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
  for (Block& b : blocks_) {
    if (b.count < 0) throw InvalidArgument("space: a block has a negative count");
    b.point = points_;
    b.tangent = tangents_;
    points_ += b.kind == SpaceKind::euclidean ? b.count : so3::points * b.count;
    tangents_ += b.kind == SpaceKind::euclidean ? b.count : so3::tangents * b.count;
  }
}

bool Space::is_euclidean() const {
  for (const Block& b : blocks_)
    if (b.kind != SpaceKind::euclidean && b.count > 0) return false;
  return true;
}

std::string Space::name() const {
  std::string text;
  for (const Block& b : blocks_) {
    if (!text.empty()) text += " x ";
    text += b.kind == SpaceKind::euclidean ? "R^" + std::to_string(b.count)
            : b.count == 1                 ? std::string("SO(3)")
                                           : "SO(3)^" + std::to_string(b.count);
  }
  return text;
}

void Space::minus(const double* from, const double* to, double* w) const {
  for (const Block& b : blocks_) {
    if (b.kind == SpaceKind::euclidean) {
      for (int i = 0; i < b.count; ++i) w[b.tangent + i] = to[b.point + i] - from[b.point + i];
      continue;
    }
    for (int i = 0; i < b.count; ++i) {
      const Eigen::Map<const Eigen::Matrix3d> A(from + b.point + so3::points * i);
      const Eigen::Map<const Eigen::Matrix3d> B(to + b.point + so3::points * i);
      Eigen::Map<Eigen::Vector3d>(w + b.tangent + so3::tangents * i) = so3::log(A.transpose() * B);
    }
  }
}

void Space::tangent_inverse(const double* u, const double* v, double* out) const {
  for (const Block& b : blocks_) {
    if (b.kind == SpaceKind::euclidean) {
      for (int i = 0; i < b.count; ++i) out[b.tangent + i] = v[b.tangent + i];
      continue;
    }
    for (int i = 0; i < b.count; ++i) {
      const int k = b.tangent + so3::tangents * i;
      const Eigen::Vector3d w = Eigen::Map<const Eigen::Vector3d>(u + k);
      const Eigen::Vector3d rate =
          so3::tangent_inverse<double>(w) * Eigen::Map<const Eigen::Vector3d>(v + k);
      Eigen::Map<Eigen::Vector3d>(out + k) = rate;
    }
  }
}

void Space::magnitude(const double* x, double* out) const {
  for (const Block& b : blocks_) {
    const int tangents = b.kind == SpaceKind::euclidean ? b.count : so3::tangents * b.count;
    for (int i = 0; i < tangents; ++i)
      out[b.tangent + i] = b.kind == SpaceKind::euclidean ? std::abs(x[b.point + i]) : 1.0;
  }
}

Space euclidean(int n) { return Space({{SpaceKind::euclidean, n}}); }
Space so3_space(int copies) { return Space({{SpaceKind::so3, copies}}); }
Space product(std::initializer_list<Space> factors) {
  std::vector<Space::Block> blocks;
  for (const Space& f : factors) blocks.insert(blocks.end(), f.blocks().begin(), f.blocks().end());
  return Space(std::move(blocks));
}

}  // namespace daedalus
