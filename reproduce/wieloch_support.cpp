// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/wieloch_support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <daedalus/lie/s3.hpp>

namespace daedalus::experiments::wieloch {

Experiment experiment(int number, const char* title, double seconds,
                      std::vector<Claim> (*run)(Context&), Basis basis, Parts parts) {
  return {.id = fmt::format("wieloch-{}", number),
          .title = title,
          .source = "Wieloch (2022), dissertation, Halle",
          .basis = std::move(basis),
          .parts = std::move(parts),
          .seconds = seconds,
          .run = run};
}

namespace {

// R and x in place of the quaternion and x; v and lambda follow.
void as_matrix(HeavyTop form, const double* y, int n, Eigen::VectorXd& out) {
  const int position = problems::heavy_top::has_position(form) ? 3 : 0;
  if (!problems::heavy_top::has_quaternion(form)) {
    out = Eigen::Map<const Eigen::VectorXd>(y, n);
    return;
  }
  out.resize(n + 5);
  out.head(position) = Eigen::Map<const Eigen::VectorXd>(y, position);
  const so3::Matrix<double> R = s3::rotation<double>(s3::Quaternion<double>(y + position));
  out.segment(position, 9) = Eigen::Map<const Eigen::VectorXd>(R.data(), 9);
  out.tail(n - position - 4) =
      Eigen::Map<const Eigen::VectorXd>(y + position + 4, n - position - 4);
}

Errors norms(HeavyTop form, const Eigen::VectorXd& e) {
  const bool constrained = problems::heavy_top::has_position(form);
  const int nq = constrained ? 12 : 9, nv = constrained ? 6 : 3;
  return {e.head(nq).norm(), e.segment(nq, nv).norm(), constrained ? e.tail(3).norm() : 0.0};
}

Options options_of(const Study& study) {
  Options o;
  o.method = study.method;
  o.formulation = study.formulation;
  o.method_options = study.settings;
  if (study.steps.empty())
    o.fixed_step = 1.0 / study.n;
  else
    o.step_sequence = study.steps;
  o.rtol = study.accuracy;
  o.atol = study.accuracy;
  o.projection = ProjectionWhen::none;
  o.known = [form = study.form](double t, Out y) { return problems::heavy_top_exact(form, t, y); };
  return o;
}

}  // namespace

Run run(const Study& study) {
  const Solution s = solve(problems::heavy_top::entry(study.form).problem(), {0.0, study.t_end},
                           options_of(study));
  const int n = problems::heavy_top::size_of(study.form);
  Run r;
  r.ok = s.ok();
  r.message = s.message();
  r.steps = s.statistics().accepted;
  r.newton_iterations = s.statistics().in(Phase::step).newton_iterations;
  r.position = s.statistics().position_residual;
  r.velocity = s.statistics().velocity_residual;
  if (!r.ok) {
    const double infinity = std::numeric_limits<double>::infinity();
    r.largest = r.end = {infinity, infinity, infinity};
    return r;
  }
  Eigen::VectorXd exact(n), a, b, difference, largest;
  for (std::size_t i = 0; i < s.times().size(); ++i) {
    problems::heavy_top_exact(study.form, s.times()[i], Out(exact.data(), n));
    const ModelState state = s.state(i);
    as_matrix(study.form, state.y().data(), n, a);
    as_matrix(study.form, exact.data(), n, b);
    difference = (a - b).cwiseAbs();
    if (i == 0) largest = difference;
    largest = largest.cwiseMax(difference);
  }
  r.largest = norms(study.form, largest);
  r.end = norms(study.form, difference);
  return r;
}

Eigen::MatrixXd trajectory(const Study& study) {
  const Solution s = solve(problems::heavy_top::entry(study.form).problem(), {0.0, study.t_end},
                           options_of(study));
  if (!s.ok()) throw std::runtime_error(study.method + ": " + s.message());
  const int n = problems::heavy_top::size_of(study.form);
  Eigen::MatrixXd all;
  Eigen::VectorXd column;
  for (std::size_t i = 0; i < s.times().size(); ++i) {
    const ModelState state = s.state(i);
    as_matrix(study.form, state.y().data(), n, column);
    if (i == 0) all.resize(column.size(), static_cast<Eigen::Index>(s.times().size()));
    all.col(static_cast<Eigen::Index>(i)) = column;
  }
  return all;
}

Errors round_off(double n) { return {1e-10, 1e-9, 1.4e-12 * n * n}; }

double log2_ratio(double coarse, double fine) { return std::log2(coarse / fine); }

double slope_of(const std::vector<double>& h, const std::vector<double>& e) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  const auto n = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double a = std::log(h[i]), b = std::log(e[i]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

Study study_of(const ValueRow& row) {
  Study s{.form = row.form, .method = std::string(row.method), .n = row.n};
  if (row.method == "generalised-alpha")
    s.settings = {{"rho", 0.8}, {"start", row.corrected ? 1.0 : 0.0}};
  else if (row.method.find("bdf") != std::string_view::npos ||
           row.method.find("bliedf") != std::string_view::npos)
    s.settings = {{"start", row.corrected ? 1.0 : 0.0}};
  return s;
}

bool to_four_digits(double measured, double expected) {
  return std::abs(measured - expected) <= four_digits * std::abs(expected);
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(std::isnan(value) ? "not a number" : "infinite");
}
Json numbers(const Errors& e, bool constrained) {
  Json j{{"q", number(e.q)}, {"v", number(e.v)}};
  if (constrained) j["lambda"] = number(e.lambda);
  return j;
}

namespace {

const Json digits_tolerance{
    {"relative", four_digits},
    {"above_times_round_off", 100},
    {"round_off", {{"q", 1e-10}, {"v", 1e-9}, {"lambda", "1.4e-12 / h^2"}}}};

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? std::string()
                       : fmt::format("too near round-off: {}", fmt::join(names, "; "));
}

}  // namespace

Comparison compare(const std::string& id, const std::string& what,
                   const std::vector<ValueRow>& rows) {
  Comparison c;
  for (const ValueRow& row : rows) c.runs.push_back(run(study_of(row)));
  Json expected = Json::array(), measured = Json::array();
  Json expected_slopes = Json::array(), measured_slopes = Json::array();
  std::vector<std::string> below, wrong, below_slopes;
  bool values = !rows.empty(), slopes = values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ValueRow& row = rows[i];
    const bool constrained = row.largest[2] > 0.0;
    const auto errors = [](const std::array<double, 3>& e) { return Errors{e[0], e[1], e[2]}; };
    const auto both = [&](const Errors& largest, const Errors& end) {
      return Json{{"n", row.n},
                  {"largest", numbers(largest, constrained)},
                  {"end", numbers(end, constrained)}};
    };
    expected.push_back(both(errors(row.largest), errors(row.end)));
    measured.push_back(both(c.runs[i].largest, c.runs[i].end));
    Json slopes_expected, slopes_measured;
    for (int k = 0; k < (constrained ? 3 : 2); ++k) {
      const std::size_t j = static_cast<std::size_t>(k);
      for (const bool at_end : {false, true}) {
        const double e = at_end ? row.end[j] : row.largest[j];
        const double m = at_end ? c.runs[i].end[k] : c.runs[i].largest[k];
        const std::string name = fmt::format("{} {}n = {}: {:.4e}, here {:.4e}", class_names[k],
                                             at_end ? "at the end, " : "", row.n, e, m);
        if (e < 100.0 * round_off(row.n)[k])
          below.push_back(name);
        else if (!to_four_digits(m, e))
          wrong.push_back(name);
      }
      if (i == 0) continue;
      if (row.largest[j] < 5.0 * round_off(row.n)[k]) {
        below_slopes.push_back(fmt::format("{}, n = {}", class_names[k], row.n));
        continue;
      }
      const double e = log2_ratio(rows[i - 1].largest[j], row.largest[j]),
                   m = log2_ratio(c.runs[i - 1].largest[k], c.runs[i].largest[k]);
      slopes_expected[class_names[k]] = e;
      slopes_measured[class_names[k]] = number(m);
      slopes = slopes && std::abs(m - e) <= 0.1;
    }
    if (i > 0) {
      expected_slopes.push_back(slopes_expected);
      measured_slopes.push_back(slopes_measured);
    }
  }
  values = values && wrong.empty();
  std::string remark = listed(below);
  if (!wrong.empty())
    remark = fmt::format("not to four digits: {}. {}", fmt::join(wrong, "; "), remark);
  c.claims.push_back(list_claim(id + ".values", what + ", errors", expected, measured,
                                digits_tolerance, values, remark));
  if (rows.size() > 1)
    c.claims.push_back(list_claim(id + ".slopes", what + ", slopes between neighbouring n",
                                  expected_slopes, measured_slopes, 0.1, slopes,
                                  listed(below_slopes)));
  return c;
}

Claim value_claim(const std::string& id, const std::string& what, const Errors& expected,
                  const Errors& measured, double n) {
  bool holds = true;
  std::vector<std::string> below;
  Json e, m;
  for (int k = 0; k < 3; ++k) {
    if (expected[k] == 0.0) continue;
    e[class_names[k]] = expected[k];
    m[class_names[k]] = number(measured[k]);
    if (expected[k] < 100.0 * round_off(n)[k])
      below.push_back(class_names[k]);
    else
      holds = holds && to_four_digits(measured[k], expected[k]);
  }
  return list_claim(id, what, e, m, digits_tolerance, holds, listed(below));
}

Claim order_claim(const std::string& id, const std::string& what, const Errors& expected,
                  const std::vector<Run>& runs, double least) {
  const Run &coarse = runs.at(runs.size() - 2), &fine = runs.back();
  const double n = static_cast<double>(fine.steps);
  bool holds = coarse.ok && fine.ok;
  std::vector<std::string> below;
  Json e, m;
  for (int k = 0; k < 3; ++k) {
    if (expected[k] < 0.0 || coarse.largest[k] == 0.0) continue;
    if (fine.largest[k] < least * round_off(n)[k]) {
      below.push_back(class_names[k]);
      continue;
    }
    const double order = log2_ratio(coarse.largest[k], fine.largest[k]);
    e[class_names[k]] = expected[k];
    m[class_names[k]] = number(order);
    holds = holds && std::abs(order - expected[k]) <= 0.2;
  }
  std::string remark = listed(below);
  if (!coarse.ok || !fine.ok) remark = coarse.message + fine.message;
  return list_claim(id, fmt::format("{}, from {} to {} steps", what, coarse.steps, fine.steps), e,
                    m, 0.2, holds, remark);
}

Claim order_over_means(const std::string& id, const std::string& what, const Errors& expected,
                       const std::vector<Run>& runs) {
  bool holds = runs.size() > 1;
  std::string remark;
  Json e, m, errors = Json::array();
  for (const Run& r : runs) {
    holds = holds && r.ok;
    if (!r.ok) remark += r.message;
    Json entry = numbers(r.largest, true);
    entry["mean_step"] = r.mean_step();
    errors.push_back(entry);
  }
  for (int k = 0; k < 3 && holds; ++k) {
    if (expected[k] < 0.0) continue;
    std::vector<double> h, values;
    for (const Run& r : runs) {
      h.push_back(r.mean_step());
      values.push_back(r.largest[k]);
    }
    e[class_names[k]] = expected[k];
    m[class_names[k]] = number(slope_of(h, values));
    holds = holds && std::abs(slope_of(h, values) - expected[k]) <= 0.2;
  }
  m["errors"] = errors;
  return list_claim(id, what, e, m, 0.2, holds, remark);
}

}  // namespace daedalus::experiments::wieloch
