// SPDX-License-Identifier: BSD-3-Clause
// What experiments of all sources share: problems of the catalogue.
#pragma once

#include <string>

#include <catalogue/catalogue.hpp>
#include <daedalus/problem.hpp>

namespace daedalus::experiments {

const problems::Entry& entry(const std::string& name);
Problem catalogue_problem(const std::string& name, const problems::Values& values = {});

}  // namespace daedalus::experiments
