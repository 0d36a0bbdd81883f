// SPDX-License-Identifier: BSD-3-Clause
// What a task computes, apart from its numbers. The callables are recorded once as a tape; those of
// another task are played against it, which gives the numbers that are theirs: parameters, captured
// constants, entries of the mass matrix.
#pragma once

#include <memory>
#include <vector>

#include <daedalus/ensemble.hpp>

#include "ensemble/lanes/formulas.hpp"
#include "function/recording.hpp"
#include "function/tape.hpp"

namespace daedalus::lanes {

class Capture {
 public:
  // Throws InvalidArgument that says why its callables cannot be recorded.
  explicit Capture(const EnsembleTask& task);
  Capture(const Capture& other);  // for another thread
  Capture& operator=(const Capture&) = delete;

  bool multibody() const { return shape_.multibody; }
  int size() const { return shape_.n; }  // equations, or coordinates q
  int constraints() const { return shape_.constraints; }
  const std::vector<Crossing>& stops() const { return shape_.stops; }
  // Numbers of another task, and its start values, y or (q, v). False: it computes something else.
  bool read(const EnsembleTask& task, std::vector<double>& numbers, std::vector<double>& given);

  // With these numbers as constants where `fixed`, and the others as parameters in their order.
  Formulas formulas(const std::vector<double>& numbers, const std::vector<char>& fixed) const;
  // So many numbers come first that are parameters of the problem by name.
  int parameters() const { return shape_.parameters; }

 private:
  struct Shape {
    std::size_t form = 0;
    int n = 0, second = 0, constraints = 0, parameters = 0;  // second: z, or velocities
    bool multibody = false, unit_mass = false, called_mass = false;
    std::vector<int> mass_blocks;
    std::vector<int> mass_rows, mass_columns;  // of a constant matrix
    std::vector<const void*> bodies;           // of callables that are formulas; null: it is none
    std::vector<Crossing> stops;               // conditions that end a run
    bool operator==(const Shape&) const = default;
  };
  // The shape of a task, its start values and the entries of its mass matrix.
  static Shape shape_of(const EnsembleTask& task, std::vector<double>& given,
                        std::vector<double>& mass, std::vector<double>& parameters);
  bool play(const EnsembleTask& task, const std::vector<double>& given,
            const std::vector<double>& parameters);

  Shape shape_;
  bool formulas_only_ = false;  // nothing has to be played where the bodies are the same
  Tape tape_;
  std::unique_ptr<Recording> recording_;
  std::vector<Recorded> inputs_, out_;
  std::vector<double> constants_, mass_, named_;
};

}  // namespace daedalus::lanes
