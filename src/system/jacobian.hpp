// Compressed Jacobians of a VectorMap in tangent coordinates: structure found by probing, columns
// coloured, four directions per dual evaluation (or one difference per colour).
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "function/colouring.hpp"
#include "linalg/sparse_pattern.hpp"
#include "system/archive.hpp"
#include "system/counter.hpp"
#include "system/layout.hpp"
#include "system/outcome.hpp"
#include "system/vector_map.hpp"

namespace daedalus {

class JacobianEvaluator {
 public:
  struct Wanted {
    bool x = true, xd = false, t = false;
  };
  // increment > 0: difference quotients with increment max(1, |x|); 0: by the noise of the map.
  JacobianEvaluator(VectorMap& map, const Layout& layout, Wanted wanted, bool differences,
                    double increment = 0.0);

  // Finds structure and colours near `at`; allocates everything evaluate() uses.
  void prepare(const State& at);
  Outcome evaluate(double t, const double* x, const double* xd, Counter& counter, Failure& failure);

  // Full structure: for what is not wanted here because the user gives it, and for products.
  void assume_dense();
  bool exact() const { return !differences_; }
  // Increments follow the largest size that a variable has had in the run.
  void archive(Archive& a) { a(size_x_, size_xd_, dt); }

  SparseValues dx, dxd;
  Eigen::VectorXd dt;
  double time_scale = 1.0;  // size of a meaningful change of t, for difference quotients

 private:
  enum class Part { x, xd, t };
  struct Lane {
    Part part;
    int colour;
  };
  struct Extraction {
    int row, lane, position;
  };
  struct Chunk {
    std::vector<std::pair<int, int>> seeds_x, seeds_xd;  // (column, lane)
    int time_lane = -1;
    std::array<std::vector<Extraction>, 3> extract;  // per Part
  };
  SparsePattern detect(const State& at, Part part);
  void plan();
  Outcome by_duals(double t, const double* x, const double* xd, Failure& failure);
  void update_sizes();
  Outcome by_differences(double t, const double* x, const double* xd, Failure& failure);
  // The point over dual numbers, constant so far; every chunk marks its directions and takes them
  // off again.
  void place_duals(const double* x, const double* xd);
  void mark(const Chunk& chunk, double seed);
  Outcome evaluate_duals(double t, const double* x, const Chunk& chunk, double seed,
                         Failure& failure);

  VectorMap& map_;
  const Layout& layout_;
  Wanted wanted_;
  bool differences_;
  double given_increment_;
  int n_, m_;
  Colouring colour_x_, colour_xd_;
  std::vector<Lane> lanes_;
  std::vector<Chunk> chunks_;
  std::vector<Dual4> x_, w_, xd_, r_;
  Eigen::VectorXd base_, moved_, shift_, point_, size_x_, size_xd_, increment_;
};

}  // namespace daedalus
