// SPDX-License-Identifier: BSD-3-Clause
#include "peers/model.hpp"

#include <algorithm>
#include <exception>
#include <functional>

#include <daedalus/solve.hpp>

#include "peers/deadline.hpp"
#include "peers/plain.hpp"

namespace daedalus::peers {
namespace {

template <class Call>
Answer guarded(Call&& call) {
  if (expired) return fatal;
  try {
    return call();
  } catch (const Reject&) {
    return recoverable;
  } catch (...) {
    return fatal;
  }
}

}  // namespace

bool Model::has_algebraic() const {
  return std::any_of(algebraic.begin(), algebraic.end(), [](char a) { return a != 0; });
}

Answer Model::residual(double t, const double* x, const double* xd, double* r) {
  return guarded([&] { return do_residual(t, x, xd, r); });
}

Answer Model::matrix(double t, double alpha, const double* x, const double* xd, double* values) {
  return guarded([&] { return do_matrix(t, alpha, x, xd, values); });
}

Answer Model::dense_matrix(double t, double alpha, const double* x, const double* xd, double* out) {
  values_.resize(pattern.row.size());
  const Answer answer = matrix(t, alpha, x, xd, values_.data());
  if (answer != fine) return answer;
  const int n = size();
  std::fill_n(out, n * n, 0.0);
  for (int c = 0; c < n; ++c)
    for (int k = pattern.start[static_cast<std::size_t>(c)];
         k < pattern.start[static_cast<std::size_t>(c) + 1]; ++k)
      out[c * n + pattern.row[static_cast<std::size_t>(k)]] = values_[static_cast<std::size_t>(k)];
  return fine;
}

Answer Model::rates(double t, const double* x, double* f) {
  return guarded([&] { return do_rates(t, x, f); });
}

Answer Model::dense_rates_matrix(double t, const double* x, double* out) {
  none_.assign(static_cast<std::size_t>(size()), 0.0);
  const Answer answer = dense_matrix(t, 0.0, x, none_.data(), out);
  std::for_each(out, out + size() * size(), [](double& value) { value = -value; });
  return answer;
}

std::vector<std::unique_ptr<Model>> models_of(const problems::Entry& entry,
                                              const Problem& problem) {
  std::vector<std::unique_ptr<Model>> list;
  const auto add = [&](const std::function<std::unique_ptr<Model>()>& make) {
    try {
      if (std::unique_ptr<Model> model = make()) list.push_back(std::move(model));
    } catch (const std::exception&) {
    }
  };
  const auto add_plain = [&] {
    if (!list.empty()) add([&] { return plain_model(entry, *list.front()); });
  };
  if (std::holds_alternative<MultibodyProblem>(problem)) {
    add([&] { return motion_model(entry, problem); });
    add_plain();
    add([&] { return linear_model(entry, problem, "index1"); });
    for (const char* form : {"index1", "baumgarte", "ggl", "index2", "stabilised-index1", "index3"})
      add([&] { return system_model(entry, problem, form); });
    return list;
  }
  add([&] { return direct_model(entry, problem); });
  if (list.empty()) add([&] { return system_model(entry, problem, ""); });
  add_plain();
  if (std::holds_alternative<SemiExplicitProblem>(problem))
    for (const char* form : {"baumgarte", "linearised"})
      add([&] { return system_model(entry, problem, form); });
  return list;
}

}  // namespace daedalus::peers
