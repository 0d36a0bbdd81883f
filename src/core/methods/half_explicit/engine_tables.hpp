// SPDX-License-Identifier: BSD-3-Clause
// Configurations of a method, made once per process for each set of parameters: solving and
// reading exact texts takes as long as hundreds of steps, and a run makes its method anew after
// every event.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "methods/half_explicit/engine.hpp"

namespace daedalus::half_explicit {

class Configurations {
 public:
  using Parameters = std::vector<ExactText>;
  using Make = std::function<Configuration(const Parameters&)>;
  explicit Configurations(Make make) : make_(std::move(make)) {}
  // May be called by several threads. What `make` throws passes through and is not kept.
  std::shared_ptr<const Configuration> with(const Parameters& parameters = {});

 private:
  Make make_;
  std::mutex guard_;
  std::map<Parameters, std::shared_ptr<const Configuration>> made_;
};

// A method for multibody systems in index-1 form alone.
Method index1_method(Method described, Configurations& configurations);

}  // namespace daedalus::half_explicit
