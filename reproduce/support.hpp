// What experiments of all sources share: problems of the catalogue.
#pragma once

#include <string>

#include <daedalus/problem.hpp>
#include <catalogue/catalogue.hpp>

namespace daedalus::experiments {

const problems::Entry& entry(const std::string& name);
Problem catalogue_problem(const std::string& name, const problems::Values& values = {});

}  // namespace daedalus::experiments
