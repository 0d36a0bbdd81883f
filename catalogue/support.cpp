// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support.hpp>

#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace daedalus::problems {

void need(bool good, const std::string& problem, const char* field, double value,
          const char* allowed) {
  if (!good)
    throw InvalidArgument(fmt::format("problem '{}': parameter '{}' is {}, allowed: {}", problem,
                                      field, value, allowed));
}

std::vector<std::string> numbered(const std::string& stem, int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back(stem + std::to_string(i));
  return names;
}

std::vector<std::string> prefixed(const std::string& prefix,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(prefix + name);
  return result;
}

std::vector<std::string> joined(std::initializer_list<std::vector<std::string>> lists) {
  std::vector<std::string> result;
  for (const auto& list : lists) result.insert(result.end(), list.begin(), list.end());
  return result;
}

std::vector<std::pair<std::string, double>> named(const std::vector<std::string>& names,
                                                  std::initializer_list<double> values) {
  if (names.size() != values.size())
    throw std::logic_error(fmt::format("{} names for {} values", names.size(), values.size()));
  std::vector<std::pair<std::string, double>> result;
  const double* value = values.begin();
  for (const std::string& name : names) result.emplace_back(name, *value++);
  return result;
}

std::map<std::string, std::string> units(
    std::initializer_list<std::pair<const char*, const char*>> names_of_units) {
  std::map<std::string, std::string> all;
  for (const auto& [unit, names] : names_of_units) {
    std::istringstream words(names);
    for (std::string word; words >> word;) {
      const std::size_t dots = word.find("..");
      if (dots == std::string::npos) {
        all[word] = unit;
        continue;
      }
      const std::string first = word.substr(0, dots), last = word.substr(dots + 2);
      const std::size_t digits = first.find_last_not_of("0123456789") + 1;
      const std::string stem = first.substr(0, digits);
      for (int i = std::stoi(first.substr(digits)); i <= std::stoi(last.substr(digits)); ++i)
        all[stem + std::to_string(i)] = unit;
    }
  }
  return all;
}

Reference exact_reference(const Entry& entry) {
  Reference reference;
  reference.t = entry.t_end;
  reference.values = entry.exact(entry.t_end, {});
  reference.digits = 15;
  reference.source = "exact solution";
  return reference;
}

Eigen::VectorXd vector(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(),
                                           static_cast<Eigen::Index>(values.size()));
}

Scene planar_scene(std::vector<Body> bodies) {
  Scene scene;
  scene.bodies = std::move(bodies);
  scene.up = {0.0, 1.0, 0.0};
  scene.view = {0.2, 0.15, 1.0};
  return scene;
}

}  // namespace daedalus::problems
