// SPDX-License-Identifier: BSD-3-Clause
// Words of an enumeration, in the order of its values.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/pybind11.h>

namespace daedalus::python {

template <class Choice>
Choice one_of(const char* what, const std::string& word, const std::vector<std::string>& words) {
  for (std::size_t k = 0; k < words.size(); ++k)
    if (words[k] == word) return static_cast<Choice>(k);
  throw pybind11::value_error(
      fmt::format("{}: '{}' is given; allowed are {}", what, word, fmt::join(words, ", ")));
}

}  // namespace daedalus::python
