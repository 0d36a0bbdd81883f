// SPDX-License-Identifier: BSD-3-Clause
// Model states as Python sees them: copies that may be kept.
#pragma once

#include <memory>

#include <daedalus/event.hpp>

namespace daedalus::python {

// Hooks see one set of variables over and over: its names are copied once.
class VariablesCache {
 public:
  ModelState state(const StateView& s) {
    if (&s.variables() != seen_ || !kept_ || kept_->size() != s.variables().size()) {
      seen_ = &s.variables();
      kept_ = std::make_shared<const Variables>(s.variables());
    }
    return {kept_, s.t(), s.all()};
  }

 private:
  const Variables* seen_ = nullptr;
  std::shared_ptr<const Variables> kept_;
};

}  // namespace daedalus::python
